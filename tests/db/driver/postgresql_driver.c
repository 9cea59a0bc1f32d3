/* SPDX-License-Identifier: MIT */
/* What only the PostgreSQL driver does: logins, notices, and libpq's ways. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "db/driver/driver_kit.h"

/* Opens DBLOCK_TEST_TCP_URL, with `login` ("user:password@") before the host. */
static int open_tcp(struct world *w, const char *login, struct dbl_conn **conn)
{
	const char *host = strchr(env_text("DBLOCK_TEST_TCP_URL"), '@') + 1;
	char url[500];
	int rc;

	snprintf(url, sizeof(url), "postgresql://%s%s", login, host);
	rc = open_url(url, in_ms(PLENTY_MS), conn, &w->err);
	assert_null(strstr(w->err.message, "s3cr"));
	assert_null(strstr(w->err.message, "t!pa"));
	return rc;
}

/* A role that has a password. Roles belong to the whole server, so its name is our own. */
struct role {
	char name[64];
	char login[200]; /* filled in by set_login() */
};

static void make_role(struct world *w, struct role *role)
{
	char sql[200];

	snprintf(role->name, sizeof(role->name), "dblock_%lld", (long long)getpid());
	snprintf(sql, sizeof(sql), "CREATE ROLE %s LOGIN PASSWORD 's3cr@t!pa/ss'", role->name);
	exec(w, w->other, sql);
}

static void drop_role(struct world *w, const struct role *role)
{
	char sql[200];

	snprintf(sql, sizeof(sql), "DROP ROLE %s", role->name);
	exec(w, w->other, sql);
}

static const char *login(struct role *role, const char *password)
{
	snprintf(role->login, sizeof(role->login), "%s:%s@", role->name, password);
	return role->login;
}

static void passwords_are_checked_and_never_told(void **state)
{
	struct world *w = *state;
	struct dbl_conn *conn;
	struct role role;

	make_role(w, &role);
	must(w, open_tcp(w, login(&role, "s3cr%40t!pa%2fss"), &conn));
	must_fail(w, try_exec(w, conn, "SELECT k FROM dblock_contract"), DBLOCK_E_DENIED);
	assert_string_equal(w->err.sqlstate, "42501");
	w->driver->close(conn);
	must_fail(w, open_tcp(w, login(&role, "s3cr%40t!pa"), &conn), DBLOCK_E_DENIED);
	assert_string_equal(w->err.sqlstate, "28P01");
	assert_non_null(strstr(w->err.message, role.name));
	must_fail(w, open_tcp(w, login(&role, ""), &conn), DBLOCK_E_DENIED);
	drop_role(w, &role);
}

/* libpq and RFC 3986 split such a URL in different places: what one takes for the password's end
 * the other would show as host, port or database. */
static void passwords_must_be_encoded(void **state)
{
	struct world *w = *state;
	struct dbl_conn *conn;

	must_fail(w, open_tcp(w, "somebody:s3cr@t!pass@", &conn), DBLOCK_E_INVALID);
	assert_non_null(strstr(w->err.message, "%40"));
	must_fail(w, open_tcp(w, "somebody:s3cr/t!pass@", &conn), DBLOCK_E_INVALID);
	assert_non_null(strstr(w->err.message, "%2F"));
	must_fail(w, open_tcp(w, "somebody:s3cr%t!pass@", &conn), DBLOCK_E_INVALID);
}

/* libpq shows the whole URL. A password that is also a word of the message leaves no gap that shows
 * it. */
static void messages_of_others_are_cleaned(void **state)
{
	struct world *w = *state;
	struct dbl_conn *conn;

	must_fail(w, open_url("postgresql://u:s3cr%41t@[::1/db", in_ms(PLENTY_MS), &conn, &w->err),
		  DBLOCK_E_INVALID);
	assert_null(strstr(w->err.message, "s3cr"));
	must_fail(w,
		  open_url("postgresql://u:s3cr%41t@h/db?nonsense=1", in_ms(PLENTY_MS), &conn,
			   &w->err),
		  DBLOCK_E_INVALID);
	assert_null(strstr(w->err.message, "s3cr"));
	must_fail(w, open_tcp(w, "nobody_such:password@", &conn), DBLOCK_E_DENIED);
	assert_non_null(strstr(w->err.message, "password authentication failed"));
	assert_null(strstr(w->err.message, "***"));
}

