/* SPDX-License-Identifier: MIT */
/* A try asks the client that keeps the lock idle to give it back: see sticky.h. Inside src/lock. */
#ifndef DBL_LOCK_RECLAIM_H
#define DBL_LOCK_RECLAIM_H

#include "lock/grant/attempt.h"

/* The holder's client may keep the grant idle: its row says so. */
bool dbl_may_be_idle(const struct dbl_snapshot *);

/* Ask for the grant, and look until it is given back, or for longer than a client that hears us
 * takes to do so. The attempt's snapshot is that of the last look. Returns at once where the client
 * cannot be reached. */
int dbl_reclaim(struct dbl_attempt *, struct dblock_error *err);

#endif
