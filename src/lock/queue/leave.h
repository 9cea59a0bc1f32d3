/* SPDX-License-Identifier: MIT */
/*
 * Leaving the queue, and passing on what was granted meanwhile: a machine of steps, one round trip
 * each. A cleanup is what it falls back on: where a step fails, the session does all of it.
 *
 *   DEQUEUE --> ANNOUNCE --> GIVE_BACK --> LOOK --> out
 *                                           |
 *                                           +--> HAND_OVER --> out         others may get on
 *
 * Its row may have held the lock, and it may have stood before those who could have it together: so it always looks.
 * Once it is announced nobody can grant that nonce anything any more. Inside src/lock.
 */
#ifndef DBL_LOCK_LEAVE_H
#define DBL_LOCK_LEAVE_H

#include "lock/handle/lock.h"
#include "lock/queue/snapshot.h"

struct dbl_leave {
	struct dbl_locks *locks;
	const char *name;
	int64_t nonce; /* 0: it is not in use */
	struct dbl_cleanup *cleanup;
	bool certain; /* what came of the enqueue is known; else its row may still come */
	struct dbl_snapshot snapshot;
	struct dbl_sm phase;
};

/* The cleanup is its own from now on, the name must outlive it. No round trip. */
void dbl_leave_begin(struct dbl_leave *, struct dbl_locks *, const char *name, int64_t nonce,
		     bool enqueued, struct dbl_cleanup *cleanup);

/* It has begun, and is not yet done. */
bool dbl_leave_goes_on(const struct dbl_leave *);

/* Go one step. True: it is done, or the session's. */
bool dbl_leave_step(struct dbl_leave *, int64_t deadline);

#endif
