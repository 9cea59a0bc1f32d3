/* SPDX-License-Identifier: MIT */
/* Row locks that somebody else has: the call waits for them, for a time, or not at all. */
#include "db/row/rows.h"

static struct dblock_client *client;

static void nowait_and_skip(void **state)
{
	struct dblock_rows_options nowait = rows_how(DBLOCK_FOR_UPDATE, DBLOCK_NO_WAIT);
	struct dblock_rows_options skip = rows_skip();
	struct dblock_tx_options reads = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *holder = tx_begin(client), *tx = tx_open(client);
	struct dblock_error err = {0};
	int ids[] = {5, 4, 77}, held[] = {4};
	int states[3];

	(void)state;
	reads.read_only = on_backend("sqlite");
	nowait.states = skip.states = states;
	expect(OK, lock_some(holder, held, 1, NULL, &err));
	expect(OK, dblock_tx_begin(tx, &reads, &err));
	expect(BUSY, lock_some(tx, ids, 2, &nowait, &err));
	assert_int_equal(states[1], DBLOCK_BUSY);
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	if (!on_backend("sqlite")) {
		message_has("row 1 (id = 4) is locked");
		expect(OK, lock_some(tx, ids, 3, &skip, &err));
		assert_int_equal(states[0], DBLOCK_OK);
		assert_int_equal(states[1], DBLOCK_BUSY);
		assert_int_equal(states[2], DBLOCK_GONE);
		account_is(BUSY, client, 5);
		expect(GONE, lock_some(tx, &ids[2], 1, &skip, &err));
	}
	expect(BUSY, lock_some(tx, &ids[1], 1, &skip, &err));
	tx_rollback(holder);
	expect(OK, lock_some(tx, &ids[1], 1, &nowait, &err));
	tx_rollback(tx);
}

/* The time is exact even if the server counts whole seconds. Naive: innodb_lock_wait_timeout = 1.
 */
static void a_time_is_kept_exactly(void **state)
{
	struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, 150);
	struct dblock_tx_options reads = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *holder = tx_begin(client), *tx = tx_open(client);
	int64_t took = PLENTY_MS;
	struct dblock_error err = {0};
	int ids[] = {6, 7, 8};

	(void)state;
	reads.read_only = on_backend("sqlite");
	expect(OK, lock_some(holder, ids, 3, NULL, &err));
	expect(OK, dblock_tx_begin(tx, &reads, &err));
	for (int i = 0; i < 50 && took > 600; i++) {
		int64_t begin = clock_ms();

		expect(TIMEOUT, lock_some(tx, ids, 3, &how, &err));
		took = clock_ms() - begin;
		assert_true(took >= 149);
		assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	}
	message_has("account: a row was not free in time");
	expect(TIMEOUT, lock_one(tx, 7, &how, &err));
	message_has("account, row 0 (id = 7) was not free in time");
	assert_true(took <= 600);
	tx_rollback(holder);
	expect(OK, lock_some(tx, ids, 3, &how, &err));
	tx_rollback(tx);
}

struct waiter {
	int ids[3];
	int64_t timeout_ms;
	int rc;
	struct dblock_error err;
};

static void *wait_for_rows(void *arg)
{
	struct waiter *waiter = arg;
	struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, waiter->timeout_ms);
	struct dblock_tx_options reads = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx;

	reads.read_only = on_backend("sqlite");
	waiter->rc = dblock_tx_open(client, &tx, &waiter->err);
	if (waiter->rc == 0)
		waiter->rc = dblock_tx_begin(tx, &reads, &waiter->err);
	if (waiter->rc == 0)
		waiter->rc = lock_some(tx, waiter->ids, 3, &how, &waiter->err);
	dblock_tx_close(tx);
	return NULL;
}

/* Row 1 is free after two thirds of the time, row 2 is not. Returns for how long the call waited.
 */
static int64_t wait_for_two(void)
{
	struct waiter waiter = {.ids = {1, 2, 2}, .timeout_ms = SLOWLY_MS(600)};
	struct dblock_tx *first = tx_begin(client), *second = tx_begin(client);
	struct crew crew = {.n = 0};
	struct dblock_error err = {0};
	int64_t begin;

	expect(OK, lock_one(first, 1, NULL, &err));
	expect(OK, lock_one(second, 2, NULL, &err));
	begin = clock_ms();
	crew_add(&crew, wait_for_rows, &waiter);
	sleep_ms(SLOWLY_MS(400));
	tx_rollback(first);
	crew_join(&crew);
	tx_rollback(second);
	assert_int_equal(waiter.rc, DBLOCK_TIMEOUT);
	return clock_ms() - begin;
}

/* Naive: lock_timeout, or max_statement_time for each row: never less than a second. */
static void the_time_is_for_all_rows_together(void **state)
{
	int64_t took = PLENTY_MS;

	(void)state;
	for (int i = 0; i < 20 && took >= SLOWLY_MS(950) && !on_backend("sqlite"); i++)
		took = wait_for_two();
	assert_true(on_backend("sqlite") || (took >= SLOWLY_MS(599) && took < SLOWLY_MS(950)));
}

