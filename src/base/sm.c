/* SPDX-License-Identifier: MIT */
#include "base/sm.h"

#include "base/assert.h"
#include "base/err.h"

void dbl_sm_init(struct dbl_sm *sm, const struct dbl_state *states, int first)
{
	sm->states = states;
	atomic_init(&sm->now, first);
}

int dbl_sm_now(const struct dbl_sm *sm)
{
	return atomic_load(&sm->now);
}

/* *now: where it stood. */
static bool try_from(struct dbl_sm *sm, int *now, int to)
{
	*now = atomic_load(&sm->now);
	/* On failure of the exchange it is what stands there: look whether it still may. */
	while (sm->states[*now].next & DBL_TO(to)) {
		if (atomic_compare_exchange_weak(&sm->now, now, to))
			return true;
	}
	return false;
}

bool dbl_sm_try(struct dbl_sm *sm, int to)
{
	int now;

	return try_from(sm, &now, to);
}

int dbl_sm_move(struct dbl_sm *sm, int to, struct dblock_error *err)
{
	int now;
	bool moved = try_from(sm, &now, to);

	DBL_ASSERT(moved, "from %s to %s", sm->states[now].name, sm->states[to].name);
	if (moved)
		return 0;
	return dbl_fail(err, DBLOCK_E_BUG,
			"an error inside dblock: there is no way from state %s to %s",
			sm->states[now].name, sm->states[to].name);
}
