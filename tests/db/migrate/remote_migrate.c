/* SPDX-License-Identifier: MIT */
/* Migrations on servers: sessions, other people's locks, and who waits for whom. */
#include "base/thread.h"
#include "db/migrate/migrate_app.h"

/* ---- sessions ------------------------------------------------------------------------------- */

/* Case 19 of tests/migrate-cases.md: a file's settings of its session end with it. */
static void the_next_file_does_not_feel_the_one_before(void **unused)
{
	const char *odd = backend_is("postgresql")
				  ? "CREATE SCHEMA elsewhere;\nCREATE TABLE ses_a (k INTEGER);\n"
				    "SET search_path = elsewhere, public;\n"
				    "SET statement_timeout = '2h';\nSET lock_timeout = '1h';\n"
				    "CREATE ROLE ses_weak;\nSET ROLE ses_weak;\nSELECT 1;\n"
				  : "CREATE TABLE ses_a (k INTEGER);\n"
				    "SET SESSION sql_mode = 'ANSI_QUOTES';\n"
				    "SET time_zone = '+07:00';\nSET foreign_key_checks = 0;\n";
	const char *even =
		backend_is("postgresql")
			? "CREATE TABLE ses_b AS SELECT current_schema() AS s, "
			  "current_user AS u, current_setting('lock_timeout') AS l,"
			  "current_setting('statement_timeout') AS t;\n"
			: "CREATE TABLE ses_b AS SELECT @@sql_mode = @@global.sql_mode AND "
			  "@@time_zone = @@global.time_zone AND @@foreign_key_checks = 1 "
			  "AND @@lock_wait_timeout = 5 AS fine;\n";
	const struct dblock_migration_file files[] = {UP(1, "odd", odd), UP(2, "even", even)};
	struct app app;

	(void)unused;
	app_open(&app, "ses_");
	SET(&app, files);
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(number(&app, backend_is("postgresql")
					      ? "SELECT count(*) FROM ses_b WHERE s = 'public' AND "
						"u <> 'ses_weak' AND l = '5s' AND t = '0'"
					      : "SELECT CAST(fine AS SIGNED) FROM ses_b"),
			 1);
	if (backend_is("postgresql"))
		plain(&app, "DROP ROLE ses_weak");
	app_close(&app);
}

/* Case 19 of tests/migrate-cases.md: PostgreSQL refuses a COMMIT within a transaction; on MySQL a
 * procedure call is a statement that stands alone, and may have one. */
static void a_hidden_commit_leaves_nothing_half_done(void **unused)
{
	const char *text = backend_is("postgresql")
				   ? "CREATE TABLE hidden (k INTEGER);\n"
				     "DO $$ BEGIN COMMIT; END $$;\nINSERT INTO hidden VALUES (1)"
				   : "CREATE TABLE hidden (k INTEGER);\n"
				     "CREATE PROCEDURE hidden_p() COMMIT;\nCALL hidden_p();\n"
				     "INSERT INTO hidden VALUES (1)";
	const struct dblock_migration_file files[] = {UP(1, "hidden", text)};
	struct app app;

	(void)unused;
	app_open(&app, "hidden_");
	SET(&app, files);
	if (backend_is("postgresql")) {
		EXPECT(E_MIGRATION, &app, app_up(&app));
		assert_says(&app.s, "2D000");
		assert_string_equal(app_status(&app), "1p");
		assert_false(app_has(&app, "hidden"));
	} else {
		EXPECT(OK, &app, app_up(&app));
		assert_int_equal(number(&app, "SELECT count(*) FROM hidden"), 1);
	}
	app_close(&app);
}

/* ---- other people's locks ------------------------------------------------------------------- */

/* Reads a table, in a transaction that stays open. */
static struct dbl_conn *read_for_long(struct app *app, const char *table)
{
	const struct dbl_driver *driver = app->s.target.dialect->driver;
	struct dbl_conn *conn;
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
	assert_int_equal(
		driver->open(&conn, &app->s.target.url, dbl_env_system(), soon(), &app->s.err), 0);
	assert_int_equal(driver->exec(conn, "BEGIN", &app->s.err), 0);
	assert_int_equal(driver->exec(conn, sql, &app->s.err), 0);
	return conn;
}

/* Case 24 of tests/migrate-cases.md: the ALTER gives up for a while instead of blocking all others,
 * and tries again. */
