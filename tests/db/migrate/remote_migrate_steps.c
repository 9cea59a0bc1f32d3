/* SPDX-License-Identifier: MIT */
/* Files that are not one transaction: how far they came, who may go on, and a person's verdict. */
#include "db/migrate/migrate_app.h"

/* Makes such a file, in SQL of the database: each statement stands alone. SQLite has none that can
 * stop halfway. */

static const char *alone(unsigned from, unsigned to, const char *more)
{
	static char text[4][4096];
	static unsigned turn;
	char *out = text[turn++ % 4];
	size_t at = (size_t)sprintf(out, "%s", STEPWISE);

	for (unsigned i = from; i <= to; i++)
		at += (size_t)sprintf(out + at,
				      backend_is("mysql")
					      ? "ALTER TABLE st ADD COLUMN i%u INTEGER;\n"
					      : "CREATE INDEX CONCURRENTLY st_i%u ON st (k);\n",
				      i);
	sprintf(out + at, "%s", more);
	return out;
}

/* Returns how many of its columns or indexes there are. */
static int64_t made(struct app *app)
{
	return number(app, backend_is("mysql")
				   ? "SELECT count(*) FROM information_schema.columns WHERE "
				     "table_schema = DATABASE() AND table_name = 'st' AND "
				     "column_name LIKE 'i%'"
				   : "SELECT count(*) FROM pg_indexes WHERE tablename = 'st'");
}

static void begin(struct app *app, const char *prefix)
{
	app_open(app, prefix);
	plain(app, "DROP TABLE IF EXISTS st");
	beside(app, "CREATE TABLE st (k INTEGER)");
}

static void run(struct app *app, struct dblock_migration_file *file, const char *text)
{
	*file = (struct dblock_migration_file)UP(7, "steps", text);
	app_set(app, file, 1);
}

static void row_is(struct app *app, const char *state, int begun, int done)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM %s%s%smigration WHERE scope = 'app' AND version = 7 AND "
		 "state = '%s' AND step_begun = %d AND step_done = %d",
		 app->s.target.names.schema, app->s.target.names.schema[0] ? "." : "",
		 app->s.target.names.prefix, state, begun, done);
	if (number(app, sql) != 1)
		fail_msg("not %s, %d begun, %d done", state, begun, done);
}

static void all_steps_are_done_and_counted(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	begin(&app, "st1_");
	run(&app, &file, alone(1, 3, "INSERT INTO st (k) VALUES (1)"));
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(made(&app), 3);
	assert_int_equal(number(&app, "SELECT count(*) FROM st"), 1);
	row_is(&app, "applied", 4, 4);
	app_close(&app);
}

/* Case 10 of tests/migrate-cases.md, and 7 in part: a statement is refused, and the file is
 * corrected there. */
static void a_refused_step_is_gone_on_from(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	begin(&app, "st2_");
	run(&app, &file, alone(1, 2, "INSERT INTO st (nonsense) VALUES (1);\nDELETE FROM st"));
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "0007_steps.up.sql:4:");
	assert_says(&app.s, "statement 3 of 4: ");
	assert_says(&app.s, "statements 1 to 2 stand");
	assert_says(&app.s,
		    "edit the file from line 4 on, then run 'dblock migrate up' (it goes on at "
		    "statement 3)");
	assert_says(&app.s, "\n  INSERT INTO st (nonsense) VALUES (1)\nstate: ");
	assert_says(&app.s, "'dblock migrate repair 7 --forget'");
	row_is(&app, "failed", 3, 2);
	assert_string_equal(app_status(&app), "7F");
	/* A statement that was done is edited: nobody can say what the database is like. */
	run(&app, &file, alone(2, 3, "INSERT INTO st (k) VALUES (1)"));
	EXPECT(E_REPAIR, &app, app_up(&app));
	assert_says(&app.s, "edited since");
	/* The file is shorter than what was done. */
	run(&app, &file, alone(1, 1, ""));
	EXPECT(E_REPAIR, &app, app_up(&app));
	assert_says(&app.s, "the file has only 1 now");
	row_is(&app, "failed", 3, 2);
	/* Only the statement that failed, and those behind it, are run. */
	run(&app, &file, alone(1, 2, "INSERT INTO st (k) VALUES (1);\n\n"));
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(made(&app), 2);
	assert_int_equal(number(&app, "SELECT count(*) FROM st"), 1);
	row_is(&app, "applied", 3, 3);
	assert_string_equal(app_status(&app), "7A");
	app_close(&app);
}

