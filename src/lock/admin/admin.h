/* SPDX-License-Identifier: MIT */
/* What operators do with locks: list, break, reap. */
#ifndef DBL_LOCK_ADMIN_H
#define DBL_LOCK_ADMIN_H

#include <dblock/admin.h>
#include <dblock/loss.h>

#include "base/mark.h"
#include "lock/core/context.h"

/* One lock as it was read from the database. The struct owns its texts. */
struct dbl_holder {
	char *name, *host, *app, *value, *session;
	int64_t token, nonce, pid, thread, reentry;
	bool by_session, session_found, session_dead;
	enum dbl_mark_word word; /* of its session */
	bool by_time;            /* a lease, or the rest of a minimum hold (then nonce is 0) */
	int64_t acquired;
	int64_t left;             /* us until the grant ends unless renewed; INT64_MIN: unknown */
	int64_t now;              /* the time of the reading, by the database's clock */
	int64_t waiting;          /* the number of waiters in the queue */
	int64_t mode;             /* enum dblock_mode */
	int64_t weight, capacity; /* of permits */

	bool is_requested;
	struct dbl_requester *requester; /* who asks the holder to let go, if is_requested */

	bool is_taken;
	struct dbl_requester *taken; /* who takes the grant away, if is_taken; without a reason */
	int64_t taken_cause;         /* enum dblock_loss_cause */
	bool taken_told;             /* the holder has been told that the grant is taken away */
};

typedef int dbl_holder_cb(void *ctx, const struct dbl_holder *);

struct dbl_list {
	const char *pattern; /* NULL: every name */
	const char *after;   /* NULL: from the first */
	int64_t limit;       /* 0: all */
	bool free_too;
};

/* The callback runs without any mutex held. If it returns not 0, that ends the listing with it. */
int dbl_holders_list(struct dbl_locks *, const struct dbl_list *, dbl_holder_cb *, void *ctx,
		     struct dblock_error *err);

/* Shows each holder of a lock, or its last one if it is free. DBLOCK_STALE: no such name. */
int dbl_holders_show(struct dbl_locks *, const char *name, dbl_holder_cb *, void *ctx,
		     struct dblock_error *err);

/* One waiter in the queue as it was read. The struct owns its texts. */
struct dbl_queued {
	char *name, *host, *app, *value, *session;
	int64_t ticket, thread, pid;
	int64_t place; /* in the queue, from 1; 0: no place, as its session is dead or missing */
	int64_t since, lease;
	bool session_found, session_dead;
	int64_t left;             /* us until its session looks expired; INT64_MIN: unknown */
	int64_t now;              /* by the database's clock */
	int64_t mode;             /* enum dblock_mode */
	int64_t weight, capacity; /* of permits */
	int64_t priority;
};

typedef int dbl_queued_cb(void *ctx, const struct dbl_queued *);

struct dbl_queue_list {
	const char *name;    /* the one name to list; NULL: all names */
	const char *pattern; /* of names; NULL: every name */
	const char *after;   /* list only behind this name and ticket; NULL: from the first */
	int64_t after_ticket;
	int64_t limit; /* 0: all */
};

/* Lists waiters; the callback is as in dbl_holders_list(). */
int dbl_waiters_list(struct dbl_locks *, const struct dbl_queue_list *, dbl_queued_cb *, void *ctx,
		     struct dblock_error *err);

struct dbl_reap {
	const struct dbl_locks *locks; /* set by dbl_reap() */
	int64_t purge_after;           /* us a name has to be unused before it is forgotten */
	int64_t keep_marks;            /* us the mark of a slot that is done is kept */
	int64_t max_time;    /* us to watch suspects for; 0: decide by earlier watching only */
	bool local;          /* nothing but sessions of processes that have ended on this machine */
	int64_t watch_until; /* set by dbl_reap(): until when to watch grants taken away */
	int (*canceled)(void *arg);
	void *canceled_arg;
	/* out */
	int64_t expired, freed, deleted, purged, forgotten;
	int64_t watched; /* how many look dead but have not been watched for long enough */
};

/* Makes one pass. */
int dbl_reap(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);

#endif
