/* SPDX-License-Identifier: MIT */
/*
 * A caller's transaction is as it was after every failure of ours: each statement of a row lock,
 * and of a take, in turn is refused by the database (on PostgreSQL the transaction has failed
 * then), or finds its row locked.
 */
#include "api/client.h"
#include "db/row/rows.h"
#include "driver/driver.h"

static struct {
	struct dbl_env env;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	int n;  /* statements so far */
	int at; /* the one that is refused; 0: none */
} world;

static bool strikes(void)
{
	return ++world.n == world.at;
}

static int refuse(struct dbl_conn *conn, struct dblock_error *err)
{
	int rc = world.real->exec(conn, "SELECT nosuch FROM nowhere", err);

	return rc ? rc : dbl_fail(err, DBLOCK_E_BUG, "it was not refused");
}

static int my_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	return strikes() ? refuse(conn, err) : world.real->exec(conn, sql, err);
}

static int my_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n, int64_t *changed,
		  struct dblock_error *err)
{
	return strikes() ? refuse(stmt->conn, err) : world.real->run(stmt, args, n, changed, err);
}

static const struct dbl_driver *intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	world.real = real;
	world.driver = *real;
	world.driver.exec = my_exec;
	world.driver.run = my_run;
	return &world.driver;
}

static struct dblock_client *client, *calm;

/* ---- scenes ---------------------------------------------------------------------------------- */

static int lock_in_time(struct dblock_tx *tx, struct dblock_error *err)
{
	struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, PLENTY_MS);
	static const int ids[] = {4, 3};

	return lock_some(tx, ids, 2, &how, err);
}

static int lock_missing(struct dblock_tx *tx, struct dblock_error *err)
{
	static const int ids[] = {4, 99};

	return lock_some(tx, ids, 2, NULL, err);
}

static int take_two(struct dblock_tx *tx, struct dblock_error *err)
{
	static const char *const key[] = {"id"};
	struct dblock_rows_wanted wanted = DBLOCK_ROWS_WANTED_INIT;
	int n = 0;

	wanted.table = "account";
	wanted.key = key;
	wanted.n_key = 1;
	wanted.where = "id > 2";
	wanted.limit = 2;
	return dblock_rows_take(tx, &wanted, rows_count, &n, NULL, err);
}

/* How often a statement was refused, and the call succeeded: a setting is put back by two tries. */
static int forgiven;

/* Refuses one statement of the scene, and returns whether there was such a statement. */
static bool play(int (*scene)(struct dblock_tx *, struct dblock_error *), int at)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0}, undo = {0};
	int rc;

	tx_exec(tx, "UPDATE account SET money = money + 1 WHERE id = 1");
	world.n = 0;
	world.at = at;
	rc = scene(tx, &err);
	world.at = 0;
	if (world.n < at) {
		tx_rollback(tx);
		return false;
	}
	forgiven += rc == DBLOCK_OK;
	if (rc)
		assert_int_equal(err.code, rc);
	/* Only if the way back to the savepoint is refused, the transaction is lost. */
	if (dblock_tx_state_of(tx) == DBLOCK_TX_LOST) {
		message_has("the transaction is lost");
		dblock_tx_close(tx);
		return true;
	}
	assert_true(rc == DBLOCK_OK || !strstr(err.message, "lost"));
	/* The first statement makes the savepoint, so there is none yet. */
	if (at == 1 && on_backend("postgresql")) {
		assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_FAILED);
		tx_rollback(tx);
		return true;
	}
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	assert_int_equal(dblock_tx_query(tx, "UPDATE account SET money = money + 1 WHERE id = 2",
					 NULL, 0, NULL, NULL, NULL, &undo),
			 DBLOCK_OK);
	tx_commit(tx);
	return true;
}

static int walk(int (*scene)(struct dblock_tx *, struct dblock_error *))
{
	int64_t first = tx_money(calm, 1), second = tx_money(calm, 2);
	int at = 1;

	while (play(scene, at))
		at++;
	/* Each play has written both accounts, or none. */
	assert_int_equal(tx_money(calm, 1) - first, tx_money(calm, 2) - second);
	assert_true(tx_money(calm, 1) - first >= 2);
	return at - 1;
}

/* Naive: no savepoint. On PostgreSQL all later statements are refused then. */
static void a_transaction_is_as_it_was(void **state)
{
	(void)state;
	/* The statements are savepoint, ..., release; and two for the way back, if the scene has
	 * it. */
	assert_true(walk(lock_in_time) >= 4);
	assert_int_equal(forgiven, on_database("mysql") ? 2 : 0); /* for each row */
	forgiven = 0;
	assert_true(walk(lock_missing) >= 5);
	assert_true(walk(take_two) >= 3);
	assert_int_equal(forgiven, 0);
}

static int set_up(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	(void)state;
	calm = client_new(0);
	tx_make_accounts(calm, 8);
	world.env = *dbl_env_system();
	world.env.intercept = intercept;
	options.timeout_ms = PLENTY_MS;
	expect(OK, dbl_client_open(test_url(), &options, &world.env, &client, &err));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	dblock_close(calm, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_transaction_is_as_it_was)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
