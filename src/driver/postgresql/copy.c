/* SPDX-License-Identifier: MIT */
/* What PostgreSQL's COPY FROM stdin reads, as the connection's user gives it. */
#include "driver/postgresql/own.h"

/* Waits until libpq takes more, which it says by 1. */
static enum dbl_pg_wire wait_to_put(struct dbl_pg *conn, int put)
{
	if (put < 0)
		return DBL_PG_LOST;
	return put > 0 ? DBL_PG_OK : dbl_pg_flush(conn);
}

static enum dbl_pg_wire put_part(struct dbl_pg *conn, const char *at, size_t left)
{
	enum { CHUNK = 1 << 16 };
	enum dbl_pg_wire rc = DBL_PG_OK;

	while (rc == DBL_PG_OK && left > 0) {
		size_t n = left < CHUNK ? left : CHUNK;
		int put = PQputCopyData(conn->pg, at, (int)n);

		rc = wait_to_put(conn, put);
		if (put > 0)
			rc = dbl_pg_flush(conn);
		at += put > 0 ? n : 0;
		left -= put > 0 ? n : 0;
	}
	return rc;
}

enum dbl_pg_wire dbl_pg_put_copy(struct dbl_pg *conn)
{
	enum dbl_pg_wire rc = DBL_PG_OK;
	const char *part;
	size_t len;
	int put = 0;

	while (rc == DBL_PG_OK && (len = conn->base.copy(conn->base.copy_ctx, &part)) > 0)
		rc = put_part(conn, part, len);
	while (rc == DBL_PG_OK && (put = PQputCopyEnd(conn->pg, NULL)) <= 0)
		rc = wait_to_put(conn, put);
	return rc == DBL_PG_OK ? dbl_pg_flush(conn) : rc;
}
