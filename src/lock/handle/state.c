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
	DBL_ASSERT(!lock->before); /* nobody has seen it yet */
	dbl_sm_init(&lock->state, states, DBL_ASKED);
}

int dbl_grant_hold(struct dblock_lock *lock, struct dblock_error *err)
{
	DBL_ASSERT(lock->grant.token > 0 && lock->grant.nonce > 0, "%lld, %lld",
		   (long long)lock->grant.token, (long long)lock->grant.nonce);
	DBL_ASSERT(dbl_term_was(dbl_lock_term(lock)) > 0); /* a deadline, if in the past by now */
	return dbl_sm_move(&lock->state, DBL_HELD, err);
}

/* Nobody is there to be told of an error: the handle is about to be freed. */
void dbl_grant_done(struct dblock_lock *lock)
{
	(void)dbl_sm_move(&lock->state, DBL_DONE, NULL);
}

bool dbl_grant_try(struct dblock_lock *lock, enum dbl_grant_state to)
{
	return dbl_sm_try(&lock->state, to);
}

int64_t dbl_grant_left(struct dblock_lock *lock)
{
	int64_t left = dbl_term_left(dbl_lock_term(lock), dbl_now(lock->locks->env));

	if (left == 0)
		(void)dbl_grant_try(lock, DBL_LOST); /* or it was, or was given back */
	return dbl_sm_now(&lock->state) == DBL_HELD ? left : 0;
}
