/* SPDX-License-Identifier: MIT */
/**
 * @file fence.h  Locks inside the business transaction: the fence, release and acquire at commit.
 *
 * A lock beside the data can be lost between the check and the write: the holder is stopped for a
 * minute, its session ends, somebody else has the lock, and then the holder goes on. A fence closes
 * that hole, since lock and data are in one database:
 *
 *     dblock_acquire(client, "account/17", NULL, &lock, &err);
 *     dblock_tx_begin(tx, NULL, &err);
 *     dblock_fence(tx, lock, &err);        first of all in the transaction
 *     ...                                  read and write what the lock guards
 *     dblock_tx_commit(tx, &err);
 *     dblock_release(lock, &err);          or go on, with the next transaction
 *
 * If the transaction is all that the lock is for, it can release it too: dblock_fence_to_release(),
 * and dblock_tx_release() before the commit.
 *
 * If dblock_fence() says DBLOCK_OK, then at the commit this grant is still the newest one: nobody
 * else had the lock in between, whatever clocks and processes did. Who takes the lock over waits
 * for the transaction's end; so keep it short. docs/user/fencing.md tells what each isolation level
 * makes of it.
 *
 * The transaction is on the client's connections (dblock_tx_open()) or on your own (postgresql.h,
 * mysql.h, sqlite.h), on the database where the client's tables are.
 *
 * If you end it by a COMMIT or ROLLBACK of your own, tell dblock_tx_ended() how that went.
 *
 * DBLOCK_E_CONFLICT from any of these: the transaction is to be run again (dblock_tx_run()).
 */
#ifndef DBLOCK_FENCE_H
#define DBLOCK_FENCE_H

#include <dblock/lock.h>
#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of dblock_fence_all(). Zero is the default, everywhere. */
struct dblock_fence_options {
	size_t size; /**< sizeof(struct dblock_fence_options), set by the initialiser */
	/** dblock_tx_release() is to follow in this transaction. Then the row is locked
	    for that at once: a shared lock that has to become an exclusive one waits for other
	    transactions that have fenced the same grant, and on MySQL behind who wants the lock,
	    and waits for us: a deadlock, which the database ends (DBLOCK_E_CONFLICT). */
	bool to_release;
};

#define DBLOCK_FENCE_OPTIONS_INIT                                                                  \
	{                                                                                          \
		sizeof(struct dblock_fence_options), 0                                             \
	}

/**
 * Let the transaction prove that the lock is held: from here to its end nobody else gets it.
 * Whether the client still believes in the lock does not matter; the database is asked.
 * A lock that came from another thread of the client, or was kept idle (docs/user/local.md), may
 * have a larger dblock_token() from the first fence on: read it afterwards.
 *
 * @param tx    a transaction that is open
 * @param lock  held in any mode, also of several names
 * @retval DBLOCK_OK
 * @retval DBLOCK_STALE         another grant is the newest, or this one is over: roll back
 * @retval DBLOCK_FENCED        it is released in a transaction that is open, or acquired in another
 * @retval DBLOCK_E_CONFLICT    the transaction's snapshot is older than the grant, or what it would
 *                              read has changed (REPEATABLE READ, SERIALIZABLE): run it again
 * @retval DBLOCK_E_BLOCKED      the row was locked by others for the whole of the call's time
 * @retval DBLOCK_E_INVALID     no transaction is open, or its tables of dblock are not the client's
 * @retval DBLOCK_E_DENIED, DBLOCK_E_SCHEMA, DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE,
 *         DBLOCK_E_NO_ANSWER, DBLOCK_E_NOMEM, DBLOCK_E_FORKED
 * tx is for one thread at a time. One round trip on PostgreSQL; on MySQL four (savepoint, row, note
 * for triggers, end of the savepoint). One more for the first fence of a grant that is not exclusive;
 * more where the row is not this grant's, or is locked just now.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_fence(struct dblock_tx *tx, struct dblock_lock *lock,
					     struct dblock_error *err);

/**
 * The same for several locks: all or none, in byte order of their names, so that two callers do not
 * wait for each other.
 * @param options  NULL for defaults
 * Returns what dblock_fence() does. Several locks, or a handle of several names, are four round trips
 * on PostgreSQL, too, and one more for each after the first.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_fence_all(struct dblock_tx *tx,
						 struct dblock_lock *const *locks, size_t n,
						 const struct dblock_fence_options *options,
						 struct dblock_error *err);

/** As dblock_fence(), where dblock_tx_release() is to follow: see to_release above. */
DBLOCK_API DBLOCK_NODISCARD int dblock_fence_to_release(struct dblock_tx *tx,
							struct dblock_lock *lock,
							struct dblock_error *err);

