/* SPDX-License-Identifier: MIT */
/* Use a PGconn that is the caller's. */
#include <string.h>

#include "base/mem.h"
#include "driver/postgresql/own.h"

/* libpq does not tell whether rows have yet to be fetched; a pipeline, which others' statements may
 * be part of, it does tell. */
static int check(PGconn *pg, struct dblock_error *err)
{
	if (PQstatus(pg) != CONNECTION_OK)
		return dbl_fail(err, DBLOCK_E_INVALID, "the PGconn is not connected: %s",
				PQerrorMessage(pg));
	if (PQpipelineStatus(pg) != PQ_PIPELINE_OFF)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the PGconn is in pipeline mode; leave that first");
	return dbl_pg_check_version(pg, err);
}

int dbl_pg_adopt(struct dbl_conn **out, void *handle, const struct dbl_env *env,
		 struct dblock_error *err)
{
	struct dbl_pg *conn;
	int rc = check(handle, err);

	*out = NULL;
	if (rc)
		return rc;
	conn = dbl_alloc(sizeof(*conn));
	if (conn)
		conn->url.shown = dbl_strdup("the caller's connection");
	if (!conn || !conn->url.shown) {
		dbl_free(conn);
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	conn->base = (struct dbl_conn){
		.driver = &dbl_postgresql, .env = env, .backend = PQbackendPID(handle)};
	conn->pg = handle;
	conn->adopted = true;
	*out = &conn->base;
	return 0;
}

enum dbl_tx_state dbl_pg_state(struct dbl_conn *base)
{
	struct dbl_pg *conn = (struct dbl_pg *)base;

	if (base->broken || PQstatus(conn->pg) != CONNECTION_OK)
		return DBL_TX_LOST;
	if (PQpipelineStatus(conn->pg) != PQ_PIPELINE_OFF)
		return DBL_TX_IN_USE;
	switch (PQtransactionStatus(conn->pg)) {
	case PQTRANS_IDLE:
		return DBL_TX_NONE;
	case PQTRANS_INTRANS:
		return DBL_TX_OPEN;
	case PQTRANS_INERROR:
		return DBL_TX_FAILED;
	case PQTRANS_ACTIVE:
		return DBL_TX_IN_USE;
	default:
		return DBL_TX_LOST;
	}
}
