/* SPDX-License-Identifier: MIT */
/* What only the SQLite driver does: files, their locks, and the clocks that it lends. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host.h"
#include "db/driver/driver_kit.h"

/* A path in the scratch folder. */
struct path {
	char text[500];
};

static struct path in_tmp(const char *name)
{
	struct path path;

	snprintf(path.text, sizeof(path.text), "%s/%s", env_text("DBLOCK_TEST_TMP"), name);
	return path;
}

static int open_path(const char *path, int64_t ms, struct dbl_conn **conn, struct dblock_error *err)
{
	char url[600];

	snprintf(url, sizeof(url), "sqlite:%s", path);
	return open_url(url, in_ms(ms), conn, err);
}

static void must_not_open(struct world *w, const char *path, int outcome, const char *says)
{
	struct dbl_conn *conn;

	must_fail(w, open_path(path, PLENTY_MS, &conn, &w->err), outcome);
	assert_null(conn);
	if (!strstr(w->err.message, says))
		fail_msg("'%s' does not say '%s'", w->err.message, says);
}

static void put_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(chmod(path, mode), 0);
}

static void what_is_no_database_file_is_named(void **state)
{
	struct world *w = *state;
	struct path folder = in_tmp("folder"), pipe = in_tmp("pipe"), text = in_tmp("text");

	assert_int_equal(mkdir(folder.text, 0700), 0);
	assert_int_equal(mkfifo(pipe.text, 0600), 0);
	put_file(text.text, "this is not a database, it is a text that says so\n", 0600);
	must_not_open(w, "", DBLOCK_E_INVALID, "no path");
	must_not_open(w, ":memory:", DBLOCK_E_INVALID, "memory");
	must_not_open(w, folder.text, DBLOCK_E_INVALID, "is a folder");
	must_not_open(w, pipe.text, DBLOCK_E_INVALID, "not a regular file");
	must_not_open(w, text.text, DBLOCK_E_NOTDB, text.text);
	must_not_open(w, in_tmp("nowhere/x.db").text, DBLOCK_E_INVALID, "create it first");
	must_not_open(w, in_tmp("text/x.db").text, DBLOCK_E_INVALID, "there is no folder");
}

/* Closes both connections before a fork: SQLite is refused in the child of a process that has a
 * file open. */
static void let_go(struct world *w)
{
	w->driver->close(w->conn);
	w->driver->close(w->other);
}

static void take_up(struct world *w)
{
	w->conn = connect_db(w);
	w->other = connect_db(w);
}

