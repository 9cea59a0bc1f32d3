/* SPDX-License-Identifier: MIT */
/*
 * Taking a grant away from its holder: a break, or a release by token from elsewhere. The holder's
 * client is told by a row for its session (drawn in revoked.h), and the grant is freed
 *   - when its holder has given it back, which shows that it has heard;
 *   - or when that row has been there for the session's whole ttl, counted from when it was known
 *     to be there: any heartbeat that extends the holder's validity beyond that reads the row, too.
 *     A session whose row is missing counts with the longest ttl of those that are there. A lease
 *     does not end with its session: it is freed only once each living session of its process has
 *     been told, or at its end;
 *   - at once, if nobody is to be told (the rest of a minimum hold; a lease that no living session
 *     may have; a grant that is dead or over), if it is our own, or by force.
 * Waiters for the lock, and the reaper, watch in the same way, so the caller need not survive.
 */
#ifndef DBL_LOCK_REVOKE_H
#define DBL_LOCK_REVOKE_H

#include <dblock/admin.h>
#include <dblock/loss.h>

#include "lock/core/context.h"

/* What a call takes away, and how long it waits. */
struct dbl_break {
	const char *name;
	int64_t token; /* 0: whichever grants hold it now */
	enum dblock_loss_cause cause;
	bool force;       /* at once: nobody is waited for */
	int64_t until;    /* when every wait ends, on env->now(); DBL_NEVER: no limit */
	int64_t row_wait; /* us to wait at most for an open transaction that locks the row */
	int (*canceled)(void *arg);
	void *canceled_arg;
	void (*waiting)(void *arg, const struct dblock_breaking *); /* or NULL */
	void *waiting_arg;
	int64_t waiting_every; /* us */
};

/* 0: that grant, or each that held the name, is over. DBLOCK_STALE: it does not hold the lock.
 * DBLOCK_BUSY: an open transaction locks its row, or its holder is too old to be told.
 * DBLOCK_TIMEOUT, DBLOCK_CANCELED: it is taken away, and will be over later. */
int dbl_revoke(struct dbl_locks *, const struct dbl_break *, struct dblock_error *err);

/* The state of a grant that is taken away. */
struct dbl_stand {
	bool stands;   /* the grant is still held; if not, the other members say nothing */
	bool marked;   /* the row that tells its holder is there (a crash may have lost it) */
	bool told;     /* each living session that is to be told has been told */
	bool over;     /* its session is dead, or its lease has ended */
	int64_t token; /* its token now, which may have grown */
	int64_t watch; /* us until others may free it; DBL_UNKNOWN: not before its holder is told */
};

/* Looks once at the grant: one round trip. */
int dbl_revoked_stand(struct dbl_locks *, const char *name, int64_t token, int64_t nonce,
		      struct dbl_stand *, struct dblock_error *err);

/* How to wait for an open transaction that locks the row, or a table. */
struct dbl_row_wait {
	int64_t until;
	const char *stands; /* what the message says of the name, as "is not free yet" */
	/* Called before each new try; a result but 0 ends the wait with it. May be NULL. */
	int (*asks)(void *ctx, struct dblock_error *err);
	void *ctx;
};

/* What dblock_event says of a grant that is ended. */
struct dbl_ending_event {
	enum dblock_event_kind kind;
	const char *detail;
};

/* Ends that grant, whichever row carries it, and advances the queue. DBLOCK_STALE: it does not hold
 * the lock. DBLOCK_BUSY: an open transaction locks its row for as long as we wait. */
int dbl_break_grant(struct dbl_locks *, const char *name, int64_t token, int64_t nonce,
		    const struct dbl_row_wait *, const struct dbl_ending_event *,
		    struct dblock_error *err);

/* Fails with DBLOCK_BUSY, because somebody's open transaction locks the row, or a table, and says
 * whose transaction it is if the database tells. */
int dbl_break_blocked(struct dbl_locks *, const char *name, const struct dbl_row_wait *,
		      struct dblock_error *err);

/* Writes durably, by this request, that a grant is taken away. Waits as above until the database
 * can be written (another transaction may have a file locked). */
int dbl_break_tell(struct dbl_locks *, const char *name, struct dbl_request *,
		   const struct dbl_row_wait *, struct dblock_error *err);

#endif
