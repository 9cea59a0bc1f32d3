/* SPDX-License-Identifier: MIT */
/* The trigger that `dblock migrate new --fence` writes, against what dblock_fence() leaves in the
 * transaction, and against forged entries. */
#include "db/lock/tx/fence_scene.h"

/* ---- who fenced, and who did not ------------------------------------------------------------ */

static const char *const writes[] = {"INSERT INTO fenced VALUES (2, 0)", WRITE,
				     "DELETE FROM fenced", "TRUNCATE fenced"};

/* MySQL has no triggers for TRUNCATE. */
static int n_writes(void)
{
	return on_mysql() ? 3 : 4;
}

static void no_fence_no_write(void **state)
{
	struct world *w = *state;

	must_fail(w, try_exec(w, w->other, WRITE), DBLOCK_E_BUG);
	says(w, "call dblock_fence()");
	for (int i = 0; i < n_writes(); i++)
		is_missing(w, "", writes[i]);
	is_missing(w, OTHER, WRITE);
	is_missing(w, "account2\t5\t7\t0\n", WRITE);
	is_missing(w, "ACCOUNT\t5\t7\t0\n", WRITE);
	is_missing(w, "an account\t5\t7\t0\n", WRITE);
	assert_int_equal(one_int(w, w->other, "SELECT count(*) FROM fenced WHERE n = 0"), 1);
}

static void with_a_fence_each_write(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < n_writes(); i++)
		passes(w, GRANT, writes[i]);
	begin(w, GRANT);
	exec(w, w->conn, WRITE);
	exec(w, w->conn, WRITE);
	exec(w, w->conn, "COMMIT");
	assert_int_equal(one_int(w, w->other, "SELECT n FROM fenced WHERE id = 1"), 2);
}

static void the_last_entry_of_the_lock_counts(void **state)
{
	struct world *w = *state;

	passes(w, OTHER GRANT, WRITE);
	passes(w, OLDER GRANT OTHER, WRITE);
	is_stale(w, GRANT OLDER);
}

static void what_the_row_does_not_say_is_stale(void **state)
{
	struct world *w = *state;

	is_stale(w, OLDER);
	is_stale(w, "account\t6\t7\t0\n");
	is_stale(w, "account\t5\t8\t0\n");
	is_stale(w, "account\t5\t7\t9\n");
	is_stale(w, "account\t5\t7\n");
	exec(w, w->other, "UPDATE dblock_lock SET nonce = 0 WHERE name = 'account'");
	is_stale(w, GRANT);
	is_stale(w, "account\t5\t0\t0\n");
	exec(w, w->other, "DELETE FROM dblock_lock WHERE name = 'account'");
	is_stale(w, GRANT);
}

static void a_grant_in_the_queue(void **state)
{
	struct world *w = *state;

	passes(w, QUEUE, WRITE);
	is_stale(w, "account\t6\t8\t0\n");
	is_stale(w, "account\t6\t8\t11\n");
	is_stale(w, "account\t5\t8\t9\n");
	is_stale(w, "account\t\t9\t10\n"); /* this one waits */
	exec(w, w->other, "DELETE FROM dblock_queue");
	is_stale(w, QUEUE);
}

/* A write of the row that carries the grant has to wait. */
static void is_held(struct world *w, const char *row, const char *write)
{
	char probe[128];

	snprintf(probe, sizeof(probe), "SELECT 1 FROM %s FOR UPDATE NOWAIT", row);
	/* MySQL would wait whole seconds for a write. */
	must_fail(w, try_exec(w, w->other, on_mysql() ? probe : write), DBLOCK_E_BLOCKED);
}

/* ---- takeovers ------------------------------------------------------------------------------ */

/* Nobody has called a fence in this transaction: only the trigger has locked the row. */
static void a_takeover_waits_for_the_commit(void **state)
{
	struct world *w = *state;

	begin(w, GRANT);
	exec(w, w->conn, WRITE);
	is_held(w, OF_LOCK, TAKEOVER);
	exec(w, w->conn, "COMMIT");
	exec(w, w->other, TAKEOVER);

	begin(w, QUEUE);
	exec(w, w->conn, WRITE);
	is_held(w, OF_QUEUE, LEAVING);
	exec(w, w->conn, "COMMIT");
	exec(w, w->other, LEAVING);
}

/* Where dblock_fence() had to change the row, so does the trigger, in each transaction: what is only
 * locked is not certified by Galera, and no longer locked once a branch is prepared (MariaDB). */
static void a_write_that_changes_the_row(void **state)
{
	struct world *w = *state;

	if (!on_mysql())
		return;
	begin(w, "\twrites\n" OTHER GRANT QUEUE OTHER);
	exec(w, w->conn, WRITE);
	exec(w, w->conn, "COMMIT");
	assert_int_equal(one_int(w, w->other, "SELECT fenced FROM " OF_QUEUE), 1);
	assert_int_equal(one_int(w, w->other, "SELECT COUNT(*) FROM dblock_lock WHERE fenced <> 0"),
			 0);

	exec(w, w->conn, "XA START 'branch'");
	set_fences(w, "\twrites\n" GRANT);
	exec(w, w->conn, WRITE);
	assert_int_equal(one_int(w, w->conn, "SELECT fenced FROM " OF_LOCK), 1);
	exec(w, w->conn, "XA END 'branch'");
	exec(w, w->conn, "XA PREPARE 'branch'");
	is_held(w, OF_LOCK, TAKEOVER);
	exec(w, w->conn, "XA ROLLBACK 'branch'");

	is_stale(w, "\twrites\n" OLDER);
	is_missing(w, "\twrites\n" OTHER, WRITE);
	is_missing(w, "\twrites\n", WRITE);
	assert_int_equal(one_int(w, w->other, "SELECT COUNT(*) FROM dblock_lock WHERE fenced <> 0"),
			 0);
}

