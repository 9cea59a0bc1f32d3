/* SPDX-License-Identifier: MIT */
/* Asking whoever keeps a lock idle to let go of it, for who only tries: see sticky.h. Inside
 * src/lock. */
#ifndef DBL_LOCK_BEG_H
#define DBL_LOCK_BEG_H

#include "lock/grant/attempt.h"

/* Perhaps nobody needs it. */
bool dbl_is_kept(const struct dbl_sight *);

/* Ask, and look until it has been let go of, or a round trip's time is over: longer than a client
 * that hears us takes to let go. The attempt's sight is the last one. At once where its client
 * cannot be asked from here. */
int dbl_beg(struct dbl_attempt *, struct dblock_error *err);

#endif
