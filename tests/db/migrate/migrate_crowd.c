/* SPDX-License-Identifier: MIT */
/* Many processes migrate at the same time, and some wait for others. */
#include "db/migrate/migrate_forks.h"

enum { CROWD = 50 };

/* Counts how often each file was applied, as told by all processes. All must have succeeded. */
static void count_files(int (*act)(void *unused), unsigned counts[FILES])
{
	crowd_count(CROWD, act, NULL, counts, FILES);
}

static int apply_and_say(struct schema *s)
{
	struct told told;
	int rc = up_in(s, &told, PLENTY_MS);

	if (rc)
		fprintf(stderr, "%s\n", s->err.message);
	crowd_say_told(&told, FIRST);
	schema_close(s);
	return rc;
}

static int act_up(void *unused)
{
	struct schema s;

	(void)unused;
	schema_open(&s, "crowd_");
	return apply_and_say(&s);
}

static void assert_once(int (*act)(void *), struct schema *s)
{
	unsigned counts[FILES];

	count_files(act, counts);
	for (unsigned i = 0; i < FILES; i++)
		assert_int_equal(counts[i], 1);
	assert_whole(s);
}

static void fifty_apply_each_file_once(void **unused)
{
	struct schema s;

	(void)unused;
	schema_open(&s, "crowd_");
	assert_once(act_up, &s);
	/* A process that died had begun them all. */
	dead_had_begun(&s, FIRST);
	assert_once(act_up, &s);
	schema_close(&s);
}

/* Behind a pooler two may get a lock of the session, which is worth nothing then. */
static int open_gate_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			     struct dblock_error *err)
{
	if (strstr(sql, "advisory_"))
		sql = "SELECT ($1::text = $1::text AND $2::text = $2::text)";
	return conn->driver->prepare(conn, sql, stmt, err);
}

static const struct dbl_driver *open_gate(void *ctx, const struct dbl_driver *real)
{
	struct dbl_driver *driver = ctx;

	*driver = *real;
	driver->prepare = open_gate_prepare;
	return driver;
}

static int act_up_without_gate(void *unused)
{
	struct dbl_driver driver;
	struct dbl_env env = *dbl_env_system();
	struct schema s;

	(void)unused;
	env.ctx = &driver;
	env.intercept = open_gate;
	schema_open_url(&s, env_text("DBLOCK_TEST_URL"), "gate_", &env);
	return apply_and_say(&s);
}

static void claims_alone_make_it_once(void **unused)
{
	struct schema s;

	(void)unused;
	schema_open(&s, "gate_");
	assert_once(act_up_without_gate, &s); /* most fail to make the history */
	by_hand(&s, "DELETE FROM dblock_migration");
	assert_once(act_up_without_gate, &s); /* most fail to claim the first file */
	schema_close(&s);
}

static void new_file(struct schema *s, const char *name, const struct dbl_env *env)
{
	char url[4096];

	snprintf(url, sizeof(url), "sqlite://%s/%s.db", env_text("DBLOCK_TEST_TMP"), name);
	schema_open_url(s, url, NULL, env);
}

static int act_open(void *unused)
{
	struct schema s;
	int rc;

	(void)unused;
	new_file(&s, "crowd", dbl_env_system());
	rc = check(&s, false);
	if (rc)
		fprintf(stderr, "%s\n", s.err.message);
	schema_close(&s);
	return rc;
}

/* No process may find half a schema, nor a file that is no longer new and not yet whole. */
static void fifty_open_one_new_file(void **unused)
{
	unsigned counts[FILES];

	(void)unused;
	count_files(act_open, counts);
}

/* Somebody fills a new file between the first look at it and the question whether it is new. */
static int filling_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			   struct dblock_error *err)
{
	if (strstr(sql, "-- is_new:")) {
		struct schema other;

		new_file(&other, "filled", dbl_env_system());
		assert_int_equal(up(&other), FILES);
		schema_close(&other);
	}
	return conn->driver->prepare(conn, sql, stmt, err);
}

static const struct dbl_driver *filling(void *ctx, const struct dbl_driver *real)
{
	struct dbl_driver *driver = ctx;

	*driver = *real;
	driver->prepare = filling_prepare;
	return driver;
}

static void a_file_filled_meanwhile_is_whole(void **unused)
{
	struct dbl_driver driver;
	struct dbl_env env = *dbl_env_system();
	struct schema s;

	(void)unused;
	env.ctx = &driver;
	env.intercept = filling;
	new_file(&s, "filled", &env);
	if (check(&s, false))
		fail_msg("%s", s.err.message);
	schema_close(&s);
}

/* Takes the gate as another process: on a server its lock, on SQLite the write lock. */
static struct dbl_db *occupy(struct schema *s, bool server)
{
	struct dbl_db *db;
	struct dbl_runner on;
	char what[64];
	int64_t got = 1;

	assert_int_equal(dbl_db_open(&db, &s->target, soon(), &s->err), 0);
	on = dbl_runner_db(db, &s->target, NULL, soon());
	snprintf(what, sizeof(what), "%smigration dblock", s->target.names.prefix);
	if (server)
		assert_int_equal(
			dbl_ask(on, DBL_OP_migrate_lock,
				DBL_ARGS_OF(dbl_text(s->target.names.schema), dbl_text(what)), &got,
				&s->err),
			0);
	else
		assert_int_equal(dbl_db_begin(db, soon(), &s->err), 0);
	assert_int_equal(got, 1);
	return db;
}

static void a_wait_ends_at_its_deadline(void **unused)
{
	int64_t before, took;
	bool server = !backend_is("sqlite");
	struct schema s;
	struct told told;
	struct dbl_db *db;

	(void)unused;
	schema_open(&s, "wait_");
	db = occupy(&s, server);
	before = dbl_now(dbl_env_system());
	assert_int_equal(up_in(&s, &told, 700), DBLOCK_TIMEOUT);
	took = dbl_now(dbl_env_system()) - before;
	assert_int_equal(s.err.code, DBLOCK_TIMEOUT);
	assert_says(&s, "another process that is migrating");
	assert_true(took < dbl_ms(PLENTY_MS) / 2);
	assert_int_equal(told.n, 0);
	assert_false(there(&s, "migration"));
	dbl_db_close(db);
	assert_int_equal(up(&s), FILES);
	/* If nothing is pending nobody waits. */
	db = occupy(&s, server);
	assert_int_equal(up(&s), 0);
	dbl_db_close(db);
	schema_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifty_apply_each_file_once),
		cmocka_unit_test(a_wait_ends_at_its_deadline),
	};
	const struct CMUnitTest on_postgresql[] = {cmocka_unit_test(claims_alone_make_it_once)};
	const struct CMUnitTest on_sqlite[] = {
		cmocka_unit_test(a_file_filled_meanwhile_is_whole),
		cmocka_unit_test(fifty_open_one_new_file),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (backend_is("postgresql"))
		failed += cmocka_run_group_tests(on_postgresql, NULL, NULL);
	if (backend_is("sqlite"))
		failed += cmocka_run_group_tests(on_sqlite, NULL, NULL);
	return failed;
}
