/* SPDX-License-Identifier: MIT */
/* The trigger that `dblock migrate new --fence` writes, made and applied by the program. What
 * dblock_fence() leaves in the transaction is put there by hand, also what it never would. */
#include "db/driver_kit.h"

/* Of the lock 'account': its own row, and one in its line. */
#define GRANT    "account\t5\t7\t0\n"
#define OTHER    "other\t5\t7\t0\n"
#define OLDER    "account\t4\t7\t0\n"
#define QUEUE    "account\t6\t8\t9\n"

#define WRITE    "UPDATE fenced SET n = n + 1"
#define OF_LOCK  "dblock_lock WHERE name = 'account'"
#define OF_QUEUE "dblock_queue WHERE ticket = 9"
#define TAKEOVER "UPDATE dblock_lock SET token = token + 1, nonce = 77 WHERE name = 'account'"
#define LEAVING  "DELETE FROM " OF_QUEUE

static bool on_mysql(void)
{
	return strcmp(this_backend()->name, "mysql") == 0;
}

/* As the user types it. */
static void shell(const char *line)
{
	if (system(line) != 0) /* NOLINT: the test is about what is typed */
		fail_msg("failed: %s", line);
}

static int make_trigger(void **unused)
{
	(void)unused;
	shell("dblock -q -u \"$DBLOCK_TEST_URL\" migrate up >/dev/null");
	shell("mkdir -p \"$DBLOCK_TEST_TMP/m\" && cd \"$DBLOCK_TEST_TMP/m\" && "
	      "echo 'CREATE TABLE fenced (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);' "
	      ">0001_fenced.sql && "
	      "dblock -u \"$DBLOCK_TEST_URL\" migrate new --fence fenced --lock account --seq "
	      "--dir . >/dev/null && "
	      "dblock -q -u \"$DBLOCK_TEST_URL\" migrate up --dir . >/dev/null");
	return 0;
}

/* ---- what is put there by hand -------------------------------------------------------------- */

static void set_fences(struct world *w, const char *entries)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 on_mysql() ? "SET @dblock_fence = '%s'"
			    : "SELECT set_config('dblock.fence', '%s', true)",
		 entries);
	exec(w, w->conn, sql);
}

/* In a transaction that has fenced these. */
static void begin(struct world *w, const char *entries)
{
	exec(w, w->conn, "BEGIN");
	set_fences(w, entries);
}

static void passes(struct world *w, const char *entries, const char *sql)
{
	begin(w, entries);
	exec(w, w->conn, sql);
	exec(w, w->conn, "ROLLBACK");
}

static void says(const struct world *w, const char *part)
{
	if (!strstr(w->err.message, part))
		fail_msg("no '%s' in '%s'", part, w->err.message);
}

/* The statement, and nothing but the statement, was stopped: with which words? */
static void is_refused(struct world *w, const char *sql, const char *state, const char *words)
{
	must_fail(w, try_exec(w, w->conn, sql), DBLOCK_E_BUG);
	assert_string_equal(w->err.sqlstate, on_mysql() ? "45000" : state);
	says(w, "dblock: ");
	says(w, words);
	says(w, "fenced");
	says(w, "account");
	exec(w, w->conn, "ROLLBACK");
}

static void is_missing(struct world *w, const char *entries, const char *sql)
{
	begin(w, entries);
	is_refused(w, sql, "LF001", "call dblock_fence()");
}

static void is_stale(struct world *w, const char *entries)
{
	begin(w, entries);
	is_refused(w, WRITE, "LF002", "stale");
}

/* One grant in the lock's own row, token 5 and nonce 7; one in its line, ticket 9. */
static int set_up_scene(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->backend = this_backend();
	w->driver = this_driver();
	w->conn = connect_db(w);
	w->other = connect_db(w);
	exec(w, w->other, w->backend->lock_setup);
	exec(w, w->other, "DELETE FROM dblock_lock");
	exec(w, w->other, "DELETE FROM dblock_queue");
	exec(w, w->other,
	     "INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired) "
	     "VALUES ('account', 5, 7, 'h', 1, 1, 1, 1), ('other', 5, 7, 'h', 1, 1, 1, 1)");
	exec(w, w->other,
	     "INSERT INTO dblock_queue (name, ticket, nonce, session, thread, bell, since, token) "
	     "VALUES ('account', 9, 8, 's', 1, '', 1, 6), ('account', 10, 9, 's', 1, '', 1, NULL)");
	/* Also on servers whose default is stricter: what a program most often has. */
	exec(w, w->conn,
	     on_mysql() ? "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ"
			: "SET default_transaction_isolation = 'read committed'");
	begin(w, GRANT);
	exec(w, w->conn, "DELETE FROM fenced");
	exec(w, w->conn, "INSERT INTO fenced VALUES (1, 0)");
	exec(w, w->conn, "COMMIT");
	*state = w;
	return 0;
}

