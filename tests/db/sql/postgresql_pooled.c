/* SPDX-License-Identifier: MIT */
/*
 * Behind a pooler others have the server's session between two transactions of ours: nothing of ours
 * stays there, and nothing of theirs counts. Here we play the others, by what we send on the
 * connection outside of all frames; tests/engines/pgbouncer is about a real pooler.
 */
#include "db/sql/pooled_kit.h"
#include "driver/value.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/tx.h"

static struct dbl_conn *conn_of(struct dbl_db *db)
{
	return ((struct dbl_db_head *)db)->conn;
}

/* ---- the others in the server's session ------------------------------------------------------ */

static void they_run(struct dbl_db *db, const char *sql)
{
	struct dbl_conn *conn = conn_of(db);
	const struct dbl_frame *frame = conn->frame;
	struct dblock_error err = {0};

	conn->frame = NULL;
	conn->deadline = dbl_now(conn->env) + dbl_ms(PLENTY_MS);
	if (conn->driver->exec(conn, sql, &err))
		fail_msg("%s: %s", sql, err.message);
	conn->frame = frame;
}

/* Is this true for them? */
static bool they_see(struct dbl_db *db, const char *what)
{
	char sql[512];

	they_run(db, "DROP TABLE IF EXISTS public.seen");
	snprintf(sql, sizeof(sql), "CREATE TABLE public.seen AS SELECT (%s) AS it", what);
	they_run(db, sql);
	they_run(db, "SELECT 1 / it::int FROM public.seen WHERE it IS NOT NULL");
	return true;
}

static void they_set_all_that_harms(struct dbl_db *db)
{
	static const char *const types[] = {"text", "bigint", "int", "boolean"};
	static const char *const settings[] = {"search_path = theirs, pg_catalog, public",
					       "synchronous_commit = off",
					       "default_transaction_read_only = on",
					       "default_transaction_isolation = serializable",
					       "array_nulls = off",
					       "enable_indexscan = off",
					       "client_min_messages = error",
					       "ROLE pooled_neighbour",
					       "lock_timeout = '1ms'",
					       "idle_in_transaction_session_timeout = '1ms'"};

	they_run(db, "CREATE SCHEMA theirs");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		char sql[256];

		snprintf(sql, sizeof(sql),
			 "CREATE FUNCTION theirs.never(%s, %s) RETURNS boolean LANGUAGE sql "
			 "AS 'SELECT false'",
			 types[i], types[i]);
		they_run(db, sql);
		snprintf(sql, sizeof(sql),
			 "CREATE OPERATOR theirs.= (LEFTARG = %s, RIGHTARG = %s, FUNCTION = "
			 "theirs.never)",
			 types[i], types[i]);
		they_run(db, sql);
	}
	they_run(db, "DO $$ BEGIN CREATE ROLE pooled_neighbour; EXCEPTION WHEN duplicate_object "
		     "OR unique_violation THEN NULL; END $$");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "SET %s", settings[i]);
		they_run(db, sql);
	}
}

/* ---- the two sides --------------------------------------------------------------------------- */

static void nothing_of_ours_stays(void **state)
{
	struct puppet *puppet = puppet_new(NULL, 600000);
	struct dblock_error err = {0};
	int64_t deadline = dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS);

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	assert_true(puppet_beats(puppet));
	assert_true(puppet_takes(puppet, "queue"));
	puppet_begin(puppet);
	puppet_queues(puppet, "queue");
	puppet_commit(puppet);
	expect(OK, dbl_db_script(puppet->db, DBL_OP_migration_table, deadline, &err));
	assert_false(dbl_db_in_tx(puppet->db));
	expect(E_INVALID,
	       dbl_db_listen(puppet->db, "0123456789abcdef0123456789abcdef", deadline, &err));
	they_see(puppet->db, "SELECT count(*) = 0 FROM pg_settings WHERE source = 'session' AND "
			     "name NOT LIKE 'transaction%'");
	they_see(puppet->db, "SELECT count(*) = 0 FROM pg_prepared_statements");
	they_see(puppet->db, "SELECT count(*) = 0 FROM pg_listening_channels()");
	puppet_free(puppet);
}

/* Note it if our transactions are like that. */
static void note_if_ours_are(struct dbl_db *db, const char *setting, const char *want)
{
	struct dblock_error err = {0};
	int64_t deadline = dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS);
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO public.said SELECT 1 WHERE current_setting('%s') = '%s'", setting,
		 want);
	expect(OK, dbl_db_begin(db, deadline, &err));
	expect(OK, dbl_db_end(db, dbl_db_exec(db, sql, deadline, &err), deadline, &err));
}