/* Root may write everything, so a child tries as another user. Its exit code says how it went. */
static int open_as_nobody(const char *path, int outcome)
{
	enum { NOBODY = 65534 };
	struct dbl_conn *conn;
	struct dblock_error err;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
			_exit(2);
		_exit(open_path(path, PLENTY_MS, &conn, &err) == outcome &&
				      strstr(err.message, path)
			      ? 0
			      : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void permissions_are_told_apart(void **state)
{
	struct path file = in_tmp("readonly.db"), secret = in_tmp("secret.db");
	struct path folder = in_tmp("closed"), shut = in_tmp("shut");

	let_go(*state);
	assert_int_equal(chmod(env_text("DBLOCK_TEST_TMP"), 0755), 0);
	put_file(file.text, "", 0444);
	put_file(secret.text, "", 0000);
	assert_int_equal(mkdir(folder.text, 0555), 0);
	assert_int_equal(mkdir(shut.text, 0000), 0);
	assert_int_equal(open_as_nobody(file.text, DBLOCK_E_READONLY), 0);
	assert_int_equal(open_as_nobody(secret.text, DBLOCK_E_DENIED), 0);
	assert_int_equal(open_as_nobody(in_tmp("closed/new.db").text, DBLOCK_E_READONLY), 0);
	assert_int_equal(open_as_nobody(in_tmp("shut/new.db").text, DBLOCK_E_DENIED), 0);
	assert_int_equal(chmod(shut.text, 0700), 0);
	take_up(*state);
}

/* All of them want to switch the file to WAL, and SQLite does not wait for that. */
static void many_open_a_new_file_at_once(void **state)
{
	enum { MANY = 6 };
	struct path path = in_tmp("new.db");
	pid_t pids[MANY];

	let_go(*state);
	for (int i = 0; i < MANY; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct dbl_conn *conn;

			_exit(open_path(path.text, PLENTY_MS, &conn, NULL) ? 1 : 0);
		}
		assert_true(pids[i] > 0);
	}
	for (int i = 0; i < MANY; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	take_up(*state);
}

/* A writer in the old journal mode stands in the way of the switch. */
static void the_switch_to_wal_waits_until_the_deadline(void **state)
{
	struct world *w = *state;
	const char *path = strchr(env_text("DBLOCK_TEST_URL"), ':') + 1;
	struct dbl_conn *third;

	w->driver->close(w->conn);
	exec(w, w->other, "PRAGMA journal_mode = DELETE");
	exec(w, w->other, "BEGIN IMMEDIATE");
	must_fail(w, open_path(path, SHORTLY_MS, &third, &w->err), DBLOCK_E_BLOCKED);
	exec(w, w->other, "COMMIT");
	must(w, open_path(path, PLENTY_MS, &w->conn, &w->err));
	exec(w, w->conn, "INSERT INTO dblock_contract (k) VALUES (1)");
}

/* Opens DBLOCK_TEST_URL in its own thread. */
static void *open_beside(void *arg)
{
	struct world *w = arg;

	w->conn = connect_db(w);
	return arg;
}

/* Only if the switch did not wait would this depend on whether the other thread opens in time. */
static void the_switch_to_wal_waits_for_a_writer(void **state)
{
	struct world *w = *state;
	struct world beside = {.backend = w->backend, .driver = w->driver};
	struct dbl_thread thread = {0};

	w->driver->close(w->conn);
	exec(w, w->other, "PRAGMA journal_mode = DELETE");
	exec(w, w->other, "BEGIN IMMEDIATE");
	assert_int_equal(dbl_thread_start(&thread, open_beside, &beside), 0);
	dbl_sleep_until(dbl_env_system(), in_ms(SHORTLY_MS));
	exec(w, w->other, "COMMIT");
	dbl_thread_join(&thread);
	w->conn = beside.conn;
	exec(w, w->conn, "INSERT INTO dblock_contract (k) VALUES (1)");
}

/* When a reader keeps a commit from being carried out, the transaction stays open. */
static void a_locked_commit_can_be_repeated(void **state)
{
	struct world *w = *state;

	w->driver->close(w->conn);
	exec(w, w->other, "PRAGMA journal_mode = DELETE");
	w->conn = connect_db(w);
	exec(w, w->conn, "PRAGMA journal_mode = DELETE");
	exec(w, w->other, "BEGIN");
	one_int(w, w->other, "SELECT count(*) FROM dblock_contract");
	exec(w, w->conn, "BEGIN IMMEDIATE");
	exec(w, w->conn, "INSERT INTO dblock_contract (k) VALUES (1)");
	w->conn->deadline = in_ms(SHORTLY_MS);
	must_fail(w, w->driver->exec(w->conn, "COMMIT", &w->err), DBLOCK_E_BLOCKED);
	exec(w, w->other, "COMMIT");
	exec(w, w->conn, "COMMIT");
	assert_int_equal(one_int(w, w->other, "SELECT count(*) FROM dblock_contract"), 1);
}

static void clocks_are_the_readers_own(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT $wall, $boot, $clock, $1");
	int64_t wall = dbl_wall(dbl_env_system()), boot = in_ms(0);
	struct dbl_host host;
	struct dbl_value row[4];
	int64_t first;

	dbl_host_read(&host);
	run(w, stmt, VALUES(dbl_int(7)));
	assert_true(fetch(w, stmt, row, 4));
	assert_in_range(row[0].i, wall, dbl_wall(dbl_env_system()));
	assert_in_range(row[1].i, boot, in_ms(0));
	assert_int_equal(row[2].len, strlen(host.clock));
	assert_memory_equal(row[2].text, host.clock, row[2].len);
	assert_int_equal(row[3].i, 7);
	/* The clock is read anew for each run. */
	first = row[1].i;
	dbl_sleep_until(dbl_env_system(), in_ms(2));
	run(w, stmt, VALUES(dbl_int(7)));
	assert_true(fetch(w, stmt, row, 4));
	assert_true(row[1].i > first);
}

static void unknown_placeholders_are_refused(void **state)
{
	static const char *const texts[] = {"SELECT $x", "SELECT ?",  "SELECT :1",  "SELECT $0",
					    "SELECT @1", "SELECT ?1", "SELECT $1x", "SELECT $01"};
	struct world *w = *state;
	int64_t changed;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct dbl_stmt *stmt = prepare(w, w->conn, texts[i]);

		must_fail(w, w->driver->run(stmt, VALUES(dbl_int(1)), &changed, &w->err),
			  DBLOCK_E_BUG);
	}
}

static void a_full_disk_is_full(void **state)
{
	struct world *w = *state;

	exec(w, w->conn, "PRAGMA max_page_count = 1"); /* the limit becomes the present size */
	must_fail(w,
		  try_run(w, w->conn, "INSERT INTO dblock_contract (s) VALUES (zeroblob(100000))",
			  false, PLENTY_MS),
		  DBLOCK_E_FULL);
	assert_false(w->conn->broken);
}

/* Runs in a process that may not write that much, and exits with 0 if the driver says what it
 * should. */
static void write_beyond_the_limit(void)
{
	const struct rlimit limit = {.rlim_cur = 1 << 16, .rlim_max = 1 << 16};
	struct world w = {.backend = this_backend(), .driver = this_driver()};
	int rc;

	w.conn = connect_db(&w);
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(2);
	rc = try_run(&w, w.conn, "INSERT INTO dblock_contract (s) VALUES (zeroblob(1000000))",
		     false, PLENTY_MS);
	_exit(rc == DBLOCK_E_UNSURE && w.conn->broken ? 0 : 1);
}

static void a_failed_write_is_unsure(void **state)
{
	struct world *w = *state;
	pid_t pid;
	int status;

	let_go(w);
	pid = fork();
	if (pid == 0)
		write_beyond_the_limit();
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	take_up(w);
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 0);
}

