/* SPDX-License-Identifier: MIT */
/*
 * A thread that waits for long suspects a deadlock: it looks for a cycle through its wait, now and
 * then. If it is the youngest on it, and finds the very same cycle again a moment later, it gives
 * up; nobody else on the cycle does anything. Nothing is written, and nobody else's wait is
 * touched. Inside src/lock.
 */
#ifndef DBL_LOCK_DEADLOCK_H
#define DBL_LOCK_DEADLOCK_H

#include "lock/handle/lock.h"

struct dbl_suspicion {
	int64_t next;  /* when to look again; DBL_NEVER: it does not */
	int64_t pause; /* and how long after that */
	uint64_t seen; /* key of the cycle that was found last; 0: none */
};

void dbl_suspicion_begin(struct dbl_suspicion *, const struct dbl_locks *,
			 const struct dbl_acquire_spec *);

/* Is it a deadlock? One round trip, for which it takes half of the time that is left at most. 0: it
 * is none, or others have to give up; DBLOCK_DEADLOCK: yes, and it is up to the wait with this
 * nonce, by the calling thread; only then err is written. Else nothing was heard, and why is left
 * to the wait's own statements to find. */
int dbl_suspicion_look(struct dbl_suspicion *, struct dbl_locks *, const struct dbl_acquire_spec *,
		       int64_t nonce, int64_t deadline, struct dblock_error *err);

#endif
