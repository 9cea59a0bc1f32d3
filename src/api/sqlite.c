/* SPDX-License-Identifier: MIT */
#include <dblock/sqlite.h>

#include "api/tx.h"

int dblock_sqlite_adopt(struct sqlite3 *db, const struct dblock_adopt_options *options,
			struct dblock_tx **tx, struct dblock_error *err)
{
	return dbl_tx_adopt_handle("sqlite", db, options, dbl_env_system(), tx, err);
}

struct sqlite3 *dblock_sqlite_handle(struct dblock_tx *tx)
{
	return dbl_tx_handle_of(tx, "sqlite");
}
