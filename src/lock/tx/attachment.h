/* SPDX-License-Identifier: MIT */
/*
 * An attachment ties a lock to a transaction of the caller's, in which it is fenced, released or
 * acquired. It lasts from that call until the transaction ends by dblock_tx_commit() or the like,
 * or is found to have been ended elsewhere. Inside src/lock.
 *
 * Meanwhile the transaction keeps the row that carries the grant locked. A call that writes the row
 * would wait for it, perhaps on its own thread: so it asks here first, and returns DBLOCK_FENCED.
 */
#ifndef DBL_LOCK_ATTACHMENT_H
#define DBL_LOCK_ATTACHMENT_H

#include "base/str.h"
#include "link/tx.h"
#include "lock/handle/lock.h"

enum dbl_attachment_kind { DBL_FENCES, DBL_RELEASES, DBL_ACQUIRES };

struct dbl_attachment {
	struct dbl_tx_part part;
	struct dblock_tx *tx;
	struct dbl_locks *locks; /* NULL: its client is closed */
	enum dbl_attachment_kind kind;
	uint64_t thread; /* the thread that called, which alone may ask the connection */
	bool others;     /* RELEASES: others may wait for the lock */
	/* Under locks->mutex: */
	struct dbl_attachment *next; /* in locks->attached->attachments */
	struct dblock_lock *lock;    /* NULL: the handle is gone */
	bool ending; /* the handle learns how the transaction ended: it must not be freed */
};

/* An attachment that is in no list yet; until it joins, the caller frees it. NULL: no memory. */
struct dbl_attachment *dbl_attachment_new(struct dblock_tx *, struct dblock_lock *,
					  enum dbl_attachment_kind);

/* Add it to the client's list, and to the transaction, which frees it when it ends. */
void dbl_attachment_join(struct dbl_attachment *);

/* The attachment of that kind that ties the lock to the transaction; NULL: there is none. */
struct dbl_attachment *dbl_attachment_find(const struct dblock_tx *, const struct dblock_lock *,
					   enum dbl_attachment_kind);

/* Called before a row is written that carries a grant of the handle's. DBLOCK_FENCED: an open
 * transaction has locked it, and *err says what to do. No round trip where there is no attachment,
 * or the transaction has ended by what its own thread sees; else one or a few. */
int dbl_attachment_check(struct dblock_lock *, struct dblock_error *err);

/* Treat the lock's transactions as ended, nobody knows how: it cannot be said if they are open. */
void dbl_attachment_part(struct dblock_lock *);

/* Called before a lock is asked for. DBLOCK_FENCED: that owner would wait for a transaction of its
 * own. No round trip. */
int dbl_attachment_check_spec(struct dbl_locks *, const char *name, struct dbl_owner,
			      struct dblock_error *err);

/* Append a fence's line, as triggers read it: name, token, nonce, and the ticket of the row of the
 * queue that carries the grant, or 0. */
void dbl_attachment_line(const struct dblock_lock *, int64_t ticket, struct dbl_str *);

/* Append that line for the lock that a part of a transaction fences, if it is one that does. */
void dbl_attachment_note(const struct dbl_tx_part *, struct dbl_str *);

/* True: the lock has an attachment, of any kind. Under the mutex. */
bool dbl_attachment_has(const struct dbl_locks *, const struct dblock_lock *);

/* Detach a handle that is about to be freed. */
void dbl_attachment_forget(struct dblock_lock *);

/* Detach all, as the client is closed. */
void dbl_attachments_close(struct dbl_locks *);

/* The ticket of the queue's row that carries the grant. One round trip, the first time.
 * DBLOCK_STALE: there is no such row. `tx`: an open transaction of the caller's, or NULL. */
int dbl_attachment_ticket(struct dblock_lock *, struct dblock_tx *tx, int64_t deadline,
			  int64_t *ticket, struct dblock_error *err);

/* Under the mutex: the lock's row is kept by a branch that a recovery finishes; or no more. */
void dbl_attachment_set_left(struct dblock_lock *, bool left);

/* DBLOCK_FENCED: it still is. Nobody waits for a recovery. One round trip, or two, if it was. */
int dbl_attachment_check_left(struct dblock_lock *, struct dblock_error *err);

/* *idle: nobody has the row that carries the grant locked just now. One round trip, or two. */
int dbl_attachment_idle(struct dblock_lock *, bool *idle, struct dblock_error *err);

#endif
