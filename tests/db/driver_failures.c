/* SPDX-License-Identifier: MIT */
/* The contract of a driver (src/driver/driver.h) where something goes wrong: each trouble has its
 * class on every database, comes by the deadline, and never tells a password. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver_kit.h"

#define UPDATE "UPDATE dblock_contract SET i = i + 1 WHERE k = 1"

static void put_row(struct world *w, int64_t k)
{
	struct dbl_stmt *insert =
		prepare(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES ($1, 0)");

	run(w, insert, VALUES(dbl_int(k)));
}

/* The connection is as good as before. */
static void still_works(struct world *w)
{
	assert_false(w->conn->broken);
	put_row(w, 1000);
	assert_int_equal(one_int(w, w->conn, "SELECT k FROM dblock_contract WHERE k = 1000"), 1000);
}

static void only_one_statement_at_a_time(void **state)
{
	static const char *const texts[] = {
		"SELECT 1; SELECT 2", "SELECT 1; -- x\nSELECT 2", "SELECT 1; SELECT", "", " ",
		"-- nothing\n"};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		must_fail(w, try_exec(w, w->conn, texts[i]), DBLOCK_E_BUG);
		must_fail(w, try_run(w, w->conn, texts[i], true, PLENTY_MS), DBLOCK_E_BUG);
	}
	still_works(w);
}

/* The second one must not have been carried out before it was noticed. */
static void a_second_statement_is_not_run(void **state)
{
	struct world *w = *state;

	put_row(w, 1);
	must_fail(w, try_exec(w, w->conn, "SELECT 1; DELETE FROM dblock_contract"), DBLOCK_E_BUG);
	assert_int_equal(one_int(w, w->other, "SELECT count(*) FROM dblock_contract"), 1);
}

static void wrong_number_of_columns(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT 1, 2");
	struct dbl_value row[3];

	run(w, stmt, NOTHING);
	must_fail(w, w->driver->next(stmt, row, 3, &w->err), DBLOCK_E_BUG);
	must_fail(w, w->driver->next(stmt, row, 1, &w->err), DBLOCK_E_BUG);
	still_works(w);
}

static void too_few_arguments(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt =
		prepare(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES ($1, $2)");
	int64_t changed;

	must_fail(w, w->driver->run(stmt, VALUES(dbl_int(1)), &changed, &w->err), DBLOCK_E_BUG);
	still_works(w);
}

static void refused_by_class(void **state)
{
	static const struct {
		const char *sql;
		int outcome;
	} bad[] = {
		{"SELECT k FROM dblock_nowhere", DBLOCK_E_SCHEMA},
		{"INSERT INTO dblock_nowhere (k) VALUES (1)", DBLOCK_E_SCHEMA},
		{"SELECT nowhere FROM dblock_contract", DBLOCK_E_SCHEMA},
		{"INSERT INTO dblock_contract (k, nowhere) VALUES (1, 2)", DBLOCK_E_SCHEMA},
		{"UPDATE dblock_contract SET nowhere = 1", DBLOCK_E_SCHEMA},
		{"SELEKT 1", DBLOCK_E_BUG},
		{"INSERT INTO dblock_contract (k) VALUES (7), (7)", DBLOCK_E_BUG},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(w, try_exec(w, w->conn, bad[i].sql), bad[i].outcome);
		must_fail(w, try_run(w, w->conn, bad[i].sql, false, PLENTY_MS), bad[i].outcome);
	}
	still_works(w);
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 1);
}

/* A statement that failed at its first run is not spoiled for the next. */
static void a_failed_statement_can_run_again(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "INSERT INTO dblock_contract (k) VALUES ($1)");
	int64_t changed;

	put_row(w, 1);
	must_fail(w, w->driver->run(stmt, VALUES(dbl_int(1)), &changed, &w->err), DBLOCK_E_BUG);
	assert_int_equal(run(w, stmt, VALUES(dbl_int(2))), 1);
	must_fail(w, w->driver->run(stmt, VALUES(dbl_int(2)), &changed, &w->err), DBLOCK_E_BUG);
	assert_int_equal(run(w, stmt, VALUES(dbl_int(3))), 1);
}

static void the_error_may_be_unwanted(void **state)
{
	struct world *w = *state;

	w->conn->deadline = in_ms(PLENTY_MS);
	assert_int_equal(w->driver->exec(w->conn, "SELECT k FROM dblock_nowhere", NULL),
			 DBLOCK_E_SCHEMA);
	still_works(w);
}

static void write_refused_where_readonly(void **state)
{
	struct world *w = *state;

	put_row(w, 1);
	exec(w, w->conn, w->backend->readonly_setup);
	must_fail(w, try_run(w, w->conn, UPDATE, false, PLENTY_MS), DBLOCK_E_READONLY);
	assert_false(w->conn->broken);
}

