/* SPDX-License-Identifier: MIT */
/* SQLite's own traps: case 17 of tests/migrate-cases.md, and statements that are no transaction. */
#include <sqlite3.h>

#include "db/migrate/migrate_app.h"

#define TABLES                                                                                     \
	"CREATE TABLE parent (id INTEGER PRIMARY KEY);\n"                                          \
	"CREATE TABLE child (p INTEGER REFERENCES parent (id) ON DELETE CASCADE);\n"               \
	"INSERT INTO parent VALUES (1), (2); INSERT INTO child VALUES (1), (2);\n"

#define REBUILD                                                                                    \
	"CREATE TABLE parent_new (id INTEGER PRIMARY KEY, name TEXT);\n"                           \
	"INSERT INTO parent_new (id) SELECT id FROM parent;\n"                                     \
	"DROP TABLE parent;\n"                                                                     \
	"ALTER TABLE parent_new RENAME TO parent;\n"

static void fresh(struct app *app, const char *name)
{
	char url[4096];

	snprintf(url, sizeof(url), "sqlite://%s/%s.db", env_text("DBLOCK_TEST_TMP"), name);
	*app = (struct app){.which = DBLOCK_MIGRATE_OPTIONS_INIT};
	schema_open_url(&app->s, url, NULL, dbl_env_system());
}

/* Inside a transaction the pragma does nothing, and DROP TABLE deletes the children. */
static void a_rebuild_keeps_the_children(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "tables", TABLES),
		UP(2, "on", "PRAGMA foreign_keys = ON; DELETE FROM parent WHERE id = 2"),
		UP(3, "rebuild", "PRAGMA foreign_keys=OFF;\n" REBUILD "PRAGMA foreign_keys=ON;\n"),
	};
	struct app app;

	(void)unused;
	fresh(&app, "rebuild");
	SET(&app, files);
	EXPECT(OK, &app, app_up(&app));
	/* The second file's setting applied only there, where it cascaded; in the third nothing
	 * did. */
	assert_int_equal(number(&app, "SELECT count(*) FROM child"), 1);
	assert_int_equal(number(&app, "SELECT count(name) FROM pragma_table_info('parent')"), 2);
	app_close(&app);
}

/* Case 19 of tests/migrate-cases.md: a file's setting for references ends with it. */
static void references_are_as_before_behind_a_file(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "tables", TABLES),
		UP(2, "on", "PRAGMA foreign_keys = ON; DELETE FROM parent WHERE id = 2"),
		UP(3, "plain", "DELETE FROM parent WHERE id = 1"),
	};
	struct app app;

	(void)unused;
	fresh(&app, "references");
	SET(&app, files);
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(number(&app, "SELECT p FROM child"), 1);
	app_close(&app);
}

/* Case 19 of tests/migrate-cases.md: the transaction is gone, and the next statement refused. Those
 * who wait are told all the same. */
static void a_hidden_rollback_leaves_nothing(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "hidden",
		   "CREATE TABLE hidden (k INTEGER PRIMARY KEY);\nINSERT INTO hidden VALUES (1);\n"
		   "INSERT OR ROLLBACK INTO hidden VALUES (1);\nCREATE TABLE behind (k)")};
	struct app app;

	(void)unused;
	fresh(&app, "hidden");
	SET(&app, files);
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "statement 3 of 4: ");
	assert_string_equal(app_status(&app), "1p");
	assert_false(app_has(&app, "hidden") || app_has(&app, "behind"));
	assert_int_equal(number(&app, "SELECT count(*) FROM dblock_migration WHERE scope = "
				      "'app#failed'"),
			 1);
	app_close(&app);
}

static void a_row_that_would_refer_to_nothing_undoes_it(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "tables", TABLES "INSERT INTO child VALUES (77);"),
		UP(2, "rebuild", "PRAGMA foreign_keys=OFF;\n" REBUILD "DELETE FROM parent;\n"),
	};
	const struct dblock_migration_file right[] = {
		files[0], UP(2, "rebuild", "PRAGMA foreign_keys = OFF;\n" REBUILD)};
	struct app app;

	(void)unused;
	fresh(&app, "dangling");
	SET(&app, files);
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "0002_rebuild.up.sql: at the end of the transaction: ");
	assert_says(&app.s, "child 1 parent");
	assert_string_equal(app_status(&app), "1A2p");
	assert_int_equal(number(&app, "SELECT count(*) FROM parent"), 2);
	assert_int_equal(number(&app, "SELECT count(name) FROM pragma_table_info('parent')"), 1);
	/* A broken reference that was there before (77) is not this file's fault. */
	SET(&app, right);
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(number(&app, "SELECT count(*) FROM child"), 3);
	app_close(&app);
}

