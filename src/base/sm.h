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

static inline void dbl_sm_init(struct dbl_sm *sm, const struct dbl_state *states, int first)
{
	sm->states = states;
	atomic_init(&sm->now, first);
}

static inline int dbl_sm_now(const struct dbl_sm *sm)
{
	return atomic_load(&sm->now);
}

/* Move if the table allows it, where another thread may have moved on before: then that is no
 * error. Of several threads that try at once, each move is made by one: only that one gets true. */
static inline bool dbl_sm_try(struct dbl_sm *sm, int to)
{
	int now = atomic_load(&sm->now);

	/* On failure of the exchange it is what stands there: look whether it still may. */
	while (sm->states[now].next & DBL_TO(to)) {
		if (atomic_compare_exchange_weak(&sm->now, &now, to))
			return true;
	}
	return false;
}

/* There is no way there: DBLOCK_E_BUG, in words that name the two states. Where assertions run,
 * that ends the process. */
int dbl_sm_refuse(const struct dbl_sm *, int to, struct dblock_error *err);

/* Move to where the table allows it from where the machine stands. Else DBLOCK_E_BUG, and it stays
 * there. */
static inline int dbl_sm_move(struct dbl_sm *sm, int to, struct dblock_error *err)
{
	return dbl_sm_try(sm, to) ? 0 : dbl_sm_refuse(sm, to, err);
}

#endif
