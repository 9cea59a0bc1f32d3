/* SPDX-License-Identifier: MIT */
/* An application's migrations: which are applied, which are refused, and what the person is told.
 */
#include "db/migrate/migrate_app.h"

static void files_are_applied_and_undone_in_order(void **unused)
{
	const struct dblock_migration_file files[] = {
		BOTH(1, "first", "CREATE TABLE ord_a (k INTEGER);\nINSERT INTO ord_a VALUES (1);\n",
		     "DROP TABLE ord_a;"),
		BOTH(2, "second", "CREATE TABLE ord_b (k INTEGER);", "DROP TABLE ord_b"),
		UP(10, "empty", "-- nothing\n"),
		BOTH(20, "third", "INSERT INTO ord_a VALUES (2); INSERT INTO ord_a VALUES (3)",
		     "DELETE FROM ord_a WHERE k > 1"),
	};
	struct app app;

	(void)unused;
	app_open(&app, "ord_");
	SET(&app, files);
	assert_string_equal(app_status(&app), "1p2p10p20p");
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(app.told.n, 4);
	assert_true(app.told.now[3] && app.told.applied_us[3] > INT64_C(1600000000000000));
	assert_non_null(strstr(app.told.by[0], "(pid "));
	assert_string_equal(app_status(&app), "1A2A10A20A");
	assert_int_equal(number(&app, "SELECT count(*) FROM ord_a"), 3);
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(app.told.n, 0);
	/* `down` undoes one file, unless told otherwise. */
	EXPECT(OK, &app, app_down(&app));
	assert_int_equal(app.told.n, 1);
	assert_int_equal(app.told.version[0], 20);
	assert_int_equal(app.told.state[0], DBLOCK_MIGRATION_PENDING);
	assert_int_equal(number(&app, "SELECT count(*) FROM ord_a"), 1);
	/* All files are checked before the first is undone. */
	app.which.all = true;
	EXPECT(E_DRIFT, &app, app_down(&app));
	assert_says(&app.s, "0010_empty");
	assert_says(&app.s, ".down.sql");
	assert_string_equal(app_status(&app), "1A2A10A20p");
	EXPECT(OK, &app, app_repair(&app, 10, DBLOCK_MIGRATE_FORGET));
	EXPECT(OK, &app, app_down(&app));
	assert_int_equal(app.told.n, 2);
	assert_int_equal(app.told.version[0], 2);
	assert_string_equal(app_status(&app), "1p2p10p20p");
	assert_false(app_has(&app, "ord_a"));
	app_close(&app);
}

static void to_and_count_are_limits(void **unused)
{
	const struct dblock_migration_file files[] = {
		BOTH(1, "a", "CREATE TABLE lim_a (k INTEGER)", "DROP TABLE lim_a"),
		BOTH(2, "b", "CREATE TABLE lim_b (k INTEGER)", "DROP TABLE lim_b"),
		BOTH(3, "c", "CREATE TABLE lim_c (k INTEGER)", "DROP TABLE lim_c"),
	};
	struct app app;

	(void)unused;
	app_open(&app, "lim_");
	SET(&app, files);
	app.which.to = 7; /* there is no 7 */
	EXPECT(E_INVALID, &app, app_up(&app));
	app.which.to = 2;
	EXPECT(OK, &app, app_up(&app));
	assert_string_equal(app_status(&app), "1A2A3p");
	EXPECT(OK, &app, app_down(&app));
	assert_int_equal(app.told.n, 0);
	app.which.to = 1;
	EXPECT(OK, &app, app_down(&app));
	assert_string_equal(app_status(&app), "1A2p3p");
	app.which.to = 3;
	EXPECT(E_INVALID, &app, app_down(&app));
	app.which.to = 0;
	app.which.count = 1;
	EXPECT(OK, &app, app_up(&app));
	assert_string_equal(app_status(&app), "1A2A3p");
	app.which.count = 2;
	EXPECT(OK, &app, app_down(&app));
	assert_string_equal(app_status(&app), "1p2p3p");
	app_close(&app);
}

