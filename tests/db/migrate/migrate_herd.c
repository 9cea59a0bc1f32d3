/* SPDX-License-Identifier: MIT */
/* Case 2 of tests/migrate-cases.md: fifty processes start at once, and the second file is refused.
 * One tries it, all say the same, and nobody who reads the history sees the note that makes it so.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "db/migrate/migrate_app.h"
#include "db/migrate/migrate_forks.h"

enum { HERD = 50, BAD_STEPS = 2 };

/* The memory that all processes share. */
static struct shared {
	char said[HERD][2048];
	_Atomic unsigned n;
} * shared;

static const char good[] = "CREATE TABLE herd_a (k INTEGER)";
static const char bad[] = "INSERT INTO herd VALUES (2);\nINSERT INTO herd_nowhere VALUES (1)";

static void set_herd(struct app *app, struct dblock_migration_file files[2], const char *second)
{
	files[0] = (struct dblock_migration_file)UP(1, "good", good);
	files[1] = (struct dblock_migration_file)UP(2, "bad", second);
	app_set(app, files, 2);
}

/* A child reports 'w' when it waits, once, and a digit when it sends a statement of that file. */
static void say_progress(void *arg, const struct dblock_migrate_progress *progress)
{
	bool *waits = arg;

	if (progress->took_ms > 0)
		return;
	if (!progress->waiting)
		crowd_say((char)('0' + progress->version));
	else if (!*waits)
		crowd_say('w');
	*waits = *waits || progress->waiting;
}

/* This driver takes its time after a rollback: nobody may get in before the note is written. */
static struct dbl_driver dawdler;

static int dawdling_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	const struct dbl_env *env = dbl_env_system();
	int rc = dawdler.exec(conn, sql, err);

	if (strstr(sql, "ROLLBACK") && !strstr(sql, "ROLLBACK TO"))
		dbl_sleep_until(env, dbl_add(dbl_now(env), dbl_ms(100)));
	return rc;
}

static const struct dbl_driver *dawdling(void *ctx, const struct dbl_driver *real)
{
	static struct dbl_driver driver;

	(void)ctx;
	dawdler = driver = *real;
	driver.exec = dawdling_exec;
	return &driver;
}

static int one_of_the_herd(void *second)
{
	struct dblock_migration_file files[2];
	struct dbl_env env = *dbl_env_system();
	struct app app;
	bool waits = false;
	int rc;

	env.intercept = dawdling;
	app_open_env(&app, "herd_", &env);
	set_herd(&app, files, second);
	app.which.allow_tables = true;
	app.which.progress = say_progress;
	app.which.progress_arg = &waits;
	rc = app_up(&app);
	snprintf(shared->said[shared->n++], sizeof(shared->said[0]), "%s", app.s.err.message);
	if (rc != DBLOCK_E_MIGRATION)
		fprintf(stderr, "%s: %s\n", dblock_outcome_name(rc), app.s.err.message);
	app_close(&app);
	return rc != DBLOCK_E_MIGRATION;
}

#define THE_GATE(app)                                                                              \
	DBL_ARGS_OF(dbl_text((app)->s.target.names.schema), dbl_text("herd_migration app"))

static struct dbl_runner on(struct app *app, struct dbl_db *db)
{
	return dbl_runner_db(db, &app->s.target, NULL, soon());
}

/* Takes the gate: nobody gets in until the connection is closed. */
static struct dbl_db *keep_out(struct app *app)
{
	struct dbl_db *db;
	int64_t got;

	assert_int_equal(dbl_db_open(&db, &app->s.target, soon(), &app->s.err), 0);
	if (app->s.target.dialect->is_file) {
		assert_int_equal(dbl_db_begin(db, soon(), &app->s.err), 0);
		return db;
	}
	assert_int_equal(
		dbl_ask(on(app, db), DBL_OP_migrate_lock, THE_GATE(app), &got, &app->s.err), 0);
	assert_int_equal(got, 1);
	return db;
}

/* Lets in a herd that has seen nothing yet, and counts how many statements of the two files were
 * sent. */
static void let_in(struct app *app, const char *second, unsigned sent[2])
{
	struct crowd crowd;
	struct dbl_db *db;
	char byte;

	shared->n = 0;
	sent[0] = sent[1] = 0;
	crowd_fork(&crowd, HERD, one_of_the_herd, (void *)(uintptr_t)second);
	db = keep_out(app); /* after the fork: no child may inherit this */
	crowd_go(&crowd);
	for (unsigned i = 0; i < HERD; i++)
		assert_int_equal(crowd_hear(&crowd), 'w');
	dbl_db_close(db);
	while ((byte = crowd_hear(&crowd)) != '\0')
		sent[byte - '1']++;
	crowd_end(&crowd);
}

static void assert_all_say(const char *part)
{
	assert_int_equal(shared->n, HERD);
	for (unsigned i = 0; i < HERD; i++) {
		assert_string_equal(shared->said[i], shared->said[0]);
		assert_non_null(strstr(shared->said[i], part));
	}
}

static int64_t rows(struct app *app, const char *where)
{
	char sql[256];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s%sherd_migration WHERE %s",
		 app->s.target.names.schema, app->s.target.names.schema[0] ? "." : "", where);
	return number(app, sql);
}

static void fresh(struct app *app)
{
	app_open(app, "herd_");
	plain(app, "DROP TABLE IF EXISTS herd");
	plain(app, "DROP TABLE IF EXISTS herd_a");
	beside(app, "CREATE TABLE herd (k INTEGER)");
	by_hand(&app->s, "DROP TABLE IF EXISTS dblock_migration");
}

