/* SPDX-License-Identifier: MIT */
/*
 * Leaving the queue, and passing on what was granted meanwhile: a machine of steps, one round trip
 * each. A cleanup is what it falls back on: where a step fails, the session does all of it.
 *
 *   DEQUEUE --> ANNOUNCE --> GIVE_BACK --> out                  was granted nothing
 *                                |
 *                                +--> LOOK --> HAND_OVER --> out          or others may get on
 *
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
	bool by_rows; /* others may get on if it only leaves */
	struct dbl_snapshot snapshot;
	struct dbl_sm phase;
};

/* The cleanup is its own from now on, the name must outlive it. No round trip. */
void dbl_leave_begin(struct dbl_leave *, struct dbl_locks *, const char *name, int64_t nonce,
		     bool enqueued, bool by_rows, struct dbl_cleanup *cleanup);

/* It has begun, and is not yet done. */
bool dbl_leave_goes_on(const struct dbl_leave *);

/* Go one step. True: it is done, or the session's. */
bool dbl_leave_step(struct dbl_leave *, int64_t deadline);

#endif