/* Case 20 of tests/migrate-cases.md: a branch is merged late. */
static void one_that_comes_late_is_named(void **unused)
{
	const struct dblock_migration_file early[] = {
		BOTH(1, "a", "CREATE TABLE late_a (k INTEGER)", "DROP TABLE late_a"),
		BOTH(2, "b", "CREATE TABLE late_b (k INTEGER)", "DROP TABLE late_b"),
		BOTH(4, "d", "CREATE TABLE late_d (k INTEGER)", "DROP TABLE late_d"),
	};
	const struct dblock_migration_file merged[] = {
		early[0], early[1],
		BOTH(3, "c", "CREATE TABLE late_c (k INTEGER)", "DROP TABLE late_c"), early[2]};
	struct app app;

	(void)unused;
	app_open(&app, "late_");
	SET(&app, early);
	EXPECT(OK, &app, app_up(&app));
	SET(&app, merged);
	EXPECT(E_DRIFT, &app, app_up(&app));
	assert_says(&app.s, "0003_c");
	assert_says(&app.s, "--allow-out-of-order");
	assert_string_equal(app_status(&app), "1A2A3p4A");
	app.which.allow_out_of_order = true;
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(app.told.n, 1);
	/* Files are undone in the order in which they were applied, not in that of their numbers.
	 */
	app.which.count = 2;
	EXPECT(OK, &app, app_down(&app));
	assert_int_equal(app.told.version[0], 3);
	assert_int_equal(app.told.version[1], 4);
	app_close(&app);
}

/* Case 21 of tests/migrate-cases.md: an older program on a newer database, a lost file, an edited
 * one. */
static void a_history_that_differs_is_told(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "a", "CREATE TABLE dif_a (k INTEGER)"),
		UP(2, "b", "CREATE TABLE dif_b (k INTEGER)"),
		UP(3, "c", "CREATE TABLE dif_c (k INTEGER)"),
	};
	const struct dblock_migration_file holed[] = {files[0], files[2]};
	const struct dblock_migration_file edited[] = {
		files[0], UP(2, "b", "CREATE TABLE dif_b (k INTEGER, more INTEGER)"), files[2]};
	struct app app;

	(void)unused;
	app_open(&app, "dif_");
	SET(&app, files);
	EXPECT(OK, &app, app_up(&app));
	app_set(&app, files, 2);
	EXPECT(OK, &app, app_up(&app));
	assert_string_equal(app_status(&app), "1A2A3M");
	app.which.strict = true;
	EXPECT(E_DRIFT, &app, app_up(&app));
	app.which.strict = false;
	SET(&app, holed);
	EXPECT(E_DRIFT, &app, app_up(&app));
	assert_says(&app.s, "0002_b");
	assert_says(&app.s, "--allow-missing");
	app.which.allow_missing = true;
	EXPECT(OK, &app, app_up(&app));
	SET(&app, edited);
	EXPECT(E_DRIFT, &app, app_up(&app));
	assert_says(&app.s, "changed after they were applied: 0002_b (was ");
	assert_string_equal(app_status(&app), "1A2A*3A");
	EXPECT(OK, &app, app_repair(&app, 2, DBLOCK_MIGRATE_RECHECKSUM));
	EXPECT(OK, &app, app_up(&app));
	assert_string_equal(app_status(&app), "1A2A3A");
	app_close(&app);
}

static void scopes_do_not_see_each_other(void **unused)
{
	const struct dblock_migration_file shop[] = {UP(1, "a", "CREATE TABLE sco_a (k INTEGER)")};
	const struct dblock_migration_file stock[] = {UP(1, "b", "CREATE TABLE sco_b (k INTEGER)")};
	struct app app;

	(void)unused;
	app_open(&app, "sco_");
	SET(&app, shop);
	app.which.scope = "shop";
	EXPECT(OK, &app, app_up(&app));
	SET(&app, stock);
	app.which.scope = "stock";
	assert_string_equal(app_status(&app), "1p");
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(app.told.n, 1);
	assert_int_equal(up(&app.s), FILES); /* applies the library's own */
	assert_true(app_has(&app, "sco_a") && app_has(&app, "sco_b"));
	app_close(&app);
}

