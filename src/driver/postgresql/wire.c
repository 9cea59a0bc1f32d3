/* SPDX-License-Identifier: MIT */
/* What goes over PostgreSQL's socket, and waiting for it, never beyond the deadline: libpq's own
 * calls would wait for ever, and TCP does not see a proxy that keeps acknowledging. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "driver/postgresql/own.h"

/* Rounded up: if rounded down, the last millisecond would be spent in a busy loop. */
int dbl_pg_ms_left(const struct dbl_pg *conn)
{
	int64_t now = dbl_now(conn->base.env);
	int64_t left = conn->base.deadline - now;

	if (left <= 0)
		return 0;
	left = left / 1000 + 1;
	return left < INT_MAX ? (int)left : INT_MAX;
}

bool dbl_pg_wait(struct dbl_pg *conn, short events)
{
	enum { TICK_MS = 1000 };
	struct pollfd fd = {.fd = PQsocket(conn->pg), .events = events};
	int left, rc;

	do {
		left = dbl_pg_ms_left(conn);
		rc = poll(&fd, 1, conn->base.tick && left > TICK_MS ? TICK_MS : left);
		if (rc == 0 && left > 0 && conn->base.tick)
			conn->base.tick(conn->base.tick_ctx);
	} while ((rc < 0 && errno == EINTR) || (rc == 0 && left > 0));
	return rc > 0;
}

/* What can be read between two statements is a notice or the server's last message. */
bool dbl_pg_is_gone(struct dbl_pg *conn)
{
	enum { LOOKS = 8 };
	struct pollfd fd = {.fd = PQsocket(conn->pg), .events = POLLIN};

	for (int i = 0; i < LOOKS && poll(&fd, 1, 0) > 0; i++) {
		if (!PQconsumeInput(conn->pg))
			return true;
		PQisBusy(conn->pg); /* reads what has come */
	}
	return PQstatus(conn->pg) == CONNECTION_BAD;
}

/* While the server waits for us to read, it does not read: so we must. */
enum dbl_pg_wire dbl_pg_flush(struct dbl_pg *conn)
{
	int rc;

	while ((rc = PQflush(conn->pg)) > 0) {
		if (!dbl_pg_wait(conn, POLLIN | POLLOUT))
			return DBL_PG_LATE;
		if (!PQconsumeInput(conn->pg))
			return DBL_PG_LOST;
	}
	return rc == 0 ? DBL_PG_OK : DBL_PG_LOST;
}

/* The next result; NULL at the end of a command. */
static enum dbl_pg_wire get_result(struct dbl_pg *conn, PGresult **result)
{
	*result = NULL;
	while (PQisBusy(conn->pg)) {
		if (!dbl_pg_wait(conn, POLLIN))
			return DBL_PG_LATE;
		if (!PQconsumeInput(conn->pg))
			return DBL_PG_LOST;
	}
	*result = PQgetResult(conn->pg);
	return !*result && PQstatus(conn->pg) == CONNECTION_BAD ? DBL_PG_LOST : DBL_PG_OK;
}

static void keep(PGresult **slot, PGresult *result)
{
	PQclear(*slot);
	*slot = result;
}

/* An error may follow a result: deferred checks run at the commit, after the rows were sent. */
static void take(struct dbl_pg_reply *reply, PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
		if (reply->n_good++ == reply->n_before)
			keep(&reply->rows, result);
		else
			PQclear(result);
	} else if ((status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) && !reply->error) {
		reply->error = result;
	} else {
		reply->is_copy = reply->is_copy || status == PGRES_COPY_IN ||
				 status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
		PQclear(result);
	}
}

enum dbl_pg_wire dbl_pg_talk(struct dbl_pg *conn, struct dbl_pg_reply *reply)
{
	enum dbl_pg_wire rc = dbl_pg_flush(conn);
	unsigned syncs = 0;
	bool done = false;

	while (rc == DBL_PG_OK && !done && !reply->is_copy) {
		PGresult *result;

		rc = get_result(conn, &result);
		if (!result) {
			done = reply->n_syncs == 0;
		} else if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) {
			PQclear(result);
			done = ++syncs == reply->n_syncs;
		} else {
			bool wants = PQresultStatus(result) == PGRES_COPY_IN && conn->base.copy;

			take(reply, result);
			if (wants) {
				reply->is_copy = false;
				rc = dbl_pg_put_copy(conn);
			}
		}
	}
	return rc;
}

void dbl_pg_reply_free(struct dbl_pg_reply *reply)
{
	PQclear(reply->rows);
	PQclear(reply->error);
	*reply = (struct dbl_pg_reply){0};
}

/* ---- what is sent for a statement: alone, behind its preparation, or within a frame ---------- */

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

