/* SPDX-License-Identifier: MIT */
/* PostgreSQL through libpq. Everything goes by the extended protocol, which takes one statement a
 * message, as text. A statement is prepared on the server with its first run, in the same round
 * trip. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "driver/postgresql/own.h"
#include "driver/value.h"

enum { ARGS_MAX = 64 };

static struct dbl_pg *pg_of(struct dbl_stmt *stmt)
{
	return (struct dbl_pg *)stmt->conn;
}

/* Check before a statement is sent: at this point nothing can have been changed. */
static int get_ready(struct dbl_pg *conn, struct dblock_error *err)
{
	conn->unreplicated = false;
	if (dbl_now(conn->base.env) >= conn->base.deadline)
		return dbl_fail(err, DBLOCK_E_NO_ANSWER, "%s: no time left", conn->url.shown);
	if (!conn->base.broken && !dbl_pg_is_gone(conn))
		return 0;
	conn->base.broken = true;
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "%s: the connection was lost", conn->url.shown);
}

/* A limit on time that somebody else has set can hit a frame before it has set its own, and even the
 * statement then, as the server looks for that only now and then. All of it is rolled back, and can
 * be sent again. */
static int refused(struct dbl_pg *conn, const struct dbl_pg_reply *reply, bool writes,
		   struct dblock_error *err)
{
	int rc = dbl_pg_refused(conn, reply->error, writes, err);

	if (rc != DBLOCK_E_NO_ANSWER || !reply->framed)
		return rc;
	if (err)
		err->code = DBLOCK_E_CONFLICT;
	return DBLOCK_E_CONFLICT;
}

/* The outcome of a reply, complete or not. */
static int judge(struct dbl_pg *conn, enum dbl_pg_wire wire, const struct dbl_pg_reply *reply,
		 bool writes, struct dblock_error *err)
{
	if (wire != DBL_PG_OK)
		conn->base.broken = true;
	conn->base.in_tx = PQtransactionStatus(conn->pg) != PQTRANS_IDLE;
	if (reply->error)
		return refused(conn, reply, writes, err);
	if (wire != DBL_PG_OK)
		return dbl_pg_no_reply(conn, wire, writes, err);
	if (reply->is_copy) {
		conn->base.broken = true;
		return dbl_fail(err, DBLOCK_E_BUG, "%s: COPY cannot be used here", conn->url.shown);
	}
	if (reply->n_good < reply->n_wanted)
		return dbl_fail(err, DBLOCK_E_BUG, "%s: there is no statement", conn->url.shown);
	if (conn->unreplicated && writes)
		return dbl_fail_native(err, DBLOCK_E_UNSURE, 0, "01000",
				       "%s: committed, but the wait for the synchronous standby "
				       "was cut short",
				       conn->url.shown);
	return 0;
}

/* libpq did not take the statement, or not all that goes around it. What it took of that on a caller's
 * connection is carried out, so that the connection is out of the pipeline; the reply says how far. If only
 * the end of the pipeline was missing, it is all done, and nothing is left to undo. Else the end of the
 * message, without which the server does nothing, was not sent. */
static int not_sent(struct dbl_pg *conn, struct dbl_pg_reply *reply, bool writes,
		    struct dblock_error *err)
{
	dbl_fail(err, DBLOCK_E_UNAVAILABLE, "%s: %s", conn->url.shown, PQerrorMessage(conn->pg));
	dbl_url_hide(&conn->url, err);
	conn->base.broken = !conn->adopted || !dbl_pg_drain(conn, reply);
	if (!conn->base.broken && reply->n_good == reply->n_wanted)
		return judge(conn, DBL_PG_OK, reply, writes, err);
	return DBLOCK_E_UNAVAILABLE;
}

/* Take the reply to what was sent. */
static int take_reply(struct dbl_pg *conn, struct dbl_pg_reply *reply, bool writes,
		      struct dblock_error *err)
{
	enum dbl_pg_wire wire = dbl_pg_talk(conn, reply);

	if (reply->n_syncs && wire == DBL_PG_OK && !PQexitPipelineMode(conn->pg))
		wire = DBL_PG_LOST;
	return judge(conn, wire, reply, writes, err);
}

/* The number in "UPDATE 3" or "INSERT 0 1". A SELECT counts its rows likewise, but changes none, unless it
 * makes a table of them (CREATE TABLE AS), and so has none to give. */