/**
 * Release the lock if, and when, the transaction commits: one commit instead of two. It is a fence
 * as well; after a fence in the same transaction, let that be dblock_fence_to_release().
 *
 * The handle stays, and is no good as a lock meanwhile: dblock_valid() says false. After the
 * transaction's end it is given back with dblock_release(), which costs nothing after a commit;
 * after dblock_tx_rollback() it holds the lock as before.
 *
 * @retval DBLOCK_OK
 * @retval DBLOCK_STALE      it does not hold the lock any more: roll back
 * @retval DBLOCK_FENCED     another transaction has fenced it: end that first
 * @retval DBLOCK_E_INVALID  also: it was acquired more than once; or is released so already
 * @retval other             as dblock_fence()
 * One round trip on PostgreSQL for an exclusive lock of one name, else five on a server; after the
 * commit one or two if others wait for the lock.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_release(struct dblock_tx *tx, struct dblock_lock *lock,
						  struct dblock_error *err);

/**
 * Acquire the lock, exclusively, from when the transaction commits. Until then nobody else gets it
 * either, but dblock_valid() says false. If it is rolled back, nothing was acquired; then, or if
 * nobody knows how it ended, dblock_release() frees the handle and says DBLOCK_STALE.
 *
 * It does not stand in the queue: while others do, it is busy. options->wait_ms: for how long it
 * looks again and again; default: DBLOCK_FOREVER. Callbacks are those of dblock_acquire(), without
 * `waiting`.
 *
 * @param lock  the handle, to be given back with dblock_release(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK        yours, if the transaction commits
 * @retval DBLOCK_TIMEOUT   somebody else's for all of wait_ms; err->message says who
 * @retval DBLOCK_BUSY      with DBLOCK_NO_WAIT, when it is dblock_tx_try()
 * @retval DBLOCK_CANCELED  options->canceled said so
 * @retval DBLOCK_FENCED    this thread, or owner, is releasing or acquiring it in a transaction
 * that is open
 * @retval DBLOCK_E_INVALID also: it is held by this thread, or owner; or mode is not exclusive
 * @retval DBLOCK_E_UNAVAILABLE also: on SQLite, the client's session has ended, since the
 *                          transaction has had the file for so long: roll back, and begin anew
 * @retval other            as dblock_fence(), but STALE and BLOCKED
 * Blocks for at most wait_ms. If it is free, two round trips on PostgreSQL, six on MySQL.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_acquire(struct dblock_tx *tx,
						  struct dblock_client *client, const char *name,
						  const struct dblock_acquire_options *options,
						  struct dblock_lock **lock,
						  struct dblock_error *err);

/** As dblock_tx_acquire(), without waiting: DBLOCK_BUSY. */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_try(struct dblock_tx *tx, struct dblock_client *client,
					      const char *name,
					      const struct dblock_acquire_options *options,
					      struct dblock_lock **lock, struct dblock_error *err);

/**
 * Have the lock, exclusively, until the transaction ends, however it ends: there is no handle and
 * nothing to release, and no heartbeat keeps it. Who wants it meanwhile finds its row locked. The
 * transaction itself can ask for it again, and has it until the end.
 *
 * @param options  wait_ms and canceled count: as for dblock_tx_acquire()
 * @param token    of this holding: larger than all before it; NULL if it is not wanted
 * Returns what dblock_tx_acquire() does.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_lock(struct dblock_tx *tx, struct dblock_client *client,
					       const char *name,
					       const struct dblock_acquire_options *options,
					       int64_t *token, struct dblock_error *err);

/** As dblock_tx_lock(), without waiting: DBLOCK_BUSY. */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_try_lock(struct dblock_tx *tx,
						   struct dblock_client *client, const char *name,
						   int64_t *token, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
