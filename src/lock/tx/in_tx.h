/* SPDX-License-Identifier: MIT */
/*
 * Locks that are released, acquired, or had only inside a transaction of the caller's.
 *
 *              release_in                          acquire_in
 *     NOT -------------------> RELEASING           ACQUIRING -----------> NOT, and held
 *      ^     rolled back         |  |  |               |       committed
 *      +-------------------------+  |  | committed     | rolled back; or nobody knows,
 *             nobody knows          |  v               v and it is given back
 *     RELEASED_PERHAPS <------------+  RELEASED    NOT_ACQUIRED
 *
 * The lock is held in NOT alone. Once the transaction has ended, dblock_release() frees the handle.
 */
#ifndef DBL_LOCK_IN_TX_H
#define DBL_LOCK_IN_TX_H

#include "lock/tx/attachment.h"

/* The state of the handle, and of each of its parts. */
static inline enum dbl_in_tx dbl_in_tx_of(const struct dblock_lock *lock)
{
	return (enum dbl_in_tx)(lock->n_parts ? lock->parts[0]->in_tx : lock->in_tx);
}

/* Release the lock if, and when, the transaction commits. DBLOCK_STALE: it is not held.
 * DBLOCK_FENCED: another transaction of this client's has the row locked. */
int dbl_release_in(struct dblock_tx *, struct dblock_lock *, struct dblock_error *err);

/* Acquire a lock that is held from when the transaction commits. */
int dbl_acquire_in(struct dblock_tx *, struct dbl_locks *, const struct dbl_acquire_spec *,
		   struct dblock_lock **, struct dblock_error *err);

/* Have the lock until the transaction ends, without a handle. */
int dbl_tx_lock(struct dblock_tx *, struct dbl_locks *, const struct dbl_acquire_spec *,
		int64_t *token, struct dblock_error *err);

/* Take the handle out of RELEASING or ACQUIRING, as its transaction has ended. */
void dbl_in_tx_ended(struct dblock_lock *, const struct dbl_attachment *, enum dbl_tx_end);

/* Free a handle that is NOT_ACQUIRED. Returns DBLOCK_STALE. */
int dbl_in_tx_drop(struct dblock_lock *, struct dblock_error *err);

/* NULL: no memory. */
struct dbl_attached *dbl_attached_new(void);
void dbl_attached_free(struct dbl_attached *);

/* True: a lock is not known to be acquired by its transaction. */
bool dbl_in_tx_any(const struct dbl_locks *);

/* Free the handles of such locks, as the client is closed. */
void dbl_in_tx_close(struct dbl_locks *);

#endif
