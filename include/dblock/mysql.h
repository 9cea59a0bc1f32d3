/* SPDX-License-Identifier: MIT */
/**
 * @file mysql.h  dblock in a transaction of your own on MySQL or MariaDB.
 *
 *     MYSQL *handle = mysql_real_connect(...);
 *     dblock_tx_from_mysql(handle, NULL, &tx, &err);
 *     mysql_query(handle, "START TRANSACTION");
 *     dblock_fence(tx, lock, &err);
 */
#ifndef DBLOCK_MYSQL_H
#define DBLOCK_MYSQL_H

#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Use your own connection. It stays yours: nothing is sent, nothing set, and dblock begins, commits
 * or rolls back only if asked. It must stay open until dblock_tx_close(), and other threads must
 * not use it during a call on tx.
 * The handle is a MYSQL * of the client library that dblock was built with: Oracle's and MariaDB's
 * name the structure differently, so this header names none. While it waits for an answer only the
 * handle's own time-outs bound it. LAST_INSERT_ID() is put back after calls that use it.
 *
 * @param options  NULL for defaults; copied
 * @param tx       to be closed with dblock_tx_close(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  an option is wrong, or the connection cannot be used, and why
 * @retval DBLOCK_E_NOMEM
 * Thread-safe as the connection is. No round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_from_mysql(void *handle,
						     const struct dblock_tx_from_options *options,
						     struct dblock_tx **tx,
						     struct dblock_error *err);

/**
 * The connection of a transaction, the client's or your own, for your own statements; NULL if it is
 * of another database's. One of the client's must not be closed; its settings are put back when it
 * is given back.
 */
DBLOCK_API void *dblock_mysql_handle(struct dblock_tx *tx);

#ifdef __cplusplus
}
#endif
#endif
