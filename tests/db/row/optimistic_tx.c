/* SPDX-License-Identifier: MIT */
/* Rows with a version in transactions: what each isolation sees, who is waited for, what is run
 * again, and the cost. */
#include "support/spy.h"
#include "support/versioned.h"

static struct dblock_client *client;
static struct spy *spy;

/* ---- run again ------------------------------------------------------------------------------- */

struct script {
	int runs, stale;
};

static int play_stale(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	struct script *script = arg;
	struct dblock_value key[2];
	struct dblock_versioned_row row = article_row(key, 1, DBLOCK_BY_VERSION);
	int64_t stock, version;
	int rc = article_read_stock(tx, &row, &stock, &version, err);

	if (rc == 0 && ++script->runs <= script->stale)
		version--;
	return rc ? rc : article_set_stock(tx, &row, stock + 1, &version, err);
}

static void what_is_stale_is_run_again(void **state)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct script script = {.stale = 3};
	struct dblock_error err = {0};
	struct dblock_tx *tx = tx_open(client);
	int64_t before = article_stock(tx, 1);

	(void)state;
	options.retry_ms = PLENTY_MS;
	expect(OK, dblock_versioned_run(client, &options, play_stale, &script, &err));
	assert_int_equal(script.runs, 4);
	assert_int_equal(article_stock(tx, 1), before + 1);
	script = (struct script){.stale = 1000};
	expect(STALE, dblock_versioned_run(client, &options, play_stale, &script, &err));
	assert_int_equal(script.runs, 16);
	message_has("has changed");
	message_has("run 16 times");
	options.attempts = 3;
	script = (struct script){.stale = 1000};
	expect(STALE, dblock_versioned_run(client, &options, play_stale, &script, &err));
	assert_int_equal(script.runs, 3);
	options.attempts = 1000000;
	options.retry_ms = SLOWLY_MS(300);
	script = (struct script){.stale = 1000000};
	expect(STALE, dblock_versioned_run(client, &options, play_stale, &script, &err));
	assert_true(script.runs > 1);
	tx_exec(tx, "UPDATE article SET site = 'elsewhere' WHERE id = 1");
	expect(GONE, dblock_versioned_run(client, NULL, play_stale, &script, &err));
	tx_exec(tx, "UPDATE article SET site = 'a' WHERE id = 1");
	dblock_tx_close(tx);
}

/* ---- isolation ------------------------------------------------------------------------------- */

static void begin_with(struct dblock_tx *tx, enum dblock_isolation isolation)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.isolation = isolation;
	expect(OK, dblock_tx_begin(tx, &options, &err));
}

