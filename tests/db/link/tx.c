/* SPDX-License-Identifier: MIT */
/* Transactions of the caller on the client's connections. */
#include "support/tx.h"

static struct dblock_client *client;

static void it_is_all_or_nothing(void **state)
{
	struct dblock_tx *tx = tx_begin(client);

	(void)state;
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	assert_int_equal(tx_exec(tx, "UPDATE account SET money = money - 10 WHERE id = 1"), 1);
	assert_int_equal(tx_exec(tx, "UPDATE account SET money = money + 10 WHERE id = 2"), 1);
	tx_rollback(tx);
	assert_int_equal(tx_money(client, 1), 100);
	tx = tx_begin(client);
	tx_exec(tx, "UPDATE account SET money = money - 10 WHERE id = 1");
	tx_exec(tx, "UPDATE account SET money = money + 10 WHERE id = 2");
	tx_commit(tx);
	assert_int_equal(tx_money(client, 1), 90);
	assert_int_equal(tx_money(client, 2), 110);
}

/* Naive: the connection goes back with its open transaction, and the next user's statements get
 * into it. */
static void what_is_left_open_is_rolled_back(void **state)
{
	struct dblock_tx *tx = tx_begin(client);

	(void)state;
	tx_exec(tx, "UPDATE account SET money = 0 WHERE id = 3");
	dblock_tx_close(tx);
	assert_int_equal(tx_money(client, 3), 100);
	tx = tx_open(client);
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_NONE);
	dblock_tx_close(tx);
}

/* Naive: the idle connection goes to the next transaction with the settings of the last one. */
static void settings_of_one_are_not_the_next_ones(void **state)
{
	struct dblock_tx *tx = tx_open(client);

	(void)state;
	if (on_backend("postgresql"))
		tx_exec(tx, "SET search_path = nowhere");
	else if (on_backend("mysql"))
		tx_exec(tx, "SET SESSION sql_mode = 'ANSI_QUOTES', @mine = 1");
	else
		tx_exec(tx, "PRAGMA query_only = 1");
	dblock_tx_close(tx);
	tx = tx_open(client);
	assert_int_equal(tx_exec(tx, "UPDATE account SET owner = 'it''s' WHERE id = 4"), 1);
	if (on_backend("mysql"))
		assert_string_equal(tx_text(tx, "SELECT @mine"), "NULL");
	dblock_tx_close(tx);
}

static void values_are_bound(void **state)
{
	const char *nasty = "x'; DROP TABLE account; --\\ \"` \xc3\xa4";
	struct dblock_value values[] = {dblock_text(nasty), dblock_int(5), dblock_null()};
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};
	int64_t changed;

	(void)state;
	expect(OK, dblock_tx_query(tx,
				   "UPDATE account SET owner = $1 WHERE id = $2 AND "
				   "COALESCE($3, 'none') = 'none'",
				   values, 3, &changed, NULL, NULL, &err));
	assert_int_equal(changed, 1);
	assert_string_equal(tx_text(tx, "SELECT owner FROM account WHERE id = 5"), nasty);
	dblock_tx_close(tx);
}

static int stop_at_first(void *arg, const struct dblock_value *row, size_t n)
{
	(void)row, (void)n;
	++*(int *)arg;
	return 42;
}

static void rows_end_when_the_caller_says_so(void **state)
{
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};
	int rows = 0;

	(void)state;
	assert_int_equal(dblock_tx_query(tx, "SELECT id FROM account", NULL, 0, NULL, stop_at_first,
					 &rows, &err),
			 42);
	assert_int_equal(rows, 1);
	assert_int_equal(tx_int(tx, "SELECT count(*) FROM account"), 8);
	dblock_tx_close(tx);
}

static void what_the_database_refuses_is_said(void **state)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};

	(void)state;
	expect(E_REFUSED, dblock_tx_query(tx, "INSERT INTO account VALUES (1, 'twice', 0)", NULL, 0,
					  NULL, NULL, NULL, &err));
	assert_true(err.native || err.sqlstate[0]);
	/* The caller's own statement failed, so there is no savepoint to go back to. */
	if (on_backend("postgresql")) {
		assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_FAILED);
		expect(E_INVALID, dblock_tx_commit(tx, &err));
		message_has("rolled back");
	}
	tx_rollback(tx);
}

