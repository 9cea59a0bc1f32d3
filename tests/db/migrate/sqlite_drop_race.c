/* SPDX-License-Identifier: MIT */
/* Somebody comes to a file while it is being dropped: nothing that he was told is written is lost. The
 * drop is stopped at each of its steps, and another process tries to write there. */
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/migrate/migrate_kit.h"
#include "migrate/command/database.h"

static char path[500], url[520];

/* ---- another process, with SQLite alone ------------------------------------------------------- */

static struct {
	pid_t pid;
	int to, from;
} other;

/* Each text is a statement on the file, which is opened by the first; an empty one closes it. Nothing is
 * waited for. The answer is SQLite's. */
static void obey(int from, int to)
{
	char sql[200];
	sqlite3 *db = NULL;

	while (read(from, sql, sizeof(sql)) == sizeof(sql)) {
		int rc = SQLITE_OK;

		if (!*sql) {
			sqlite3_close(db);
			db = NULL;
		} else if (!db) {
			rc = sqlite3_open(path, &db);
		}
		if (*sql && rc == SQLITE_OK)
			rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
		if (write(to, &rc, sizeof(rc)) != sizeof(rc))
			break;
	}
	_exit(0);
}

static int tries(const char *text)
{
	char sql[200] = "";
	int rc = -1;

	snprintf(sql, sizeof(sql), "%s", text);
	assert_int_equal(write(other.to, sql, sizeof(sql)), sizeof(sql));
	assert_int_equal(read(other.from, &rc, sizeof(rc)), sizeof(rc));
	return rc;
}

static int start_other(void **unused)
{
	int to[2], from[2];

	(void)unused;
	snprintf(path, sizeof(path), "%s/race.db", env_text("DBLOCK_TEST_TMP"));
	snprintf(url, sizeof(url), "sqlite:%s", path);
	assert_int_equal(pipe(to) | pipe(from), 0);
	other.pid = fork();
	assert_true(other.pid >= 0);
	if (other.pid == 0) {
		close(to[1]);
		close(from[0]);
		obey(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	other.to = to[1];
	other.from = from[0];
	return 0;
}

static int end_other(void **unused)
{
	(void)unused;
	close(other.to);
	waitpid(other.pid, NULL, 0);
	return 0;
}

/* ---- the steps of the drop -------------------------------------------------------------------- */

#define INSERT "INSERT INTO kept VALUES (1)"

static const struct dbl_driver *real;
static bool alone, closed;

static bool is_there(void)
{
	struct stat st;

	return stat(path, &st) == 0;
}

/* The drop has seen that nobody uses the file. */
static int watch_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	int rc = real->exec(conn, sql, err);

	if (rc == 0 && strstr(sql, "journal_mode = DELETE")) {
		alone = true;
		assert_true(is_there());
		assert_int_equal(tries(INSERT), SQLITE_BUSY);
		assert_int_equal(tries("SELECT count(*) FROM kept"), SQLITE_BUSY);
	}
	return rc;
}

/* Naive: the files are deleted after this, and who came before that has written into them. */
static void watch_close(struct dbl_conn *conn)
{
	assert_true(alone);
	assert_false(is_there());
	assert_int_equal(tries(INSERT), SQLITE_BUSY);
	real->close(conn);
	closed = true;
	/* He has the old file open. */
	assert_int_equal(tries(INSERT), SQLITE_READONLY);
	assert_int_equal(tries(""), SQLITE_OK);
	/* Now he opens it anew. */
	assert_int_equal(tries("PRAGMA journal_mode = WAL"), SQLITE_OK);
	assert_int_equal(tries("CREATE TABLE kept (k INTEGER)"), SQLITE_OK);
	assert_int_equal(tries(INSERT), SQLITE_OK);
}

static const struct dbl_driver *watch(void *ctx, const struct dbl_driver *driver)
{
	static struct dbl_driver watching;

	(void)ctx;
	real = driver;
	watching = *driver;
	watching.exec = watch_exec;
	watching.close = watch_close;
	return &watching;
}

static int count_kept(void)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int n;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM kept", -1, &stmt, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	n = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return n;
}

static void nobody_writes_into_what_is_dropped(void **unused)
{
	struct dbl_env env = *dbl_env_system();
	struct dbl_target target;
	struct dblock_error err = {0};

	(void)unused;
	assert_int_equal(tries("CREATE TABLE kept (k INTEGER)"), SQLITE_OK);
	assert_int_equal(tries(""), SQLITE_OK);
	env.intercept = watch;
	assert_int_equal(dbl_target_init(&target, url, NULL, NULL, &env, &err), 0);
	if (dbl_database_drop(&(struct dbl_database){&target, dbl_ms(PLENTY_MS), NULL, NULL}, false,
			      &err))
		fail_msg("%s", err.message);
	dbl_target_free(&target);
	assert_true(closed);
	/* The new file is whole, with its log, which nobody has deleted. */
	assert_int_equal(tries(INSERT), SQLITE_OK);
	assert_int_equal(tries(""), SQLITE_OK);
	assert_int_equal(count_kept(), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_writes_into_what_is_dropped, start_other,
						end_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
