/* SPDX-License-Identifier: MIT */
/* The driver that stands in front of the real one. */
#include "base/err.h"
#include "support/strike_own.h"

static struct strike *strike_of(const struct dbl_conn *conn)
{
	return conn->env->ctx;
}

static bool hangs(enum strike_kind kind)
{
	return kind == STRIKE_DARK || kind == STRIKE_LATE || kind == STRIKE_LATE_POOLED;
}

static bool is_carried_out(enum strike_kind kind)
{
	return kind == STRIKE_REPLY_LOST || kind == STRIKE_STUBBORN || kind == STRIKE_HALF;
}

static int no_time(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NO_ANSWER, "struck: no answer until the deadline");
}

static int unavailable(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "struck: the connection is lost");
}

/* Fails as a driver does whose connection was lost, or fell silent, with a statement under way. */
static int lose(struct dbl_conn *conn, enum strike_kind kind, bool reads, struct dblock_error *err)
{
	if (hangs(kind))
		strike_jump_to(strike_of(conn), conn->deadline);
	conn->broken = true;
	if (!reads && kind != STRIKE_UNSENT && kind != STRIKE_DOWN)
		return dbl_fail(err, DBLOCK_E_UNSURE, "struck: the reply is lost");
	return hangs(kind) ? no_time(err) : unavailable(err);
}

/* The same before the statement was carried out: it is not even sent if no time is left. */
static int lose_it(struct dbl_conn *conn, enum strike_kind kind, bool reads,
		   struct dblock_error *err)
{
	if (!is_carried_out(kind) && dbl_now(conn->env) >= conn->deadline)
		return no_time(err);
	return lose(conn, kind, reads, err);
}

/* SQLite has no server at which a request could arrive late. */
static bool may_arrive(enum strike_kind kind)
{
	return kind >= STRIKE_LATE && kind < STRIKE_KINDS && !on_backend("sqlite");
}

static int strike_open(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		       int64_t deadline, struct dblock_error *err)
{
	struct strike *s = env->ctx;
	enum strike_kind kind =
		strike_decide(s, (struct strike_call){.op = DBL_OP_COUNT,
						      .database = url->path ? url->path : "",
						      .name = "open"});
	int rc;

	*conn = NULL;
	if (hangs(kind))
		strike_jump_to(s, deadline);
	if (hangs(kind))
		return no_time(err);
	if (kind != STRIKE_KINDS && !is_carried_out(kind))
		return unavailable(err);
	rc = s->real->open(conn, url, env, deadline, err);
	if (rc == 0 && s->pooled)
		(*conn)->backend = 0;
	if (rc == 0 && kind == STRIKE_KINDS)
		strike_note_conn(s, url->path ? url->path : "", *conn);
	if (rc || kind == STRIKE_KINDS)
		return rc;
	s->real->close(*conn);
	*conn = NULL;
	return unavailable(err);
}

static void strike_close(struct dbl_conn *conn)
{
	struct strike *s = strike_of(conn);
	bool kept;

	strike_forget_conn(s, conn);
	pthread_mutex_lock(&s->mutex);
	kept = s->letter.conn == conn;
	if (kept) {
		s->letter.closed = true;
		conn->frame = NULL; /* the caller's, who has gone */
	}
	pthread_mutex_unlock(&s->mutex);
	if (!kept)
		s->real->close(conn);
}

/* One that has yet to be carried out is freed with its connection. */
static void strike_forget(struct dbl_stmt *stmt)
{
	struct strike *s = strike_of(stmt->conn);
	bool kept;

	pthread_mutex_lock(&s->mutex);
	kept = s->letter.stmt == stmt;
	pthread_mutex_unlock(&s->mutex);
	if (!kept)
		s->real->forget(stmt);
}

static int strike_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	struct strike *s = strike_of(conn);
	enum strike_kind kind = strike_decide(
		s, (struct strike_call){.op = strike_op_of(sql), .conn = conn, .name = "exec"});
	int rc = 0;

	if (kind == STRIKE_KINDS || is_carried_out(kind))
		rc = s->real->exec(conn, sql, err);
	if (may_arrive(kind))
		strike_keep(s, conn, NULL, sql, NULL, 0);
	return kind == STRIKE_KINDS || rc ? rc : lose_it(conn, kind, false, err);
}

static int strike_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			  struct dblock_error *err)
{
	struct strike *s = strike_of(conn);
	enum strike_kind kind = strike_decide(
		s, (struct strike_call){.op = strike_op_of(sql), .conn = conn, .name = "prepare"});
	int rc;

	*stmt = NULL;
	if (kind != STRIKE_KINDS)
		return lose_it(conn, kind, true, err);
	rc = s->real->prepare(conn, sql, stmt, err);
	if (rc == 0)
		strike_note_name(s, *stmt, sql);
	return rc;
}

static int strike_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
		      int64_t *changed, struct dblock_error *err)
{
	struct strike *s = strike_of(stmt->conn);
	enum strike_kind kind = strike_decide(
		s, (struct strike_call){
			   .op = DBL_OP_COUNT, .conn = stmt->conn, .stmt = stmt, .name = "run"});
	int rc = 0;

	*changed = 0;
	if (kind == STRIKE_KINDS || is_carried_out(kind))
		rc = s->real->run(stmt, args, n, changed, err);
	if (kind == STRIKE_KINDS || rc)
		return rc;
	if (may_arrive(kind))
		strike_keep(s, stmt->conn, stmt, NULL, args, n);
	if (kind == STRIKE_HALF) {
		s->half = stmt;
		s->half_rows = 0;
		return 0;
	}
	return lose_it(stmt->conn, kind, stmt->reads, err);
}

static int strike_next(struct dbl_stmt *stmt, struct dbl_value *row, unsigned n,
		       struct dblock_error *err)
{
	struct strike *s = strike_of(stmt->conn);
	enum strike_kind kind = strike_decide(
		s, (struct strike_call){
			   .op = DBL_OP_COUNT, .conn = stmt->conn, .stmt = stmt, .name = "next"});
	int rc;

	/* The statement itself has been carried out. */
	if (kind != STRIKE_KINDS)
		return lose(stmt->conn, hangs(kind) ? kind : STRIKE_REPLY_LOST, stmt->reads, err);
	rc = s->real->next(stmt, row, n, err);
	if (s->half != stmt || (rc > 0 && s->half_rows++ == 0))
		return rc;
	s->half = NULL;
	return lose(stmt->conn, STRIKE_REPLY_LOST, stmt->reads, err);
}

const struct dbl_driver *strike_intercept(void *ctx, const struct dbl_driver *real)
{
	struct strike *s = ctx;

	pthread_mutex_lock(&s->mutex);
	if (s->real) { /* other clients' threads read it */
		pthread_mutex_unlock(&s->mutex);
		return &s->driver;
	}
	s->real = real;
	s->driver = (struct dbl_driver){.name = real->name,
					.open = strike_open,
					.close = strike_close,
					.exec = strike_exec,
					.prepare = strike_prepare,
					.run = strike_run,
					.next = strike_next,
					.forget = strike_forget,
					.state = real->state};
	pthread_mutex_unlock(&s->mutex);
	return &s->driver;
}
