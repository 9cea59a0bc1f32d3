/* SPDX-License-Identifier: MIT */
/**
 * @file postgresql.h  dblock in a transaction of your own on PostgreSQL.
 *
 *     PGconn *conn = PQconnectdb(...);
 *     dblock_tx_from_postgresql(conn, NULL, &tx, &err);
 *     PQclear(PQexec(conn, "BEGIN"));
 *     dblock_fence(tx, lock, &err);
 */
#ifndef DBLOCK_POSTGRESQL_H
#define DBLOCK_POSTGRESQL_H

#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pg_conn; /* PGconn, in libpq-fe.h */

/**
 * Use your own connection. It stays yours: nothing is sent, nothing set, and dblock begins, commits
 * or rolls back only if asked. It must stay open until dblock_tx_close(), and other threads must
 * not use it during a call on tx.
 * It is used in libpq's non-blocking way meanwhile, in a pipeline of dblock's own, and by statements
 * without a name. One that is in pipeline mode already cannot be used. Where dblock_tx_state_of() says
 * DBLOCK_TX_LOST after a call, its answer has not come: PQreset() or PQfinish() it.
 *
 * @param options  NULL for defaults; copied
 * @param tx       to be closed with dblock_tx_close(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  an option is wrong, or the connection cannot be used, and why
 * @retval DBLOCK_E_NOMEM
 * Thread-safe as the connection is. No round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_from_postgresql(
	struct pg_conn *conn, const struct dblock_tx_from_options *options, struct dblock_tx **tx,
	struct dblock_error *err);

/**
 * The connection of a transaction, the client's or your own, for your own statements; NULL if it is
 * of another database's. One of the client's must not be closed; its settings are put back when it
 * is given back.
 */
DBLOCK_API struct pg_conn *dblock_postgresql_handle(struct dblock_tx *tx);

#ifdef __cplusplus
}
#endif
#endif
