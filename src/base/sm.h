/* SPDX-License-Identifier: MIT */
/*
 * A runner for state machines that are written down as a table: each state has a name and the
 * states that may follow it. One function moves; a move that the table does not have does not
 * happen. After dqlite's lib/sm.h.
 */
#ifndef DBL_BASE_SM_H
#define DBL_BASE_SM_H

#include <stdatomic.h>
#include <stdbool.h>

struct dbl_state {
	const char *name;
	unsigned next; /* bit n: state n may follow */
};

#define DBL_TO(state) (1U << (state))

struct dbl_sm {
	const struct dbl_state *states;
	atomic_int now;
};

void dbl_sm_init(struct dbl_sm *, const struct dbl_state *states, int first);

int dbl_sm_now(const struct dbl_sm *);

/* Move, if the table allows it from where the machine stands. Of several threads that try at once,
 * each move is made by one: only that one gets true. */
bool dbl_sm_move(struct dbl_sm *, int to);

#endif
