/* SPDX-License-Identifier: MIT */
/* The caller's own connections: adopting them, and handing out the client library's handle. */
#include <dblock/mysql.h>
#include <dblock/postgresql.h>
#include <dblock/sqlite.h>

#include "api/tx.h"

int dblock_tx_from_sqlite(struct sqlite3 *db, const struct dblock_tx_from_options *options,
			  struct dblock_tx **tx, struct dblock_error *err)
{
	return dbl_tx_adopt_handle("sqlite", db, options, dbl_env_system(), tx, err);
}

struct sqlite3 *dblock_sqlite_handle(struct dblock_tx *tx)
{
	return dbl_tx_handle_of(tx, "sqlite");
}

int dblock_tx_from_postgresql(struct pg_conn *conn, const struct dblock_tx_from_options *options,
			      struct dblock_tx **tx, struct dblock_error *err)
{
	return dbl_tx_adopt_handle("postgresql", conn, options, dbl_env_system(), tx, err);
}

struct pg_conn *dblock_postgresql_handle(struct dblock_tx *tx)
{
	return dbl_tx_handle_of(tx, "postgresql");
}

int dblock_tx_from_mysql(void *handle, const struct dblock_tx_from_options *options,
			 struct dblock_tx **tx, struct dblock_error *err)
{
	return dbl_tx_adopt_handle("mysql", handle, options, dbl_env_system(), tx, err);
}

void *dblock_mysql_handle(struct dblock_tx *tx)
{
	return dbl_tx_handle_of(tx, "mysql");
}
