/* SPDX-License-Identifier: MIT */
#include "base/sm.h"

void dbl_sm_init(struct dbl_sm *sm, const struct dbl_state *states, int first)
{
	sm->states = states;
	atomic_init(&sm->now, first);
}

int dbl_sm_now(const struct dbl_sm *sm)
{
	return atomic_load(&sm->now);
}

bool dbl_sm_move(struct dbl_sm *sm, int to)
{
	int now = atomic_load(&sm->now);

	/* On failure of the exchange `now` is what stands there: look whether it still may. */
	while (sm->states[now].next & DBL_TO(to)) {
		if (atomic_compare_exchange_weak(&sm->now, &now, to))
			return true;
	}
	return false;
}