static void what_has_no_transaction_can_be_run_again(void **unused)
{
	const struct dblock_migration_file files[] = {UP(1, "vacuum", STEPWISE "VACUUM;\nANALYZE")};
	struct app app;

	(void)unused;
	fresh(&app, "vacuum");
	SET(&app, files);
	EXPECT(OK, &app, app_up(&app));
	by_hand(&app.s, "UPDATE dblock_migration SET state = 'running', step_begun = 2, "
			"step_done = 1, prefix_sum = 'x', applied_by = 'them'");
	EXPECT(OK, &app, app_up(&app));
	assert_string_equal(app_status(&app), "1A");
	app_close(&app);
}

static void waiting_calls(void *arg, const struct dblock_migrate_progress *progress)
{
	*(int *)arg += progress->waiting;
}

/* The write lock of the file is the gate. */
static void a_writer_is_waited_for(void **unused)
{
	const struct dblock_migration_file files[] = {UP(1, "a", "CREATE TABLE a (k)")};
	struct dbl_db *db;
	struct app app;
	int calls = 0;

	(void)unused;
	fresh(&app, "writer");
	SET(&app, files);
	app.which.progress = waiting_calls;
	app.which.progress_arg = &calls;
	app.which.wait_ms = 700;
	assert_int_equal(dbl_db_open(&db, &app.s.target, soon(), &app.s.err), 0);
	assert_int_equal(dbl_db_begin(db, soon(), &app.s.err), 0);
	EXPECT(TIMEOUT, &app, app_up(&app));
	assert_true(calls > 0);
	dbl_db_close(db);
	EXPECT(OK, &app, app_up(&app));
	app_close(&app);
}

struct writer {
	sqlite3 *db;
	int calls;
};

static void let_go(void *arg, const struct dblock_migrate_progress *progress)
{
	struct writer *writer = arg;

	if (progress->waiting && writer->calls++ == 0)
		assert_int_equal(sqlite3_exec(writer->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
}

/* Another program's file has a journal, and is switched to WAL when it is opened, for which the writer
 * has to end. Naive: that fails after `timeout`, whatever wait_ms is. */
static void a_writer_of_a_file_that_is_not_wal_is_waited_for(void **unused)
{
	const struct dblock_migration_file files[] = {UP(1, "a", "CREATE TABLE a (k)")};
	struct writer writer = {NULL, 0};
	struct dbl_migrate ask;
	char path[4096];
	struct app app;

	(void)unused;
	fresh(&app, "journal");
	SET(&app, files);
	snprintf(path, sizeof(path), "%s/journal.db", env_text("DBLOCK_TEST_TMP"));
	assert_int_equal(sqlite3_open(path, &writer.db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(writer.db,
			     "PRAGMA journal_mode = DELETE; CREATE TABLE x (k); DROP TABLE x;"
			     "BEGIN IMMEDIATE",
			     NULL, NULL, NULL),
		SQLITE_OK);
	app.which.wait_ms = 1500;
	ask = app_ask(&app);
	ask.timeout = dbl_ms(SLOWLY_MS(1000));
	EXPECT(TIMEOUT, &app, dbl_migrate_up(&ask, &app.s.err));
	app.which.wait_ms = PLENTY_MS;
	app.which.progress = let_go;
	app.which.progress_arg = &writer;
	ask = app_ask(&app);
	ask.timeout = dbl_ms(SLOWLY_MS(1000));
	EXPECT(OK, &app, dbl_migrate_up(&ask, &app.s.err));
	assert_true(writer.calls > 0);
	sqlite3_close(writer.db);
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rebuild_keeps_the_children),
		cmocka_unit_test(references_are_as_before_behind_a_file),
		cmocka_unit_test(a_hidden_rollback_leaves_nothing),
		cmocka_unit_test(a_row_that_would_refer_to_nothing_undoes_it),
		cmocka_unit_test(what_has_no_transaction_can_be_run_again),
		cmocka_unit_test(a_writer_is_waited_for),
		cmocka_unit_test(a_writer_of_a_file_that_is_not_wal_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
