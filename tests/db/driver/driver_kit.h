/* SPDX-License-Identifier: MIT */
/*
 * What the driver tests share. They run once per database, which the environment names:
 * DBLOCK_TEST_BACKEND (a driver's name) and DBLOCK_TEST_URL. Where databases speak differently,
 * `struct backend` has the words; the cases are the same for all.
 */
#ifndef TESTS_DB_DRIVER_KIT_H
#define TESTS_DB_DRIVER_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "driver/driver.h"
#include "driver/value.h"
#include "sql/dialect.h"
#include "support/slowness.h"

/* This is long enough for a busy machine; no test waits for its end. */
enum { SHORTLY_MS = 300 };

struct backend {
	const char *name;
	const char *create;       /* dblock_contract (k integer key, i integer, s text) */
	const char *create_child; /* dblock_child (k refers to dblock_contract), checked late */
	const char *check_setup;  /* NULL: references are always checked */
	const char *begin_write;
	const char *begin_snapshot; /* NULL: a later write of what was read is no conflict here */
	const char *lock_setup;     /* makes a wait for a lock end; NULL: the deadline does */
	const char *readonly_setup;
	const char *row_from_write; /* a write of $1 that gives one row of one integer: $1 */
	const char *linger;         /* a read that takes longer than anybody waits */
	const char *linger_write;
	int linger_write_outcome; /* the outcome when the deadline comes */
	/* The rest is for servers only. */
	const char *own_id;
	const char *is_lingering[2]; /* SQL before and behind the id: 1 while it runs `linger` */
	const char *kill[2];
};

#define FOREVER "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "

static const struct backend backends[] = {
	{
		.name = "sqlite",
		.create = "CREATE TABLE dblock_contract (k INTEGER PRIMARY KEY, i INTEGER, s TEXT)",
		.create_child =
			"CREATE TABLE dblock_child (k INTEGER REFERENCES dblock_contract (k)"
			" DEFERRABLE INITIALLY DEFERRED)",
		.check_setup = "PRAGMA foreign_keys = ON",
		.begin_write = "BEGIN IMMEDIATE",
		.begin_snapshot = "BEGIN",
		.readonly_setup = "PRAGMA query_only = ON",
		.row_from_write = "INSERT INTO dblock_contract (k) VALUES ($1) RETURNING k",
		.linger = FOREVER "SELECT count(*) FROM n",
		.linger_write = FOREVER "INSERT INTO dblock_contract (k) SELECT count(*) FROM n",
		.linger_write_outcome = DBLOCK_E_NO_ANSWER,
	},
	{
		.name = "postgresql",
		.create = "CREATE TABLE dblock_contract (k bigint PRIMARY KEY, i bigint, s text)",
		.create_child = "CREATE TABLE dblock_child (k bigint REFERENCES dblock_contract (k)"
				" DEFERRABLE INITIALLY DEFERRED)",
		.begin_write = "BEGIN",
		.begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ",
		.lock_setup = "SET lock_timeout = 200",
		.readonly_setup = "SET default_transaction_read_only = on",
		.row_from_write = "INSERT INTO dblock_contract (k) VALUES ($1) RETURNING k",
		.linger = "SELECT 1 FROM pg_sleep(3600)",
		.linger_write = "INSERT INTO dblock_contract (k) SELECT 99 FROM pg_sleep(3600)",
		.linger_write_outcome = DBLOCK_E_UNSURE,
		.own_id = "SELECT pg_backend_pid()",
		.is_lingering = {"SELECT count(*) FROM pg_stat_activity"
				 " WHERE wait_event = 'PgSleep' AND pid = ",
				 ""},
		.kill = {"SELECT pg_terminate_backend(", ")"},
	},
	{
		.name = "mysql",
		.create = "CREATE TABLE dblock_contract (k BIGINT PRIMARY KEY, i BIGINT,"
			  " s TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) ENGINE = InnoDB",
		.create_child = "CREATE TABLE dblock_child (k BIGINT, FOREIGN KEY (k)"
				" REFERENCES dblock_contract (k)) ENGINE = InnoDB",
		.begin_write = "BEGIN",
		.lock_setup = "SET SESSION innodb_lock_wait_timeout = 1",
		.readonly_setup = "SET SESSION TRANSACTION READ ONLY",
		.row_from_write = "INSERT INTO dblock_contract (k) VALUES (LAST_INSERT_ID($1))",
		.linger = "SELECT SLEEP(3600)",
		.linger_write = "INSERT INTO dblock_contract (k) SELECT SLEEP(3600)",
		.linger_write_outcome = DBLOCK_E_UNSURE,
		.own_id = "SELECT CONNECTION_ID()",
		.is_lingering = {"SELECT count(*) FROM information_schema.processlist"
				 " WHERE state = 'User sleep' AND id = ",
				 ""},
		.kill = {"KILL ", ""},
	},
};

/* Each test gets two connections, and an empty table. */
struct world {
	const struct backend *backend;
	const struct dbl_driver *driver;
	struct dbl_conn *conn, *other;
	struct dblock_error err;
};

static inline const char *env_text(const char *name)
{
	const char *text = getenv(name);

	if (!text)
		fail_msg("set %s", name);
	return text;
}

