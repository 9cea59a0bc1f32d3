/* SPDX-License-Identifier: MIT */
/* A fence in a branch of an XA transaction holds until that is committed, or rolled back. */
#include "db/lock/tx/in_tx_kit.h"

/* Returns a connection on which a branch is open. (The tests' servers have SERIALIZABLE, in which a
 * branch keeps its locks on rows, unless the server crashes.) */
static struct dblock_tx *branch_begin(struct dblock_client *client, const char *xid)
{
	struct dblock_tx *tx = tx_open(client);
	char sql[80];

	tx_exec(tx, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
	snprintf(sql, sizeof(sql), "XA START '%s'", xid);
	tx_exec(tx, sql);
	return tx;
}

/* Prepares the branch, and ends its connection, as if its process had died. */
static void branch_prepare(struct dblock_tx *tx, struct raw *raw, const char *xid)
{
	int64_t number = tx_int(tx, "SELECT CONNECTION_ID()");
	char sql[80];

	snprintf(sql, sizeof(sql), "XA END '%s'", xid);
	tx_exec(tx, sql);
	snprintf(sql, sizeof(sql), "XA PREPARE '%s'", xid);
	tx_exec(tx, sql);
	raw_exec(raw, "KILL %lld", (long long)number);
	dblock_tx_close(tx);
}

/* From now on others may take what its clients hold. */
static void declare_dead(struct raw *raw, const char *name)
{
	raw_exec(raw,
		 "UPDATE dblock_session SET dead = 1 WHERE id IN"
		 " (SELECT session FROM dblock_lock WHERE name = '%s'"
		 " UNION SELECT session FROM dblock_queue WHERE name = '%s')",
		 name, name);
}

static struct dblock_lock *try_mode(struct dblock_client *client, const char *name,
				    enum dblock_mode mode)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = mode;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

/* Naive (a shared lock on the row): MariaDB lets go of it when the branch is prepared, somebody else
 * gets the lock, and then the branch is committed. */
static void a_prepared_branch_keeps_others_out(enum dblock_mode mode, const char *name)
{
	struct dblock_client *victim = client_new(0);
	struct dblock_lock *lock = try_mode(victim, name, mode);
	struct dblock_tx *tx = branch_begin(victim, name);
	struct dblock_error err = {0};
	struct raw *raw = raw_open(NULL);
	int64_t before = tx_money(a, 1);

	fence(tx, lock);
	tx_exec(tx, "UPDATE account SET money = money + 1 WHERE id = 1");
	branch_prepare(tx, raw, name);
	declare_dead(raw, name);
	busy(b, name);
	assert_int_equal(tx_money(a, 1), before);
	raw_exec(raw, "XA COMMIT '%s'", name);
	assert_int_equal(tx_money(a, 1), before + 1);
	is_free_soon(b, name);
	expect(LOST, dblock_release(lock, &err));
	raw_close(raw);
	dblock_close(victim, NULL);
}

static void a_prepared_branch_keeps_its_lock(void **state)
{
	(void)state;
	a_prepared_branch_keeps_others_out(DBLOCK_EXCLUSIVE, "alone");
}

static void a_prepared_branch_keeps_its_share(void **state)
{
	(void)state;
	a_prepared_branch_keeps_others_out(DBLOCK_SHARED, "share");
}

/* As often as it likes, and released with the branch's commit. */
static void a_branch_is_fenced_and_released(void **state)
{
	struct dblock_lock *own = take(a, "own"), *share = try_mode(a, "ours", DBLOCK_SHARED);
	struct dblock_lock *locks[] = {own, share};
	struct dblock_fence_options options = DBLOCK_FENCE_OPTIONS_INIT;
	struct dblock_tx *tx = branch_begin(a, "branch");
	struct dblock_error err = {0};

	(void)state;
	fence(tx, own);
	fence(tx, own);
	options.to_release = 1;
	expect(OK, dblock_fence_all(tx, locks, 2, &options, &err));
	release_in(tx, own);
	release_in(tx, share);
	busy(b, "own");
	tx_exec(tx, "XA END 'branch'");
	tx_exec(tx, "XA COMMIT 'branch' ONE PHASE");
	dblock_tx_ended(tx, DBLOCK_TX_COMMITTED);
	dblock_tx_close(tx);
	is_free(b, "own");
	is_free(b, "ours");
	give(own);
	give(share);
}

/* The question, whether it is one, does no harm: what comes after it is still in the transaction.
 * Naive (each transaction that the caller has begun changes the row): the second one is kept out. */
static void what_is_no_branch_shares(void **state)
{
	struct dblock_lock *lock = take(a, "shared");
	struct dblock_tx *lenders[2], *txs[2];
	int64_t before = tx_money(a, 2);

	(void)state;
	for (int i = 0; i < 2; i++) {
		lenders[i] = tx_open(a);
		txs[i] = tx_adopt(lenders[i]);
		tx_exec(lenders[i], i ? "SET autocommit = 0" : "BEGIN");
		fence(txs[i], lock);
	}
	tx_exec(lenders[0], "UPDATE account SET money = money + 1 WHERE id = 2");
	for (int i = 0; i < 2; i++) {
		tx_exec(lenders[i], "ROLLBACK");
		dblock_tx_close(txs[i]);
		dblock_tx_close(lenders[i]);
	}
	assert_int_equal(tx_money(a, 2), before);
	give(lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prepared_branch_keeps_its_lock),
		cmocka_unit_test(a_prepared_branch_keeps_its_share),
		cmocka_unit_test(a_branch_is_fenced_and_released),
		cmocka_unit_test(what_is_no_branch_shares),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