static void an_alter_does_not_stall_the_site(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "alter", "ALTER TABLE stall ADD COLUMN more INTEGER")};
	struct dbl_conn *reader;
	struct app app;

	(void)unused;
	app_open(&app, "stall_");
	beside(&app, "CREATE TABLE stall (k INTEGER)");
	SET(&app, files);
	app.which.lock_timeout_ms = 1;
	reader = read_for_long(&app, "stall");
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "(tried 5 times)");
	assert_says(&app.s, backend_is("mysql") ? "1205" : "55P03");
	assert_string_equal(app_status(&app), backend_is("mysql") ? "1F" : "1p");
	reader->driver->close(reader);
	EXPECT(OK, &app, app_up(&app));
	app_close(&app);
}

struct waiter {
	struct app *app;
	int rc;
};

static void *apply_meanwhile(void *arg)
{
	struct waiter *waiter = arg;

	waiter->rc = app_up(waiter->app);
	return NULL;
}

static _Atomic int sent;

static void note_sent(void *arg, const struct dblock_migrate_progress *progress)
{
	(void)arg;
	sent += !progress->waiting && progress->took_ms == 0;
}

/* The same ALTER, but the reader ends in time. */
static void an_alter_is_tried_again(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "alter", "ALTER TABLE again ADD COLUMN more INTEGER")};
	struct waiter waiter;
	struct dbl_thread thread;
	struct dbl_conn *reader;
	struct app app, looker;

	(void)unused;
	app_open(&app, "again_");
	app_open(&looker, "again_");
	beside(&app, "CREATE TABLE again (k INTEGER)");
	SET(&app, files);
	app.which.lock_timeout_ms = 1;
	app.which.progress = note_sent;
	reader = read_for_long(&looker, "again");
	waiter.app = &app;
	assert_int_equal(dbl_thread_start(&thread, apply_meanwhile, &waiter), 0);
	for (int64_t until = soon(); sent < 2 && dbl_now(dbl_env_system()) < until;)
		dbl_sleep_until(dbl_env_system(), dbl_add(dbl_now(dbl_env_system()), 1000));
	reader->driver->close(reader);
	dbl_thread_join(&thread);
	EXPECT(OK, &app, waiter.rc);
	assert_true(sent >= 2);
	app_close(&looker);
	app_close(&app);
}

/* ---- who waits ------------------------------------------------------------------------------ */

struct heard {
	int waits;
	char holder[256];
};

static void hear(void *arg, const struct dblock_migrate_progress *progress)
{
	struct heard *heard = arg;

	heard->waits += progress->waiting;
	if (progress->waiting)
		snprintf(heard->holder, sizeof(heard->holder), "%s", progress->holder);
}

static struct dbl_db *occupy(struct app *app, const char *scope)
{
	struct dbl_db *db;
	struct dbl_runner on;
	char what[128];
	int64_t got;

	snprintf(what, sizeof(what), "%smigration %s", app->s.target.names.prefix, scope);
	assert_int_equal(dbl_db_open(&db, &app->s.target, soon(), &app->s.err), 0);
	on = dbl_runner_db(db, &app->s.target, NULL, soon());
	assert_int_equal(dbl_ask(on, DBL_OP_migrate_lock,
				 DBL_ARGS_OF(dbl_text(app->s.target.names.schema), dbl_text(what)),
				 &got, &app->s.err),
			 0);
	assert_int_equal(got, 1);
	return db;
}

/* Case 25 of tests/migrate-cases.md, in part: two scopes do not wait for each other. */
static void one_waits_for_its_own_scope_only(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "a", "CREATE TABLE wait_a (k INTEGER)")};
	struct heard heard = {0};
	struct dbl_db *db;
	struct app app;

	(void)unused;
	app_open(&app, "wait_");
	SET(&app, files);
	app.which.wait_ms = 300;
	app.which.progress = hear;
	app.which.progress_arg = &heard;
	db = occupy(&app, "app");
	EXPECT(TIMEOUT, &app, app_up(&app));
	assert_says(&app.s, "another process that is migrating: ");
	assert_true(heard.waits > 0);
	/* The database tells of the holder only its connection's number, which the message has. */
	assert_non_null(strpbrk(heard.holder, "0123456789"));
	app.which.wait_ms = -1;
	EXPECT(BUSY, &app, app_up(&app));
	app.which.scope = "other";
	EXPECT(OK, &app, app_up(&app));
	dbl_db_close(db);
	app_close(&app);
}