static int tear_down_scene(void **state)
{
	struct world *w = *state;

	w->driver->close(w->conn);
	w->driver->close(w->other);
	free(w);
	return 0;
}

/* ---- who fenced, and who did not ------------------------------------------------------------ */

static void no_fence_no_write(void **state)
{
	struct world *w = *state;

	must_fail(w, try_exec(w, w->other, WRITE), DBLOCK_E_BUG);
	says(w, "call dblock_fence()");
	is_missing(w, "", "INSERT INTO fenced VALUES (2, 0)");
	is_missing(w, "", WRITE);
	is_missing(w, "", "DELETE FROM fenced");
	if (!on_mysql())
		is_missing(w, "", "TRUNCATE fenced");
	is_missing(w, OTHER, WRITE);
	is_missing(w, "account2\t5\t7\t0\n", WRITE);
	is_missing(w, "ACCOUNT\t5\t7\t0\n", WRITE);
	is_missing(w, "an account\t5\t7\t0\n", WRITE);
	assert_int_equal(one_int(w, w->other, "SELECT count(*) FROM fenced WHERE n = 0"), 1);
}

static void with_a_fence_each_write(void **state)
{
	struct world *w = *state;

	passes(w, GRANT, "INSERT INTO fenced VALUES (2, 0)");
	passes(w, GRANT, WRITE);
	passes(w, GRANT, "DELETE FROM fenced");
	if (!on_mysql())
		passes(w, GRANT, "TRUNCATE fenced");
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

static void a_grant_in_the_line(void **state)
{
	struct world *w = *state;

	passes(w, QUEUE, WRITE);
	is_stale(w, "account\t6\t8\t0\n");
	is_stale(w, "account\t6\t8\t11\n");
	is_stale(w, "account\t5\t8\t9\n");
	is_stale(w, "account\t\t9\t10\n"); /* who waits */
	exec(w, w->other, "DELETE FROM dblock_queue");
	is_stale(w, QUEUE);
}

/* Who wants to write the row that carries a grant has to wait. */
static void is_held(struct world *w, const char *row, const char *write)
{
	char probe[128];

	snprintf(probe, sizeof(probe), "SELECT 1 FROM %s FOR UPDATE NOWAIT", row);
	/* MySQL counts in seconds what it waits for a write. */
	must_fail(w, try_exec(w, w->other, on_mysql() ? probe : write), DBLOCK_E_LOCKED);
}

/* ---- takeovers ------------------------------------------------------------------------------ */

/* Nobody has called a fence in this transaction: the trigger's own lock on the row is all there is.
 */
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
	/* May be right, may be wrong: to be tried again. */
	must_fail(w, try_exec(w, w->conn, WRITE), DBLOCK_E_CONFLICT);
	assert_string_equal(w->err.sqlstate, "40001");
	exec(w, w->conn, "ROLLBACK");
}

/* It lets go what was locked since then, by the trigger as well: on PostgreSQL always, on MySQL if
 * the transaction had not touched a table yet. */
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

/* Who acquires in a transaction that has looked at something already. */
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

/* It reads dblock's tables, whatever else is called so in this session. (On MySQL a temporary table
 * hides the other one from everybody in its session.) */
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
		SCENE(a_grant_in_the_line),
		SCENE(a_takeover_waits_for_the_commit),
		SCENE(what_an_earlier_transaction_left),
		SCENE(a_snapshot_from_before_the_takeover),
		SCENE(a_grant_younger_than_the_snapshot),
		SCENE(back_to_a_savepoint),
		SCENE(tables_of_the_same_name),
	};

	return cmocka_run_group_tests(tests, make_trigger, NULL);
}