/* Writes the row that a process leaves if it dies while statement k is under way. */
static void die_at(struct app *app, int begun, int done)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "UPDATE dblock_migration SET state = 'running', step_begun = %d, step_done = %d, "
		 "applied_by = 'them@there (pid 1)' WHERE scope = 'app'",
		 begun, done);
	by_hand(&app->s, sql);
}

/* Leaves a file of which two statements are done, and the third was begun. */
static void leave_in_doubt(struct app *app, struct dblock_migration_file *file, const char *prefix)
{
	begin(app, prefix);
	run(app, file, alone(1, 2, "INSERT INTO st (nonsense) VALUES (1)"));
	EXPECT(E_MIGRATION, app, app_up(app));
	run(app, file, alone(1, 4, ""));
	die_at(app, 3, 2);
}

static void in_doubt_only_a_person_goes_on(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	leave_in_doubt(&app, &file, "st3_");
	assert_string_equal(app_status(&app), "7D");
	for (int i = 0; i < 2; i++) {
		EXPECT(E_REPAIR, &app, app_up(&app));
		assert_says(&app.s, ":4:1: statement 3 of 4: in doubt: it was sent by them@there");
		assert_says(&app.s, "statements 1 to 2 stand; of statement 3 nobody knows");
		assert_says(&app.s, "'dblock migrate repair 7 --done'");
		assert_says(&app.s, "'dblock migrate repair 7 --not-done'");
		row_is(&app, "running", 3, 2);
	}
	assert_int_equal(made(&app), 2);
	EXPECT(E_REPAIR, &app, app_down(&app));
	EXPECT(STALE, &app, app_repair(&app, 7, DBLOCK_MIGRATE_RECHECKSUM));
	EXPECT(STALE, &app, app_repair(&app, 8, DBLOCK_MIGRATE_FORGET));
	EXPECT(OK, &app, app_repair(&app, 7, DBLOCK_MIGRATE_NOT_DONE));
	row_is(&app, "running", 2, 2);
	EXPECT(STALE, &app, app_repair(&app, 7, DBLOCK_MIGRATE_NOT_DONE));
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(made(&app), 4);
	row_is(&app, "applied", 4, 4);
	app_close(&app);
}

static void what_a_person_says_is_done_is_not_done_again(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	leave_in_doubt(&app, &file, "st4_");
	EXPECT(OK, &app, app_repair(&app, 7, DBLOCK_MIGRATE_DONE));
	row_is(&app, "running", 3, 3);
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(made(&app), 3); /* the third was not run */
	row_is(&app, "applied", 4, 4);
	app_close(&app);
}

/* Naive: who once said that it was not done can never say that it was. */
static void a_wrong_verdict_is_taken_back(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	leave_in_doubt(&app, &file, "back_");
	EXPECT(OK, &app, app_repair(&app, 7, DBLOCK_MIGRATE_NOT_DONE));
	EXPECT(STALE, &app, app_repair(&app, 7, DBLOCK_MIGRATE_NOT_DONE));
	EXPECT(OK, &app, app_repair(&app, 7, DBLOCK_MIGRATE_DONE));
	row_is(&app, "running", 3, 3);
	app_close(&app);
}

static void other_verdicts(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	leave_in_doubt(&app, &file, "st5_");
	EXPECT(OK, &app, app_repair(&app, 7, DBLOCK_MIGRATE_APPLIED));
	assert_string_equal(app_status(&app), "7A");
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(made(&app), 2);
	EXPECT(OK, &app, app_repair(&app, 7, DBLOCK_MIGRATE_FORGET));
	assert_string_equal(app_status(&app), "7p");
	app_close(&app);
}

/* The process dies between two statements: nothing is in doubt. */
static void a_death_between_two_steps_is_gone_on_from(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	leave_in_doubt(&app, &file, "st6_");
	die_at(&app, 2, 2);
	assert_string_equal(app_status(&app), "7S");
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(made(&app), 4);
	row_is(&app, "applied", 4, 4);
	app_close(&app);
}

