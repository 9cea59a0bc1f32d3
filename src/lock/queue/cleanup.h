/* SPDX-License-Identifier: MIT */
/* Cleaning up what a lost reply, or a wait that ended, may have left in the database. Inside
 * src/lock. */
#ifndef DBL_LOCK_CLEANUP_H
#define DBL_LOCK_CLEANUP_H

#include "lock/core/context.h"

/* On the heartbeat thread, by its link; up to four round trips. True: nothing is left to be done. */
bool dbl_clean_up(struct dbl_locks *, struct dbl_cleanup *, struct dbl_link *, int64_t deadline);

#endif
