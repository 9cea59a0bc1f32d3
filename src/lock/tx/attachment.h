/* SPDX-License-Identifier: MIT */
/*
 * What a lock has at stake in a transaction of the caller's: it is fenced there, released or
 * acquired. Known from the call until the transaction ends by dblock_tx_commit() or the like, or is
 * found to have been ended elsewhere. Inside src/lock.
 *
 * Meanwhile the transaction keeps the row that carries the grant locked. Whatever else would write
 * that row would wait for it, perhaps for itself: so it asks here first, and says DBLOCK_FENCED.
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
	uint64_t thread; /* that called: the connection may be asked from there */
	bool others;     /* RELEASES: somebody may wait */
	/* Under locks->mutex: */
	struct dbl_attachment *next; /* in locks->stakes */
	struct dblock_lock *lock;    /* NULL: the handle is gone */
	bool ending; /* the lock is being told how it ended: it has to stay for that */
};

/* Not known to anybody yet. NULL: no memory. */
struct dbl_attachment *dbl_attachment_new(struct dblock_tx *, struct dblock_lock *,
					  enum dbl_attachment_kind);

/* From now on it is known; the transaction's to free. */
void dbl_attachment_join(struct dbl_attachment *);

/* One of that kind that the lock has in the transaction; NULL: none. */
struct dbl_attachment *dbl_attachment_find(const struct dblock_tx *, const struct dblock_lock *,
					   enum dbl_attachment_kind);

/* Before the row that carries a grant, or any of several, is written. DBLOCK_FENCED: a transaction
 * that is open has locked it, and what to do. No round trip where nothing is at stake, or from the
 * thread that fenced; else one or a few. */
int dbl_attachment_check(struct dblock_lock *, struct dblock_error *err);

/* Nobody can say whether its transactions are still open: as if they had ended, who knows how. */
void dbl_attachment_part(struct dblock_lock *);

/* Before a lock is asked for: would that owner wait for a transaction of his own? DBLOCK_FENCED. No
 * round trip. */
int dbl_attachment_check_spec(struct dbl_locks *, const char *name, struct dbl_owner,
			      struct dblock_error *err);

/* Append the queue of a fence, as triggers read it: name, token, nonce, and the ticket of the row
 * that carries it or 0. */
void dbl_attachment_line(const struct dblock_lock *, int64_t ticket, struct dbl_str *);

/* That of the lock which a part of a transaction fences. Nothing if it does not, or not any more.
 */
void dbl_attachment_note(const struct dbl_tx_part *, struct dbl_str *);

/* Anything, of any kind. Under the mutex. */
bool dbl_attachment_has(const struct dbl_locks *, const struct dblock_lock *);

/* The handle goes away. */
void dbl_attachment_forget(struct dblock_lock *);

/* The client goes away. */
void dbl_attachments_close(struct dbl_locks *);

/* The ticket of the row that carries the grant. One round trip, the first time. DBLOCK_STALE:
 * there is none. `tx`: a transaction of the caller's that is open, or NULL. */
int dbl_attachment_ticket(struct dblock_lock *, struct dblock_tx *tx, int64_t deadline,
			  int64_t *ticket, struct dblock_error *err);

/* Nobody has the row that carries the grant locked just now. One round trip. */
int dbl_attachment_idle(struct dblock_lock *, bool *idle, struct dblock_error *err);

#endif
