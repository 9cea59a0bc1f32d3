/* SPDX-License-Identifier: MIT */
/*
 * The fence: inside the caller's transaction, the row that carries a grant is locked, shared, if it
 * still carries that one. A client that takes the lock over has to write that row, and waits for
 * the transaction's end; so the grant is the newest one until then. A stale holder finds another
 * token, or no row. (That a guard is to compare tokens: Kleppmann, "How to do distributed locking",
 * 2016; that the lock's own database can do it in the very transaction is what is new.)
 *
 * Where a lock on the row would not last (Galera, which certifies changes alone; a branch of an XA
 * transaction) it is changed as well: see dbl_db_must_write(). Then a takeover on another node does
 * not wait: of the two transactions the one that commits second is rolled back.
 *
 * A fence does not hold up heartbeats, which write the session's row. Inside src/lock.
 */
#ifndef DBL_LOCK_FENCE_H
#define DBL_LOCK_FENCE_H

#include "lock/tx/attachment.h"

/* Fence all of these locks, in byte order of their names, or none. to_release: they are to be
 * released in the same transaction, so their rows are locked for an update. */
int dbl_fence(struct dblock_tx *, struct dblock_lock *const *, unsigned n, bool to_release,
	      struct dblock_error *err);

/* Not 0: the transaction's tables of dblock's are not those of the client. */
int dbl_fence_check_tables(const struct dblock_tx *, const struct dbl_locks *,
			   struct dblock_error *err);

#endif