static bool add_extra(struct dbl_pg *conn, struct dbl_pg_reply *reply,
		      const struct dbl_extra *extra)
{
	reply->n_wanted++;
	return PQsendQueryParams(conn->pg, extra->sql, extra->arg ? 1 : 0, NULL, &extra->arg, NULL,
				 NULL, 0);
}

static bool add(struct dbl_pg *conn, struct dbl_pg_reply *reply, const char *sql)
{
	return add_extra(conn, reply, &(struct dbl_extra){.sql = sql});
}

static bool add_extras(struct dbl_pg *conn, struct dbl_pg_reply *reply,
		       const struct dbl_extra *extras, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (!add_extra(conn, reply, &extras[i]))
			return false;
	}
	return true;
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
	if (!PQpipelineSync(conn->pg))
		return false;
	reply->n_syncs++;
	return true;
}

bool dbl_pg_drain(struct dbl_pg *conn, struct dbl_pg_reply *reply)
{
	return PQpipelineStatus(conn->pg) != PQ_PIPELINE_OFF && synchronize(conn, reply) &&
	       dbl_pg_talk(conn, reply) == DBL_PG_OK && PQexitPipelineMode(conn->pg);
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

static bool needs_prepare(const struct dbl_pg *conn, const struct dbl_pg_stmt *stmt)
{
	return is_kept(conn, stmt) && !stmt->prepared;
}

static bool add_prepare(struct dbl_pg *conn, const struct dbl_pg_stmt *stmt,
			struct dbl_pg_reply *reply)
{
	if (!needs_prepare(conn, stmt))
		return true;
	reply->prepares = ++reply->n_wanted;
	return PQsendPrepare(conn->pg, stmt->name, stmt->sql, 0, NULL);
}

/* With its preparation, and with what goes around it. */
static bool send_piped(struct dbl_pg *conn, const struct dbl_pg_stmt *stmt, unsigned n,
		       const char *const *texts, struct dbl_pg_reply *reply)
{
	static const struct dbl_around nothing;
	const struct dbl_around *around = conn->base.around ? conn->base.around : &nothing;

	return PQenterPipelineMode(conn->pg) &&
	       add_extras(conn, reply, around->before, around->n_before) &&
	       add_prepare(conn, stmt, reply) && add_run(conn, stmt, n, texts, reply) &&
	       add_extras(conn, reply, around->after, around->n_after) && synchronize(conn, reply);
}

bool dbl_pg_send_run(struct dbl_pg *conn, const struct dbl_pg_stmt *stmt, unsigned n,
		     const char *const *texts, struct dbl_pg_reply *reply)
{
	if (frame_of(conn) && conn->base.frame->begin)
		return send_framed(conn, stmt, n, texts, reply);
	if (conn->base.around || needs_prepare(conn, stmt))
		return send_piped(conn, stmt, n, texts, reply);
	return add_run(conn, stmt, n, texts, reply);
}

/* ---- what may go on it ----------------------------------------------------------------------- */

static bool is_ascii(const struct dbl_value *text)
{
	for (size_t i = 0; i < text->len; i++) {
		if ((unsigned char)text->text[i] > 127)
			return false;
	}
	return true;
}

/* Our names are UTF-8. In another encoding they would be read as other names. A frame sets it. */
static bool keeps_utf8(const struct dbl_pg *conn)
{
	const char *encoding = pg_encoding_to_char(PQclientEncoding(conn->pg));

	return (conn->base.frame && conn->base.frame->begin) || strcmp(encoding, "UTF8") == 0 ||
	       strcmp(encoding, "SQL_ASCII") == 0;
}

int dbl_pg_check_texts(const struct dbl_pg *conn, bool passing, const struct dbl_value *args,
		       unsigned n, struct dblock_error *err)
{
	bool any = passing || keeps_utf8(conn);

	for (unsigned i = 0; i < n; i++) {
		if (args[i].type != DBL_TEXT || !args[i].len)
			continue;
		if (memchr(args[i].text, 0, args[i].len))
			return dbl_fail(err, DBLOCK_E_BUG, "a text has a NUL byte");
		if (!any && !is_ascii(&args[i]))
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"client_encoding is %s: a name that is not ASCII needs UTF8",
				pg_encoding_to_char(PQclientEncoding(conn->pg)));
	}
	return 0;
}

void dbl_pg_enter(struct dbl_pg *conn)
{
	conn->blocks = conn->adopted && !PQisnonblocking(conn->pg);
	if (conn->blocks)
		PQsetnonblocking(conn->pg, 1);
}

void dbl_pg_leave(struct dbl_pg *conn)
{
	if (conn->blocks)
		PQsetnonblocking(conn->pg, 0);
	conn->blocks = false;
}
