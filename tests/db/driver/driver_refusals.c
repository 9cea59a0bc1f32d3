/* SPDX-License-Identifier: MIT */
/* The contract of a driver (src/driver/driver.h) where the database refuses: each trouble has its
 * class, the same on every database, and the connection is as good as before. */
#include "db/driver/driver_kit.h"

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

/* The driver must notice the second statement before it is carried out. */
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

/* PostgreSQL and SQLite carry the statement out and refuse only its commit. */
static void a_commit_can_be_refused(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt;
	int64_t changed;

	if (w->backend->check_setup)
		exec(w, w->conn, w->backend->check_setup);
	exec(w, w->conn, w->backend->create_child);
	stmt = prepare(w, w->conn, "INSERT INTO dblock_child (k) VALUES ($1)");
	must_fail(w, w->driver->run(stmt, VALUES(dbl_int(1)), &changed, &w->err), DBLOCK_E_BUG);
	put_row(w, 1);
	assert_int_equal(run(w, stmt, VALUES(dbl_int(1))), 1);
	must_fail(w, w->driver->run(stmt, VALUES(dbl_int(2)), &changed, &w->err), DBLOCK_E_BUG);
	must_fail(w, try_exec(w, w->conn, "INSERT INTO dblock_child (k) VALUES (3)"), DBLOCK_E_BUG);
	assert_int_equal(one_int(w, w->other, "SELECT count(*) FROM dblock_child"), 1);
	still_works(w);
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
		  DBLOCK_E_BLOCKED);
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

static void *cross(void *arg)
{
	struct world *w = arg;

	return try_exec(w, w->other, UPDATE) == DBLOCK_E_CONFLICT ? arg : NULL;
}

/* Each transaction has one row and wants the other's: one of the two gives way. */
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

int main(void)
{
	const struct CMUnitTest all[] = {
		CASE(only_one_statement_at_a_time),
		CASE(a_second_statement_is_not_run),
		CASE(wrong_number_of_columns),
		CASE(too_few_arguments),
		CASE(refused_by_class),
		CASE(a_failed_statement_can_run_again),
		CASE(a_commit_can_be_refused),
		CASE(the_error_may_be_unwanted),
		CASE(write_refused_where_readonly),
		CASE(waiting_for_a_lock_ends),
	};
	const struct CMUnitTest snapshots[] = {
		CASE(a_stale_snapshot_conflicts),
	};
	const struct CMUnitTest servers[] = {
		CASE(a_deadlock_is_a_conflict),
	};
	int failed = cmocka_run_group_tests(all, NULL, NULL);

	if (this_backend()->begin_snapshot)
		failed += cmocka_run_group_tests(snapshots, NULL, NULL);
	if (this_backend()->own_id)
		failed += cmocka_run_group_tests(servers, NULL, NULL);
	return failed;
}
