/* SPDX-License-Identifier: MIT */
/*
 * A thread that waits for long suspects a deadlock: now and then it looks for a cycle through its
 * wait. If its wait is the youngest of the cycle, and it finds the same cycle again a moment later,
 * it gives up; the others go on waiting. Nothing is written to the database.
 */
#ifndef DBL_LOCK_DEADLOCK_H
#define DBL_LOCK_DEADLOCK_H

#include "lock/handle/lock.h"

struct dbl_suspicion {
	int64_t next;  /* when to look again; DBL_NEVER: it never looks */
	int64_t pause; /* us from that look to the one after it */
	uint64_t seen; /* key of the cycle that was found last; 0: none */
};

void dbl_suspicion_begin(struct dbl_suspicion *, const struct dbl_locks *,
			 const struct dbl_acquire_spec *);

/* Looks whether the calling thread's wait, which has this nonce, is in a deadlock. One round trip,
 * which takes half of the time that is left at most. 0: no deadlock is certain, or another wait has
 * to give up. DBLOCK_DEADLOCK: this wait has to give up; only then err is written. Any other: the
 * look failed, and the wait's own statements will find out why. */
int dbl_suspicion_look(struct dbl_suspicion *, struct dbl_locks *, const struct dbl_acquire_spec *,
		       int64_t nonce, int64_t deadline, struct dblock_error *err);

#endif
