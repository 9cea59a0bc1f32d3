/* SPDX-License-Identifier: MIT */
/* Row locks on other servers than the one that runs here: the tests change what dblock knows of the
 * server; the statements are such that this server takes them as well. */
#include "db/row/rows.h"
#include "link/tx.h"
#include "row/rows_shape.h"

static struct dblock_client *client;

/* Begins a transaction that has locked a row of the table, and from then on seems to be on that
 * server. */
static struct dblock_tx *tx_on(bool is_mariadb)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	struct dbl_rows_shape *shape;

	expect(OK, lock_one(tx, 8, NULL, &err));
	shape = (struct dbl_rows_shape *)tx->parts;
	assert_int_equal(shape->is_mariadb, on_database("mariadb"));
	shape->is_mariadb = is_mariadb;
	return tx;
}

/* Naive: innodb_lock_wait_timeout, which is at least 1 s, and is checked once a second. */
static void on_mysql_a_time_is_kept_exactly(void **state)
{
	static const int64_t times[] = {120, 2300};
	struct dblock_tx *holder = tx_begin(client), *tx = tx_on(false);
	struct dblock_error err = {0};

	(void)state;
	tx_exec(tx, "SET SESSION innodb_lock_wait_timeout = 33");
	expect(OK, lock_one(holder, 1, NULL, &err));
	for (int i = 0; i < 2; i++) {
		struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, times[i]);
		int64_t took = PLENTY_MS;

		for (int tries = 0; tries < 20 && took > times[i] + 600; tries++) {
			int64_t begin = clock_ms();

			expect(TIMEOUT, lock_one(tx, 1, &how, &err));
			took = clock_ms() - begin;
			assert_true(took >= times[i] - 1);
		}
		assert_true(took <= times[i] + 600);
		assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
		assert_int_equal(tx_int(tx, "SELECT @@SESSION.innodb_lock_wait_timeout"), 33);
	}
	tx_rollback(holder);
	tx_rollback(tx);
}

struct waiter {
	struct dblock_tx *tx;
	int64_t timeout_ms;
	int rc;
};

static void *wait_for_one(void *arg)
{
	struct waiter *waiter = arg;
	struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, waiter->timeout_ms);
	struct dblock_error err = {0};

	waiter->rc = lock_one(waiter->tx, 1, &how, &err);
	return NULL;
}

/* The caller waits in the server's queue, and while it tries. */
static void on_mysql_who_waits_gets_it(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dblock_tx *holder = tx_begin(client);
		struct waiter waiter = {tx_on(false), i ? PLENTY_MS : 1900, 0};
		struct crew crew = {.n = 0};
		struct dblock_error err = {0};

		expect(OK, lock_one(holder, 1, NULL, &err));
		crew_add(&crew, wait_for_one, &waiter);
		sleep_ms(50);
		tx_rollback(holder);
		crew_join(&crew);
		assert_int_equal(waiter.rc, DBLOCK_OK);
		account_is(BUSY, client, 1);
		tx_rollback(waiter.tx);
	}
}

static int no_row(void *arg, const struct dblock_value *row, size_t n)
{
	(void)arg, (void)row, (void)n;
	return 0;
}

static int take_one(struct dblock_tx *tx, struct dblock_error *err)
{
	static const char *const key[] = {"id"};
	struct dblock_rows_wanted wanted = DBLOCK_ROWS_WANTED_INIT;

	wanted.table = "account";
	wanted.key = key;
	wanted.n_key = 1;
	return dblock_rows_take(tx, &wanted, no_row, NULL, NULL, err);
}

/* The case is innodb_rollback_on_timeout. Naive: the next row is locked outside of any transaction.
 */
static void what_would_end_the_transaction_is_refused(void **state)
{
	struct dblock_rows_options skip = rows_skip();
	struct dblock_tx *tx = tx_on(true);
	struct dbl_rows_shape *shape = (struct dbl_rows_shape *)tx->parts;
	struct dblock_error err = {0};

	(void)state;
	shape->rolls_back = true;
	expect(E_INVALID, lock_one(tx, 1, &skip, &err));
	message_has("innodb_rollback_on_timeout");
	expect(OK, take_one(tx, &err));
	tx_rollback(tx);
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
		cmocka_unit_test(on_mysql_a_time_is_kept_exactly),
		cmocka_unit_test(on_mysql_who_waits_gets_it),
		cmocka_unit_test(what_would_end_the_transaction_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