/* The first read makes the snapshot, then somebody else is faster. */
static void a_snapshot_is_not_the_newest(void **state)
{
	struct dblock_tx *tx = tx_open(client), *other = tx_open(client);
	struct dblock_error err = {0};
	struct dblock_value key[2];
	struct dblock_versioned_row row = article_row(key, 2, DBLOCK_BY_VERSION);
	int64_t stock, mine, theirs, seen;

	(void)state;
	if (on_backend("sqlite"))
		tx_exec(tx, "BEGIN"); /* a statement: dblock's own begin would take the file */
	else
		begin_with(tx, DBLOCK_REPEATABLE_READ);
	expect(OK, article_read_stock(tx, &row, &stock, &mine, &err));
	theirs = mine;
	expect(OK, article_set_stock(other, &row, stock + 1, &theirs, &err));
	/* Naive on MySQL: a read that does not lock says that nothing has changed. */
	seen = mine;
	if (on_backend("mysql")) {
		expect(STALE, article_set_stock(tx, &row, stock + 5, &seen, &err));
		assert_int_equal(seen, theirs);
		expect(STALE, dblock_versioned_delete(tx, &row, &mine, &err));
		expect(OK, article_read_stock(tx, &row, &stock, &seen, &err));
		assert_int_equal(seen, theirs - 1);
		/* A version that the caller knows otherwise, without reading it, is accepted. */
		seen = theirs;
		expect(OK, article_set_stock(tx, &row, stock + 7, &seen, &err));
		expect(OK, dblock_tx_commit(tx, &err));
	} else {
		expect(E_CONFLICT, article_set_stock(tx, &row, stock + 5, &seen, &err));
		/* The caller's transaction goes on. */
		assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
		expect(OK, article_read_stock(tx, &row, &stock, &seen, &err));
		assert_int_equal(seen, theirs - 1);
		tx_exec(tx, "ROLLBACK");
		expect(OK, article_read_stock(tx, &row, &stock, &seen, &err));
		assert_int_equal(seen, theirs);
	}
	dblock_tx_close(tx);
	dblock_tx_close(other);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static const char *lock_timeout(struct dblock_tx *tx)
{
	return tx_text(tx, on_backend("mysql") ? "SELECT CONCAT(@@innodb_lock_wait_timeout, ' ', "
						 "LAST_INSERT_ID(), @@time_zone)"
			   : on_backend("postgresql") ? "SHOW lock_timeout"
						      : "PRAGMA busy_timeout");
}

/* Naive: the call waits for as long as the server says; or for as long as the connection's deadline
 * says, which costs the connection, and with it the caller's transaction. */
static void a_row_that_is_kept_is_waited_for_so_long(void **state)
{
	struct dblock_tx_from_options options = DBLOCK_TX_FROM_OPTIONS_INIT;
	struct dblock_tx *keeper = tx_open(client), *owner = tx_open(client), *tx;
	struct dblock_error err = {0};
	struct dblock_value key[2];
	struct dblock_versioned_row row = article_row(key, 3, DBLOCK_BY_VERSION);
	int64_t stock, version;
	char before[64];

	(void)state;
	options.timeout_ms = 150;
	tx = tx_adopt_with(owner, &options);
	if (!on_backend("sqlite"))
		tx_exec(owner, on_backend("mysql")
				       ? "SET innodb_lock_wait_timeout = 33, last_insert_id = 44"
				       : "SET lock_timeout = '55s'");
	else
		tx_exec(owner, "PRAGMA busy_timeout = 77077");
	snprintf(before, sizeof(before), "%s", lock_timeout(owner));
	for (int in_tx = 0; in_tx < 2; in_tx++) {
		expect(OK, article_read_stock(tx, &row, &stock, &version, &err));
		if (in_tx) {
			tx_exec(owner, "BEGIN");
			/* On SQLite the other transaction could not write at all. */
			if (!on_backend("sqlite"))
				tx_exec(owner, "UPDATE article SET stock = 77 WHERE site = 'a' AND "
					       "id = 1");
		}
		tx_exec(keeper, on_backend("sqlite") ? "BEGIN IMMEDIATE" : "BEGIN");
		tx_exec(keeper, "UPDATE article SET stock = 5, version = version + 1 WHERE "
				"site = 'a' AND id = 3");
		expect(E_BLOCKED, article_set_stock(tx, &row, 6, &version, &err));
		if (in_tx)
			expect(E_BLOCKED, dblock_versioned_delete(tx, &row, &version, &err));
		tx_exec(keeper, "ROLLBACK");
		assert_string_equal(lock_timeout(owner), before);
		if (on_backend("sqlite") && in_tx) {
			tx_exec(owner, "ROLLBACK");
			break;
		}
		expect(OK, article_set_stock(tx, &row, 6, &version, &err));
		assert_string_equal(lock_timeout(owner), before);
		if (in_tx)
			tx_exec(owner, "COMMIT");
	}
	assert_int_equal(article_stock(owner, 3), 6);
	if (!on_backend("sqlite"))
		assert_int_equal(article_stock(owner, 1), 77);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
	dblock_tx_close(keeper);
}

/* ---- cost ------------------------------------------------------------------------------------ */

/* Statements over the wire since the last reset: the header promises these. */
static void costs(int sqlite, int postgresql, int mysql)
{
	int runs = spy->runs + spy->execs + (on_backend("mysql") ? spy->prepares : 0);

	assert_int_equal(runs, on_backend("mysql")        ? mysql
			       : on_backend("postgresql") ? postgresql
							  : sqlite);
	spy_reset(spy);
}

static void each_call_costs_what_it_says(void **state)
{
	struct dblock_client *watched = spy_client(spy, 0);
	struct dblock_tx *tx = tx_open(watched);
	struct dblock_error err = {0};
	struct dblock_value key[2];
	int64_t stock, version;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dblock_versioned_row row =
			article_row(key, 2, i ? DBLOCK_BY_UPDATED_AT : DBLOCK_BY_VERSION);

		/* The look at the catalogue is one statement once it is prepared. */
		expect(OK, article_read_stock(tx, &row, &stock, &version, &err));
		spy_reset(spy);
		expect(OK, article_read_stock(tx, &row, &stock, &version, &err));
		costs(1 + i, 1 + i, 2 + i);
		expect(OK, article_set_stock(tx, &row, stock, &version, &err));
		costs(1 + i, 1 + i, 4 + 3 * i);
		version--;
		expect(STALE, article_set_stock(tx, &row, stock, &version, &err));
		costs(2 + i, 2 + i, 6 + i);
		expect(OK, dblock_tx_begin(tx, NULL, &err));
		spy_reset(spy);
		expect(OK, article_read_stock(tx, &row, &stock, &version, &err));
		costs(3 + i, 3 + i, 4 + i);
		expect(OK, article_set_stock(tx, &row, stock, &version, &err));
		costs(3 + i, 4 + i, 6 + 3 * i);
		expect(OK, dblock_tx_commit(tx, &err));
	}
	dblock_tx_close(tx);
	dblock_close(watched, NULL);
}

static int set_up(void **state)
{
	struct dblock_tx *tx;

	(void)state;
	spy = spy_new();
	client = client_new(0);
	tx = tx_open(client);
	article_make(tx, 3);
	dblock_tx_close(tx);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	spy_free(spy);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_stale_is_run_again),
		cmocka_unit_test(a_snapshot_is_not_the_newest),
		cmocka_unit_test(a_row_that_is_kept_is_waited_for_so_long),
		cmocka_unit_test(each_call_costs_what_it_says),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
