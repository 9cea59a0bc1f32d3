/* SPDX-License-Identifier: MIT */
/* What the reaper's steps share. Inside src/lock. */
#ifndef DBL_LOCK_REAP_H
#define DBL_LOCK_REAP_H

#include "lock/admin/admin.h"
#include "lock/core/name.h"

enum { DBL_REAP_BATCH = 200 };

/* A session dead for less long may still be named by a statement that its client sent before and
 * that the server carries out only now. */
#define DBL_DEAD_FOR_US (60 * 1000000LL)

/* One thing to work on: a session or a lock, with what was seen of it. */
struct dbl_item {
	char key[DBL_NAME_MAX + 1]; /* session id, or name */
	int64_t a, b;               /* beat, ttl; or token, expires; or token, nonce */
	int64_t since;              /* it has been seen with that beat, or mark, since then */
	bool noted;                 /* ... and that stands in the database, */
	int64_t noted_ago;          /* us */
	int64_t watch;              /* us: a grant that is taken away, for which it is watched */
	bool b_given;
	char session[33]; /* or what a grant that is taken away is noted as */
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
int dbl_batch_fetch(struct dbl_locks *, enum dbl_op, struct dbl_args args,
		    int (*row)(void *batch, const struct dbl_value *), struct dbl_batch *,
		    struct dblock_error *err);

/* A statement about one item. A row that is locked is somebody else's business for now: the next
 * pass meets it again. *done goes up by what it changed. */
int dbl_reap_run(struct dbl_locks *, enum dbl_op, struct dbl_args args, int64_t *done,
		 struct dblock_error *err);

/* DBLOCK_CANCELED if the caller wants to stop, else 0. */
int dbl_reap_go_on(const struct dbl_reap *, struct dblock_error *err);

/* Until `until`, in steps; DBLOCK_CANCELED if the caller wants to stop. */
int dbl_reap_sleep(struct dbl_locks *, const struct dbl_reap *, int64_t until,
		   struct dblock_error *err);

/* Sessions that look dead, as the reaper has seen them: see suspect.c. */
struct dbl_suspects {
	struct dbl_item *items;
	size_t n, room;
};

void dbl_suspects_free(struct dbl_suspects *);

/* What is watched: all pages of it. */
int dbl_suspects_add(struct dbl_suspects *, const struct dbl_batch *, struct dblock_error *err);

/* Since when it has been watched, as of now; as it was noted. */
int64_t dbl_suspect_since(const struct dbl_item *, int64_t now);

/* How many are noted in one pass, each by a statement: those that are left are met by the next. */
enum { DBL_NOTED_AT_ONCE = 1000 };

/* Note for a later pass, of another process, since when it has been seen as it is. */
int dbl_suspect_note(struct dbl_locks *, const struct dbl_reap *, const char *key, int64_t seen,
		     int64_t since, struct dblock_error *err);

/* The steps that have files of their own. */
int dbl_reap_expire(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		    struct dblock_error *err);
int dbl_reap_dead(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);
/* Grants that are being taken away, and since when that was seen; and, later, those of them that
 * still stand. The caller frees the items. */
int dbl_reap_find_revoked(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
			  struct dbl_suspects *revoked, struct dblock_error *err);
int dbl_reap_free_revoked(struct dbl_locks *, struct dbl_reap *, const struct dbl_suspects *revoked,
			  struct dblock_error *err);
/* Forget notes of what is not watched any more, and marks that nobody is left to be told of. */
int dbl_reap_suspects(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		      struct dblock_error *err);
int dbl_reap_revocations(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
			 struct dblock_error *err);
int dbl_reap_requests(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);
int dbl_reap_purge(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);

#endif
