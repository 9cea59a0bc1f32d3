/* SPDX-License-Identifier: MIT */
/* What is sent for a statement: alone, behind its preparation, or within a frame. */
#include "driver/postgresql/own.h"

/* On an adopted connection somebody else might have to clean up what the server keeps, behind a
 * pooler others have it. */
static bool is_kept(const struct dbl_pg *conn, const struct dbl_pg_stmt *stmt)
{
	return !conn->adopted && !conn->base.frame && !stmt->base.passing;
}

/* The frame that what is sent now needs; NULL: none. */
static const struct dbl_frame *frame_of(const struct dbl_pg *conn)
{
	return PQtransactionStatus(conn->pg) == PQTRANS_IDLE ? conn->base.frame : NULL;
}

static bool add(struct dbl_pg *conn, struct dbl_pg_reply *reply, const char *sql)
{
	reply->n_wanted++;
	return PQsendQueryParams(conn->pg, sql, 0, NULL, NULL, NULL, NULL, 0);
}

static bool add_run(struct dbl_pg *conn, const struct dbl_pg_stmt *stmt, unsigned n,
		    const char *const *texts, struct dbl_pg_reply *reply)
{
	reply->n_before = reply->n_wanted++;
	if (is_kept(conn, stmt))
		return PQsendQueryPrepared(conn->pg, stmt->name, (int)n, texts, NULL, NULL, 0);
	return PQsendQueryParams(conn->pg, stmt->sql, (int)n, NULL, texts, NULL, NULL, 0);
}

static bool synchronize(struct dbl_pg *conn, struct dbl_pg_reply *reply)
{
	reply->n_syncs++;
	return PQpipelineSync(conn->pg);
}

bool dbl_pg_send_text(struct dbl_pg *conn, const char *sql, struct dbl_pg_reply *reply)
{
	const struct dbl_frame *frame = frame_of(conn);

	if (!frame)
		return add(conn, reply, sql);
	reply->framed = true;
	reply->n_before = 2;
	return PQenterPipelineMode(conn->pg) && add(conn, reply, sql) &&
	       add(conn, reply, frame->settings) && synchronize(conn, reply);
}

/* After an error the server passes over all up to the next synchronization. The one between the
 * statement and COMMIT is that it does not pass over COMMIT, which then rolls back: else the
 * transaction would stay open. */
static bool send_framed(struct dbl_pg *conn, const struct dbl_pg_stmt *stmt, unsigned n,
			const char *const *texts, struct dbl_pg_reply *reply)
{
	const struct dbl_frame *frame = conn->base.frame;

	reply->framed = true;
	return PQenterPipelineMode(conn->pg) && add(conn, reply, frame->begin) &&
	       add(conn, reply, frame->settings) && add_run(conn, stmt, n, texts, reply) &&
	       synchronize(conn, reply) && add(conn, reply, frame->commit) &&
	       synchronize(conn, reply);
}

static bool send_prepared(struct dbl_pg *conn, const struct dbl_pg_stmt *stmt, unsigned n,
			  const char *const *texts, struct dbl_pg_reply *reply)
{
	reply->n_wanted++;
	return PQenterPipelineMode(conn->pg) &&
	       PQsendPrepare(conn->pg, stmt->name, stmt->sql, 0, NULL) &&
	       add_run(conn, stmt, n, texts, reply) && synchronize(conn, reply);
}

bool dbl_pg_send_run(struct dbl_pg *conn, const struct dbl_pg_stmt *stmt, unsigned n,
		     const char *const *texts, struct dbl_pg_reply *reply)
{
	if (frame_of(conn) && conn->base.frame->begin)
		return send_framed(conn, stmt, n, texts, reply);
	if (is_kept(conn, stmt) && !stmt->prepared)
		return send_prepared(conn, stmt, n, texts, reply);
	return add_run(conn, stmt, n, texts, reply);
}
