/* SPDX-License-Identifier: MIT */
/**
 * @file sqlite.h  dblock in a transaction of your own on SQLite.
 *
 *     sqlite3 *db;
 *     sqlite3_open("app.db", &db);
 *     dblock_tx_from_sqlite(db, NULL, &tx, &err);
 *     sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
 *     dblock_fence(tx, lock, &err);
 */
#ifndef DBLOCK_SQLITE_H
#define DBLOCK_SQLITE_H

#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3;

/**
 * Use your own connection. It stays yours: nothing is sent, nothing set, and dblock begins, commits
 * or rolls back only if asked. It must stay open until dblock_tx_close(), and other threads must
 * not use it during a call on tx.
 * Its busy_timeout is put aside during a call, which waits for the file by itself, and put back; a
 * busy handler of your own stays, and is asked first.
 *
 * @param options  NULL for defaults; copied
 * @param tx       to be closed with dblock_tx_close(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  an option is wrong, or the connection cannot be used, and why
 * @retval DBLOCK_E_NOMEM
 * Thread-safe as the connection is. No round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_from_sqlite(struct sqlite3 *db,
						      const struct dblock_tx_from_options *options,
						      struct dblock_tx **tx,
						      struct dblock_error *err);

/**
 * The connection of a transaction, the client's or your own, for your own statements; NULL if it is
 * of another database's. One of the client's must not be closed; its settings are put back when it
 * is given back.
 */
DBLOCK_API struct sqlite3 *dblock_sqlite_handle(struct dblock_tx *tx);

#ifdef __cplusplus
}
#endif
#endif
