/* SPDX-License-Identifier: MIT */
/*
 * A driver in front of the real one. The k-th call of the thread that walks really goes wrong: in
 * the statement's place one is sent that the database refuses, so that PostgreSQL's transaction is
 * aborted; or the server's end of the connection is killed, before the statement or after it. The
 * walk covers both the caller's adopted connection and the client's own.
 */
#ifndef TESTS_DB_TX_WALK_DRIVER_H
#define TESTS_DB_TX_WALK_DRIVER_H

#include "api/client.h"
#include "driver/driver.h"
#include "link/tx.h"
#include "support/raw.h"

enum walk_kind {
	WALK_MISSING,    /* a table does not exist */
	WALK_LOCKED,     /* a lock's time-out */
	WALK_CONFLICT,   /* a serialization failure */
	WALK_DENIED,     /* permission is denied */
	WALK_ENDED,      /* the database rolls the whole transaction back */
	WALK_LOST,       /* the connection is killed before the statement arrives */
	WALK_REPLY_LOST, /* the connection is killed after the statement was carried out */
	WALK_KINDS,
	WALK_NOMEM = WALK_KINDS /* the k-th allocation fails, not a call of the driver */
};

static const char *const walk_names[] = {"missing", "locked", "conflict",   "denied",
					 "ended",   "lost",   "reply lost", "no memory"};

struct walk {
	struct dbl_env env;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	struct raw *killer, *rival; /* other connections; rival only on MySQL */
	enum walk_kind kind;
	int k, left;
	struct dbl_conn *adopted;
	bool struck, struck_adopted;
	char what[64]; /* the call that was struck */
};

static struct walk walk;
static _Thread_local bool walk_armed, walk_walks; /* for this thread */

/* The operation that each statement is, for messages. */
static struct {
	const struct dbl_stmt *stmt;
	char name[32];
} walk_stmts[256];
static unsigned walk_n_stmts;

static inline const char *walk_name_of(const struct dbl_stmt *stmt)
{
	for (unsigned i = walk_n_stmts; i-- > 0 && walk_n_stmts - i <= 256;) {
		if (walk_stmts[i % 256].stmt == stmt)
			return walk_stmts[i % 256].name;
	}
	return "?";
}

/* Each operation's text begins with "-- name:". */
static inline void walk_note(const struct dbl_stmt *stmt, const char *sql)
{
	unsigned at = walk_n_stmts++ % 256;

	walk_stmts[at].stmt = stmt;
	snprintf(walk_stmts[at].name, sizeof(walk_stmts[at].name), "%.*s",
		 (int)strcspn(sql + 3, ":"), sql + 3);
}

static inline void walk_arm(enum walk_kind kind, int k)
{
	walk.kind = kind;
	walk.k = walk.left = k;
	walk.struck = walk.struck_adopted = false;
	snprintf(walk.what, sizeof(walk.what), "nothing");
	walk_armed = kind != WALK_NOMEM;
}

static inline bool walk_is_loss(enum walk_kind kind)
{
	return kind == WALK_LOST || kind == WALK_REPLY_LOST;
}

/* Not every database can fail in each way. */
static inline bool walk_is_possible(enum walk_kind kind)
{
	if (kind == WALK_ENDED)
		return !on_backend("postgresql");
	return kind == WALK_MISSING || kind == WALK_NOMEM || !on_backend("sqlite");
}

/* A savepoint never waits for a lock. */
static inline bool walk_cannot(const char *sql)
{
	return walk.kind == WALK_LOCKED && strncmp(sql, "-- tx_guard:", 12) == 0;
}

/* Tells whether this call is the one that goes wrong. */
static inline bool walk_hits(const struct dbl_conn *conn, const char *call, const char *sql)
{
	if (!walk_armed || walk_cannot(sql) || (walk.kind == WALK_ENDED && conn != walk.adopted) ||
	    --walk.left != 0)
		return false;
	walk.struck = true;
	walk.struck_adopted = conn == walk.adopted;
	sql += strncmp(sql, "-- ", 3) ? 0 : 3;
	snprintf(walk.what, sizeof(walk.what), "%s %.*s%s", call, (int)strcspn(sql, ":"), sql,
		 walk.struck_adopted ? "" : " of the client's");
	return true;
}

