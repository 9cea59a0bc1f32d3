/* SPDX-License-Identifier: MIT */
/* Whatever is sent to a server that has closed the connection, no SIGPIPE reaches the application,
 * whose handler stays as it was. */
#include <signal.h>

#include "db/driver/driver_kit.h"

/* Makes the server close its side; the client library does not know it yet. */
static void lose(struct world *w)
{
	long long id = one_int(w, w->conn, "SELECT CONNECTION_ID()");
	int64_t end = in_ms(PLENTY_MS);
	char sql[200];

	snprintf(sql, sizeof(sql), "KILL %lld", id);
	exec(w, w->other, sql);
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM " PROCESSES " WHERE id = %lld", id);
	while (one_int(w, w->other, sql) != 0)
		assert_true(in_ms(0) < end);
}

static void nothing_has_changed(void)
{
	struct sigaction action;
	sigset_t mask;

	assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	assert_int_equal(sigismember(&mask, SIGPIPE), 0);
}

/* The client library wants SIGPIPE ignored in the whole process, and in children after exec. */
static void a_statement(void **state)
{
	struct world *w = *state;

	lose(w);
	while (try_exec(w, w->conn, "DO 1") == 0)
		;
	nothing_has_changed();
}

/* Naive: a forgotten statement is closed on the server without regard to a socket that is closed.
 */
static void a_statement_that_is_forgotten(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmts[] = {prepare(w, w->conn, "SELECT 1"),
				    prepare(w, w->conn, "SELECT 2"),
				    prepare(w, w->conn, "SELECT 3")};

	lose(w);
	for (unsigned i = 0; i < 3; i++)
		w->driver->forget(stmts[i]);
	nothing_has_changed();
	assert_true(try_exec(w, w->conn, "DO 1") < 0);
}

static void a_reset(void **state)
{
	struct world *w = *state;

	prepare(w, w->conn, "SELECT 1");
	prepare(w, w->conn, "SELECT 2");
	lose(w);
	assert_true(w->driver->reset(w->conn, &w->err) < 0);
	assert_true(w->conn->broken);
	nothing_has_changed();
}

/* Nobody waits for a deadline that is over, or for a connection that is lost. */
static void a_statement_that_is_forgotten_too_late(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT 1");

	w->conn->deadline = in_ms(0);
	w->driver->forget(stmt);
	w->conn->deadline = in_ms(PLENTY_MS);
	assert_int_equal(one_int(w, w->conn, "SELECT 4"), 4);
	stmt = prepare(w, w->conn, "SELECT 1");
	w->conn->broken = true;
	w->driver->forget(stmt);
	nothing_has_changed();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_statement),
		CASE(a_statement_that_is_forgotten),
		CASE(a_reset),
		CASE(a_statement_that_is_forgotten_too_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