static void the_scheme_is_written_small(void **state)
{
	struct world *w = *state;
	struct dbl_conn *conn;

	must_fail(w, open_url("POSTGRESQL://x/y", in_ms(PLENTY_MS), &conn, &w->err),
		  DBLOCK_E_INVALID);
	must_fail(w, open_url("postgresql:x", in_ms(PLENTY_MS), &conn, &w->err), DBLOCK_E_INVALID);
}

/* Of several hosts the first that can be written is taken. Port 1 on loopback refuses. */
static void another_host_stands_in(void **state)
{
	struct world *w = *state;
	struct dbl_conn *conn;

	must(w, open_tcp(w, "postgres@127.0.0.1:1,", &conn));
	exec(w, conn, "SELECT 1");
	w->driver->close(conn);
}

/* Runs sql with stderr in a file, and returns how many bytes came there. */
static off_t stderr_of(struct world *w, const char *sql)
{
	int saved = dup(2);
	int fd = open(env_text("DBLOCK_TEST_TMP"), O_TMPFILE | O_RDWR, 0600);
	off_t size;

	assert_true(saved >= 0 && fd >= 0);
	assert_int_equal(dup2(fd, 2), 2);
	exec(w, w->conn, sql);
	size = lseek(fd, 0, SEEK_END);
	assert_int_equal(dup2(saved, 2), 2);
	close(saved);
	close(fd);
	return size;
}

static void notices_are_not_printed(void **state)
{
	struct world *w = *state;

	exec(w, w->conn, "SET client_min_messages = debug1");
	assert_int_equal(stderr_of(w, "DO 'BEGIN RAISE WARNING ''hear''; END'"), 0);
	assert_int_equal(stderr_of(w, "DROP TABLE IF EXISTS dblock_nowhere"), 0);
}

/* The table comes only after the statement was prepared, and after its first run failed. */
static void preparing_can_fail_and_be_repeated(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "INSERT INTO dblock_child (k) VALUES ($1)");
	int64_t changed;

	for (int i = 0; i < 2; i++) {
		must_fail(w, w->driver->run(stmt, VALUES(dbl_null()), &changed, &w->err),
			  DBLOCK_E_SCHEMA);
		assert_string_equal(w->err.sqlstate, "42P01");
	}
	exec(w, w->conn, w->backend->create_child);
	assert_int_equal(run(w, stmt, VALUES(dbl_null())), 1);
}

/* A prepared statement stays. */
static void prepared_statements_outlive_a_rollback(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "INSERT INTO dblock_contract (k) VALUES ($1)");

	exec(w, w->conn, "BEGIN");
	run(w, stmt, VALUES(dbl_int(1)));
	exec(w, w->conn, "ROLLBACK");
	assert_int_equal(run(w, stmt, VALUES(dbl_int(1))), 1);
}

/* The value is more than a socket takes at once, both ways. */
static void large_values_pass(void **state)
{
	enum { SIZE = 4 << 20 };
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT $1::text, length($1)");
	struct dbl_value text = {.type = DBL_TEXT, .text = malloc(SIZE), .len = SIZE};
	struct dbl_value row[2];

	memset((void *)(uintptr_t)text.text, 'x', SIZE);
	for (int i = 0; i < 2; i++) {
		run(w, stmt, VALUES(text));
		assert_true(fetch(w, stmt, row, 2));
		assert_int_equal(row[0].len, SIZE);
		assert_memory_equal(row[0].text, text.text, SIZE);
		assert_int_equal(row[1].i, SIZE);
	}
	free((void *)(uintptr_t)text.text);
}

/* The server neither reads nor answers: sending must end at the deadline, and closing must not
 * wait. */
static void a_server_that_stands_still(void **state)
{
	enum { SIZE = 8 << 20 }; /* a socket holds less; a slow machine copies this in time */
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT length($1)");
	char *text = malloc(SIZE);
	int64_t changed;
	pid_t pid = (pid_t)one_int(w, w->conn, w->backend->own_id);
	int rc;

	memset(text, 'x', SIZE);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	w->conn->deadline = in_ms(4 * SHORTLY_MS);
	rc = w->driver->run(stmt, VALUES({.type = DBL_TEXT, .text = text, .len = SIZE}), &changed,
			    &w->err);
	w->driver->close(w->conn);
	assert_int_equal(kill(pid, SIGCONT), 0);
	must_fail(w, rc, DBLOCK_E_UNSURE);
	free(text);
	w->conn = connect_db(w);
}

/* The server would end the text at the NUL, and lock another name. */
static void a_nul_byte_is_refused(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT $1::text");
	struct dbl_value text = {.type = DBL_TEXT, .text = "a\0b", .len = 3};
	int64_t changed;

	must_fail(w, w->driver->run(stmt, VALUES(text), &changed, &w->err), DBLOCK_E_BUG);
}