static _Atomic int waiting;

static void note_waiting(void *arg, const struct dblock_migrate_progress *progress)
{
	bool *noted = arg;

	waiting += progress->waiting && !*noted;
	*noted = *noted || progress->waiting;
}

/* Case 6 of tests/migrate-cases.md: processes that wait do not hold up CREATE INDEX CONCURRENTLY,
 * nor are held up by it. The index itself waits for a reader, until all the others wait for it. */
static void waiters_do_not_block_the_index(void **unused)
{
	enum { ALL = 11 };
	const struct dblock_migration_file files[] = {
		UP(1, "i", STEPWISE "CREATE INDEX CONCURRENTLY idx_i ON idx (k)")};
	struct dbl_thread threads[ALL];
	struct waiter waiters[ALL];
	struct app apps[ALL], app;
	struct dbl_conn *reader;
	bool noted[ALL] = {false};

	(void)unused;
	app_open(&app, "idx_");
	beside(&app, "CREATE TABLE idx (k INTEGER)");
	reader = read_for_long(&app, "idx");
	for (int i = 0; i < ALL; i++) {
		app_open(&apps[i], "idx_");
		SET(&apps[i], files);
		apps[i].which.lock_timeout_ms = -1;
		apps[i].which.progress = note_waiting;
		apps[i].which.progress_arg = &noted[i];
		waiters[i].app = &apps[i];
		assert_int_equal(dbl_thread_start(&threads[i], apply_meanwhile, &waiters[i]), 0);
	}
	for (int64_t until = soon(); waiting < ALL - 1 && dbl_now(dbl_env_system()) < until;)
		dbl_sleep_until(dbl_env_system(), dbl_add(dbl_now(dbl_env_system()), 1000));
	assert_int_equal(waiting, ALL - 1);
	reader->driver->close(reader);
	for (int i = 0; i < ALL; i++) {
		dbl_thread_join(&threads[i]);
		EXPECT(OK, &apps[i], waiters[i].rc);
		app_close(&apps[i]);
	}
	assert_int_equal(number(&app,
				"SELECT count(*) FROM pg_index AS i JOIN pg_class AS c ON "
				"c.oid = i.indexrelid WHERE indisvalid AND relname = 'idx_i'"),
			 1);
	app_close(&app);
}

/* Closes the connection that keeps the others away, when the first of them says that it waits. */
static void let_go(void *arg, const struct dblock_migrate_progress *progress)
{
	struct dbl_conn **keeper = arg;

	if (progress->waiting && *keeper) {
		(*keeper)->driver->close(*keeper);
		*keeper = NULL;
	}
}

/* Another process makes the history, or a DBA alters it, and the disk is slow. */
static void a_history_that_is_locked_is_waited_for(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "a", "CREATE TABLE kept_a (k INTEGER)"),
		UP(2, "b", "CREATE TABLE kept_b (k INTEGER)")};
	struct dbl_conn *keeper;
	struct app app;

	(void)unused;
	app_open(&app, "kept_");
	app_set(&app, files, 1);
	EXPECT(OK, &app, app_up(&app));
	keeper = read_for_long(&app, "kept_migration");
	assert_int_equal(
		keeper->driver->exec(keeper,
				     backend_is("mysql")
					     ? "LOCK TABLES kept_migration WRITE"
					     : "LOCK TABLE kept_migration IN ACCESS EXCLUSIVE MODE",
				     &app.s.err),
		0);
	SET(&app, files);
	app.which.progress = let_go;
	app.which.progress_arg = &keeper;
	EXPECT(OK, &app, app_up(&app));
	assert_null(keeper);
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_file_does_not_feel_the_one_before),
		cmocka_unit_test(a_hidden_commit_leaves_nothing_half_done),
		cmocka_unit_test(an_alter_does_not_stall_the_site),
		cmocka_unit_test(an_alter_is_tried_again),
		cmocka_unit_test(one_waits_for_its_own_scope_only),
		cmocka_unit_test(a_history_that_is_locked_is_waited_for),
	};
	const struct CMUnitTest on_postgresql[] = {
		cmocka_unit_test(waiters_do_not_block_the_index)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (backend_is("postgresql"))
		failed += cmocka_run_group_tests(on_postgresql, NULL, NULL);
	return failed;
}
