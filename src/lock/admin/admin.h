/* SPDX-License-Identifier: MIT */
/* What operators do with locks: list, break, reap. */
#ifndef DBL_LOCK_ADMIN_H
#define DBL_LOCK_ADMIN_H

#include <dblock/admin.h>
#include <dblock/loss.h>

#include "lock/core/context.h"

/* One lock as read; owns its texts. */
struct dbl_holder {
	char *name, *host, *app, *value, *session;
	int64_t token, nonce, pid, thread, reentry;
	bool by_session, session_found, session_dead;
	bool by_time; /* a lease, or the rest of a minimum hold (then nonce is 0) */
	int64_t acquired;
	int64_t left;             /* us until it ends unless renewed; INT64_MIN: unknown */
	int64_t now;              /* by the database's clock */
	int64_t waiting;          /* so many are in the queue */
	int64_t mode;             /* enum dblock_mode */
	int64_t weight, capacity; /* of permits */

	bool is_requested;
	struct dbl_requester *requester; /* if so: by whom */

	bool is_taken;
	struct dbl_requester *taken; /* if it is being taken away: by whom, without a reason */
	int64_t taken_cause;         /* enum dblock_loss_cause */
	bool taken_told;             /* its holder knows */
};

typedef int dbl_holder_cb(void *ctx, const struct dbl_holder *);

struct dbl_list {
	const char *pattern; /* NULL: every name */
	const char *after;   /* NULL: from the first */
	int64_t limit;       /* 0: all */
	bool free_too;
};

/* The callback runs without any mutex held; not 0 ends the listing and is returned. */
int dbl_holders_list(struct dbl_locks *, const struct dbl_list *, dbl_holder_cb *, void *ctx,
		     struct dblock_error *err);

/* Each of its holders; or who had it last, if it is free. DBLOCK_STALE: no such name. */
int dbl_holders_show(struct dbl_locks *, const char *name, dbl_holder_cb *, void *ctx,
		     struct dblock_error *err);

/* One who waits in the queue, as read; owns its texts. */
struct dbl_queued {
	char *name, *host, *app, *value, *session;
	int64_t ticket, thread, pid;
	int64_t place; /* from 1; 0: its session is dead, or missing, and it does not count */
	int64_t since, lease;
	bool session_found, session_dead;
	int64_t left;             /* us until its session looks expired; INT64_MIN: unknown */
	int64_t now;              /* by the database's clock */
	int64_t mode;             /* enum dblock_mode */
	int64_t weight, capacity; /* of permits */
};

typedef int dbl_queued_cb(void *ctx, const struct dbl_queued *);

struct dbl_queue_list {
	const char *name;    /* of this one only; NULL: of all */
	const char *pattern; /* of names; NULL: every name */
	const char *after;   /* only behind this name and ticket; NULL: from the first */
	int64_t after_ticket;
	int64_t limit; /* 0: all */
};

/* As dbl_holders_list(). */
int dbl_waiters_list(struct dbl_locks *, const struct dbl_queue_list *, dbl_queued_cb *, void *ctx,
		     struct dblock_error *err);

struct dbl_reap {
	const struct dbl_locks *locks; /* set by dbl_reap() */
	int64_t purge_after;           /* us */
	int64_t keep_marks;            /* us */
	int64_t max_time;    /* us: to watch suspects for; 0: only what was watched before */
	int64_t watch_until; /* set by dbl_reap(): of what is taken away */
	int (*canceled)(void *arg);
	void *canceled_arg;
	/* out */
	int64_t expired, freed, deleted, purged, forgotten;
	int64_t watched; /* so many look dead, and have not been watched for long enough */
};

/* One pass. */
int dbl_reap(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);

#endif
