/* SPDX-License-Identifier: MIT */
/* Asking whoever keeps a lock idle to let go of it, for who only tries: see sticky.h. Inside
 * src/lock. */
#ifndef DBL_LOCK_RECLAIM_H
#define DBL_LOCK_RECLAIM_H

#include "lock/grant/attempt.h"

/* Perhaps nobody needs it. */
bool dbl_may_be_idle(const struct dbl_snapshot *);

/* Ask, and look until it has been let go of, or a round trip's time is over: longer than a client
 * that hears us takes to let go. The attempt's sight is the last one. At once where its client
 * cannot be asked from here. */
int dbl_reclaim(struct dbl_attempt *, struct dblock_error *err);

#endif