static void a_baseline_is_recorded_and_not_run(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "a", "CREATE TABLE bas_a (k INTEGER)"),
		UP(2, "b", "CREATE TABLE bas_b (k INTEGER)"),
		UP(3, "c", "CREATE TABLE bas_c (k INTEGER)"),
	};
	struct app app;

	(void)unused;
	app_open(&app, "bas_");
	SET(&app, files);
	EXPECT(E_INVALID, &app, app_baseline(&app, 9));
	EXPECT(OK, &app, app_baseline(&app, 2));
	assert_string_equal(app_status(&app), "1A2A3p");
	assert_false(app_has(&app, "bas_a"));
	EXPECT(E_DRIFT, &app, app_baseline(&app, 3));
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(app.told.n, 1);
	assert_true(app_has(&app, "bas_c"));
	app_close(&app);
}

/* The whole file is applied or nothing of it, and the message says which statement failed. */
static void an_error_undoes_the_whole_file(void **unused)
{
	const struct dblock_migration_file wrong[] = {
		UP(1, "fine", "INSERT INTO whole VALUES (1)"),
		UP(2, "wrong",
		   "INSERT INTO whole VALUES (2);\n"
		   "-- a comment\n"
		   "  INSERT INTO whole\n    VALUES (3 + nonsense);\n"
		   "INSERT INTO whole VALUES (4);\n"),
	};
	const struct dblock_migration_file right[] = {
		wrong[0], UP(2, "wrong", "INSERT INTO whole VALUES (2)")};
	struct app app;

	(void)unused;
	app_open(&app, "whole_");
	beside(&app, "CREATE TABLE whole (k INTEGER)");
	SET(&app, wrong);
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_int_equal(app.told.n, 1);
	/* The position is that of the word, if the database says it. */
	assert_says(&app.s, backend_is("mysql") ? "0002_wrong.up.sql:3:3: statement 2 of 3: 42S22 "
						: "0002_wrong.up.sql:4:17: statement 2 of 3: ");
	assert_says(&app.s, "nonsense");
	assert_says(&app.s, "nothing of this file was kept");
	assert_says(&app.s, "run 'dblock migrate up --allow-tables'");
	assert_string_equal(app_status(&app), "1A2p");
	assert_int_equal(number(&app, "SELECT count(*) FROM whole"), 1);
	SET(&app, right);
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(number(&app, "SELECT count(*) FROM whole"), 2);
	app_close(&app);
}

static bool canceled;

static int is_canceled(void *arg)
{
	return *(bool *)arg;
}

static void cancel_at_two(void *arg, const struct dblock_migrate_progress *progress)
{
	int *calls = arg;

	*calls += progress->took_ms == 0;
	assert_int_equal(progress->size, sizeof(*progress));
	if (!progress->waiting && progress->step == 2 && progress->version == 1)
		canceled = true;
}

static void it_stops_where_it_is_asked_to(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "a",
		   "INSERT INTO halt VALUES (1); INSERT INTO halt VALUES (2); "
		   "INSERT INTO halt VALUES (3)"),
		UP(2, "b", "INSERT INTO halt VALUES (4)"),
	};
	struct app app;
	int calls = 0;

	(void)unused;
	app_open(&app, "halt_");
	beside(&app, "CREATE TABLE halt (k INTEGER)");
	SET(&app, files);
	app.which.canceled = is_canceled;
	app.which.canceled_arg = &canceled;
	app.which.progress = cancel_at_two;
	app.which.progress_arg = &calls;
	EXPECT(CANCELED, &app, app_up(&app));
	assert_int_equal(calls, 2);
	assert_int_equal(number(&app, "SELECT count(*) FROM halt"), 0);
	assert_string_equal(app_status(&app), "1p2p");
	canceled = false;
	app.which.progress = NULL;
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(number(&app, "SELECT count(*) FROM halt"), 4);
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_applied_and_undone_in_order),
		cmocka_unit_test(to_and_count_are_limits),
		cmocka_unit_test(one_that_comes_late_is_named),
		cmocka_unit_test(a_history_that_differs_is_told),
		cmocka_unit_test(scopes_do_not_see_each_other),
		cmocka_unit_test(a_baseline_is_recorded_and_not_run),
		cmocka_unit_test(an_error_undoes_the_whole_file),
		cmocka_unit_test(it_stops_where_it_is_asked_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
