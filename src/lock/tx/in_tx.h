/* SPDX-License-Identifier: MIT */
/*
 * Locks that are released, acquired, or had altogether inside a transaction of the caller's.
 *
 *                 release_in                     acquire_in
 *     NOT ----------------------> LEAVING        COMING -----------> NOT, and held
 *      ^                            |              |     committed
 *      +----------------------------+              |
 *      | rolled back      committed |              | rolled back; or who knows, then
 *      |                            v              v it is given back
 *      |            unknown        LEFT         NOT_COME
 *      |          LEFT_PERHAPS
 *
 * Only NOT is of use as a lock. From each the handle goes with dblock_release().
 */
#ifndef DBL_LOCK_IN_TX_H
#define DBL_LOCK_IN_TX_H

#include "lock/tx/attachment.h"

/* Of all that the handle holds: see above. */
static inline enum dbl_in_tx dbl_in_tx_of(const struct dblock_lock *lock)
{
	return (enum dbl_in_tx)(lock->n_parts ? lock->parts[0]->in_tx : lock->in_tx);
}

/* Free it if, and when, the transaction commits. DBLOCK_STALE: it does not hold the lock.
 * DBLOCK_FENCED: another transaction of this client's has the row. */
int dbl_release_in(struct dblock_tx *, struct dblock_lock *, struct dblock_error *err);

/* Hold it from when the transaction commits. */
int dbl_acquire_in(struct dblock_tx *, struct dbl_locks *, const struct dbl_acquire_spec *,
		   struct dblock_lock **, struct dblock_error *err);

/* Have it until the transaction ends. */
int dbl_tx_lock(struct dblock_tx *, struct dbl_locks *, const struct dbl_acquire_spec *,
		int64_t *token, struct dblock_error *err);

/* Its transaction has ended. */
void dbl_in_tx_ended(struct dblock_lock *, const struct dbl_attachment *, enum dbl_tx_end);

/* NOT_COME: free the handle. DBLOCK_STALE. */
int dbl_in_tx_drop(struct dblock_lock *, struct dblock_error *err);

/* NULL: no memory. */
struct dbl_attached *dbl_attached_new(void);
void dbl_attached_free(struct dbl_attached *);

/* Something has not come yet. */
bool dbl_in_tx_any(const struct dbl_locks *);

/* The client goes away, and with it what has not come. */
void dbl_in_tx_close(struct dbl_locks *);

#endif
