/* SPDX-License-Identifier: MIT */
#include <dblock/postgresql.h>

#include "api/tx.h"

int dblock_postgresql_adopt(struct pg_conn *conn, const struct dblock_adopt_options *options,
			    struct dblock_tx **tx, struct dblock_error *err)
{
	return dbl_tx_adopt_handle("postgresql", conn, options, dbl_env_system(), tx, err);
}

struct pg_conn *dblock_postgresql_handle(struct dblock_tx *tx)
{
	return dbl_tx_handle_of(tx, "postgresql");
}
