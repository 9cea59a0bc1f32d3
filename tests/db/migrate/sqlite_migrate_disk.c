/* SPDX-License-Identifier: MIT */
/* The disk is full, or read-only, when a file is committed (case 18 of tests/migrate-cases.md): the
 * error tells why, nothing of the file is left, and `up` goes on when there is room. */
#include "db/migrate/migrate_app.h"
#include "support/sqlite_frail.h"

/* The fault begins with the last statement: all before it stands in memory. */
static enum frail_fault fault;

static void fail_at_two(void *arg, const struct dblock_migrate_progress *progress)
{
	(void)arg;
	if (!progress->waiting && progress->version == 2 && progress->step == progress->steps)
		frail.fault = fault;
}

static const struct dblock_migration_file files[] = {
	UP(1, "first", "CREATE TABLE disk_a (k INTEGER); INSERT INTO disk_a VALUES (1)"),
	UP(2, "second",
	   "CREATE TABLE disk_b (k INTEGER, t TEXT);\n"
	   "INSERT INTO disk_b VALUES (1, hex(zeroblob(20000)));\n"
	   "CREATE INDEX disk_i ON disk_b (k);\n"),
};

static void fails_with(int outcome, const char *part)
{
	char url[4096];
	struct app app;

	snprintf(url, sizeof(url), "sqlite://%s/disk%d.db", env_text("DBLOCK_TEST_TMP"),
		 (int)fault);
	app = (struct app){.which = DBLOCK_MIGRATE_OPTIONS_INIT};
	schema_open_url(&app.s, url, NULL, dbl_env_system());
	SET(&app, files);
	app.which.progress = fail_at_two;
	came_out(&app, app_up(&app), outcome, "up", __LINE__);
	frail.fault = FRAIL_NONE;
	assert_says(&app.s, part);
	/* The first file is told, and stays applied. */
	assert_int_equal(app.told.n, 1);
	assert_string_equal(app_status(&app), "1A2p");
	assert_true(app_has(&app, "disk_a"));
	assert_false(app_has(&app, "disk_b"));
	assert_int_equal(number(&app, "SELECT count(*) FROM dblock_migration"), 1);
	app.which.progress = NULL;
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(number(&app, "SELECT length(t) FROM disk_b"), 40000);
	app_close(&app);
}

static void a_full_disk(void **unused)
{
	(void)unused;
	fault = FRAIL_FULL;
	fails_with(DBLOCK_E_FULL, "make room");
}

static void a_disk_that_turns_read_only(void **unused)
{
	(void)unused;
	fault = FRAIL_READONLY;
	fails_with(DBLOCK_E_READONLY, "read-only");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_disk),
		cmocka_unit_test(a_disk_that_turns_read_only),
	};

	frail_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
