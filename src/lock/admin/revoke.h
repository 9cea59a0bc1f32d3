/* SPDX-License-Identifier: MIT */
/*
 * Taking a grant away from its holder: a break, or a release by token from elsewhere. The holder's
 * client is told, by a row for its session (revoked.h has the drawing), and the grant is freed
 *   - when its holder has given it back, which says that it has heard;
 *   - or when that row has stood for the session's whole ttl, counted from when it was known to be
 *     there: an answer that put the holder's deadline off by then was sent before it. A session
 *     whose row is not there counts as the longest-lived that is. Of a lease, which does not end
 *     with its session: only once each session of its process that lives has been told, or at
 *     its end;
 *   - at once, where nobody is to be told (the rest of a minimum hold; a lease that no living
 *     session may have; what is dead or over), where it is our own, or by force.
 * Whoever waits for the lock, and the reaper, watch in the same way: the caller need not survive.
 * Inside src/lock.
 */
#ifndef DBL_LOCK_REVOKE_H
#define DBL_LOCK_REVOKE_H

#include <dblock/admin.h>
#include <dblock/loss.h>

#include "lock/core/context.h"

/* What to take away. */
struct dbl_break {
	const char *name;
	int64_t token; /* 0: whichever grants hold it now */
	enum dblock_loss_cause cause;
	bool force;       /* at once: nobody is waited for */
	int64_t until;    /* on env->now(): nothing is waited for beyond it; DBL_NEVER */
	int64_t row_wait; /* us: so long for an open transaction that locks the row */
	int (*canceled)(void *arg);
	void *canceled_arg;
	void (*waiting)(void *arg, const struct dblock_breaking *); /* or NULL */
	void *waiting_arg;
	int64_t waiting_every; /* us */
};

/* 0: it is over with that grant, or with all that held the name. DBLOCK_STALE: it does not hold it.
 * DBLOCK_BUSY: an open transaction locks its row; or its holder is too old to be told.
 * DBLOCK_TIMEOUT, DBLOCK_CANCELED: it is taken away, and will be over. */
int dbl_revoke(struct dbl_locks *, const struct dbl_break *, struct dblock_error *err);

/* How it stands with a grant that is taken away. */
struct dbl_stand {
	bool stands;   /* it does: else nothing of the rest is known */
	bool marked;   /* a word of it is there (a crash may have forgotten it) */
	bool told;     /* all know who are to be told, and live */
	bool over;     /* its session is dead, or its lease has ended */
	int64_t token; /* it may have grown */
	int64_t watch; /* us: somebody else may free it then; DBL_UNKNOWN: when its holder is told
			*/
};

/* One look. */
int dbl_revoked_stand(struct dbl_locks *, const char *name, int64_t token, int64_t nonce,
		      struct dbl_stand *, struct dblock_error *err);

/* How an open transaction that locks the row, or has a table, is waited for. */
struct dbl_row_wait {
	int64_t until;
	const char *stands; /* what is said of the name then: it "is not free yet" */
	/* Before each new try; not 0 ends the wait with that. NULL: nobody is asked. */
	int (*asks)(void *ctx, struct dblock_error *err);
	void *ctx;
};

/* End that grant, wherever it is, and advance the queue. DBLOCK_STALE: it does not hold the lock.
 * DBLOCK_BUSY: an open transaction locks its row for as long as we wait. */
int dbl_break_grant(struct dbl_locks *, const char *name, int64_t token, int64_t nonce,
		    const struct dbl_row_wait *, struct dblock_error *err);

/* Write durably that it is taken away: as above, until the database can be written (a file may be
 * another transaction's). */
int dbl_break_tell(struct dbl_locks *, const char *name, struct dbl_request *,
		   const struct dbl_row_wait *, struct dblock_error *err);

#endif
