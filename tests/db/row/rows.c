/* SPDX-License-Identifier: MIT */
/* Row locks: each outcome, and its effect on the transaction. */
#include "db/row/rows.h"

static struct dblock_client *client;

/* Naive: UPDATE ... SET x = x, which also writes the row. */
static void what_is_locked_is_nobody_elses_until_the_end(void **state)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	int ids[] = {3, 1, 3};
	int states[3];
	struct dblock_rows_options options = DBLOCK_ROWS_OPTIONS_INIT;

	(void)state;
	options.states = states;
	expect(OK, lock_some(tx, ids, 3, &options, &err));
	for (int i = 0; i < 3; i++)
		assert_int_equal(states[i], DBLOCK_OK);
	account_is(BUSY, client, 1);
	account_is(BUSY, client, 3);
	if (!on_backend("sqlite"))
		account_is(OK, client, 2);
	assert_int_equal(tx_exec(tx, "UPDATE account SET money = money - 1 WHERE id = 1"), 1);
	tx_commit(tx);
	account_is(OK, client, 1);
	assert_int_equal(tx_money(client, 1), 99);
}

/* ---- missing --------------------------------------------------------------------------------- */

/* Naive: a missing row counts as locked, or what was locked before the failure stays locked. */
static void a_row_that_is_missing_is_named(void **state)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	int ids[] = {2, 99, 3};
	int states[3];
	struct dblock_rows_options options = DBLOCK_ROWS_OPTIONS_INIT;

	(void)state;
	options.states = states;
	expect(OK, lock_one(tx, 1, NULL, &err));
	tx_exec(tx, "UPDATE account SET money = 7 WHERE id = 1");
	expect(GONE, lock_some(tx, ids, 3, &options, &err));
	message_has("row 1 (id = 99)");
	assert_int_equal(states[1], DBLOCK_GONE);
	/* The transaction is as it was: its work and its lock are there, and no other lock. */
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	assert_int_equal(tx_int(tx, "SELECT money FROM account WHERE id = 1"), 7);
	account_is(BUSY, client, 1);
	if (on_backend("postgresql"))
		account_is(OK, client, 2);
	if (on_backend("mysql")) /* InnoDB keeps its locks; but the call stopped at 99 */
		account_is(BUSY, client, 2);
	tx_commit(tx);
	assert_int_equal(tx_money(client, 1), 7);
}

/* ---- names and values ------------------------------------------------------------------------ */

static void names_are_quoted_and_values_bound(void **state)
{
	bool my = on_backend("mysql");
	const char *table = my ? "odd `\"x\" table; --" : "odd `\"x\" table; --";
	const char *const key[] = {"Select", my ? "a`b" : "a\"b"};
	struct dblock_value keys[] = {dblock_text("it's; --"), dblock_int(1),
				      dblock_text("it's; --"), dblock_int(2)};
	struct dblock_rows rows = {table, key, 2, keys, 2};
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};

	(void)state;
	tx_exec(tx, my ? "CREATE TABLE `odd ``\"x\" table; --` (`Select` VARCHAR(20) NOT NULL, "
			 "`a``b` INT NOT NULL, PRIMARY KEY (`a``b`, `Select`)) ENGINE=InnoDB"
		       : "CREATE TABLE \"odd `\"\"x\"\" table; --\" (\"Select\" VARCHAR(20) NOT "
			 "NULL, \"a\"\"b\" INT NOT NULL, PRIMARY KEY (\"a\"\"b\", \"Select\"))");
	tx_exec(tx, my ? "INSERT INTO `odd ``\"x\" table; --` VALUES ('it''s; --', 1)"
		       : "INSERT INTO \"odd `\"\"x\"\" table; --\" VALUES ('it''s; --', 1)");
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	rows.n_rows = 1;
	expect(OK, dblock_rows_lock(tx, &rows, NULL, &err));
	rows.n_rows = 2;
	expect(GONE, dblock_rows_lock(tx, &rows, NULL, &err));
	message_has("row 1 (Select = 'it's; --', ");
	tx_rollback(tx);
}