static void bad_calls_are_told(void **state)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, dblock_tx_commit(tx, &err));
	message_has("no transaction is open");
	expect(E_INVALID, dblock_tx_rollback(tx, &err));
	options.isolation = (enum dblock_isolation)7;
	expect(E_INVALID, dblock_tx_begin(tx, &options, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(E_INVALID, dblock_tx_begin(tx, NULL, &err));
	message_has("open already");
	expect(E_INVALID, dblock_tx_query(tx, NULL, NULL, 0, NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_tx_query(tx, "SELECT 1", NULL, 65, NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_tx_query(tx, "SELECT 1", NULL, 1, NULL, NULL, NULL, &err));
	tx_rollback(tx);
	expect(E_INVALID, dblock_tx_commit(NULL, &err));
	expect(E_INVALID, dblock_tx_open(NULL, &tx, &err));
	assert_int_equal(dblock_tx_state_of(NULL), DBLOCK_TX_LOST);
	dblock_tx_close(NULL);
}

/* The isolation asked for is what the server has. */
static void isolation_is_as_asked(void **state)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(client), *other = tx_open(client);
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		int64_t before;

		options.isolation = i ? DBLOCK_REPEATABLE_READ : DBLOCK_READ_COMMITTED;
		options.read_only = 1;
		expect(OK, dblock_tx_begin(tx, &options, &err));
		before = tx_int(tx, "SELECT money FROM account WHERE id = 6");
		tx_exec(other, "UPDATE account SET money = money + 1 WHERE id = 6");
		assert_int_equal(tx_int(tx, "SELECT money FROM account WHERE id = 6"),
				 i || on_backend("sqlite") ? before : before + 1);
		if (!on_backend("sqlite"))
			expect(E_READONLY, dblock_tx_query(tx, "UPDATE account SET money = 0", NULL,
							   0, NULL, NULL, NULL, &err));
		expect(OK, dblock_tx_rollback(tx, &err));
	}
	dblock_tx_close(tx);
	dblock_tx_close(other);
}

/* ---- run again ------------------------------------------------------------------------------- */

struct script {
	int runs, conflicts;
	int outcome;
};

static int add_one(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	struct script *script = arg;
	int rc = dblock_tx_query(tx, "UPDATE account SET money = money + 1 WHERE id = 7", NULL, 0,
				 NULL, NULL, NULL, err);

	script->runs++;
	if (rc == 0 && script->runs <= script->conflicts) {
		err->code = DBLOCK_E_CONFLICT;
		snprintf(err->message, sizeof(err->message), "a conflict, in a test");
		return DBLOCK_E_CONFLICT;
	}
	if (script->outcome) {
		err->code = script->outcome;
		snprintf(err->message, sizeof(err->message), "as told, in a test");
	}
	return rc ? rc : script->outcome;
}

static int says_nothing(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	(void)arg, (void)tx, (void)err;
	return 42;
}

static void what_conflicts_is_run_again(void **state)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct script script = {.conflicts = 3};
	struct dblock_error err = {0};

	(void)state;
	options.retry_ms = PLENTY_MS;
	expect(OK, dblock_tx_run(client, &options, add_one, &script, &err));
	assert_int_equal(script.runs, 4);
	assert_int_equal(tx_money(client, 7), 101);
	script = (struct script){.conflicts = 100};
	options.attempts = 5;
	expect(E_CONFLICT, dblock_tx_run(client, &options, add_one, &script, &err));
	assert_int_equal(script.runs, 5);
	script = (struct script){.outcome = DBLOCK_STALE};
	expect(STALE, dblock_tx_run(client, &options, add_one, &script, &err));
	assert_int_equal(script.runs, 1);
	assert_int_equal(dblock_tx_run(client, &options, says_nothing, NULL, &err), 42);
	assert_int_equal(err.code, 42);
	message_has("the function that ran in the transaction returned 42");
	options.attempts = 0;
	options.retry_ms = SLOWLY_MS(500);
	script = (struct script){.conflicts = 1000000};
	expect(E_CONFLICT, dblock_tx_run(client, &options, add_one, &script, &err));
	assert_true(script.runs > 1);
	assert_int_equal(tx_money(client, 7), 101);
	expect(E_INVALID, dblock_tx_run(client, &options, NULL, &script, &err));
}

/* Two transactions lock two rows crosswise: the server rolls one back, and it runs again. If it
 * runs before the other one has woken up, it takes the row that it has just let go of, or meets
 * what the other has changed since it began (serializable): then one of them runs once more. */
struct side {
	int first, second;
	_Atomic int runs;
	pthread_barrier_t *meet;
};

static int crosswise(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	struct side *side = arg;
	struct dblock_value first = dblock_int(side->first), second = dblock_int(side->second);
	const char *sql = "UPDATE account SET money = money + 1 WHERE id = $1";
	int rc = dblock_tx_query(tx, sql, &first, 1, NULL, NULL, NULL, err);

	if (side->runs++ == 0)
		pthread_barrier_wait(side->meet);
	return rc ? rc : dblock_tx_query(tx, sql, &second, 1, NULL, NULL, NULL, err);
}

static _Atomic int problems;

static void *run_side(void *arg)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.retry_ms = PLENTY_MS;
	if (dblock_tx_run(client, &options, crosswise, arg, &err))
		note_problem(&problems, "crosswise", &err);
	return NULL;
}

static void a_deadlock_is_run_again(void **state)
{
	pthread_barrier_t meet;
	struct side sides[] = {{1, 2, 0, &meet}, {2, 1, 0, &meet}};
	int64_t before = tx_money(client, 1), before_2 = tx_money(client, 2);
	struct crew crew = {.n = 0};

	(void)state;
	/* A file has one writer at a time: no two can lock crosswise. */
	if (on_backend("sqlite"))
		return;
	pthread_barrier_init(&meet, NULL, 2);
	crew_add(&crew, run_side, &sides[0]);
	crew_add(&crew, run_side, &sides[1]);
	crew_join(&crew);
	pthread_barrier_destroy(&meet);
	assert_int_equal(problems, 0);
	assert_true(sides[0].runs + sides[1].runs >= 3);
	assert_int_equal(tx_money(client, 1), before + 2);
	assert_int_equal(tx_money(client, 2), before_2 + 2);
}

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	tx_make_accounts(client, 8);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_all_or_nothing),
		cmocka_unit_test(what_is_left_open_is_rolled_back),
		cmocka_unit_test(settings_of_one_are_not_the_next_ones),
		cmocka_unit_test(values_are_bound),
		cmocka_unit_test(rows_end_when_the_caller_says_so),
		cmocka_unit_test(what_the_database_refuses_is_said),
		cmocka_unit_test(bad_calls_are_told),
		cmocka_unit_test(isolation_is_as_asked),
		cmocka_unit_test(what_conflicts_is_run_again),
		cmocka_unit_test(a_deadlock_is_run_again),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
