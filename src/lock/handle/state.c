/* SPDX-License-Identifier: MIT */
#include "lock/handle/state.h"

#include "lock/handle/lock.h"

static const struct dbl_state states[] = {
	[DBL_ASKED] = {"ASKED", DBL_TO(DBL_HELD) | DBL_TO(DBL_DONE)},
	[DBL_HELD] = {"HELD", DBL_TO(DBL_LOST) | DBL_TO(DBL_DONE)},
	[DBL_LOST] = {"LOST", DBL_TO(DBL_DONE)},
	[DBL_DONE] = {"DONE", 0},
};

void dbl_grant_begin(struct dblock_lock *lock)
{
	dbl_sm_init(&lock->state, states, DBL_ASKED);
}

bool dbl_grant_move(struct dblock_lock *lock, enum dbl_grant_state to)
{
	return dbl_sm_move(&lock->state, to);
}

int64_t dbl_grant_left(struct dblock_lock *lock)
{
	int64_t left = dbl_term_left(dbl_lock_term(lock), dbl_now(lock->locks->env));

	if (left == 0)
		dbl_grant_move(lock, DBL_LOST);
	return dbl_sm_now(&lock->state) == DBL_HELD ? left : 0;
}
