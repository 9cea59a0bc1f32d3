/* SPDX-License-Identifier: MIT */
/* What the two files of a waiting acquire share: wait.c drives it, wait_steps.c has its phases. */
#ifndef DBL_LOCK_WAIT_OWN_H
#define DBL_LOCK_WAIT_OWN_H

#include "lock/wait.h"

enum dbl_wait_phase {
	DBL_WAIT_ASK,
	DBL_WAIT_ENQUEUE,
	DBL_WAIT_ANNOUNCE,
	DBL_WAIT_WATCH,
	DBL_WAIT_DECLARE,
	DBL_WAIT_HAND_OVER,
	DBL_WAIT_TAKE,
	DBL_WAIT_WHO,
	DBL_WAIT_LEAVE
};

/* What its phase has to do now. DBLOCK_WAITING, or the outcome; then it may still be in line. 0:
 * the attempt's handle is to be published. */
int dbl_wait_go(struct dbl_wait *, struct dblock_error *err);

/* Nobody finds us any more; what we have in the database is to be left from now on. False: there is
 * nothing to leave. */
bool dbl_wait_leave(struct dbl_wait *);

#endif