static inline const struct backend *this_backend(void)
{
	const char *name = env_text("DBLOCK_TEST_BACKEND");

	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		if (strcmp(backends[i].name, name) == 0)
			return &backends[i];
	}
	fprintf(stderr, "DBLOCK_TEST_BACKEND=%s: unknown\n", name);
	exit(2);
}

static inline const struct dbl_driver *this_driver(void)
{
	const struct dbl_dialect *dialect = NULL;
	struct dblock_error err;

	if (dbl_dialect_find(this_backend()->name, &dialect, &err))
		fail_msg("%s", err.message);
	return dialect->driver;
}

/* Who is connected. MySQL refuses to read its information_schema for that while anybody's statement has an
 * emoji (error 3854); MariaDB has no other. */
#define PROCESSES "/*M! information_schema *//*!80000 performance_schema */.processlist"

static inline int64_t in_ms(int64_t ms)
{
	return dbl_now(dbl_env_system()) + dbl_ms(ms);
}

static inline void must(const struct world *w, int rc)
{
	if (rc)
		fail_msg("%d: %s", rc, w->err.message);
}

/* Outcome and err must agree, and there must be a message. */
static inline void must_fail(const struct world *w, int rc, int outcome)
{
	if (rc != outcome)
		fail_msg("%s instead of %s: %s", dblock_outcome_name(rc),
			 dblock_outcome_name(outcome), w->err.message);
	assert_int_equal(w->err.code, outcome);
	assert_string_not_equal(w->err.message, "");
}

static inline int open_url(const char *text, int64_t deadline, struct dbl_conn **conn,
			   struct dblock_error *err)
{
	struct dbl_url url;
	int rc = dbl_url_parse(&url, text, err);

	*conn = NULL;
	if (rc == 0)
		rc = this_driver()->open(conn, &url, dbl_env_system(), deadline, err);
	dbl_url_free(&url);
	return rc;
}

static inline struct dbl_conn *connect_db(struct world *w)
{
	struct dbl_conn *conn;

	must(w, open_url(env_text("DBLOCK_TEST_URL"), in_ms(PLENTY_MS), &conn, &w->err));
	return conn;
}

static inline int try_exec(struct world *w, struct dbl_conn *conn, const char *sql)
{
	conn->deadline = in_ms(PLENTY_MS);
	return w->driver->exec(conn, sql, &w->err);
}

static inline void exec(struct world *w, struct dbl_conn *conn, const char *sql)
{
	must(w, try_exec(w, conn, sql));
}

static inline struct dbl_stmt *prepare(struct world *w, struct dbl_conn *conn, const char *sql)
{
	struct dbl_stmt *stmt;

	conn->deadline = in_ms(PLENTY_MS);
	must(w, w->driver->prepare(conn, sql, &stmt, &w->err));
	return stmt;
}

/* The arguments of run(): an array and its length. */
#define VALUES(...)                                                                                \
	(const struct dbl_value[]){__VA_ARGS__},                                                   \
		(unsigned)(sizeof((const struct dbl_value[]){__VA_ARGS__}) /                       \
			   sizeof(struct dbl_value))
#define NOTHING NULL, 0

static inline int64_t run(struct world *w, struct dbl_stmt *stmt, const struct dbl_value *args,
			  unsigned n)
{
	int64_t changed = -1;

	stmt->conn->deadline = in_ms(PLENTY_MS);
	must(w, w->driver->run(stmt, args, n, &changed, &w->err));
	return changed;
}

/* Prepares and runs a statement; either may be the one that fails. */
static inline int try_run(struct world *w, struct dbl_conn *conn, const char *sql, bool reads,
			  int64_t ms)
{
	struct dbl_stmt *stmt;
	int64_t changed;
	int rc;

	conn->deadline = in_ms(ms);
	rc = w->driver->prepare(conn, sql, &stmt, &w->err);
	if (rc)
		return rc;
	stmt->reads = reads;
	return w->driver->run(stmt, NULL, 0, &changed, &w->err);
}

static inline bool fetch(struct world *w, struct dbl_stmt *stmt, struct dbl_value *row, unsigned n)
{
	int rc = w->driver->next(stmt, row, n, &w->err);

	if (rc < 0)
		must(w, rc);
	return rc == 1;
}

/* Returns the one integer that a statement gives. */
static inline int64_t one_int(struct world *w, struct dbl_conn *conn, const char *sql)
{
	struct dbl_stmt *stmt = prepare(w, conn, sql);
	struct dbl_value row[1], end[1];
	int64_t i;

	stmt->reads = true;
	run(w, stmt, NOTHING);
	assert_true(fetch(w, stmt, row, 1));
	assert_int_equal(row[0].type, DBL_INT);
	i = row[0].i;
	assert_false(fetch(w, stmt, end, 1));
	return i;
}

static inline int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->backend = this_backend();
	w->driver = this_driver();
	w->conn = connect_db(w);
	w->other = connect_db(w);
	exec(w, w->conn, "DROP TABLE IF EXISTS dblock_child");
	exec(w, w->conn, "DROP TABLE IF EXISTS dblock_contract");
	exec(w, w->conn, w->backend->create);
	*state = w;
	return 0;
}

static inline int tear_down(void **state)
{
	struct world *w = *state;

	w->driver->close(w->conn);
	exec(w, w->other, "DROP TABLE IF EXISTS dblock_child");
	exec(w, w->other, "DROP TABLE dblock_contract");
	w->driver->close(w->other);
	free(w);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