static void one_tries_and_all_say_the_same(void **unused)
{
	struct dblock_migration_file files[2];
	struct app app;
	unsigned sent[2];

	(void)unused;
	fresh(&app);
	let_in(&app, bad, sent);
	assert_int_equal(sent[0], 1);
	assert_int_equal(sent[1], BAD_STEPS);
	assert_all_say("0002_bad.up.sql:2:");
	assert_all_say("nothing of this file was kept");
	assert_int_equal(number(&app, "SELECT count(*) FROM herd"), 0);
	/* The note is there, and it is no row of the history. */
	assert_int_equal(rows(&app, "scope = 'app#failed' AND version = 2"), 1);
	set_herd(&app, files, bad);
	assert_string_equal(app_status(&app), "1A2p");
	/* The next herd tries again, once, and so does a single process. */
	let_in(&app, bad, sent);
	assert_int_equal(sent[0], 0);
	assert_int_equal(sent[1], BAD_STEPS);
	assert_all_say("0002_bad.up.sql:2:");
	EXPECT(E_MIGRATION, &app, app_up(&app));
	/* Once the file is applied, the note is forgotten. */
	set_herd(&app, files, "INSERT INTO herd VALUES (2)");
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(rows(&app, "scope = 'app#failed'"), 0);
	assert_int_equal(rows(&app, "scope = 'app'"), 2);
	app_close(&app);
}

/* The very first file is refused: the history's table is made only for the note. */
static void the_first_file_is_refused(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "bad", "INSERT INTO herd_nowhere VALUES (1)"),
		UP(2, "good", "INSERT INTO herd VALUES (2)")};
	struct app app;

	(void)unused;
	fresh(&app);
	SET(&app, files);
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_int_equal(rows(&app, "scope = 'app#failed'"), 1);
	assert_int_equal(rows(&app, "scope = 'app'"), 0);
	assert_string_equal(app_status(&app), "1p2p");
	/* Nothing is recorded, so a baseline is accepted. */
	EXPECT(OK, &app, app_down(&app));
	EXPECT(OK, &app, app_baseline(&app, 1));
	assert_int_equal(rows(&app, "scope = 'app#failed'"), 0);
	EXPECT(OK, &app, app_up(&app));
	app_close(&app);
}

/* A file is run step by step: those who waited do not go on with it either. */
static void a_step_is_refused(void **unused)
{
	static const char text[] = STEPWISE "CREATE TABLE herd_b (k INTEGER);\n"
					    "CREATE TABLE herd_b (k INTEGER)";
	struct app app;
	unsigned sent[2];

	(void)unused;
	fresh(&app);
	let_in(&app, text, sent);
	assert_int_equal(sent[0], 1);
	assert_int_equal(sent[1], 2);
	assert_all_say("statement 1 stands");
	/* The next call begins anew: only the second statement is sent. */
	let_in(&app, text, sent);
	assert_int_equal(sent[1], 1);
	plain(&app, "DROP TABLE herd_b");
	app_close(&app);
}

/* Clocks are set back, so a note of a later time does not count; nor does one about another text.
 */
static void a_note_that_cannot_be_is_passed_over(void **unused)
{
	struct dblock_migration_file files[2];
	struct app app;

	(void)unused;
	fresh(&app);
	set_herd(&app, files, bad);
	EXPECT(E_MIGRATION, &app, app_up(&app));
	by_hand(&app.s, "UPDATE dblock_migration SET started = started + 86400000000, "
			"error = 'stale' WHERE scope = 'app#failed'");
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "herd_nowhere");
	app_close(&app);
}

/* ---- who has the right ------------------------------------------------------------------------ */

/* Takes the right and gives it back until it is told to end. */
static void *come_and_go(void *arg)
{
	struct app *app = arg;
	struct dblock_error err = {0};
	struct dbl_db *db;
	int64_t got;

	assert_int_equal(dbl_db_open(&db, &app->s.target, soon(), &err), 0);
	while (!shared->n) {
		assert_int_equal(
			dbl_ask(on(app, db), DBL_OP_migrate_lock, THE_GATE(app), &got, &err), 0);
		assert_int_equal(
			dbl_ask(on(app, db), DBL_OP_migrate_unlock, THE_GATE(app), &got, &err), 0);
	}
	dbl_db_close(db);
	return NULL;
}

/* Naive: MySQL looks twice, for WHERE and for the text, and between the two nobody has it any more. */
static void who_has_the_right_may_give_it_back_meanwhile(void **unused)
{
	struct app app;
	struct dbl_db *db;
	pthread_t other;
	char who[200];
	int seen = 0;

	(void)unused;
	app_open(&app, "herd_");
	assert_int_equal(dbl_db_open(&db, &app.s.target, soon(), &app.s.err), 0);
	shared->n = 0;
	assert_int_equal(pthread_create(&other, NULL, come_and_go, &app), 0);
	for (int i = 0; i < 3000; i++) {
		who[0] = '\0';
		EXPECT(OK, &app,
		       dbl_ask_text(on(&app, db), DBL_OP_migrate_holder, THE_GATE(&app), who,
				    sizeof(who), &app.s.err));
		seen += who[0] != '\0';
	}
	shared->n = 1;
	pthread_join(other, NULL);
	assert_true(seen > 0);
	dbl_db_close(db);
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_tries_and_all_say_the_same),
		cmocka_unit_test(the_first_file_is_refused),
		cmocka_unit_test(a_note_that_cannot_be_is_passed_over),
	};
	const struct CMUnitTest on_servers[] = {
		cmocka_unit_test(a_step_is_refused),
		cmocka_unit_test(who_has_the_right_may_give_it_back_meanwhile),
	};
	int failed;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (!backend_is("sqlite"))
		failed += cmocka_run_group_tests(on_servers, NULL, NULL);
	return failed;
}
