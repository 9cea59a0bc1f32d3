/* SPDX-License-Identifier: MIT */
/* The contract of a driver (src/driver/driver.h) for a caller who wants to know of a long statement that it
 * is under way, and how many rows it has changed. */
#include "db/driver/driver_kit.h"

/* What is done at the second tick, so that the statement ends however fast the machine is. */
struct clock {
	struct world *w;
	void (*second)(struct world *);
	int ticks;
};

static void tick(void *arg)
{
	struct clock *clock = arg;

	if (++clock->ticks == 2)
		clock->second(clock->w);
}

static int exec_with_ticks(struct clock *clock, const char *sql, int64_t ms)
{
	struct dbl_conn *conn = clock->w->conn;
	int rc;

	conn->tick = tick;
	conn->tick_ctx = clock;
	conn->deadline = in_ms(ms);
	rc = clock->w->driver->exec(conn, sql, &clock->w->err);
	conn->tick = NULL;
	return rc;
}

static bool is_server(const struct world *w)
{
	return w->backend->own_id != NULL;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void let_go(struct world *w)
{
	exec(w, w->other, "ROLLBACK");
}

/* Somebody else has the row, or the file, until the second tick. */
static void a_statement_that_waits_ticks(void **state)
{
	struct clock clock = {.w = *state, .second = let_go};
	struct world *w = *state;

	exec(w, w->other, w->backend->begin_write);
	exec(w, w->other, "INSERT INTO dblock_contract (k) VALUES (1)");
	must(w, exec_with_ticks(&clock, "INSERT INTO dblock_contract (k) VALUES (1)", PLENTY_MS));
	assert_true(clock.ticks >= 2);
	assert_int_equal(w->conn->changed, 1);
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 1);
}

/* ---- a statement that does not end by itself ------------------------------------------------- */

static char kill_sql[200];

static void end_it(struct world *w)
{
	if (is_server(w))
		exec(w, w->other, kill_sql);
	else
		w->conn->deadline = in_ms(0); /* which it looks at after the tick */
}

/* It is reported as without ticks: see driver_lost.c. */
static void a_statement_that_works_ticks_until_it_is_lost(void **state)
{
	struct clock clock = {.w = *state, .second = end_it};
	struct world *w = *state;

	if (is_server(w))
		snprintf(kill_sql, sizeof(kill_sql), "%s%lld%s", w->backend->kill[0],
			 (long long)one_int(w, w->conn, w->backend->own_id), w->backend->kill[1]);
	must_fail(w, exec_with_ticks(&clock, w->backend->linger_write, PLENTY_MS),
		  w->backend->linger_write_outcome);
	assert_true(clock.ticks >= 2);
	assert_int_equal(w->conn->broken, is_server(w));
}

static void do_nothing(struct world *w)
{
	(void)w;
}

static void the_deadline_ends_it_between_two_ticks(void **state)
{
	struct clock clock = {.w = *state, .second = do_nothing};
	struct world *w = *state;
	int64_t id = is_server(w) ? one_int(w, w->conn, w->backend->own_id) : 0;

	must_fail(w, exec_with_ticks(&clock, w->backend->linger_write, 1500),
		  w->backend->linger_write_outcome);
	assert_int_equal(w->conn->broken, is_server(w));
	if (!is_server(w))
		return;
	snprintf(kill_sql, sizeof(kill_sql), "%s%lld%s", w->backend->kill[0], (long long)id,
		 w->backend->kill[1]);
	(void)try_exec(w, w->other, kill_sql); /* it still has the table locked */
}

/* ---- a short one ----------------------------------------------------------------------------- */

static void a_refusal_is_told_as_without_ticks(void **state)
{
	struct clock clock = {.w = *state, .second = do_nothing};
	const char *twice = "INSERT INTO dblock_contract (k) VALUES (7), (7)";
	struct world *w = *state;
	struct dblock_error plain;

	assert_true(try_exec(w, w->conn, twice) < 0);
	plain = w->err;
	must_fail(w, exec_with_ticks(&clock, twice, PLENTY_MS), plain.code);
	assert_string_equal(w->err.message, plain.message);
	assert_int_equal(w->err.native, plain.native);
	assert_false(w->conn->broken);
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 0);
}

static void is_counted(struct clock *clock, const char *sql, int64_t changed)
{
	must(clock->w, exec_with_ticks(clock, sql, PLENTY_MS));
	if (clock->w->conn->changed != changed)
		fail_msg("%s: %lld rows", sql, (long long)clock->w->conn->changed);
	clock->w->conn->changed = -1;
}

static void changed_rows_are_counted(void **state)
{
	struct clock clock = {.w = *state, .second = do_nothing};

	is_counted(&clock, "INSERT INTO dblock_contract (k, i) VALUES (1, 1), (2, 2), (3, 3)", 3);
	is_counted(&clock, "UPDATE dblock_contract SET i = 9 WHERE k > 1", 2);
	is_counted(&clock, "SELECT k FROM dblock_contract", 0);
	is_counted(&clock, "UPDATE dblock_contract SET i = 9 WHERE k > 5", 0);
	is_counted(&clock, "CREATE TABLE dblock_child (k INTEGER)", 0);
	is_counted(&clock, "INSERT INTO dblock_child SELECT k FROM dblock_contract", 3);
	is_counted(&clock, "DROP TABLE dblock_child", 0);
	is_counted(&clock, "DELETE FROM dblock_contract WHERE k = 2", 1);
}

/* A table that is made of rows has them; and what a procedure does counts, also behind its rows. */
static void rows_of_other_statements_are_counted(void **state)
{
	struct clock clock = {.w = *state, .second = do_nothing};
	struct world *w = *state;

	is_counted(&clock, "INSERT INTO dblock_contract (k, i) VALUES (1, 1), (2, 2)", 2);
	is_counted(&clock, "CREATE TABLE dblock_child AS SELECT k FROM dblock_contract", 2);
	if (strcmp(w->backend->name, "mysql") == 0) {
		exec(w, w->conn,
		     "CREATE PROCEDURE dblock_ticks() BEGIN SELECT 1; DELETE FROM dblock_child; "
		     "END");
		is_counted(&clock, "CALL dblock_ticks()", 2);
		exec(w, w->conn, "DROP PROCEDURE dblock_ticks");
		return;
	}
	exec(w, w->conn, "BEGIN");
	exec(w, w->conn, "DECLARE c SCROLL CURSOR FOR SELECT k FROM dblock_contract");
	is_counted(&clock, "FETCH 2 FROM c", 0);
	is_counted(&clock, "MOVE BACKWARD 2 FROM c", 0);
	exec(w, w->conn, "COMMIT");
	is_counted(&clock, "DELETE FROM dblock_child RETURNING k", 2);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		CASE(a_statement_that_waits_ticks),
		CASE(a_statement_that_works_ticks_until_it_is_lost),
		CASE(the_deadline_ends_it_between_two_ticks),
		CASE(a_refusal_is_told_as_without_ticks),
		CASE(changed_rows_are_counted),
	};
	const struct CMUnitTest servers[] = {CASE(rows_of_other_statements_are_counted)};
	int failed = cmocka_run_group_tests(all, NULL, NULL);

	if (this_backend()->own_id)
		failed += cmocka_run_group_tests(servers, NULL, NULL);
	return failed;
}
