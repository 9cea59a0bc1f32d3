/* SPDX-License-Identifier: MIT */
#include <dblock/mysql.h>

#include "api/tx.h"

int dblock_mysql_adopt(void *handle, const struct dblock_adopt_options *options,
		       struct dblock_tx **tx, struct dblock_error *err)
{
	return dbl_tx_adopt_handle("mysql", handle, options, dbl_env_system(), tx, err);
}

void *dblock_mysql_handle(struct dblock_tx *tx)
{
	return dbl_tx_handle_of(tx, "mysql");
}