static void undoing_step_by_step(void **unused)
{
	const char *up = alone(1, 2, ""),
		   *bad = backend_is("mysql")
				  ? "ALTER TABLE st DROP COLUMN i2;\nDROP TABLE nonsense"
				  : STEPWISE "DROP INDEX CONCURRENTLY st_i2;\n"
					     "DROP INDEX CONCURRENTLY nonsense",
		   *good = backend_is("mysql") ? "ALTER TABLE st DROP COLUMN i2;\n"
						 "ALTER TABLE st DROP COLUMN i1"
					       : STEPWISE "DROP INDEX CONCURRENTLY st_i2;\n"
							  "DROP INDEX CONCURRENTLY st_i1";
	struct dblock_migration_file file = BOTH(7, "steps", up, bad);
	struct app app;

	(void)unused;
	begin(&app, "st7_");
	app_set(&app, &file, 1);
	EXPECT(OK, &app, app_up(&app));
	EXPECT(E_MIGRATION, &app, app_down(&app));
	assert_says(&app.s, "statement 2 of 2: ");
	assert_says(&app.s, "run 'dblock migrate down'");
	assert_string_equal(app_status(&app), "7V");
	row_is(&app, "reverting", 1, 1);
	EXPECT(E_REPAIR, &app, app_up(&app));
	assert_says(&app.s, "run 'dblock migrate down' to finish that");
	file = (struct dblock_migration_file)BOTH(7, "steps", up, good);
	EXPECT(OK, &app, app_down(&app));
	assert_int_equal(made(&app), 0);
	assert_string_equal(app_status(&app), "7p");
	app_close(&app);
}

/* ---- cost ----------------------------------------------------------------------------------- */

static unsigned sums;

struct dbl_sha256;
void __real_dbl_sha256_end(struct dbl_sha256 *, char *);
void __wrap_dbl_sha256_end(struct dbl_sha256 *, char *);

void __wrap_dbl_sha256_end(struct dbl_sha256 *sum, char *hex)
{
	sums++;
	__real_dbl_sha256_end(sum, hex);
}

/* Naive: to count a statement as done all before it are summed up once more. */
static void each_statement_is_summed_up_once(void **unused)
{
	enum { STEPS = 100 };
	struct dblock_migration_file file;
	char more[STEPS * 40];
	struct app app;
	size_t at = 0;

	(void)unused;
	for (int i = 0; i < STEPS; i++)
		at += (size_t)sprintf(more + at, "INSERT INTO st (k) VALUES (%d);\n", i);
	begin(&app, "sum_");
	run(&app, &file, alone(1, 1, more));
	sums = 0;
	EXPECT(OK, &app, app_up(&app));
	assert_in_range(sums, STEPS, 2 * STEPS);
	row_is(&app, "applied", STEPS + 1, STEPS + 1);
	app_close(&app);
}

/* ---- PostgreSQL ----------------------------------------------------------------------------- */

/* Case 7 of tests/migrate-cases.md: a unique index that cannot be built leaves an INVALID one. */
static void an_invalid_index_is_named(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	begin(&app, "inv_");
	plain(&app, "INSERT INTO st VALUES (1), (1)");
	run(&app, &file, STEPWISE "CREATE UNIQUE INDEX CONCURRENTLY st_u ON st (k)");
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "23505");
	assert_says(&app.s, "INVALID index 'st_u'");
	row_is(&app, "failed", 1, 0);
	/* Other tools take this for a success. */
	run(&app, &file, STEPWISE "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS st_u ON st (k)");
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "INVALID");
	run(&app, &file,
	    STEPWISE "DELETE FROM st; DROP INDEX CONCURRENTLY st_u;\n"
		     "CREATE UNIQUE INDEX CONCURRENTLY st_u ON st (k)");
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(number(&app, "SELECT count(*) FROM pg_index WHERE NOT indisvalid"), 0);
	assert_int_equal(made(&app), 1);
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_steps_are_done_and_counted),
		cmocka_unit_test(a_refused_step_is_gone_on_from),
		cmocka_unit_test(in_doubt_only_a_person_goes_on),
		cmocka_unit_test(what_a_person_says_is_done_is_not_done_again),
		cmocka_unit_test(a_wrong_verdict_is_taken_back),
		cmocka_unit_test(other_verdicts),
		cmocka_unit_test(a_death_between_two_steps_is_gone_on_from),
		cmocka_unit_test(undoing_step_by_step),
		cmocka_unit_test(each_statement_is_summed_up_once),
	};
	const struct CMUnitTest on_postgresql[] = {cmocka_unit_test(an_invalid_index_is_named)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (backend_is("postgresql"))
		failed += cmocka_run_group_tests(on_postgresql, NULL, NULL);
	return failed;
}
