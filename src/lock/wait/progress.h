/* SPDX-License-Identifier: MIT */
/* Tells a caller, if it wants to know, for whom it waits, and its place in the queue. */
#ifndef DBL_LOCK_PROGRESS_H
#define DBL_LOCK_PROGRESS_H

#include "lock/handle/lock.h"

struct dbl_progress {
	int64_t began;
	int64_t next; /* when to tell again; DBL_NEVER: the caller does not want to know */
};

void dbl_progress_begin(struct dbl_progress *, const struct dbl_locks *,
			const struct dbl_acquire_spec *);

/* Tells the caller, if it is time for it, of the wait with this ticket (0: not in the queue yet).
 * One round trip if so, which takes half of the time that is left at most. Not 0: that failed, and
 * the wait's own statements will find out why. */
int dbl_progress_tell(struct dbl_progress *, struct dbl_locks *, const struct dbl_acquire_spec *,
		      int64_t ticket, int64_t deadline);

#endif
