/* SPDX-License-Identifier: MIT */
/* Rows of a file that is no transaction go together; and who is in a statement's way is named. */
#include "db/migrate/migrate_app.h"

enum { ROWS = 2500 };

static unsigned begins;

int __real_dbl_db_begin(struct dbl_db *, int64_t deadline, struct dblock_error *);
int __wrap_dbl_db_begin(struct dbl_db *, int64_t deadline, struct dblock_error *);

int __wrap_dbl_db_begin(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	begins++;
	return __real_dbl_db_begin(db, deadline, err);
}

/* Makes a file that creates the table, and inserts 1, 2, ...; `odd` stands for row `at`. */
static const char *rows(const char *table, const char *options, int n, int at, const char *odd)
{
	static char text[ROWS * 60];
	size_t len = (size_t)sprintf(text, STEPWISE "CREATE TABLE %s (k INTEGER PRIMARY KEY)%s;\n",
				     table, options);

	for (int i = 1; i <= n; i++)
		len += (size_t)(i == at ? sprintf(text + len, "%s;\n", odd)
					: sprintf(text + len, "INSERT INTO %s (k) VALUES (%d);\n",
						  table, i));
	return text;
}

static void begin(struct app *app, const char *prefix, const char *drop)
{
	app_open(app, prefix);
	beside(app, drop); /* the tables of the other tests are there */
}

static void use(struct app *app, struct dblock_migration_file *file, const char *text)
{
	*file = (struct dblock_migration_file)UP(3, "rows", text);
	app_set(app, file, 1);
}

static void done_is(struct app *app, int done)
{
	char sql[200];

	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM %s%s%smigration WHERE scope = 'app' AND step_done = %d",
		 app->s.target.names.schema, app->s.target.names.schema[0] ? "." : "",
		 app->s.target.names.prefix, done);
	if (number(app, sql) != 1)
		fail_msg("not %d statements are done", done);
}

/* Naive: a transaction for each. */
static void rows_share_transactions(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	begin(&app, "rows1_", "DROP TABLE IF EXISTS rows1");
	use(&app, &file, rows("rows1", "", ROWS, 0, ""));
	begins = 0;
	EXPECT(OK, &app, app_up(&app));
	assert_in_range(begins, 1, 5);
	assert_int_equal(number(&app, "SELECT count(*) FROM rows1"), ROWS);
	done_is(&app, ROWS + 1);
	app_close(&app);
}

/* Who cuts other statements into parts wants short transactions. */
static void what_is_no_row_stands_alone(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	begin(&app, "rows2_", "DROP TABLE IF EXISTS rows2");
	use(&app, &file,
	    STEPWISE
	    "CREATE TABLE rows2 (k INTEGER);\n"
	    "INSERT INTO rows2 (k) VALUES (1);\n"
	    "UPDATE rows2 SET k = 2;\nUPDATE rows2 SET k = 3;\n"
	    "INSERT INTO rows2 (k) SELECT k + 1 FROM rows2;\n"
	    "INSERT INTO rows2 (k) SELECT k + 1 FROM rows2;\nDELETE FROM rows2 WHERE k = 9");
	begins = 0;
	EXPECT(OK, &app, app_up(&app));
	assert_in_range(begins, 6, 8);
	assert_int_equal(number(&app, "SELECT count(*) FROM rows2"), 4);
	app_close(&app);
}

/* Naive: those before it are gone, or inserted and not counted. */
static void a_refused_row_is_named_and_those_before_it_stand(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	begin(&app, "rows3_", "DROP TABLE IF EXISTS rows3");
	use(&app, &file, rows("rows3", "", 40, 30, "INSERT INTO rows3 (k) VALUES (7)"));
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "0003_rows.up.sql:32:1: statement 31 of 41: ");
	assert_says(&app.s, "goes on at statement 31");
	assert_int_equal(number(&app, "SELECT count(*) FROM rows3"), 29);
	done_is(&app, 30);
	use(&app, &file, rows("rows3", "", 40, 0, ""));
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(number(&app, "SELECT count(*) FROM rows3"), 40);
	app_close(&app);
}

/* MyISAM keeps what is rolled back. Naive: the rows before the refused one are inserted twice. */
static void rows_that_stay_do_not_share(void **unused)
{
	struct dblock_migration_file file;
	struct app app;

	(void)unused;
	if (!backend_is("mysql"))
		return; /* PostgreSQL rolls back all */
	begin(&app, "rows4_", "DROP TABLE IF EXISTS rows4");
	use(&app, &file,
	    "CREATE TABLE rows4 (k INTEGER) ENGINE=MyISAM;\nINSERT INTO rows4 (k) VALUES (1);\n"
	    "INSERT INTO rows4 (k) VALUES (2);\nINSERT INTO rows4 (nonsense) VALUES (3)");
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_int_equal(number(&app, "SELECT count(*) FROM rows4"), 2);
	plain(&app, "DROP TABLE rows4");
	app_close(&app);
}

