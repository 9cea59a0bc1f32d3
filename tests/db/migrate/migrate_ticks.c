/* SPDX-License-Identifier: MIT */
/* What a caller is told while a statement is under way, and how many rows those before it have changed. */
#include <unistd.h>

#include "db/migrate/migrate_app.h"
#include "support/env.h"

/* What was told. */
struct heard {
	struct app *app;
	struct dbl_conn *keeper; /* has a table locked */
	int ticks;
	char doing[200];
	int64_t rows[10]; /* before each statement */
	int64_t last;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void note_rows(void *arg, const struct dblock_migrate_progress *progress)
{
	struct heard *heard = arg;

	if (progress->waiting)
		return;
	assert_in_range(progress->step, 1, 9);
	heard->last = progress->rows;
	if (progress->took_ms == 0)
		heard->rows[progress->step] = progress->rows;
}

static int take_rows(void *arg, const struct dblock_migration *m)
{
	int64_t *rows = arg;

	rows[m->version] = m->now ? m->rows : -1;
	return 0;
}

static int up_counting(struct app *app, int64_t rows[10])
{
	struct dbl_migrate ask = app_ask(app);

	ask.cb = take_rows;
	ask.arg = rows;
	return dbl_migrate_up(&ask, &app->s.err);
}

#define ROWS                                                                                       \
	"CREATE TABLE tick_rows (k INTEGER PRIMARY KEY);\n"                                        \
	"INSERT INTO tick_rows (k) VALUES (1), (2), (3);\n"                                        \
	"INSERT INTO tick_rows (k) VALUES (4), (5);\n"                                             \
	"UPDATE tick_rows SET k = k + 10 WHERE k > 1;\n"

static void rows_add_up(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "rows", ROWS "DELETE FROM tick_rows WHERE k = 1;\nDROP TABLE tick_rows;\n"),
		UP(2, "none", "CREATE TABLE tick_none (k INTEGER);\nDROP TABLE tick_none"),
	};
	static const int64_t wanted[] = {0, 0, 0, 3, 5, 9, 10};
	struct heard heard = {0};
	int64_t rows[10] = {0};
	struct app app;

	(void)unused;
	app_open(&app, "tickr_");
	app_set(&app, files, 1);
	app.which.progress = note_rows;
	app.which.progress_arg = &heard;
	EXPECT(OK, &app, up_counting(&app, rows));
	assert_int_equal(rows[1], 10);
	for (int step = 1; step <= 6; step++)
		assert_int_equal(heard.rows[step], wanted[step]);
	SET(&app, files);
	EXPECT(OK, &app, up_counting(&app, rows));
	assert_int_equal(rows[2], 0);
	assert_int_equal(heard.last, 0);
	app_close(&app);
}

/* Where rows went together they are done again one by one; and in another call what is done is done.
 * Naive: some are counted twice. */
static void rows_that_were_rolled_back_do_not_count(void **unused)
{
	bool whole = backend_is("sqlite"); /* each file is a transaction */
	const char *head = whole ? "" : STEPWISE;
	char refused[600], right[600];
	struct dblock_migration_file file;
	struct heard heard = {0};
	int64_t rows[10] = {0};
	struct app app;

	(void)unused;
	snprintf(refused, sizeof(refused), "%s%sINSERT INTO tick_rows (k) VALUES (%d);\n%s", head,
		 ROWS, 30, "INSERT INTO tick_rows (k) VALUES (1)");
	snprintf(right, sizeof(right), "%s%sINSERT INTO tick_rows (k) VALUES (%d);\n%s", head, ROWS,
		 30, "INSERT INTO tick_rows (k) VALUES (2)");
	app_open(&app, "tickb_");
	file = (struct dblock_migration_file)UP(1, "rows", refused);
	app_set(&app, &file, 1);
	app.which.progress = note_rows;
	app.which.progress_arg = &heard;
	EXPECT(E_MIGRATION, &app, up_counting(&app, rows));
	assert_int_equal(heard.last, 10);
	file = (struct dblock_migration_file)UP(1, "rows", right);
	EXPECT(OK, &app, up_counting(&app, rows));
	assert_int_equal(rows[1], whole ? 11 : 1);
	plain(&app, "DROP TABLE tick_rows");
	app_close(&app);
}

/* ---- on a server: somebody keeps the table --------------------------------------------------- */

/* Lets go of the table once it was told that it is waited for, or should have been. */
static void let_go(void *arg, const struct dblock_migrate_progress *progress)
{
	enum { MANY = 30 };
	struct heard *heard = arg;

	if (progress->waiting || progress->took_ms == 0)
		return;
	heard->ticks++;
	heard->last = progress->rows;
	if (!heard->keeper || (!strstr(progress->doing, "lock") && heard->ticks < MANY))
		return;
	snprintf(heard->doing, sizeof(heard->doing), "%s", progress->doing);
	heard->keeper->driver->close(heard->keeper);
	heard->keeper = NULL;
}

/* At the server's default level a SELECT might lock rows as well. */
static int64_t keep_table(struct heard *heard)
{
	const struct dbl_driver *driver = heard->app->s.target.dialect->driver;
	const char *level = backend_is("mysql")
				    ? "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"
				    : "SELECT 1";
	struct dblock_error *err = &heard->app->s.err;

	if (driver->open(&heard->keeper, &heard->app->s.target.url, dbl_env_system(), soon(),
			 err) ||
	    driver->exec(heard->keeper, level, err) || driver->exec(heard->keeper, "BEGIN", err) ||
	    driver->exec(heard->keeper, "SELECT * FROM tick_kept", err))
		fail_msg("%s", err->message);
	return heard->keeper->backend;
}

