/* SPDX-License-Identifier: MIT */
/*
 * Case 9 of tests/migrate-cases.md: a pooler in transaction mode. It has two connections to the
 * server, gives each transaction the other one, keeps them when its clients go, and tells clients a
 * process number that is not the server's (PgBouncer's BackendKeyData is random). It prepares a
 * client's statement wherever that is used, as PgBouncer does since 1.21.
 */
#include "db/migrate/migrate_app.h"

enum { SERVERS = 2, MADE_UP = 424242 };

static struct {
	struct dbl_env env;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	struct dbl_conn *server[SERVERS];
	unsigned turn;
} pool;

struct pooled {
	struct dbl_conn base; /* must be first */
	struct pooled_stmt *stmts;
	unsigned at;
};

struct pooled_stmt {
	struct dbl_stmt base; /* must be first */
	struct pooled_stmt *next;
	char *sql;
	struct dbl_stmt *real[SERVERS];
};

/* Returns the server for the next statement: in a transaction always the same. */
static struct dbl_conn *server_of(struct dbl_conn *conn)
{
	struct pooled *pooled = (struct pooled *)conn;
	struct dbl_conn *server;

	if (!conn->in_tx)
		pooled->at = pool.turn++ % SERVERS;
	server = pool.server[pooled->at];
	server->deadline = conn->deadline;
	server->frame = conn->frame;
	return server;
}

static int said(struct dbl_conn *conn, const struct dbl_conn *server, int rc)
{
	conn->in_tx = server->in_tx;
	conn->broken = server->broken;
	conn->error_at = server->error_at;
	return rc;
}

static int pool_open(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		     int64_t deadline, struct dblock_error *err)
{
	struct pooled *pooled = calloc(1, sizeof(*pooled));
	int rc = 0;

	assert_non_null(pooled);
	for (int i = 0; rc == 0 && i < SERVERS; i++)
		rc = pool.server[i] ? 0 : pool.real->open(&pool.server[i], url, env, deadline, err);
	if (rc)
		fail_msg("%s", err->message);
	pooled->base = (struct dbl_conn){.driver = &pool.driver, .env = env, .backend = MADE_UP};
	*conn = &pooled->base;
	return 0;
}

static void pool_close(struct dbl_conn *conn)
{
	struct pooled *pooled = (struct pooled *)conn;

	assert_false(conn->in_tx);
	for (struct pooled_stmt *stmt = pooled->stmts, *next; stmt; stmt = next) {
		next = stmt->next;
		free(stmt->sql);
		free(stmt);
	}
	free(pooled);
}

static int pool_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	struct dbl_conn *server = server_of(conn);

	return said(conn, server, pool.real->exec(server, sql, err));
}

static int pool_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **out,
			struct dblock_error *err)
{
	struct pooled *pooled = (struct pooled *)conn;
	struct pooled_stmt *stmt = calloc(1, sizeof(*stmt));

	(void)err;
	assert_non_null(stmt);
	stmt->base.conn = conn;
	stmt->sql = strdup(sql);
	stmt->next = pooled->stmts;
	pooled->stmts = stmt;
	*out = &stmt->base;
	return 0;
}

static int pool_run(struct dbl_stmt *out, const struct dbl_value *args, unsigned n,
		    int64_t *changed, struct dblock_error *err)
{
	struct pooled_stmt *stmt = (struct pooled_stmt *)out;
	struct dbl_conn *server = server_of(out->conn);
	struct dbl_stmt **real = &stmt->real[((struct pooled *)out->conn)->at];
	int rc = *real ? 0 : pool.real->prepare(server, stmt->sql, real, err);

	if (rc == 0) {
		(*real)->reads = out->reads;
		(*real)->passing = out->passing;
		rc = pool.real->run(*real, args, n, changed, err);
	}
	return said(out->conn, server, rc);
}

static int pool_next(struct dbl_stmt *out, struct dbl_value *row, unsigned n,
		     struct dblock_error *err)
{
	struct pooled_stmt *stmt = (struct pooled_stmt *)out;

