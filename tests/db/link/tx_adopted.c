/* SPDX-License-Identifier: MIT */
/* Transactions on the caller's own connections. */
#include "support/tx.h"

static struct dblock_client *client;

static void an_adopted_connection_stays_its_owners(void **state)
{
	struct dblock_tx *owner = tx_open(client), *tx = tx_adopt(owner);
	struct dblock_error err = {0};

	(void)state;
	/* The owner begins the transaction, we see it, and a close leaves it open. */
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_NONE);
	tx_exec(owner, "BEGIN");
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	assert_int_equal(tx_exec(tx, "UPDATE account SET money = 55 WHERE id = 8"), 1);
	dblock_tx_close(tx);
	assert_int_equal(dblock_tx_state_of(owner), DBLOCK_TX_OPEN);
	assert_int_equal(tx_int(owner, "SELECT money FROM account WHERE id = 8"), 55);
	tx_exec(owner, "COMMIT");
	assert_int_equal(tx_money(client, 8), 55);
	/* dblock begins and ends a transaction only if asked. */
	tx = tx_adopt(owner);
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	assert_int_equal(dblock_tx_state_of(owner), DBLOCK_TX_OPEN);
	tx_exec(owner, "UPDATE account SET money = 77 WHERE id = 8");
	expect(OK, dblock_tx_rollback(tx, &err));
	assert_int_equal(dblock_tx_state_of(owner), DBLOCK_TX_NONE);
	assert_int_equal(tx_money(client, 8), 55);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
}

static void handles_of_other_databases_are_none(void **state)
{
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};
	struct dblock_tx *none;

	(void)state;
	assert_true(on_backend("postgresql") == (dblock_postgresql_handle(tx) != NULL));
	assert_true(on_backend("mysql") == (dblock_mysql_handle(tx) != NULL));
	assert_true(on_backend("sqlite") == (dblock_sqlite_handle(tx) != NULL));
	assert_null(dblock_sqlite_handle(NULL));
	expect(E_INVALID, dblock_tx_from_sqlite(NULL, NULL, &none, &err));
	assert_null(none);
	dblock_tx_close(tx);
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
		cmocka_unit_test(an_adopted_connection_stays_its_owners),
		cmocka_unit_test(handles_of_other_databases_are_none),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