static void waiting_for_a_lock_ends(void **state)
{
	struct world *w = *state;
	bool by_deadline = !w->backend->lock_setup;

	put_row(w, 1);
	if (!by_deadline)
		exec(w, w->conn, w->backend->lock_setup);
	exec(w, w->other, w->backend->begin_write);
	exec(w, w->other, UPDATE);
	must_fail(w, try_run(w, w->conn, UPDATE, false, by_deadline ? SHORTLY_MS : PLENTY_MS),
		  DBLOCK_E_LOCKED);
	exec(w, w->other, "COMMIT");
	still_works(w);
	exec(w, w->conn, UPDATE);
	assert_int_equal(one_int(w, w->other, "SELECT i FROM dblock_contract WHERE k = 1"), 2);
}

/* What another connection wrote since our snapshot cannot be written from it. */
static void a_stale_snapshot_conflicts(void **state)
{
	struct world *w = *state;

	put_row(w, 1);
	exec(w, w->conn, w->backend->begin_snapshot);
	one_int(w, w->conn, "SELECT i FROM dblock_contract WHERE k = 1");
	exec(w, w->other, UPDATE);
	must_fail(w, try_exec(w, w->conn, UPDATE), DBLOCK_E_CONFLICT);
	exec(w, w->conn, "ROLLBACK");
	still_works(w);
	exec(w, w->conn, UPDATE);
}

static void the_deadline_ends_a_read(void **state)
{
	struct world *w = *state;
	int rc = try_run(w, w->conn, w->backend->linger, true, SHORTLY_MS);

	must_fail(w, rc, DBLOCK_E_TIMEOUT);
	/* A late answer must never be taken for that of the next statement. */
	assert_int_equal(w->conn->broken, w->backend->own_id != NULL);
}

/* End the server's side of w->conn, whose id was asked for in time. */
static void kill_server_side(struct world *w, int64_t id)
{
	char sql[200];

	snprintf(sql, sizeof(sql), "%s%lld%s", w->backend->kill[0], (long long)id,
		 w->backend->kill[1]);
	exec(w, w->other, sql);
}

static void the_deadline_ends_a_write(void **state)
{
	struct world *w = *state;
	bool server = w->backend->own_id;
	int64_t id = server ? one_int(w, w->conn, w->backend->own_id) : 0;
	int rc = try_run(w, w->conn, w->backend->linger_write, false, SHORTLY_MS);

	must_fail(w, rc, w->backend->linger_write_outcome);
	assert_int_equal(w->conn->broken, server);
	if (server)
		kill_server_side(w, id); /* it still has the table */
}

/* A statement that runs in a thread of its own. */
struct lingering {
	struct world *w;
	const char *sql;
	bool reads;
	int rc;
};

static void *linger(void *arg)
{
	struct lingering *l = arg;

	l->rc = try_run(l->w, l->w->conn, l->sql, l->reads, PLENTY_MS);
	return NULL;
}

static void wait_until_lingering(struct world *w, int64_t id)
{
	int64_t end = in_ms(PLENTY_MS);
	char sql[200];

	snprintf(sql, sizeof(sql), "%s%lld%s", w->backend->is_lingering[0], (long long)id,
		 w->backend->is_lingering[1]);
	while (one_int(w, w->other, sql) == 0) {
		assert_true(in_ms(0) < end);
		dbl_sleep_until(dbl_env_system(), in_ms(10));
	}
}

static void kill_under(struct world *w, const char *sql, bool reads, int outcome)
{
	struct lingering l = {.w = w, .sql = sql, .reads = reads};
	struct world killer = {.backend = w->backend, .driver = w->driver, .other = w->other};
	int64_t id = one_int(w, w->conn, w->backend->own_id);
	struct dbl_thread thread = {0};

	assert_int_equal(dbl_thread_start(&thread, linger, &l), 0);
	wait_until_lingering(&killer, id);
	kill_server_side(&killer, id);
	dbl_thread_join(&thread);
	must_fail(w, l.rc, outcome);
	assert_true(w->conn->broken);
}

static void the_server_side_dies_under_a_read(void **state)
{
	struct world *w = *state;

	kill_under(w, w->backend->linger, true, DBLOCK_E_UNAVAILABLE);
}

static void the_server_side_dies_under_a_write(void **state)
{
	struct world *w = *state;

	kill_under(w, w->backend->linger_write, false, DBLOCK_E_UNSURE);
}

/* Between two statements: a read finds out, and says so. */
static void the_server_side_dies_while_idle(void **state)
{
	struct world *w = *state;
	int64_t end = in_ms(PLENTY_MS);
	int rc;

	kill_server_side(w, one_int(w, w->conn, w->backend->own_id));
	do {
		rc = try_run(w, w->conn, "SELECT 1", true, PLENTY_MS);
	} while (rc == 0 && in_ms(0) < end);
	must_fail(w, rc, DBLOCK_E_UNAVAILABLE);
	assert_true(w->conn->broken);
}

static void *cross(void *arg)
{
	struct world *w = arg;

	return try_exec(w, w->other, UPDATE) == DBLOCK_E_CONFLICT ? arg : NULL;
}