	return pool.real->next(stmt->real[((struct pooled *)out->conn)->at], row, n, err);
}

static enum dbl_tx_state pool_state(struct dbl_conn *conn)
{
	return conn->in_tx ? pool.real->state(server_of(conn)) : DBL_TX_NONE;
}

static void pool_forget(struct dbl_stmt *out)
{
	(void)out; /* with its connection */
}

static const struct dbl_driver *pool_intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	pool.real = real;
	pool.driver = (struct dbl_driver){
		.name = real->name,
		.open = pool_open,
		.close = pool_close,
		.state = pool_state,
		.forget = pool_forget,
		.exec = pool_exec,
		.prepare = pool_prepare,
		.run = pool_run,
		.next = pool_next,
	};
	return &pool.driver;
}

/* ---- */

static void through_pool(struct app *app, const char *prefix)
{
	pool.env = *dbl_env_system();
	pool.env.intercept = pool_intercept;
	app_open_env(app, prefix, &pool.env);
	app->which.wait_ms = 2000;
}

static void drain(void)
{
	for (int i = 0; i < SERVERS; i++) {
		if (pool.server[i])
			pool.real->close(pool.server[i]);
		pool.server[i] = NULL;
	}
}

static int64_t locks_left(struct app *app)
{
	return number(app, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database "
			   "= (SELECT oid FROM pg_database WHERE datname = current_database())");
}

/* Several calls go one after another through the same two connections, however the turns fall. */
static void transactions_work(void **unused)
{
	const struct dblock_migration_file files[] = {
		BOTH(1, "a",
		     "CREATE TABLE pool_a (k INTEGER);\nINSERT INTO pool_a VALUES (1);\n"
		     "SET LOCAL search_path = pg_catalog",
		     "DROP TABLE pool_a"),
		BOTH(2, "b", "INSERT INTO pool_a VALUES (2)", "DELETE FROM pool_a WHERE k = 2"),
		BOTH(3, "c", "INSERT INTO pool_a VALUES (3)", "DELETE FROM pool_a WHERE k = 3"),
	};
	struct app app, direct;

	(void)unused;
	app_open(&direct, "pool_");
	through_pool(&app, "pool_");
	SET(&app, files);
	for (int i = 0; i < 4; i++) {
		pool.turn += (unsigned)i;
		app.which.all = false;
		EXPECT(OK, &app, app_up(&app));
		assert_int_equal(app.told.n, 3);
		assert_int_equal(number(&direct, "SELECT sum(k) FROM pool_a"), 6);
		assert_int_equal(locks_left(&direct), 0);
		assert_string_equal(app_status(&app), "1A2A3A");
		app.which.all = true;
		EXPECT(OK, &app, app_down(&app));
		assert_int_equal(locks_left(&direct), 0);
	}
	app_close(&app);
	drain();
	app_close(&direct);
}

static void steps_are_refused(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "f", STEPWISE "CREATE INDEX CONCURRENTLY ON steps (k)")};
	struct app app, direct;

	(void)unused;
	app_open(&direct, "steps_");
	beside(&direct, "CREATE TABLE steps (k INTEGER)");
	through_pool(&app, "steps_");
	SET(&app, files);
	for (int i = 0; i < 4; i++) {
		pool.turn += (unsigned)i;
		EXPECT(E_INVALID, &app, app_up(&app));
		assert_says(&app.s, "0001_f.up.sql: ");
		assert_says(&app.s, "pooler");
		assert_says(&app.s, "with the URL of the server itself");
		assert_string_equal(app_status(&app), "1p");
		assert_int_equal(locks_left(&direct), 0);
	}
	app_close(&app);
	drain();
	/* A direct connection to the server can apply the file. */
	SET(&direct, files);
	EXPECT(OK, &direct, app_up(&direct));
	app_close(&direct);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transactions_work),
		cmocka_unit_test(steps_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