static void bad_calls_are_told(void **state)
{
	const char *id = "id", *empty = "", *control = "a\nb", *none = "nosuch";
	struct dblock_value one = dblock_int(1), null = dblock_null();
	struct dblock_rows rows = {"account", &id, 1, &one, 1};
	struct dblock_rows_options options = DBLOCK_ROWS_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};
	char longer[400];

	(void)state;
	expect(E_INVALID, dblock_rows_lock(tx, &rows, NULL, &err));
	message_has("no transaction is open");
	expect(E_INVALID, dblock_rows_lock(NULL, &rows, NULL, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(E_INVALID, dblock_rows_lock(tx, NULL, NULL, &err));
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	for (int i = 0; i < 5; i++) {
		const char *const tables[] = {"", "a.b.c", ".account", longer, NULL};

		rows.table = tables[i];
		expect(E_INVALID, dblock_rows_lock(tx, &rows, NULL, &err));
	}
	rows.table = "account";
	rows.key = &empty;
	expect(E_INVALID, dblock_rows_lock(tx, &rows, NULL, &err));
	rows.key = &control;
	expect(E_INVALID, dblock_rows_lock(tx, &rows, NULL, &err));
	rows.key = &none;
	expect(E_SCHEMA, dblock_rows_lock(tx, &rows, NULL, &err));
	rows.key = &id;
	rows.n_key = 0;
	expect(E_INVALID, dblock_rows_lock(tx, &rows, NULL, &err));
	rows.n_key = 1;
	rows.n_rows = 65;
	expect(E_INVALID, dblock_rows_lock(tx, &rows, NULL, &err));
	rows.n_rows = 1;
	rows.keys = &null;
	expect(E_INVALID, dblock_rows_lock(tx, &rows, NULL, &err));
	message_has("NULL");
	rows.keys = &one;
	rows.table = "nosuch";
	expect(E_SCHEMA, dblock_rows_lock(tx, &rows, NULL, &err));
	rows.table = "account";
	options.skip_locked = true;
	options.wait_ms = 5;
	expect(E_INVALID, dblock_rows_lock(tx, &rows, &options, &err));
	message_has("skip_locked");
	options.skip_locked = false;
	options.wait_ms = -3;
	expect(E_INVALID, dblock_rows_lock(tx, &rows, &options, &err));
	/* After all these refusals the transaction is as before. */
	expect(OK, lock_one(tx, 1, NULL, &err));
	tx_commit(tx);
}

/* ---- strengths ------------------------------------------------------------------------------- */

/* The table of docs/user/row-locks.md: tells whether a lock of the row's strength leaves room for
 * one of the column's. */
static const bool together[4][4] = {
	/* UPDATE, NO KEY UPDATE, SHARE, KEY SHARE */
	{false, false, false, false},
	{false, false, false, true},
	{false, false, true, true},
	{false, true, true, true},
};

static bool has_strength(int strength)
{
	return on_backend("postgresql") || strength == DBLOCK_FOR_UPDATE ||
	       (on_backend("mysql") && strength == DBLOCK_FOR_SHARE);
}

/* Naive: all strengths are FOR UPDATE. */
static void strengths_are_the_servers(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	for (int first = 0; first < 4; first++) {
		struct dblock_rows_options how = rows_how((enum dblock_row_strength)first, 0);
		struct dblock_tx *tx = tx_begin(client);

		if (!has_strength(first)) {
			expect(E_INVALID, lock_one(tx, 1, &how, &err));
			message_has("DBLOCK_FOR_UPDATE");
			tx_rollback(tx);
			continue;
		}
		expect(OK, lock_one(tx, 1, &how, &err));
		for (int second = 0; second < 4; second++) {
			if (has_strength(second))
				assert_int_equal(lock_at_once(client, "account", "id",
							      dblock_int(1),
							      (enum dblock_row_strength)second),
						 together[first][second] ? DBLOCK_OK : DBLOCK_BUSY);
		}
		tx_rollback(tx);
	}
}

/* ---- SQLite ---------------------------------------------------------------------------------- */

/* In a transaction that has only read, the lock is taken now, unless its snapshot is old. */
static void on_sqlite_it_is_the_file(void **state)
{
	struct dblock_tx_options reads = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx, *other;
	struct dblock_error err = {0};

	(void)state;
	if (!on_backend("sqlite"))
		return;
	tx = tx_open(client);
	other = tx_open(client);
	reads.read_only = 1;
	expect(OK, dblock_tx_begin(tx, &reads, &err));
	assert_true(tx_int(tx, "SELECT count(*) FROM account") > 0);
	expect(OK, lock_one(tx, 1, NULL, &err));
	account_is(BUSY, client, 2);
	expect(OK, dblock_tx_rollback(tx, &err));
	expect(OK, dblock_tx_begin(tx, &reads, &err));
	assert_true(tx_int(tx, "SELECT count(*) FROM account") > 0);
	tx_exec(other, "UPDATE account SET money = 5 WHERE id = 5");
	expect(E_CONFLICT, lock_one(tx, 1, NULL, &err));
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	tx_rollback(tx);
	dblock_tx_close(other);
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
		cmocka_unit_test(what_is_locked_is_nobody_elses_until_the_end),
		cmocka_unit_test(a_row_that_is_missing_is_named),
		cmocka_unit_test(names_are_quoted_and_values_bound),
		cmocka_unit_test(bad_calls_are_told),
		cmocka_unit_test(strengths_are_the_servers),
		cmocka_unit_test(on_sqlite_it_is_the_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
