/* SPDX-License-Identifier: MIT */
/* State machines as tables: each state has a name, and the states that may follow it. A move that
 * is not in the table is not made: it is an error inside dblock. After dqlite's lib/sm.h. */
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

/* Move if the table allows it from the present state. False is no error, as another thread may have
 * moved on before. If several threads try at once, only the one that makes the move gets true. */
static inline bool dbl_sm_try(struct dbl_sm *sm, int to)
{
	int now = atomic_load(&sm->now);

	/* If the exchange fails, `now` is the present state: check that one. */
	while (sm->states[now].next & DBL_TO(to)) {
		if (atomic_compare_exchange_weak(&sm->now, &now, to))
			return true;
	}
	return false;
}

/* Fail with DBLOCK_E_BUG, and a message that names both states. Where assertions run, this
 * aborts. */
int dbl_sm_refuse(const struct dbl_sm *, int to, struct dblock_error *err);

/* Move if the table allows it from the present state. Else DBLOCK_E_BUG, and the state stays. */
static inline int dbl_sm_move(struct dbl_sm *sm, int to, struct dblock_error *err)
{
	return dbl_sm_try(sm, to) ? 0 : dbl_sm_refuse(sm, to, err);
}

#endif
