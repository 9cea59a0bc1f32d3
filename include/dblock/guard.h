/* SPDX-License-Identifier: MIT */
/**
 * @file guard.h  A guard row: fencing for data that are in another database than the lock.
 *
 * A fence (fence.h) needs the lock and the data in one database. Where they are not, as with a lock over several
 * databases (quorum.h), the data's database remembers the largest token that it has seen, in a row beside them:
 * who writes raises it to his own token, in the same transaction, and who comes with a smaller one is too late.
 *
 *     dblock_acquire(client, "account/17", NULL, &lock, &err);
 *     dblock_tx_begin(tx, NULL, &err);
 *     dblock_guard(tx, "account/17", dblock_token(lock), &err);    first of all in the transaction
 *     ...                                                          read and write what the lock guards
 *     dblock_tx_commit(tx, &err);
 *
 * It can be done without the library: the statement is sql/<dialect>/row/guard_raise.sql. Only who holds the lock may
 * raise it, and all who write have to.
 */
#ifndef DBLOCK_GUARD_H
#define DBLOCK_GUARD_H

#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Let the transaction prove that nobody with a larger token has been here: from here to its end nobody else
 * raises that guard. The transaction's database has dblock's tables (`dblock schema up`).
 *
 * @param tx     a transaction that has begun
 * @param name   of the lock, or of what it guards; 1 to DBLOCK_NAME_MAX bytes of UTF-8 without control characters
 * @param token  the lock's: dblock_token()
 * @retval DBLOCK_OK           the guard is at that token
 * @retval DBLOCK_STALE        it has seen a larger one: the lock is somebody else's by now. Roll back
 * @retval DBLOCK_E_CONFLICT   the transaction is to be run again (dblock_tx_run())
 * @retval DBLOCK_E_INVALID    an argument is wrong; no transaction is open
 * @retval DBLOCK_E_BLOCKED    another transaction has raised it, and was not over in time
 * @retval DBLOCK_E_SCHEMA     the table is missing
 * and as dblock_fence(). One round trip; six on MySQL. Blocks while another transaction that has raised it is open, for
 * three quarters of the transaction's timeout_ms at most.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_guard(struct dblock_tx *tx, const char *name, int64_t token,
					     struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