/* On MySQL the variable outlives the transaction, and the grant. */
static void what_an_earlier_transaction_left(void **state)
{
	struct world *w = *state;

	begin(w, GRANT);
	exec(w, w->conn, WRITE);
	exec(w, w->conn, "COMMIT");
	exec(w, w->other, TAKEOVER);
	is_refused(w, WRITE, "LF001", on_mysql() ? "stale" : "call dblock_fence()");
}

static void a_snapshot_from_before_the_takeover(void **state)
{
	struct world *w = *state;

	exec(w, w->conn,
	     on_mysql() ? "START TRANSACTION WITH CONSISTENT SNAPSHOT"
			: "BEGIN ISOLATION LEVEL REPEATABLE READ");
	set_fences(w, GRANT);
	assert_int_equal(one_int(w, w->conn, "SELECT n FROM fenced"), 0);
	exec(w, w->other, TAKEOVER);
	if (on_mysql()) {
		is_refused(w, WRITE, "", "stale");
		return;
	}
	/* The entry may be right or wrong, so the statement must be tried again. */
	must_fail(w, try_exec(w, w->conn, WRITE), DBLOCK_E_CONFLICT);
	assert_string_equal(w->err.sqlstate, "40001");
	exec(w, w->conn, "ROLLBACK");
}

/* ROLLBACK TO gives up locks that were taken since the savepoint, the trigger's as well: on
 * PostgreSQL always, on MySQL if the transaction had not touched a table before. */
static void back_to_a_savepoint(void **state)
{
	struct world *w = *state;

	begin(w, GRANT);
	exec(w, w->conn, "SAVEPOINT here");
	exec(w, w->conn, WRITE);
	exec(w, w->conn, "ROLLBACK TO SAVEPOINT here");
	exec(w, w->conn, WRITE);
	is_held(w, OF_LOCK, TAKEOVER);
	exec(w, w->conn, "ROLLBACK TO SAVEPOINT here");
	exec(w, w->other, TAKEOVER);
	is_refused(w, WRITE, "LF002", "stale");
	if (on_mysql())
		return;

	exec(w, w->conn, "BEGIN");
	exec(w, w->conn, "SAVEPOINT here");
	set_fences(w, "account\t6\t77\t0\n");
	exec(w, w->conn, WRITE);
	exec(w, w->conn, "ROLLBACK TO SAVEPOINT here");
	is_refused(w, WRITE, "LF001", "call dblock_fence()");
}

/* A lock is acquired in a transaction that has read something already. */
static void a_grant_younger_than_the_snapshot(void **state)
{
	struct world *w = *state;

	exec(w, w->conn,
	     on_mysql() ? "START TRANSACTION WITH CONSISTENT SNAPSHOT"
			: "BEGIN ISOLATION LEVEL REPEATABLE READ");
	assert_int_equal(one_int(w, w->conn, "SELECT n FROM fenced"), 0);
	exec(w, w->other, TAKEOVER);
	set_fences(w, "account\t6\t77\t0\n");
	if (on_mysql())
		exec(w, w->conn, WRITE);
	else
		must_fail(w, try_exec(w, w->conn, WRITE), DBLOCK_E_CONFLICT);
	exec(w, w->conn, "ROLLBACK");
}

/* The trigger reads dblock's tables, whatever else has their names in this session. (On MySQL a
 * temporary table hides the other one from everybody in its session.) */
static void tables_of_the_same_name(void **state)
{
	struct world *w = *state;

	if (on_mysql())
		return;
	exec(w, w->conn,
	     "CREATE TEMPORARY TABLE dblock_lock AS SELECT * FROM dblock_lock WHERE name = "
	     "'other'");
	passes(w, GRANT, WRITE);
}

#define SCENE(name) cmocka_unit_test_setup_teardown(name, set_up_scene, tear_down_scene)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(no_fence_no_write),
		SCENE(with_a_fence_each_write),
		SCENE(the_last_entry_of_the_lock_counts),
		SCENE(what_the_row_does_not_say_is_stale),
		SCENE(a_grant_in_the_queue),
		SCENE(a_takeover_waits_for_the_commit),
		SCENE(a_write_that_changes_the_row),
		SCENE(what_an_earlier_transaction_left),
		SCENE(a_snapshot_from_before_the_takeover),
		SCENE(a_grant_younger_than_the_snapshot),
		SCENE(back_to_a_savepoint),
		SCENE(tables_of_the_same_name),
	};

	return cmocka_run_group_tests(tests, make_trigger, NULL);
}