static void who_waits_gets_them(void **state)
{
	struct waiter waiter = {.ids = {3, 1, 2}, .timeout_ms = PLENTY_MS};
	struct waiter forever = {.ids = {2, 1, 3}};
	struct dblock_tx *holder = tx_begin(client);
	struct crew crew = {.n = 0};
	struct dblock_error err = {0};

	(void)state;
	expect(OK, lock_one(holder, 2, NULL, &err));
	tx_exec(holder, "UPDATE account SET money = 41 WHERE id = 2");
	crew_add(&crew, wait_for_rows, &waiter);
	crew_add(&crew, wait_for_rows, &forever);
	sleep_ms(100);
	tx_commit(holder);
	crew_join(&crew);
	/* Of two snapshots of SQLite one is not the newest any more: the outcome is a conflict, not
	 * a lock. */
	if (on_backend("sqlite"))
		return;
	if (waiter.rc || forever.rc)
		print_error("%s / %s\n", waiter.err.message, forever.err.message);
	assert_int_equal(waiter.rc, DBLOCK_OK);
	assert_int_equal(forever.rc, DBLOCK_OK);
}

/* The row is deleted and made anew while the call waits for it. Naive: the old one is gone, so the
 * row is missing. */
static void a_row_that_comes_back_is_there(void **state)
{
	struct waiter waiter = {.ids = {6, 7, 8}, .timeout_ms = PLENTY_MS};
	struct dblock_tx *holder = tx_begin(client);
	struct crew crew = {.n = 0};

	(void)state;
	tx_exec(holder, "DELETE FROM account WHERE id = 7");
	tx_exec(holder, "INSERT INTO account VALUES (7, 'again', 1)");
	crew_add(&crew, wait_for_rows, &waiter);
	sleep_ms(100);
	tx_commit(holder);
	crew_join(&crew);
	if (waiter.rc && !on_backend("sqlite"))
		print_error("%s\n", waiter.err.message);
	if (!on_backend("sqlite"))
		assert_int_equal(waiter.rc, DBLOCK_OK);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void settings_are_as_they_were(void **state)
{
	const char *ask =
		on_backend("postgresql") ? "SELECT current_setting('lock_timeout') || ' ' || "
					   "current_setting('statement_timeout')"
		: on_database("mysql")   ? "SELECT CONCAT(@@SESSION.innodb_lock_wait_timeout, ' ', "
					   "@@SESSION.max_execution_time)"
		: on_database("mariadb") ? "SELECT CONCAT(@@SESSION.innodb_lock_wait_timeout, ' ', "
					   "@@SESSION.max_statement_time)"
					 : "PRAGMA busy_timeout";
	struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, 1234);
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	char before[256];

	(void)state;
	if (on_backend("postgresql"))
		tx_exec(tx, "SET LOCAL lock_timeout = '77s'");
	if (on_backend("postgresql"))
		tx_exec(tx, "SET LOCAL statement_timeout = '2min'");
	snprintf(before, sizeof(before), "%s", tx_text(tx, ask));
	expect(OK, lock_one(tx, 1, &how, &err));
	assert_string_equal(tx_text(tx, ask), before);
	expect(GONE, lock_one(tx, 99, &how, &err));
	assert_string_equal(tx_text(tx, ask), before);
	tx_rollback(tx);
}

/* ---- a connection of the caller's ------------------------------------------------------------ */

static void on_a_connection_of_the_callers_own(void **state)
{
	struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, 100);
	struct dblock_rows_options patient = rows_how(DBLOCK_FOR_UPDATE, PLENTY_MS);
	struct dblock_rows_options nowait = rows_how(DBLOCK_FOR_UPDATE, DBLOCK_NO_WAIT);
	struct dblock_tx *owner = tx_open(client), *tx = tx_adopt(owner);
	struct dblock_tx *holder = tx_begin(client);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, lock_one(holder, 4, NULL, &err));
	expect(E_INVALID, lock_one(tx, 4, &how, &err));
	if (on_backend("sqlite")) /* without the busy handler that dblock's own have */
		tx_exec(owner, "PRAGMA busy_timeout = 60000");
	tx_exec(owner, "BEGIN");
	for (int i = 0; i < 2; i++) {
		expect(TIMEOUT, lock_one(tx, 4, &how, &err));
		expect(BUSY, lock_one(tx, 4, &nowait, &err));
		assert_int_equal(dblock_tx_state_of(owner), DBLOCK_TX_OPEN);
	}
	tx_rollback(holder);
	expect(OK, lock_one(tx, 4, &patient, &err));
	assert_int_equal(lock_at_once(client, "account", "id", dblock_int(4), DBLOCK_FOR_UPDATE),
			 DBLOCK_BUSY);
	if (on_backend("sqlite"))
		assert_int_equal(tx_int(owner, "PRAGMA busy_timeout"), 60000);
	/* The owner ends the transaction and begins another, and a close ends dblock's handle:
	 * nothing of it is left. */
	tx_exec(owner, "COMMIT");
	tx_exec(owner, "BEGIN");
	expect(OK, lock_one(tx, 5, &patient, &err));
	dblock_tx_close(tx);
	assert_int_equal(dblock_tx_state_of(owner), DBLOCK_TX_OPEN);
	tx_rollback(owner);
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
		cmocka_unit_test(nowait_and_skip),
		cmocka_unit_test(a_time_is_kept_exactly),
		cmocka_unit_test(the_time_is_for_all_rows_together),
		cmocka_unit_test(who_waits_gets_them),
		cmocka_unit_test(a_row_that_comes_back_is_there),
		cmocka_unit_test(settings_are_as_they_were),
		cmocka_unit_test(on_a_connection_of_the_callers_own),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
