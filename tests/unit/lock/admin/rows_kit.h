/* SPDX-License-Identifier: MIT */
/* Makes rows that answer requests, for functions that read them. */
#ifndef TESTS_UNIT_LOCK_ADMIN_ROWS_KIT_H
#define TESTS_UNIT_LOCK_ADMIN_ROWS_KIT_H

#include "unit/lock/handle_kit.h"

#include "lock/watch/own.h"
#include "lock/watch/watchdog.h"

static inline void set_up(void)
{
	kit_begin_handles();
	locks.watchdog = dbl_watchdog_new();
}

/* Each request of the operation `played` is answered with so many rows, which `make` fills in. */
enum { COLUMNS = 40 };

static enum dbl_op played;
static int n_rows;
static void (*make)(struct dbl_value *row, int i);

static inline int play_rows(struct dbl_request *request)
{
	for (int i = 0; i < n_rows && request->op == played; i++) {
		struct dbl_value row[COLUMNS];

		for (int c = 0; c < COLUMNS; c++)
			row[c] = dbl_null();
		make(row, i);
		request->row(request->ctx, row);
	}
	return 0;
}

static inline void answer(enum dbl_op op, int n, void (*with)(struct dbl_value *, int))
{
	played = op;
	n_rows = n;
	make = with;
	play = play_rows;
}

static inline void make_the_same_name(struct dbl_value *row, int i)
{
	(void)i;
	row[0] = dbl_text("a");
}

#endif