/* Inserts row 1 in a transaction that stays open. */
static struct dbl_conn *lock_row(struct app *app, const char *insert)
{
	const struct dbl_driver *driver = app->s.target.dialect->driver;
	struct dbl_conn *conn;

	if (driver->open(&conn, &app->s.target.url, dbl_env_system(), soon(), &app->s.err) ||
	    driver->exec(conn, "BEGIN", &app->s.err) || driver->exec(conn, insert, &app->s.err))
		fail_msg("%s", app->s.err.message);
	return conn;
}

struct other {
	struct app *app;
	struct dbl_conn *conn;
	unsigned asked;
};

/* The row is locked once the table has its column, until it is asked for again. */
static void lock_then_let_go(void *arg, const struct dblock_migrate_progress *progress)
{
	struct other *other = arg;

	if (progress->waiting || progress->took_ms > 0)
		return;
	if (progress->step == 3 && !other->conn)
		other->conn = lock_row(other->app, "INSERT INTO rows5 (k) VALUES (1)");
	if (progress->step == 5 && ++other->asked == 2)
		other->app->s.target.dialect->driver->close(other->conn);
}

/* Naive: what went together with a row that was locked for a while is in the temporary table twice. */
static void rows_that_only_the_session_has_do_not_share(void **unused)
{
	struct dblock_migration_file file;
	struct other other;
	struct app app;

	(void)unused;
	if (!backend_is("mysql"))
		return; /* PostgreSQL rolls back all */
	begin(&app, "rows5_", "DROP TABLE IF EXISTS rows5");
	plain(&app, "CREATE TABLE rows5 (k INTEGER PRIMARY KEY)");
	use(&app, &file,
	    "CREATE TEMPORARY TABLE rows5_t (k INTEGER) ENGINE=MyISAM;\n"
	    "ALTER TABLE rows5 ADD COLUMN n INTEGER;\n"
	    "INSERT INTO rows5_t (k) VALUES (1);\nINSERT INTO rows5_t (k) VALUES (1);\n"
	    "INSERT INTO rows5 (k) VALUES (1);\n"
	    "INSERT INTO rows5 (k) SELECT 100 + count(*) FROM rows5_t");
	other = (struct other){&app, NULL, 0};
	app.which.lock_timeout_ms = 1000;
	app.which.progress = lock_then_let_go;
	app.which.progress_arg = &other;
	EXPECT(OK, &app, app_up(&app));
	assert_int_equal(other.asked, 2);
	assert_int_equal(number(&app, "SELECT max(k) FROM rows5"), 102);
	app_close(&app);
}

/* ---- who is in the way ---------------------------------------------------------------------- */

static void who_is_in_the_way_is_named(void **unused)
{
	struct dblock_migration_file file;
	struct dbl_conn *other;
	struct app app;

	(void)unused;
	begin(&app, "inway_", "DROP TABLE IF EXISTS inway");
	plain(&app, "CREATE TABLE inway (k INTEGER)");
	/* MariaDB's times of transactions are in the zone of its machine. */
	use(&app, &file,
	    backend_is("mysql") ? "SET time_zone = '-11:00';\n"
				  "ALTER TABLE inway ADD COLUMN more INTEGER"
				: "ALTER TABLE inway ADD COLUMN more INTEGER");
	app.which.lock_timeout_ms = 1000;
	other = lock_row(&app, "INSERT INTO inway (k) VALUES (1)");
	EXPECT(E_MIGRATION, &app, app_up(&app));
	assert_says(&app.s, "wait longer with --lock-timeout, then run 'dblock migrate up");
	assert_null(strstr(app.s.err.message, "edit the file"));
	assert_null(strstr(app.s.err.message, "correct the file"));
	assert_says(&app.s, backend_is("mysql") ? "connection " : "pid ");
	assert_says(&app.s,
		    backend_is("mysql") ? " (" : " has locked inway (RowExclusiveLock): INSERT");
	app.s.target.dialect->driver->close(other);
	EXPECT(OK, &app, app_up(&app));
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_share_transactions),
		cmocka_unit_test(what_is_no_row_stands_alone),
		cmocka_unit_test(a_refused_row_is_named_and_those_before_it_stand),
		cmocka_unit_test(rows_that_stay_do_not_share),
		cmocka_unit_test(rows_that_only_the_session_has_do_not_share),
		cmocka_unit_test(who_is_in_the_way_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
