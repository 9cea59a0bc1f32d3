/* SPDX-License-Identifier: MIT */
/*
 * The line of those who wait for a lock: rows in a table, first come, first served. Inside
 * src/lock.
 *
 * Nothing here waits for a lock's row, and each statement is a transaction of its own, so a process
 * that is stopped anywhere keeps no row locked. What makes that safe is a version column: whoever
 * joins or leaves the queue says so (announce) by raising the lock's queue_version, and a hand-over
 * writes the lock's row only if that is still what it was when the queue was read, but for who has
 * joined behind the first. So
 *   - a hand-over cannot miss a waiter that was in the queue before it: either it has read that
 * one's row, or the announcement comes after, and the waiter's look that follows it finds the lock
 *     free, or somebody else's;
 *     (Where to join is not one statement, as on MySQL and for several names, a place may be drawn
 *     before another, and be seen after it: then that one is served first, and this one, passed
 *     over, joins the queue anew.)
 *     (Who joins where two others wait already need not say so: whoever does not see him finds one
 *     of those. If that fails, a look of his finds that the lock's row knows of nobody.)
 *   - once somebody who left has announced it, nobody can grant it anything: what was granted
 * before then carries its nonce, and is given back by that.
 */
#ifndef DBL_LOCK_QUEUE_H
#define DBL_LOCK_QUEUE_H

#include "driver/value.h"
#include "lock/handle/lock.h"
#include "lock/notify/notifier.h"
#include "lock/queue/snapshot.h"

/* What a hand-over came to. */
struct dbl_winner {
	bool done;   /* else somebody was faster, or the queue has just changed; */
	bool resent; /* or an earlier copy, whose answer was lost, has done it */
	int64_t token;
	int64_t nonce; /* 0: it is free, */
	bool others; /* but somebody waits who wants anything but to have it alone: see advance.h */
	char address[DBL_WAKE_ADDRESS_MAX];
};

/* Join the queue; *ticket stays 0 if our own session is dead. The row is there from then on; to be
 * announced. One round trip. */
int dbl_enqueue(struct dbl_locks *, const struct dbl_acquire_spec *, const char *session,
		int64_t nonce, const char *address, int64_t deadline, int64_t *ticket,
		struct dblock_error *err);

/* The arguments of `enqueue`. */
#define DBL_ENQUEUE_ARGS    14
#define DBL_ENQUEUE_ADDRESS 7
void dbl_enqueue_args(const struct dbl_acquire_spec *, const char *session, int64_t nonce,
		      const char *address, struct dbl_value args[DBL_ENQUEUE_ARGS]);

/* Join the queue, to have it alone, and say so, in one round trip; the sight is of the lock as it
 * is then. Nothing is found where there was nothing to be done: the name is not known, or our own
 * session is dead. DBLOCK_E_LOCKED: to be done by the two others. Where the dialect joins. */
int dbl_join(struct dbl_locks *, const struct dbl_acquire_spec *, const char *session,
	     int64_t nonce, const char *address, int64_t deadline, struct dbl_snapshot *,
	     struct dblock_error *err);

/* What has changed: by so much the lock's queue_version is raised. (Those who have left are the
 * lower digits, with all else that raises it: a grant to rows, a downgrade.) */
enum dbl_change { DBL_HAS_LEFT = 1, DBL_HAS_JOINED = 65536 };

/* Say that the queue has changed. One round trip. DBLOCK_E_LOCKED: to be said again. */
int dbl_announce(struct dbl_locks *, const char *name, enum dbl_change, int64_t deadline,
		 struct dblock_error *err);

/* Leave the queue, to be announced: see leave.h. One round trip. If *certain is false, an enqueue
 * whose answer was lost may still arrive. */
int dbl_dequeue(struct dbl_locks *, const char *name, int64_t nonce, int64_t deadline,
		bool *certain, struct dblock_error *err);

/* Free what was granted to that nonce, which is out of the queue. *granted: there was something, or
 * there may have been. One round trip. */
int dbl_give_back(struct dbl_locks *, const char *name, int64_t nonce, int64_t deadline,
		  bool *granted, struct dblock_error *err);

/* A wait came to its end: let the heartbeat thread delete its row, soon. */
void dbl_dequeue_served_soon(struct dbl_locks *);

/* Do so. */
void dbl_dequeue_served(struct dbl_locks *, struct dbl_link *, int64_t deadline);

/* Which grant ends. */
#define DBL_NOBODYS dbl_int(0) /* one that is over: released with a queue, ended, or dead */
#define DBL_ANY     dbl_null() /* that of whoever knows the token */

/* End the grant with this token, give the lock to who is first in the queue, and ring there. One
 * round trip. */
int dbl_hand_over(struct dbl_locks *, const char *name, int64_t token, struct dbl_value nonce,
		  int64_t deadline, struct dbl_winner *, struct dblock_error *err);

#endif