/* `app` adds a row, and then a column, to a table that the administrator's session keeps. Returns the
 * number of that. MySQL and MariaDB copy the rows first, of which MariaDB sends reports: naive, the wait
 * ends with the first of these. */
static int64_t alter_kept(struct app *app, struct heard *heard)
{
	const struct dblock_migration_file files[] = {
		UP(1, "add",
		   "INSERT INTO tick_kept (k) VALUES (3);\n"
		   "ALTER TABLE tick_kept ADD COLUMN i INTEGER /*! , ALGORITHM = COPY */")};
	struct app admin;
	int64_t backend;

	app_open(&admin, "tickk_");
	beside(&admin, "CREATE TABLE tick_kept (k INTEGER)");
	*heard = (struct heard){.app = &admin};
	backend = keep_table(heard);
	SET(app, files);
	app->which.allow_tables = true;
	app->which.lock_timeout_ms = PLENTY_MS;
	app->which.progress = let_go;
	app->which.progress_arg = heard;
	EXPECT(OK, app, app_up(app));
	assert_null(heard->keeper);
	assert_int_equal(number(&admin, "SELECT count(*) FROM tick_kept WHERE i IS NULL"), 1);
	plain(&admin, "DROP TABLE tick_kept");
	app_close(&admin);
	return backend;
}

static void it_is_told_whose_lock_is_waited_for(void **unused)
{
	const char *whose = !backend_is("mysql")     ? "pid"
			    : on_database("mariadb") ? "perhaps connection"
						     : "connection";
	char wanted[100], number[30];
	struct heard heard;
	int64_t backend;
	struct app app;

	(void)unused;
	app_open(&app, "tickw_");
	backend = alter_kept(&app, &heard);
	assert_int_equal(heard.last, 1);
	snprintf(number, sizeof(number), " %lld", (long long)backend);
	snprintf(wanted, sizeof(wanted), "waits for a lock that %s%s has", whose, number);
	/* Other tests have transactions there, too. */
	if (on_database("mariadb") ? !strstr(heard.doing, whose) || !strstr(heard.doing, number)
				   : strcmp(heard.doing, wanted) != 0)
		fail_msg("'%s' instead of '%s'", heard.doing, wanted);
	app_close(&app);
}

/* Lets go of the table when the ALTER is sent for the second time. */
static void let_go_later(void *arg, const struct dblock_migrate_progress *progress)
{
	struct heard *heard = arg;

	if (progress->waiting || progress->took_ms > 0 || progress->step != 2)
		return;
	heard->last = progress->rows;
	if (++heard->ticks == 2)
		heard->keeper->driver->close(heard->keeper);
}

/* Naive: a file that is one transaction counts its rows once for each attempt. */
static void what_is_tried_again_counts_once(void **unused)
{
	const struct dblock_migration_file files[] = {
		UP(1, "add",
		   "INSERT INTO tick_kept (k) VALUES (3);\n"
		   "ALTER TABLE tick_kept ADD COLUMN i INTEGER")};
	struct app app;
	struct heard heard = {.app = &app};
	int64_t rows[10] = {0};

	(void)unused;
	app_open(&app, "ticka_");
	beside(&app, "CREATE TABLE tick_kept (k INTEGER)");
	(void)keep_table(&heard);
	SET(&app, files);
	app.which.lock_timeout_ms = 1;
	app.which.progress = let_go_later;
	app.which.progress_arg = &heard;
	EXPECT(OK, &app, up_counting(&app, rows));
	assert_in_range(heard.ticks, 2, 5);
	assert_int_equal(heard.last, 1);
	assert_int_equal(rows[1], 1);
	plain(&app, "DROP TABLE tick_kept");
	app_close(&app);
}

/* Who may not ask whose lock it is hears that there is one. */
static void a_user_of_few_rights_is_told_as_well(void **unused)
{
	const char *place = strchr(env_text("DBLOCK_TEST_URL"), '@');
	char user[40], sql[300], url[1000];
	struct heard heard;
	struct app app;

	(void)unused;
	app_open(&app, "tickl_");
	snprintf(user, sizeof(user), "tick_%d", (int)getpid());
	snprintf(sql, sizeof(sql), "CREATE USER %s@localhost", user);
	plain(&app, sql);
	snprintf(sql, sizeof(sql), "GRANT ALL ON %s.* TO %s@localhost", app.s.target.url.path,
		 user);
	plain(&app, sql);
	app_close(&app);
	assert_non_null(place);
	snprintf(url, sizeof(url), "mysql://%s%s", user, place);
	app = (struct app){.which = DBLOCK_MIGRATE_OPTIONS_INIT};
	schema_open_url(&app.s, url, "tickl_", dbl_env_system());
	(void)alter_kept(&app, &heard);
	assert_string_equal(heard.doing, "waits for a lock");
	app_close(&app);
	app_open(&app, "tickl_");
	snprintf(sql, sizeof(sql), "DROP USER %s@localhost", user);
	plain(&app, sql);
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(rows_add_up),
		cmocka_unit_test(rows_that_were_rolled_back_do_not_count),
	};
	const struct CMUnitTest servers[] = {
		cmocka_unit_test(it_is_told_whose_lock_is_waited_for),
		cmocka_unit_test(what_is_tried_again_counts_once),
	};
	const struct CMUnitTest mysql[] = {cmocka_unit_test(a_user_of_few_rights_is_told_as_well)};
	int failed = cmocka_run_group_tests(all, NULL, NULL);

	if (!backend_is("sqlite"))
		failed += cmocka_run_group_tests(servers, NULL, NULL);
	if (backend_is("mysql"))
		failed += cmocka_run_group_tests(mysql, NULL, NULL);
	return failed;
}
