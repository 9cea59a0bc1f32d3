/* SPDX-License-Identifier: MIT */
/*
 * Why a grant was lost. What ends with its term says so by that (its lease, or its session's
 * epoch); the rest is noted in the handle. The first cause counts. Inside src/lock.
 */
#ifndef DBL_LOCK_LOSS_H
#define DBL_LOCK_LOSS_H

#include <dblock/loss.h>

#include "lock/handle/lock.h"

/* Who took it away. */
struct dbl_breaker {
	enum dblock_loss_cause cause;
	int64_t since; /* us since 1970, by the database's clock */
	char host[256];
	int64_t pid;
	char app[64];
};

/* It is LOST, unless it was; true if that is news. For causes that are not its term's. */
bool dbl_grant_lose(struct dblock_lock *, enum dblock_loss_cause);

/* All but the size; the cause is DBLOCK_LOSS_NONE if it is not lost. No mutex is held. */
void dbl_loss_of(struct dblock_lock *, struct dblock_loss *);

/* The database has just said that this grant does not hold it: it is LOST, and told so. DBLOCK_LOST
 * in words that say why. */
int dbl_lost_before(struct dblock_lock *, struct dblock_error *err);

/* DBLOCK_STALE, in words that say why as far as its holder knows. */
int dbl_stale_grant(struct dblock_lock *, struct dblock_error *err);

#endif