static int64_t count_changed(PGresult *result)
{
	const char *tag = PQcmdStatus(result);
	bool reads = strncmp(tag, "SELECT", 6) == 0
			     ? PQresultStatus(result) == PGRES_TUPLES_OK
			     : strncmp(tag, "FETCH", 5) == 0 || strncmp(tag, "MOVE", 4) == 0;

	return reads ? 0 : strtoll(PQcmdTuples(result), NULL, 10);
}

static int pg_exec(struct dbl_conn *base, const char *sql, struct dblock_error *err)
{
	struct dbl_pg *conn = (struct dbl_pg *)base;
	struct dbl_pg_reply reply = {0};
	int rc = get_ready(conn, err);

	if (rc)
		return rc;
	dbl_pg_enter(conn);
	rc = dbl_pg_send_text(conn, sql, &reply) ? take_reply(conn, &reply, true, err)
						 : not_sent(conn, &reply, true, err);
	dbl_pg_leave(conn);
	base->error_at = 0;
	base->changed = reply.rows ? count_changed(reply.rows) : 0;
	if (reply.error)
		dbl_pg_tell_more(base, reply.error);
	dbl_pg_reply_free(&reply);
	return rc;
}

static int pg_prepare(struct dbl_conn *base, const char *sql, struct dbl_stmt **out,
		      struct dblock_error *err)
{
	struct dbl_pg *conn = (struct dbl_pg *)base;
	struct dbl_pg_stmt *stmt = dbl_alloc(sizeof(*stmt));

	*out = NULL;
	if (stmt)
		stmt->sql = dbl_strdup(sql);
	if (!stmt || !stmt->sql) {
		dbl_free(stmt);
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	stmt->base.conn = base;
	snprintf(stmt->name, sizeof(stmt->name), "dblock_%" PRIx64 "_%u", conn->id,
		 conn->n_stmts++);
	stmt->next = conn->stmts;
	conn->stmts = stmt;
	*out = &stmt->base;
	return 0;
}

static void add_text(struct dbl_str *to, const struct dbl_value *value)
{
	if (value->type == DBL_INT)
		dbl_str_addi(to, value->i);
	else if (value->type == DBL_TEXT)
		dbl_str_addn(to, value->len ? value->text : "", value->len);
	dbl_str_addn(to, "", 1); /* its NUL */
}

/* The arguments as libpq wants them: NUL-terminated text, NULL for NULL. */
static int to_text(struct dbl_pg *conn, const struct dbl_value *args, unsigned n,
		   const char *texts[ARGS_MAX], struct dblock_error *err)
{
	size_t at[ARGS_MAX];

	if (n > ARGS_MAX)
		return dbl_fail(err, DBLOCK_E_BUG, "more than %d arguments", ARGS_MAX);
	conn->text.len = 0;
	conn->text.failed = false;
	for (unsigned i = 0; i < n; i++) {
		at[i] = conn->text.len;
		add_text(&conn->text, &args[i]);
	}
	if (conn->text.failed)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	for (unsigned i = 0; i < n; i++)
		texts[i] = args[i].type == DBL_NULL ? NULL : conn->text.text + at[i];
	return 0;
}

/* Send, and take the reply. */
static int run_sent(struct dbl_pg *conn, struct dbl_pg_stmt *stmt, unsigned n,
		    const char *const *texts, struct dblock_error *err)
{
	struct dbl_pg_reply reply = {0};
	int rc;

	rc = dbl_pg_send_run(conn, stmt, n, texts, &reply)
		     ? take_reply(conn, &reply, !stmt->base.reads, err)
		     : not_sent(conn, &reply, !stmt->base.reads, err);
	/* A prepared statement stays, even if what follows fails and is rolled back. */
	if (reply.prepares && reply.n_good >= reply.prepares)
		stmt->prepared = true;
	if (conn->base.around) {
		conn->base.around->begun = reply.n_good > 0;
		conn->base.around->done = rc == 0;
	}
	if (rc == 0) {
		stmt->rows = reply.rows;
		reply.rows = NULL;
	}
	dbl_pg_reply_free(&reply);
	return rc;
}

static int pg_run(struct dbl_stmt *base, const struct dbl_value *args, unsigned n, int64_t *changed,
		  struct dblock_error *err)
{
	struct dbl_pg_stmt *stmt = (struct dbl_pg_stmt *)base;
	struct dbl_pg *conn = pg_of(base);
	const char *texts[ARGS_MAX];
	int rc;

