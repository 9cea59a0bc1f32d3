/* SPDX-License-Identifier: MIT */
/* What the reaper's steps share. Inside src/lock. */
#ifndef DBL_LOCK_REAP_H
#define DBL_LOCK_REAP_H

#include "lock/admin.h"
#include "lock/name.h"

enum { DBL_REAP_BATCH = 200 };

/* One thing to work on: a session or a lock, with what was seen of it. */
struct dbl_item {
	char key[DBL_NAME_MAX + 1]; /* session id, or name */
	int64_t a, b;               /* beat, ttl; or token, expires */
	bool b_given;
	char session[33];
	bool session_given;
	bool queued;
};

struct dbl_batch {
	struct dbl_item items[DBL_REAP_BATCH];
	unsigned n;
};

/* A new item with this key. Batches never overflow: every list has a limit. */
struct dbl_item *dbl_batch_add(struct dbl_batch *, const struct dbl_value *key);

/* One page into the batch, which is emptied first. */
int dbl_batch_fetch(struct dbl_locks *, enum dbl_op, const struct dbl_value *args,
		    int (*row)(void *batch, const struct dbl_value *), struct dbl_batch *,
		    struct dblock_error *err);

/* A statement about one item. A row that is locked is somebody else's business for now: the next
 * pass meets it again. *done goes up by what it changed. */
int dbl_reap_run(struct dbl_locks *, enum dbl_op, const struct dbl_value *args, int64_t *done,
		 struct dblock_error *err);

/* DBLOCK_CANCELED if the caller wants to stop, else 0. */
int dbl_reap_go_on(const struct dbl_reap *, struct dblock_error *err);

/* The steps that have files of their own. */
int dbl_reap_bury(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		  struct dblock_error *err);
int dbl_reap_requests(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);
int dbl_reap_purge(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		   struct dblock_error *err);

#endif
