/* SPDX-License-Identifier: MIT */
/* The contract of a driver (src/driver/driver.h) where no answer comes: each call ends by its
 * deadline, says whether something may have been changed, and never tells a password. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "db/driver/driver_kit.h"

static void the_deadline_ends_a_read(void **state)
{
	struct world *w = *state;
	int rc = try_run(w, w->conn, w->backend->linger, true, SHORTLY_MS);

	must_fail(w, rc, DBLOCK_E_NO_ANSWER);
	/* A late answer must never be taken for that of the next statement. */
	assert_int_equal(w->conn->broken, w->backend->own_id != NULL);
}

/* Ends the server's side of w->conn, whose id was asked for before. */
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
		kill_server_side(w, id); /* it still has the table locked */
}

/* A statement that runs in its own thread. */
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

/* The connection ends between two statements: a read finds out, and says so. */
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

	must_fail(w, open_port(w, true, SHORTLY_MS), DBLOCK_E_NO_ANSWER);
}

/* The URL is DBLOCK_TEST_URL with another path. */
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
		CASE(the_deadline_ends_a_read),
		CASE(the_deadline_ends_a_write),
		CASE(unknown_url_parameter),
	};
	const struct CMUnitTest servers[] = {
		CASE(the_server_side_dies_under_a_read),
		CASE(the_server_side_dies_under_a_write),
		CASE(the_server_side_dies_while_idle),
		CASE(nobody_listens),
		CASE(nobody_answers),
		CASE(no_such_database),
	};
	int failed = cmocka_run_group_tests(all, NULL, NULL);

	if (this_backend()->own_id)
		failed += cmocka_run_group_tests(servers, NULL, NULL);
	return failed;
}