/* ---- how it goes wrong ---------------------------------------------------------------------- */

static inline const char *walk_refused_sql(void)
{
	static const char *const postgresql[] = {
		"SELECT * FROM not_there",
		"DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''55P03'', MESSAGE = ''walk''; END'",
		"DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''40001'', MESSAGE = ''walk''; END'",
		"DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''42501'', MESSAGE = ''walk''; END'",
	};
	static const char *const mysql[] = {
		"SELECT * FROM not_there",
		"SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205, MESSAGE_TEXT = 'walk'",
		"SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'walk'",
		"SIGNAL SQLSTATE '42000' SET MYSQL_ERRNO = 1142, MESSAGE_TEXT = 'walk'",
	};

	if (on_backend("postgresql"))
		return postgresql[walk.kind];
	return on_backend("mysql") ? mysql[walk.kind] : "SELECT * FROM not_there";
}

static inline void *walk_rival_waits(void *unused)
{
	(void)unused;
	(void)raw_try_exec(walk.rival, "UPDATE account SET money = money WHERE id = 1");
	return NULL;
}

/* Makes a deadlock with a transaction that has done more: whoever comes to wait first, ours is the
 * victim, and MySQL rolls it back. */
static inline int walk_deadlock(struct dbl_conn *conn, struct dblock_error *err)
{
	struct crew crew = {.n = 0};
	int rc;

	raw_exec(walk.rival, "BEGIN");
	raw_exec(walk.rival, "UPDATE account SET money = money + 1 WHERE id > 10");
	crew_add(&crew, walk_rival_waits, NULL);
	rc = walk.real->exec(conn, "UPDATE account SET money = money WHERE id = 15", err);
	crew_join(&crew);
	raw_exec(walk.rival, "ROLLBACK");
	return rc;
}

static inline int walk_end(struct dbl_conn *conn, struct dblock_error *err)
{
	return on_backend("mysql") ? walk_deadlock(conn, err)
				   : walk.real->exec(conn, "INSERT INTO ender VALUES (1)", err);
}

/* The server's end is gone when this returns. */
static inline void walk_kill(const struct dbl_conn *conn)
{
	long long backend = (long long)conn->backend;

	if (on_backend("postgresql"))
		raw_int(walk.killer, "SELECT pg_terminate_backend(%lld)", backend);
	else
		(void)raw_try_exec(walk.killer, "KILL %lld", backend);
	while (raw_int(walk.killer,
		       on_backend("postgresql")
			       ? "SELECT count(*) FROM pg_stat_activity WHERE pid = %lld"
			       : "SELECT count(*) FROM information_schema.processlist WHERE "
				 "id = %lld",
		       backend) > 0)
		sleep_ms(1);
}

static inline int walk_lose(struct dbl_conn *conn, bool reads, struct dblock_error *err)
{
	walk_kill(conn);
	conn->broken = true;
	return dbl_fail(err, reads ? DBLOCK_E_UNAVAILABLE : DBLOCK_E_UNSURE,
			"walk: the reply is lost");
}

/* Sends a statement that is refused instead. */
static inline int walk_refuse(struct dbl_conn *conn, struct dblock_error *err)
{
	int rc = walk.kind == WALK_ENDED ? walk_end(conn, err)
					 : walk.real->exec(conn, walk_refused_sql(), err);

	if (rc == 0)
		fail_msg("it was to be refused");
	return rc;
}

/* ---- the slots ------------------------------------------------------------------------------ */

static inline int walk_open(struct dbl_conn **conn, const struct dbl_url *url,
			    const struct dbl_env *env, int64_t deadline, struct dblock_error *err)
{
	return walk.real->open(conn, url, env, deadline, err);
}

static inline int walk_adopt(struct dbl_conn **conn, void *handle, const struct dbl_env *env,
			     struct dblock_error *err)
{
	int rc = walk.real->adopt(conn, handle, env, err);

	walk.adopted = *conn;
	return rc;
}