static void nothing_of_theirs_counts(void **state)
{
	static const char *const want[][2] = {
		{"transaction_isolation", "read committed"},
		{"transaction_read_only", "off"},
		{"search_path", "pg_catalog, pg_temp"},
		{"synchronous_commit", "on"},
		{"role", "none"},
		{"statement_timeout", "0"},
		{"lock_timeout", "250ms"},
		{"array_nulls", "on"},
		{"client_min_messages", "warning"},
	};
	enum { N = sizeof(want) / sizeof(want[0]) };
	struct puppet *puppet = puppet_new(NULL, 600000), *other;
	struct raw *raw;

	(void)state;
	other = puppet_new(NULL, 600000);
	they_set_all_that_harms(puppet->db);
	tell(NULL);
	raw = raw_open(NULL);
	raw_exec(raw, "CREATE TABLE said (n int)");
	for (int i = 0; i < N; i++)
		note_if_ours_are(puppet->db, want[i][0], want[i][1]);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM said"), N);
	/* The same row is found, by key, in each operation. */
	assert_true(puppet_takes(puppet, "x"));
	assert_false(puppet_takes(other, "x"));
	assert_true(puppet_beats(puppet));
	assert_false(puppet_takes(puppet, "x"));
	they_run(puppet->db, "RESET ROLE");
	they_run(puppet->db, "SET default_transaction_read_only = off");
	they_see(puppet->db, "SELECT current_setting('search_path') OPERATOR(pg_catalog.=) "
			     "'theirs, pg_catalog, public'");
	they_see(puppet->db, "SELECT current_setting('lock_timeout') OPERATOR(pg_catalog.=) '1ms'");
	puppet_free(other);
	puppet_free(puppet);
	raw_close(raw);
}

/* In the caller's transactions it is as in a new session, and those that the caller begins by hand
 * are the caller's. */
static void the_callers_begin_as_a_session_does(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};

	(void)state;
	tx_exec(tx, "SET search_path = nowhere");
	tx_exec(tx, "SET statement_timeout = '1s'");
	tx_exec(tx, "SET ROLE NONE");
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(OK, dblock_fence(tx, lock, &err));
	tx_exec(tx, "SELECT 1 / (current_setting('search_path') LIKE '%public%')::int");
	tx_exec(tx, "SELECT 1 / (current_setting('statement_timeout') = '0')::int");
	expect(OK, dblock_tx_commit(tx, &err));
	tx_exec(tx, "BEGIN");
	tx_exec(tx, "SELECT 1 / (current_setting('search_path') = 'nowhere')::int");
	expect(OK, dblock_fence(tx, lock, &err));
	tx_exec(tx, "COMMIT");
	dblock_tx_close(tx);
	give(lock);
	dblock_close(client, NULL);
}

/* ---- the way over the wire ------------------------------------------------------------------- */

static void an_error_leaves_no_transaction_open(void **state)
{
	struct puppet *puppet = puppet_new(NULL, 600000);
	struct dblock_error err = {0};
	struct raw *raw;
	struct dbl_value args[] = {dbl_text("x"), dbl_int(1), dbl_int(1)};
	struct dbl_request request = {.op = DBL_OP_release, .args = DBL_ARGS(args)};

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	tell(NULL);
	raw = raw_open(NULL);
	raw_lock_row(raw, "x");
	args[1] = dbl_int(puppet->token);
	args[2] = dbl_int(puppet->nonce);
	request.deadline = dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS);
	expect(E_BLOCKED, dbl_db_run(puppet->db, &request, &err));
	assert_false(dbl_db_in_tx(puppet->db));
	they_see(puppet->db, "SELECT count(*) = 0 FROM pg_locks WHERE pid = pg_backend_pid() AND "
			     "relation = 'public.dblock_lock'::regclass");
	raw_exec(raw, "COMMIT");
	request.deadline = dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS);
	expect(OK, dbl_db_run(puppet->db, &request, &err));
	assert_int_equal(request.changed, 1);
	puppet_free(puppet);
	raw_close(raw);
}

static void a_call_is_one_round_trip(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct puppet *puppet;
	struct dblock_lock *lock;

	(void)state;
	give(take(client, "x"));
	spy_reset(spy);
	lock = take(client, "x");
	spy_assert_runs(spy, 1);
	give(lock);
	spy_assert_runs(spy, 2);
	assert_int_equal(spy->execs + spy->prepares + spy->opens, 0);
	dblock_close(client, NULL);
	puppet = puppet_new(&spy->env, 600000);
	assert_true(puppet_beats(puppet));
	spy_reset(spy);
	assert_true(puppet_beats(puppet));
	spy_assert_runs(spy, 1);
	assert_int_equal(spy->execs + spy->prepares + spy->opens, 0);
	puppet_free(puppet);
	spy_free(spy);
}

/* Nobody can end the server's process here, so nobody knows that the lost request is over: what it
 * may have taken is given back by its nonce, and the caller has the lock all the same. */
static void a_lost_reply_is_given_back(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_lock *lock;

	(void)state;
	give(take(client, "x"));
	spy_hit_nth(spy, 1, SPY_LOST_AFTER);
	lock = take(client, "x");
	assert_int_equal(spy->runs_of[DBL_OP_backend_end], 0);
	assert_int_equal(spy->runs_of[DBL_OP_backend], 0);
	assert_true(spy->runs_of[DBL_OP_give_back] > 0);
	give(lock);
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_of_ours_stays, set_up),
		cmocka_unit_test_setup(nothing_of_theirs_counts, set_up),
		cmocka_unit_test_setup(the_callers_begin_as_a_session_does, set_up),
		cmocka_unit_test_setup(an_error_leaves_no_transaction_open, set_up),
		cmocka_unit_test_setup(a_call_is_one_round_trip, set_up),
		cmocka_unit_test_setup(a_lost_reply_is_given_back, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
