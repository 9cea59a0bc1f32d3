/* SPDX-License-Identifier: MIT */
/*
 * The queue of those who wait for a lock: rows in a table, first come, first served. Inside
 * src/lock.
 *
 * No statement here waits for a lock's row, and each is a transaction of its own, so a process that
 * is stopped anywhere keeps no row locked. What makes that safe is a version column: whoever joins
 * or leaves the queue announces that by raising the lock's queue_version, and a hand-over writes
 * the lock's row only if its version is still the one that was read with the queue, but for those
 * who have joined behind the first. So
 *   - a hand-over cannot miss a waiter that was in the queue before it: either it has read that
 *     waiter's row, or the announcement comes later, and the waiter's look after that finds the
 *     lock free, or somebody else's;
 *     (Where joining takes several statements, as on MySQL and for several names, a ticket may be
 *     drawn before another one, and be seen after it: then the other waiter is granted the lock
 *     first, and this one, which was passed over, joins the queue anew.)
 *     (Whoever joins behind two others need not announce that: who does not see the newcomer sees
 *     one of those. If not, the newcomer's look finds that the lock's row shows no waiter.)
 *   - once a waiter that has left has announced that, nobody can grant it anything: what was
 *     granted before then has its nonce, and is given back by that.
 */
#ifndef DBL_LOCK_QUEUE_H
#define DBL_LOCK_QUEUE_H

#include "driver/value.h"
#include "lock/handle/lock.h"
#include "lock/notify/notifier.h"
#include "lock/queue/snapshot.h"

/* Do two others wait? */
enum dbl_crowd { DBL_CROWD_UNKNOWN, DBL_NO_CROWD, DBL_CROWD };

/* The outcome of a hand-over. */
struct dbl_winner {
	bool done;   /* else somebody was faster, or the queue has just changed; */
	bool resent; /* or an earlier copy, whose answer was lost, has done it */
	int64_t token;
	int64_t nonce; /* of the grant; 0: the lock is free, */
	bool others;   /* but somebody waits whom the policy has to grant to: see advance.h */
	enum dbl_crowd crowd; /* behind the new holder, by dbl_pass_on() */
	char address[DBL_WAKE_ADDRESS_MAX];
};

/* Joins the queue with a row that is still to be announced; *ticket stays 0 if our own session is
 * dead there, or (not on MySQL) this is an older copy. One round trip. */
int dbl_enqueue(struct dbl_locks *, const struct dbl_acquire_spec *, const struct dbl_epoch *own,
		int64_t nonce, const char *address, int64_t deadline, int64_t *ticket,
		struct dblock_error *err);

/* The same for a wait whose last ticket was not above `served`, the last that was served: if the new
 * one is not, either, the tables were copied without what counts their tickets, and it is raised above
 * all. One transaction. */
int dbl_enqueue_above(struct dbl_locks *, const struct dbl_acquire_spec *,
		      const struct dbl_epoch *own, int64_t nonce, const char *address,
		      int64_t served, int64_t deadline, int64_t *ticket, struct dblock_error *err);

/* Gives a row another ticket, in its transaction. */
int dbl_ticket_set(struct dbl_db *, const char *name, int64_t nonce, int64_t ticket,
		   int64_t deadline, struct dblock_error *err);

/* The ticket that a wait is to have where `served` was the last that it saw served. The higher half
 * says how often the count began anew, the lower half is what was drawn: so two are never equal, and
 * who draws later has a larger one, whatever each has seen. What is no ticket (0 or less) stays. */
static inline int64_t dbl_ticket_above(int64_t drawn, int64_t served)
{
	const int64_t lap = INT64_C(1) << 32;
	int64_t ticket = served - served % lap + drawn;

	if (drawn > served || drawn <= 0)
		return drawn;
	return ticket > served ? ticket : ticket + lap;
}

/* The arguments of `enqueue`. */
#define DBL_ENQUEUE_ARGS    16
#define DBL_ENQUEUE_ADDRESS 7
void dbl_enqueue_args(const struct dbl_acquire_spec *, const struct dbl_epoch *own, int64_t nonce,
		      const char *address, struct dbl_value args[DBL_ENQUEUE_ARGS]);