static inline int walk_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	bool hits = walk_hits(conn, "exec", sql);
	int rc;

	if (hits && !walk_is_loss(walk.kind))
		return walk_refuse(conn, err);
	if (hits && walk.kind == WALK_LOST)
		walk_kill(conn);
	rc = walk.real->exec(conn, sql, err);
	return rc == 0 && hits ? walk_lose(conn, false, err) : rc;
}

/* PostgreSQL's driver sends nothing to prepare, so nothing fails yet. */
static inline int walk_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			       struct dblock_error *err)
{
	bool hits = !on_backend("postgresql") && walk_hits(conn, "prepare", sql);
	int rc;

	*stmt = NULL;
	if (hits && !walk_is_loss(walk.kind))
		return walk_refuse(conn, err);
	if (hits && walk.kind == WALK_LOST)
		walk_kill(conn);
	rc = walk.real->prepare(conn, sql, stmt, err);
	if (rc == 0 && walk_walks)
		walk_note(*stmt, sql);
	if (rc || !hits)
		return rc;
	*stmt = NULL;
	return walk_lose(conn, true, err);
}

static inline bool walk_strike(const struct dbl_conn *conn, struct dbl_extra *extra)
{
	if (!walk_hits(conn, "exec", extra->sql))
		return false;
	*extra = (struct dbl_extra){.sql = walk_refused_sql()};
	return true;
}

/* What goes around a statement, in one round trip, is struck there: in the pipeline. Tells whether one of
 * them, or the statement itself, is to be refused. */
static inline bool walk_strikes_around(const struct dbl_stmt *stmt)
{
	struct dbl_around *around = stmt->conn->around;
	bool hits = false;

	if (!walk_armed)
		return false;
	for (unsigned i = 0; i < around->n_before; i++)
		hits = walk_strike(stmt->conn, &around->before[i]) || hits;
	if (walk_hits(stmt->conn, "run", walk_name_of(stmt))) {
		around->before[around->n_before++] = (struct dbl_extra){.sql = walk_refused_sql()};
		hits = true;
	}
	for (unsigned i = 0; i < around->n_after; i++)
		hits = walk_strike(stmt->conn, &around->after[i]) || hits;
	return hits;
}

static inline int walk_run_around(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
				  int64_t *changed, struct dblock_error *err)
{
	bool hits = walk_strikes_around(stmt);
	int rc = walk.real->run(stmt, args, n, changed, err);

	if (hits && rc == 0)
		fail_msg("it was to be refused");
	return rc;
}

static inline int walk_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
			   int64_t *changed, struct dblock_error *err)
{
	bool hits;
	int rc;

	*changed = 0;
	if (stmt->conn->around && !walk_is_loss(walk.kind))
		return walk_run_around(stmt, args, n, changed, err);
	hits = walk_hits(stmt->conn, "run", walk_armed ? walk_name_of(stmt) : "");
	if (hits && !walk_is_loss(walk.kind))
		return walk_refuse(stmt->conn, err);
	if (hits && walk.kind == WALK_LOST)
		walk_kill(stmt->conn);
	rc = walk.real->run(stmt, args, n, changed, err);
	return rc == 0 && hits ? walk_lose(stmt->conn, stmt->reads, err) : rc;
}

static inline const struct dbl_driver *walk_intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	if (walk.real)
		return &walk.driver;
	walk.real = real;
	walk.driver = *real;
	walk.driver.open = walk_open;
	walk.driver.adopt = walk_adopt;
	walk.driver.exec = walk_exec;
	walk.driver.prepare = walk_prepare;
	walk.driver.run = walk_run;
	return &walk.driver;
}

static inline void walk_set_up(void)
{
	walk.env = *dbl_env_system();
	walk.env.intercept = walk_intercept;
	walk_walks = true;
	walk.killer = raw_open(NULL);
	walk.rival = on_backend("mysql") ? raw_open(NULL) : NULL;
}

static inline void walk_tear_down(void)
{
	raw_close(walk.killer);
	if (walk.rival)
		raw_close(walk.rival);
}

#endif