/* The server gave up by itself, and rolled back: nothing is unsure. */
static void the_servers_own_timeout_is_certain(void **state)
{
	struct world *w = *state;

	exec(w, w->conn, "SET statement_timeout = 100");
	must_fail(w, try_run(w, w->conn, w->backend->linger_write, false, PLENTY_MS),
		  DBLOCK_E_NO_ANSWER);
	assert_string_equal(w->err.sqlstate, "57014");
	assert_false(w->conn->broken);
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 0);
}

static void copy_is_refused(void **state)
{
	struct world *w = *state;

	must_fail(w, try_exec(w, w->conn, "COPY dblock_contract FROM STDIN"), DBLOCK_E_BUG);
	assert_true(w->conn->broken);
}

static void without_time_nothing_is_sent(void **state)
{
	struct world *w = *state;

	must_fail(w, try_run(w, w->conn, "DELETE FROM dblock_contract", false, -1),
		  DBLOCK_E_NO_ANSWER);
	assert_false(w->conn->broken);
}

static int run_around(struct world *w, struct dbl_conn *conn, struct dbl_around *around)
{
	int rc;

	conn->around = around;
	rc = try_run(w, conn, "SELECT 1", true, PLENTY_MS);
	conn->around = NULL;
	return rc;
}

/* The owner of an adopted connection gets it back as it was, also if libpq takes only a part. */
static void what_goes_around_leaves_a_connection_usable(void **state)
{
	struct world *w = *state;
	struct dbl_around unsent = {
		.before = {{.sql = "SAVEPOINT s"}}, .n_before = 1, .n_after = 1};
	struct dbl_conn *adopted;

	exec(w, w->conn, "BEGIN");
	must(w, w->driver->adopt(&adopted, w->driver->handle(w->conn), dbl_env_system(), &w->err));
	must_fail(w, run_around(w, adopted, &unsent), DBLOCK_E_UNAVAILABLE);
	assert_true(unsent.begun);
	assert_false(unsent.done);
	w->driver->close(adopted);
	assert_int_equal(w->driver->state(w->conn), DBL_TX_OPEN);
	assert_int_equal(one_int(w, w->conn, "SELECT 5"), 5);
	exec(w, w->conn, "ROLLBACK TO SAVEPOINT s");
}

/* An error is told with what was done before it: so its owner knows whether there is a savepoint. */
static void what_goes_around_is_done_up_to_the_error(void **state)
{
	static const struct {
		struct dbl_around around;
		bool begun, done;
	} cases[] = {
		{{{{.sql = "SAVEPOINT s"}}, {{.sql = "RELEASE s"}}, 1, 1, 0, 0}, true, true},
		{{{{.sql = "SAVEPOINT s"}, {"SELECT $1::text", "a"}}, {{0}}, 2, 0, 0, 0},
		 true,
		 true},
		{{{{.sql = "SAVEPOINT s"}, {"SELECT $1::int", "a"}}, {{0}}, 2, 0, 0, 0},
		 true,
		 false},
		{{{{.sql = "SAVEPOINT s"}}, {{.sql = "RELEASE t"}}, 1, 1, 0, 0}, true, false},
		{{{{.sql = "RELEASE t"}}, {{.sql = "SELECT 1"}}, 1, 1, 0, 0}, false, false},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dbl_around around = cases[i].around;
		int rc;

		exec(w, w->conn, "BEGIN");
		rc = run_around(w, w->conn, &around);
		assert_true((rc == 0) == cases[i].done);
		assert_true(around.begun == cases[i].begun);
		assert_true(around.done == cases[i].done);
		assert_int_equal(w->driver->state(w->conn), rc ? DBL_TX_FAILED : DBL_TX_OPEN);
		exec(w, w->conn, "ROLLBACK");
	}
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE(passwords_are_checked_and_never_told),
		CASE(passwords_must_be_encoded),
		CASE(messages_of_others_are_cleaned),
		CASE(the_scheme_is_written_small),
		CASE(another_host_stands_in),
		CASE(notices_are_not_printed),
		CASE(preparing_can_fail_and_be_repeated),
		CASE(prepared_statements_outlive_a_rollback),
		CASE(large_values_pass),
		CASE(a_server_that_stands_still),
		CASE(a_nul_byte_is_refused),
		CASE(the_servers_own_timeout_is_certain),
		CASE(copy_is_refused),
		CASE(without_time_nothing_is_sent),
		CASE(what_goes_around_leaves_a_connection_usable),
		CASE(what_goes_around_is_done_up_to_the_error),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