	*changed = 0;
	PQclear(stmt->rows);
	stmt->rows = NULL;
	stmt->at = 0;
	rc = dbl_pg_check_texts(conn, base->passing, args, n, err);
	if (rc == 0)
		rc = to_text(conn, args, n, texts, err);
	if (rc == 0)
		rc = get_ready(conn, err);
	if (rc)
		return rc;
	dbl_pg_enter(conn);
	rc = run_sent(conn, stmt, n, texts, err);
	dbl_pg_leave(conn);
	if (rc)
		return rc;
	base->columns = (unsigned)PQnfields(stmt->rows);
	*changed = count_changed(stmt->rows);
	return 0;
}

/* Is it an integer or a boolean? Their types have fixed OIDs. */
static bool is_integer(Oid type)
{
	enum { BOOL = 16, INT8 = 20, INT2 = 21, INT4 = 23, OID = 26 };

	return type == BOOL || type == INT8 || type == INT2 || type == INT4 || type == OID;
}

static struct dbl_value get_value(const PGresult *rows, int at, int column)
{
	const char *text = PQgetvalue(rows, at, column);

	if (PQgetisnull(rows, at, column))
		return dbl_null();
	if (!is_integer(PQftype(rows, column)))
		return (struct dbl_value){.type = DBL_TEXT,
					  .text = text,
					  .len = (size_t)PQgetlength(rows, at, column)};
	if (*text == 't' || *text == 'f')
		return dbl_int(*text == 't');
	return dbl_int(strtoll(text, NULL, 10));
}

static int pg_next(struct dbl_stmt *base, struct dbl_value *row, unsigned n,
		   struct dblock_error *err)
{
	struct dbl_pg_stmt *stmt = (struct dbl_pg_stmt *)base;

	if (PQnfields(stmt->rows) != (int)n)
		return dbl_fail(err, DBLOCK_E_BUG, "%d columns where %u were expected: '%.80s'",
				PQnfields(stmt->rows), n, stmt->sql);
	if (stmt->at == PQntuples(stmt->rows))
		return 0;
	for (unsigned i = 0; i < n; i++)
		row[i] = get_value(stmt->rows, stmt->at, (int)i);
	stmt->at++;
	return 1;
}

static void free_stmt(struct dbl_pg_stmt *stmt)
{
	PQclear(stmt->rows);
	dbl_free(stmt->sql);
	dbl_free(stmt);
}

static void free_stmts(struct dbl_pg *conn)
{
	while (conn->stmts) {
		struct dbl_pg_stmt *next = conn->stmts->next;

		free_stmt(conn->stmts);
		conn->stmts = next;
	}
}

static void pg_forget(struct dbl_stmt *base)
{
	struct dbl_pg_stmt *stmt = (struct dbl_pg_stmt *)base, **at = &pg_of(base)->stmts;

	while (*at != stmt)
		at = &(*at)->next;
	*at = stmt->next;
	free_stmt(stmt);
}

static int pg_reset(struct dbl_conn *base, struct dblock_error *err)
{
	free_stmts((struct dbl_pg *)base);
	return pg_exec(base, "DISCARD ALL", err);
}

static void *pg_handle(struct dbl_conn *base)
{
	return ((struct dbl_pg *)base)->pg;
}

static int pg_socket(struct dbl_conn *base)
{
	return PQsocket(((struct dbl_pg *)base)->pg);
}

/* libpq's last message is sent only as far as the socket takes it at once. */
static void pg_close(struct dbl_conn *base)
{
	struct dbl_pg *conn = (struct dbl_pg *)base;

	free_stmts(conn);
	PQfreemem(conn->heard);
	if (!conn->adopted)
		PQfinish(conn->pg);
	dbl_str_free(&conn->text);
	dbl_url_free(&conn->url);
	dbl_free(conn);
}

const struct dbl_driver dbl_postgresql = {
	.name = "postgresql",
	.open = dbl_pg_open,
	.adopt = dbl_pg_adopt,
	.handle = pg_handle,
	.socket = pg_socket,
	.close = pg_close,
	.reset = pg_reset,
	.state = dbl_pg_state,
	.exec = pg_exec,
	.prepare = pg_prepare,
	.forget = pg_forget,
	.run = pg_run,
	.next = pg_next,
	.wait = dbl_pg_wait_ring,
};