/* Each has one row and wants the other's: one of the two gives way. */
static void a_deadlock_is_a_conflict(void **state)
{
	struct world *w = *state;
	struct world theirs = {.backend = w->backend, .driver = w->driver, .other = w->other};
	pthread_t thread;
	void *they_lost;
	bool we_lost;

	put_row(w, 1);
	put_row(w, 2);
	exec(w, w->conn, w->backend->begin_write);
	exec(w, w->other, w->backend->begin_write);
	exec(w, w->conn, UPDATE);
	exec(w, w->other, "UPDATE dblock_contract SET i = i + 1 WHERE k = 2");
	assert_int_equal(pthread_create(&thread, NULL, cross, &theirs), 0);
	we_lost = try_exec(w, w->conn, "UPDATE dblock_contract SET i = i + 1 WHERE k = 2") ==
		  DBLOCK_E_CONFLICT;
	exec(w, w->conn, "ROLLBACK");
	pthread_join(thread, &they_lost);
	exec(w, w->other, "ROLLBACK");
	assert_int_equal(we_lost + (they_lost != NULL), 1);
}

/* A port on loopback that refuses (bound only) or stays silent (nobody accepts). */
static int make_port(bool silent, int *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	if (silent)
		assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

/* The password is "s3cr3t!pass". */
static int open_port(struct world *w, bool silent, int64_t ms)
{
	struct dbl_conn *conn;
	char url[200];
	int port, rc;
	int fd = make_port(silent, &port);

	snprintf(url, sizeof(url), "%s://somebody:s3cr3t%%21pass@127.0.0.1:%d/somewhere",
		 w->backend->name, port);
	rc = open_url(url, in_ms(ms), &conn, &w->err);
	close(fd);
	assert_null(conn);
	assert_null(strstr(w->err.message, "s3cr3t"));
	return rc;
}

static void nobody_listens(void **state)
{
	struct world *w = *state;

	must_fail(w, open_port(w, false, PLENTY_MS), DBLOCK_E_UNAVAILABLE);
	assert_non_null(strstr(w->err.message, "127.0.0.1"));
}

static void nobody_answers(void **state)
{
	struct world *w = *state;

	must_fail(w, open_port(w, true, SHORTLY_MS), DBLOCK_E_TIMEOUT);
}

/* DBLOCK_TEST_URL with another path. */
static void no_such_database(void **state)
{
	struct world *w = *state;
	const char *url = env_text("DBLOCK_TEST_URL");
	const char *path = strchr(strstr(url, "://") + 3, '/') + 1;
	const char *rest = path + strcspn(path, "?");
	char other[1000];
	struct dbl_conn *conn;

	snprintf(other, sizeof(other), "%.*sdblock_nowhere%s", (int)(path - url), url, rest);
	must_fail(w, open_url(other, in_ms(PLENTY_MS), &conn, &w->err), DBLOCK_E_INVALID);
	assert_non_null(strstr(w->err.message, "dblock_nowhere"));
}

static void unknown_url_parameter(void **state)
{
	struct world *w = *state;
	const char *url = env_text("DBLOCK_TEST_URL");
	struct dbl_conn *conn;
	char other[1000];

	snprintf(other, sizeof(other), "%s%cs3cr3t_key=1", url, strchr(url, '?') ? '&' : '?');
	must_fail(w, open_url(other, in_ms(PLENTY_MS), &conn, &w->err), DBLOCK_E_INVALID);
	assert_non_null(strstr(w->err.message, "s3cr3t_key"));
}

int main(void)
{
	const struct CMUnitTest all[] = {
		CASE(only_one_statement_at_a_time),
		CASE(a_second_statement_is_not_run),
		CASE(wrong_number_of_columns),
		CASE(too_few_arguments),
		CASE(refused_by_class),
		CASE(a_failed_statement_can_run_again),
		CASE(the_error_may_be_unwanted),
		CASE(write_refused_where_readonly),
		CASE(waiting_for_a_lock_ends),
		CASE(the_deadline_ends_a_read),
		CASE(the_deadline_ends_a_write),
		CASE(unknown_url_parameter),
	};
	const struct CMUnitTest snapshots[] = {
		CASE(a_stale_snapshot_conflicts),
	};
	const struct CMUnitTest servers[] = {
		CASE(the_server_side_dies_under_a_read),
		CASE(the_server_side_dies_under_a_write),
		CASE(the_server_side_dies_while_idle),
		CASE(a_deadlock_is_a_conflict),
		CASE(nobody_listens),
		CASE(nobody_answers),
		CASE(no_such_database),
	};
	int failed = cmocka_run_group_tests(all, NULL, NULL);

	if (this_backend()->begin_snapshot)
		failed += cmocka_run_group_tests(snapshots, NULL, NULL);
	if (this_backend()->own_id)
		failed += cmocka_run_group_tests(servers, NULL, NULL);
	return failed;
}
