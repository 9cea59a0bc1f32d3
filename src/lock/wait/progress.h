/* SPDX-License-Identifier: MIT */
/* Telling a caller who wants to know for whom it waits, and its place in the queue. Inside
 * src/lock. */
#ifndef DBL_LOCK_PROGRESS_H
#define DBL_LOCK_PROGRESS_H

#include "lock/handle/lock.h"

struct dbl_progress {
	int64_t began;
	int64_t next; /* when to tell again; DBL_NEVER: nobody wants to know */
};

void dbl_progress_begin(struct dbl_progress *, const struct dbl_locks *,
			const struct dbl_acquire_spec *);

/* Tell if it is time for it, of the wait with this ticket (0: not in the queue yet). One round trip
 * if so, for which it takes half of the time that is left at most. Not 0: nothing was heard, and
 * why is left to the wait's own statements to find. */
int dbl_progress_tell(struct dbl_progress *, struct dbl_locks *, const struct dbl_acquire_spec *,
		      int64_t ticket, int64_t deadline);

#endif
