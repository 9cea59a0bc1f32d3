/* SPDX-License-Identifier: MIT */
/* The doctor in worlds that are not as they should be: a clock that is off, a pooler that hands one
 * connection to everybody, a file system made by a program, a WAL that grows and grows. */
#include <fcntl.h>

#include "api/client.h"
#include "base/fs.h"
#include "support/findings.h"
#include "support/raw.h"
#include "support/spy.h"

static struct findings examine(const struct dbl_env *env)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct findings findings = {.n = 0};
	struct dblock_error err = {0};

	options.timeout_ms = PLENTY_MS;
	expect(OK, dbl_client_doctor(test_url(), &options, env, keep_finding, &findings, &err));
	return findings;
}

static int make_tables(void **state)
{
	(void)state;
	dblock_close(client_new(0), NULL);
	return 0;
}

static void a_clock_that_is_off(void **state)
{
	struct spy *spy = spy_new();
	struct findings findings;

	(void)state;
	spy->wall_skew = -90 * 1000000LL;
	findings = examine(&spy->env);
	if (on_backend("sqlite"))
		must_say(&findings, OK, "clock", "no clock of its own");
	else
		must_say(&findings, WARNING, "clock", "ms ahead of this machine's");
	spy->wall_skew = 90 * 1000000LL;
	findings = examine(&spy->env);
	if (!on_backend("sqlite"))
		must_say(&findings, WARNING, "clock", "ms behind this machine's");
	spy_free(spy);
}

/* A pooler that keeps one connection to the server, and runs everybody's statements on it. */
static struct pool {
	struct dbl_env env;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	struct dbl_conn *conn;
	int users;
} pool;

static int pool_open(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		     int64_t deadline, struct dblock_error *err)
{
	int rc = pool.conn ? 0 : pool.real->open(&pool.conn, url, env, deadline, err);

	pool.users += rc == 0;
	*conn = pool.conn;
	return rc;
}

static void pool_close(struct dbl_conn *conn)
{
	if (--pool.users == 0) {
		pool.real->close(conn);
		pool.conn = NULL;
	}
}

static const struct dbl_driver *pool_intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	pool.real = real;
	pool.driver = *real;
	pool.driver.open = pool_open;
	pool.driver.close = pool_close;
	return &pool.driver;
}

static void a_pooler_that_shares(void **state)
{
	struct findings findings;

	(void)state;
	pool.env = *dbl_env_system();
	pool.env.intercept = pool_intercept;
	findings = examine(&pool.env);
	assert_int_equal(pool.users, 0);
	if (on_backend("sqlite"))
		assert_null(find_finding(&findings, "pooler", ""));
	else
		must_say(&findings, WRONG, "pooler", "leak to others");
}

/* This connection is as if behind a pooler that shares connections: LISTEN is allowed, and nothing
 * is heard. */
static int hear_nothing(struct dbl_conn *conn, const char *sql, int stop, const char **said,
			struct dblock_error *err)
{
	(void)conn;
	(void)sql;
	(void)stop;
	(void)err;
	*said = "";
	return 0;
}

static const struct dbl_driver *deaf_intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	pool.driver = *real;
	pool.driver.wait = hear_nothing;
	return &pool.driver;
}

static void who_listens_is_rung(void **state)
{
	struct findings findings = examine(dbl_env_system());

	(void)state;
	if (on_backend("sqlite"))
		assert_null(find_finding(&findings, "wakeups", ""));
	else if (on_backend("mysql"))
		must_say(&findings, OK, "wakeups", "may wake all clients");
	else
		must_say(&findings, OK, "wakeups", "NOTIFY reaches");
	pool.env = *dbl_env_system();
	pool.env.intercept = deaf_intercept;
	findings = examine(&pool.env);
	if (on_backend("postgresql"))
		must_say(&findings, WARNING, "wakeups", "polls");
}

static int say_fuse(void *ctx, const char *path, struct dbl_fs *fs)
{
	(void)ctx;
	(void)path;
	*fs = (struct dbl_fs){0x65735546, "fuse.mergerfs"};
	return 0;
}

static void a_file_system_made_by_a_program(void **state)
{
	struct dbl_env env = *dbl_env_system();
	struct findings findings;

	(void)state;
	env.file_system = say_fuse;
	findings = examine(&env);
	if (on_backend("sqlite"))
		must_say(&findings, WARNING, "file", "fuse.mergerfs");
	else
		assert_null(find_finding(&findings, "file", ""));
}

/* The WAL is a hole: of its size nothing is used on the disk. */
static void a_wal_that_has_grown(void **state)
{
	struct dblock_client *client;
	struct findings findings;
	char wal[600];

	(void)state;
	if (!on_backend("sqlite")) {
		findings = examine(dbl_env_system());
		assert_null(find_finding(&findings, "wal", ""));
		return;
	}
	client = client_new(0);
	snprintf(wal, sizeof(wal), "%s-wal", strstr(test_url(), "//") + 2);
	assert_int_equal(truncate(wal, 100 << 20), 0);
	findings = examine(dbl_env_system());
	must_say(&findings, WARNING, "wal", "100 MB");
	dblock_close(client, NULL);
}

/* As logical replication copies them: rows, and no sequence. */
static void tables_that_were_copied(void **state)
{
	static const char text[] = "without the sequence";
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct findings findings;

	(void)state;
	give(take(client, "x"));
	findings = examine(dbl_env_system());
	assert_null(find_finding(&findings, "schema", text));
	raw_exec(raw, "UPDATE dblock_lock SET served = 1000000 WHERE name = 'x'");
	findings = examine(dbl_env_system());
	if (on_backend("postgresql")) {
		must_say(&findings, WARNING, "schema", text);
		raw_exec(raw, "SELECT setval('dblock_queue_ticket_seq', 1000000)");
		findings = examine(dbl_env_system());
	}
	assert_null(find_finding(&findings, "schema", text));
	raw_close(raw);
	dblock_close(client, NULL);
}

/* The history says that all is there; somebody has dropped a table by hand. */
static void a_table_that_is_gone(void **state)
{
	struct raw *raw = raw_open(NULL);
	struct findings findings;

	(void)state;
	raw_exec(raw, "DROP TABLE dblock_floor");
	findings = examine(dbl_env_system());
	must_say(&findings, WRONG, "schema", "dblock_floor");
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_clock_that_is_off, make_tables),
		cmocka_unit_test_setup(a_pooler_that_shares, make_tables),
		cmocka_unit_test_setup(who_listens_is_rung, make_tables),
		cmocka_unit_test_setup(a_file_system_made_by_a_program, make_tables),
		cmocka_unit_test_setup(a_wal_that_has_grown, make_tables),
		cmocka_unit_test_setup(tables_that_were_copied, make_tables),
		cmocka_unit_test_setup(a_table_that_is_gone, make_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
