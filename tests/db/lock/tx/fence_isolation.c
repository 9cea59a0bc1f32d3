/* SPDX-License-Identifier: MIT */
/* How levels of isolation, and savepoints, change a fence: docs/user/fencing.md. */
#include "db/lock/tx/in_tx_kit.h"

static struct dblock_tx *tx_begin_at(struct dblock_client *client, enum dblock_isolation isolation)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};

	options.isolation = isolation;
	/* With the write lock from the start nothing could be old on SQLite. */
	options.read_only = on_backend("sqlite");
	expect(OK, dblock_tx_begin(tx, &options, &err));
	return tx;
}

/* Naive: STALE, though the transaction is old, not the grant; or OK. */
static void a_snapshot_older_than_the_grant_is_a_conflict(void **state)
{
	struct dblock_tx *tx = tx_begin_at(a, DBLOCK_REPEATABLE_READ);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	is_free(a, "snapshot");
	tx_int(tx, "SELECT count(*) FROM account");
	lock = take(a, "snapshot");
	if (on_backend("mysql")) /* a locking read sees the newest row */
		expect(OK, dblock_fence(tx, lock, &err));
	else
		expect(E_CONFLICT, dblock_fence(tx, lock, &err));
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	tx_rollback(tx);
	give(lock);
}

static void a_row_that_the_snapshot_lacks_is_a_conflict_too(void **state)
{
	struct dblock_tx *tx;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	tx = tx_begin_at(a, DBLOCK_SERIALIZABLE);
	tx_int(tx, "SELECT count(*) FROM account");
	lock = take(a, "brand new");
	if (on_backend("mysql"))
		expect(OK, dblock_fence(tx, lock, &err));
	else
		expect(E_CONFLICT, dblock_fence(tx, lock, &err));
	tx_rollback(tx);
	give(lock);
}

/* docs/user/fencing.md warns of this: on MySQL a consistent read before the fence fixes what later
 * ones see; if the fence comes first, they see what the last holder wrote. */
static void under_repeatable_read_the_fence_comes_first(void **state)
{
	struct dblock_lock *lock = take(a, "first");
	struct dblock_tx *tx;

	(void)state;
	if (on_backend("sqlite")) {
		give(lock);
		return;
	}
	for (int fence_first = 0; fence_first < 2 && on_backend("mysql"); fence_first++) {
		struct dblock_tx *writer = tx_open(b);
		int64_t seen;

		tx_exec(writer, "UPDATE account SET money = 7 WHERE id = 2");
		tx = tx_begin_at(a, DBLOCK_REPEATABLE_READ);
		if (!fence_first)
			tx_int(tx, "SELECT money FROM account WHERE id = 2");
		tx_exec(writer, "UPDATE account SET money = 8 WHERE id = 2");
		fence(tx, lock);
		seen = tx_int(tx, "SELECT money FROM account WHERE id = 2");
		assert_int_equal(seen, fence_first ? 8 : 7);
		tx_commit(tx);
		dblock_tx_close(writer);
	}
	give(lock);
}

/* On PostgreSQL ROLLBACK TO drops row locks taken after the savepoint, and the fence with them. */
static void rollback_to_drops_a_fence_taken_after_the_savepoint(void **state)
{
	struct dblock_lock *lock = take(a, "savepoint");
	struct dblock_tx *tx = tx_begin(a);
	struct raw *raw = raw_open(NULL);
	const char *write = "UPDATE dblock_lock SET reentry = reentry WHERE name = 'savepoint'";

	(void)state;
	if (!on_backend("sqlite")) {
		raw_exec(raw, on_backend("mysql") ? "SET innodb_lock_wait_timeout = 1"
						  : "SET lock_timeout = '100ms'");
		tx_exec(tx, "UPDATE account SET money = money WHERE id = 3");
		tx_exec(tx, "SAVEPOINT mine");
		fence(tx, lock);
		assert_int_equal(raw_try_exec(raw, "%s", write), DBLOCK_E_BLOCKED);
		tx_exec(tx, "ROLLBACK TO SAVEPOINT mine");
		assert_int_equal(raw_try_exec(raw, "%s", write),
				 on_backend("postgresql") ? 0 : DBLOCK_E_BLOCKED);
		fence(tx, lock); /* so a fence is needed after it */
		assert_int_equal(raw_try_exec(raw, "%s", write), DBLOCK_E_BLOCKED);
	}
	tx_commit(tx);
	raw_close(raw);
	give(lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_snapshot_older_than_the_grant_is_a_conflict),
		cmocka_unit_test(a_row_that_the_snapshot_lacks_is_a_conflict_too),
		cmocka_unit_test(under_repeatable_read_the_fence_comes_first),
		cmocka_unit_test(rollback_to_drops_a_fence_taken_after_the_savepoint),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