/* Joins the queue for an exclusive lock, announces that, and looks at the lock, in one round trip,
 * where the dialect can. The snapshot is not `found` where the name is not known, or our own
 * session is not alive there. DBLOCK_E_BLOCKED: to be done by dbl_enqueue() and dbl_announce(). */
int dbl_join(struct dbl_locks *, const struct dbl_acquire_spec *, const struct dbl_epoch *own,
	     int64_t nonce, const char *address, int64_t deadline, struct dbl_snapshot *,
	     struct dblock_error *err);

/* The usual case of dbl_join(), where the dialect passes on: joins behind two others, does not announce
 * that, and does not look. *ticket stays 0 where it may not be so (not on MySQL, which joins in any
 * case). One round trip. */
int dbl_join_behind(struct dbl_locks *, const struct dbl_acquire_spec *,
		    const struct dbl_epoch *own, int64_t nonce, const char *address,
		    int64_t deadline, int64_t *ticket, struct dblock_error *err);

/* Is granted a lock at once in a mode that several may hold, by a row of the queue, where the dialect
 * enters, and nobody who holds it or waits is in the way. Else *token stays 0. One round trip. */
int dbl_enter_beside(struct dbl_locks *, const struct dbl_acquire_spec *,
		     const struct dbl_epoch *own, int64_t nonce, int64_t deadline, int64_t *token,
		     struct dblock_error *err);

/* What the lock's queue_version is raised by. (The lower digits count those who have left, and all
 * else that raises the version: a grant to rows, a downgrade, who joins with a priority, and so may
 * come before others.) */
enum dbl_change { DBL_HAS_LEFT = 1, DBL_HAS_JOINED_RANKED = 2, DBL_HAS_JOINED = 65536 };

static inline enum dbl_change dbl_change_of_joining(const struct dbl_acquire_spec *spec)
{
	return spec->priority ? DBL_HAS_JOINED_RANKED : DBL_HAS_JOINED;
}

/* Announces that the queue has changed. One round trip. DBLOCK_E_BLOCKED: to be repeated. */
int dbl_announce(struct dbl_locks *, const char *name, enum dbl_change, int64_t deadline,
		 struct dblock_error *err);

/* Leaves the queue, which is to be announced: see leave.h. One round trip. If *certain is false, an
 * enqueue whose answer was lost may still arrive. */
int dbl_dequeue(struct dbl_locks *, const char *name, int64_t nonce, int64_t deadline,
		bool *certain, struct dblock_error *err);

/* Frees what was granted to that nonce, whose row has left the queue. One round trip. */
int dbl_give_back(struct dbl_locks *, const char *name, int64_t nonce, int64_t deadline,
		  struct dblock_error *err);

/* A wait has ended: lets the heartbeat thread delete its row, soon. */
void dbl_dequeue_served_soon(struct dbl_locks *);

/* Deletes the rows of ended waits. */
void dbl_dequeue_served(struct dbl_locks *, struct dbl_link *, int64_t deadline);

/* The nonce of the grant that ends: */
#define DBL_NOBODYS dbl_int(0) /* of a grant that is over: released with a queue, ended, or dead */
#define DBL_ANY     dbl_null() /* of whoever knows the token */

/* The usual case of dbl_hand_over(), where the dialect passes on: ends a grant that came through the
 * queue by this ticket. One round trip. */
int dbl_pass_on(struct dbl_locks *, const char *name, int64_t token, int64_t nonce, int64_t ticket,
		int64_t deadline, struct dbl_winner *, struct dblock_error *err);

/* Ends the grant with this token, gives the lock to the first in the queue, and notifies that
 * waiter. One round trip; more by a channel. */
int dbl_hand_over(struct dbl_locks *, const char *name, int64_t token, struct dbl_value nonce,
		  int64_t deadline, struct dbl_winner *, struct dblock_error *err);

#endif
