/* SPDX-License-Identifier: MIT */
/*
 * Why a grant was lost. Where its validity has ended, its lease or its session's epoch says why;
 * any other cause is noted in the handle. The first cause counts. Inside src/lock.
 */
#ifndef DBL_LOCK_LOSS_H
#define DBL_LOCK_LOSS_H

#include <dblock/loss.h>

#include "lock/handle/lock.h"

/* Who took a grant away. */
struct dbl_breaker {
	enum dblock_loss_cause cause;
	int64_t since; /* us since 1970, by the database's clock */
	char host[256];
	int64_t pid;
	char app[64];
};

/* Makes the grant LOST, for a cause other than its validity's end. True: it was HELD until now. */
bool dbl_grant_lose(struct dblock_lock *, enum dblock_loss_cause);

/* Fills in all but the size; cause DBLOCK_LOSS_NONE: the grant is not lost. No mutex is held. */
void dbl_loss_of(struct dblock_lock *, struct dblock_loss *);

/* Notes the loss for dblock_event, once, unless somebody else has: who broke it. No mutex is held. */
void dbl_loss_note(struct dblock_lock *);

/* The database has just said that this grant does not hold the lock: makes it LOST, has its holder
 * told, and fails with DBLOCK_LOST and a message that says why. */
int dbl_lost_before(struct dblock_lock *, struct dblock_error *err);

/* Fails with DBLOCK_STALE, and a message that says why, as far as the holder knows. */
int dbl_stale_grant(struct dblock_lock *, struct dblock_error *err);

#endif
