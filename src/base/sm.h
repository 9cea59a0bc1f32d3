/* SPDX-License-Identifier: MIT */
/*
 * A runner for state machines that are written down as a table: each state has a name and the
 * states that may follow it. A move that the table does not have does not happen: it is an error
 * inside dblock. After dqlite's lib/sm.h.
 */
#ifndef DBL_BASE_SM_H
#define DBL_BASE_SM_H

#include <stdatomic.h>
#include <stdbool.h>

struct dblock_error;

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

/* Move to where the table allows it from where the machine stands. Else DBLOCK_E_BUG, in words that
 * name the two states, and it stays there; where assertions run, that ends the process. */
int dbl_sm_move(struct dbl_sm *, int to, struct dblock_error *err);

/* Move if the table allows it, where another thread may have moved on before: then that is no
 * error. Of several threads that try at once, each move is made by one: only that one gets true. */
bool dbl_sm_try(struct dbl_sm *, int to);

#endif