/* Even the whole pages of a damaged file cannot be trusted. */
static void a_damaged_file_is_no_database(void **state)
{
	enum { PAGE = 4096 };
	static const char rubbish[PAGE] = "rubbish";
	struct world *w = *state;
	struct path path = in_tmp("damaged.db");
	struct dbl_conn *conn;
	int fd;

	must(w, open_path(path.text, PLENTY_MS, &conn, &w->err));
	exec(w, conn, "CREATE TABLE t (a INTEGER)");
	exec(w, conn, "INSERT INTO t VALUES (1)");
	w->driver->close(conn);
	fd = open(path.text, O_WRONLY);
	assert_int_equal(pwrite(fd, rubbish, PAGE, PAGE), PAGE);
	close(fd);
	must(w, open_path(path.text, PLENTY_MS, &conn, &w->err));
	must_fail(w, try_run(w, conn, "SELECT a FROM t", true, PLENTY_MS), DBLOCK_E_NOTDB);
	w->driver->close(conn);
}

/* Double quotes are for names only: SQLite would take an unknown one for a text. */
static void a_quoted_name_is_never_a_text(void **state)
{
	struct world *w = *state;

	must_fail(w, try_exec(w, w->conn, "SELECT \"nowhere\" FROM dblock_contract"),
		  DBLOCK_E_SCHEMA);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE(what_is_no_database_file_is_named),
		CASE(permissions_are_told_apart),
		CASE(many_open_a_new_file_at_once),
		CASE(the_switch_to_wal_waits_until_the_deadline),
		CASE(the_switch_to_wal_waits_for_a_writer),
		CASE(a_locked_commit_can_be_repeated),
		CASE(clocks_are_the_readers_own),
		CASE(unknown_placeholders_are_refused),
		CASE(a_full_disk_is_full),
		CASE(a_failed_write_is_unsure),
		CASE(a_damaged_file_is_no_database),
		CASE(a_quoted_name_is_never_a_text),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
