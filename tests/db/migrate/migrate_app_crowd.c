/* SPDX-License-Identifier: MIT */
/* Many processes apply one set at the same time, and the cost of that: cases 1, 2 and 8 of
 * tests/migrate-cases.md. */
#include "db/migrate/migrate_app.h"
#include "db/migrate/migrate_forks.h"

enum { RACERS = 6 };

/* ---- the gate is worth nothing -------------------------------------------------------------- */

/* As behind a pooler, everybody gets the session's lock. */
static int open_gate_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			     struct dblock_error *err)
{
	static const char *const yes[] = {"SELECT 1 WHERE $1 = $1 AND $2 = $2",
					  "SELECT 1 FROM (SELECT $1::text, $2::text) AS a",
					  "SELECT 1 FROM DUAL WHERE $1 = $1 AND $2 = $2"};

	if (strstr(sql, "-- migrate_lock:") || strstr(sql, "-- migrate_unlock:"))
		sql = yes[backend_is("mysql") ? 2 : backend_is("postgresql")];
	return conn->driver->prepare(conn, sql, stmt, err);
}

static const struct dbl_driver *open_gate(void *ctx, const struct dbl_driver *real)
{
	struct dbl_driver *driver = ctx;

	*driver = *real;
	driver->prepare = open_gate_prepare;
	return driver;
}

/* ---- the race ------------------------------------------------------------------------------- */

/* Each file writes a row, and takes some time. */
static void slow_set(struct dblock_migration_file files[3], char texts[3][512])
{
	const char *nap = backend_is("mysql")        ? "DO SLEEP(0.1)"
			  : backend_is("postgresql") ? "SELECT pg_sleep(0.1)"
						     : "SELECT 1";

	for (int i = 0; i < 3; i++) {
		snprintf(texts[i], 512,
			 "CREATE TABLE race_%d (k INTEGER);\n%s;\nINSERT INTO race VALUES (%d);\n"
			 "%s;\n",
			 i, nap, i, nap);
		files[i] = (struct dblock_migration_file)UP(i + 1, "f", texts[i]);
	}
}

static int race_once(void *gate)
{
	struct dblock_migration_file files[3];
	struct dbl_env env = *dbl_env_system();
	struct dbl_driver driver;
	char texts[3][512];
	struct app app;
	int rc;

	env.ctx = &driver;
	env.intercept = *(bool *)gate ? NULL : open_gate;
	app_open_env(&app, "race_", &env);
	app.which.allow_tables = true;
	slow_set(files, texts);
	SET(&app, files);
	rc = app_up(&app);
	crowd_say_told(&app.told, 1);
	if (rc)
		fprintf(stderr, "%s: %s\n", dblock_outcome_name(rc), app.s.err.message);
	app_close(&app);
	return rc;
}

static void race_is_right(bool gate)
{
	unsigned counts[3];
	struct app app;

	app_open(&app, "race_");
	plain(&app, "DROP TABLE IF EXISTS race");
	beside(&app, "CREATE TABLE race (k INTEGER)");
	by_hand(&app.s, "DROP TABLE IF EXISTS dblock_migration");
	for (int i = 0; i < 3; i++) {
		char sql[64];

		snprintf(sql, sizeof(sql), "DROP TABLE IF EXISTS race_%d", i);
		plain(&app, sql);
	}
	crowd_count(RACERS, race_once, &gate, counts, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(counts[i], 1);
	assert_int_equal(number(&app, "SELECT count(*) * 100 + count(DISTINCT k) FROM race"), 303);
	app_close(&app);
}

static void each_file_is_run_once(void **unused)
{
	(void)unused;
	race_is_right(true);
}

/* Case 8 of tests/migrate-cases.md: without the lock the history's rows alone let each file run
 * once. */
static void claims_alone_make_it_once(void **unused)
{
	(void)unused;
	race_is_right(false);
}

/* A file that is no transaction needs a lock that works; PostgreSQL's driver says if it does not.
 */
static void steps_need_a_session(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "f", STEPWISE "CREATE INDEX CONCURRENTLY ON pool (k)")};
	struct dbl_env env = *dbl_env_system();
	struct dbl_driver driver;
	struct app app;

	(void)unused;
	env.ctx = &driver;
	env.intercept = open_gate;
	app_open_env(&app, "pool_", &env);
	beside(&app, "CREATE TABLE pool (k INTEGER)");
	SET(&app, files);
	EXPECT(E_INVALID, &app, app_up(&app));
	assert_says(&app.s, "pooler");
	assert_string_equal(app_status(&app), "1p");
	app_close(&app);
}

/* ---- the cost ------------------------------------------------------------------------------- */

static struct {
	const struct dbl_driver *real;
	unsigned runs, execs;
} count;

static int count_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	count.execs++;
	return count.real->exec(conn, sql, err);
}

static int count_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
		     int64_t *changed, struct dblock_error *err)
{
	count.runs++;
	return count.real->run(stmt, args, n, changed, err);
}

static const struct dbl_driver *counting(void *ctx, const struct dbl_driver *real)
{
	struct dbl_driver *driver = ctx;

	count.real = real;
	*driver = *real;
	driver->exec = count_exec;
	driver->run = count_run;
	return driver;
}

enum { MANY = 500 };

static int tell_nobody(void *arg, const struct dblock_migration *m)
{
	(void)m;
	++*(unsigned *)arg;
	return 0;
}

/* Applies n more files, and returns how many statements that took. */
static unsigned cost_of(struct app *app, unsigned n)
{
	struct dbl_migrate ask = app_ask(app);
	unsigned told = 0;

	app->which.count = n;
	ask.cb = tell_nobody;
	ask.arg = &told;
	count.runs = count.execs = 0;
	EXPECT(OK, app, dbl_migrate_up(&ask, &app->s.err));
	assert_int_equal(told, n);
	return count.runs + count.execs;
}

static void the_cost_of_a_file_does_not_grow(void **unused)
{
	static struct dblock_migration_file files[MANY];
	static const char text[] = "INSERT INTO cost VALUES (1)";
	struct dbl_env env = *dbl_env_system();
	struct dbl_driver driver;
	unsigned first, second, third;
	struct app app;

	(void)unused;
	env.ctx = &driver;
	env.intercept = counting;
	app_open_env(&app, "cost_", &env);
	beside(&app, "CREATE TABLE cost (k INTEGER)");
	for (unsigned i = 0; i < MANY; i++)
		files[i] = (struct dblock_migration_file)UP((int64_t)i + 1, "f", text);
	SET(&app, files);
	(void)cost_of(&app, 50); /* this makes the history */
	first = cost_of(&app, 50);
	second = cost_of(&app, 150);
	third = cost_of(&app, 250);
	assert_int_equal(second - first, third - second);
	assert_true((third - second) / 100 <= 12);
	/* Nothing is pending: the cost is two reads, and what each new connection begins with. */
	app.which.count = 0;
	count.runs = count.execs = 0;
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(count.runs,
			 backend_is("postgresql") ? 3 : 2); /* there they have an answer */
	assert_true(count.execs <= 3);
	assert_int_equal(number(&app, "SELECT count(*) FROM cost"), MANY);
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_is_run_once),
		cmocka_unit_test(claims_alone_make_it_once),
		cmocka_unit_test(the_cost_of_a_file_does_not_grow),
	};
	const struct CMUnitTest on_postgresql[] = {cmocka_unit_test(steps_need_a_session)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (backend_is("postgresql"))
		failed += cmocka_run_group_tests(on_postgresql, NULL, NULL);
	return failed;
}
