/* SPDX-License-Identifier: MIT */
/* What the reaper's steps share. For src/lock only. */
#ifndef DBL_LOCK_REAP_H
#define DBL_LOCK_REAP_H

#include "lock/admin/admin.h"
#include "lock/core/name.h"

enum { DBL_REAP_BATCH = 200 };

/* A session has to be dead for so long before it is deleted: a statement that its client sent
 * earlier, and that the server carries out only now, may still name it. */
#define DBL_DEAD_FOR_US (60 * 1000000LL)

/* One thing to work on: a session or a lock, with what was seen of it. */
struct dbl_item {
	char key[DBL_NAME_MAX + 1]; /* session id, or name */
	int64_t a, b;               /* beat, ttl; or token, expires; or token, nonce */
	int64_t since;              /* when it was first seen with that beat or mark */
	bool noted;                 /* whether the database has a note of `since` */
	int64_t noted_ago;          /* us since that note was made, by the database's clock */
	int64_t watch;              /* us a grant that is taken away has to be watched for */
	bool b_given;
	char session[33]; /* session id, or the key of the note about a grant that is taken away */
	bool session_given;
	bool queued;
};

struct dbl_batch {
	struct dbl_item items[DBL_REAP_BATCH];
	unsigned n;
};

/* Returns a new item with this key. A batch never overflows, since every list has a limit. */
struct dbl_item *dbl_batch_add(struct dbl_batch *, const struct dbl_value *key);

/* Reads one page into the batch, which is emptied first. */
int dbl_batch_fetch(struct dbl_locks *, enum dbl_op, struct dbl_args args,
		    int (*row)(void *batch, const struct dbl_value *), struct dbl_batch *,
		    struct dblock_error *err);

/* Runs a statement, and adds the number of rows that it changed to *done. A row that is locked is
 * no failure: the next pass meets it again. */
int dbl_reap_run(struct dbl_locks *, enum dbl_op, struct dbl_args args, int64_t *done,
		 struct dblock_error *err);

/* Returns DBLOCK_CANCELED if the caller wants to stop, else 0. */
int dbl_reap_go_on(const struct dbl_reap *, struct dblock_error *err);

/* Sleeps until `until`, in steps; DBLOCK_CANCELED if the caller wants to stop. */
int dbl_reap_sleep(struct dbl_locks *, const struct dbl_reap *, int64_t until,
		   struct dblock_error *err);

/* What the reaper watches: sessions that look dead, or grants that are taken away (suspect.c). */
struct dbl_suspects {
	struct dbl_item *items;
	size_t n, room;
};

void dbl_suspects_free(struct dbl_suspects *);

/* Adds a page to what is watched. */
int dbl_suspects_add(struct dbl_suspects *, const struct dbl_batch *, struct dblock_error *err);

/* Returns since when the item has been watched, by its note if it has one, else `now`. */
int64_t dbl_suspect_since(const struct dbl_item *, int64_t now);

/* How many items one pass notes, each by a statement. The next pass notes the rest. */
enum { DBL_NOTED_AT_ONCE = 1000 };

/* Notes for later passes, of other processes, since when the item has been watched. */
int dbl_suspect_note(struct dbl_locks *, const struct dbl_reap *, const char *key, int64_t seen,
		     int64_t since, struct dblock_error *err);

/* These are the steps of a pass: expired sessions are declared dead, dead ones are deleted. */
/* Those whose process has ended on this machine are declared dead. */
int dbl_reap_local(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		   struct dblock_error *err);
int dbl_reap_expire(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		    struct dblock_error *err);
int dbl_reap_dead(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);
/* The first finds grants that are being taken away, and since when; the second, later, frees those
 * of them that are still held. The caller frees the items. */
int dbl_reap_find_revoked(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
			  struct dbl_suspects *revoked, struct dblock_error *err);
int dbl_reap_free_revoked(struct dbl_locks *, struct dbl_reap *, const struct dbl_suspects *revoked,
			  struct dblock_error *err);
/* They forget notes of what is not watched any more, and marks that nobody is left to be told
 * of. */
int dbl_reap_suspects(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		      struct dblock_error *err);
int dbl_reap_revocations(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
			 struct dblock_error *err);
int dbl_reap_permits(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		     struct dblock_error *err);
int dbl_reap_requests(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);
int dbl_reap_purge(struct dbl_locks *, struct dbl_reap *, struct dblock_error *err);
int dbl_reap_rates(struct dbl_locks *, struct dbl_reap *, struct dbl_batch *,
		   struct dblock_error *err);

#endif
