/* SPDX-License-Identifier: MIT */
/* A transaction of the user has the file, and another thread of the same client waits for it, and
 * keeps the client's connection meanwhile. A request of the transaction must not need that
 * connection: otherwise each waits for the other, and everybody else for both, until a time-out. */
#include "support/raw.h"
#include "support/tx.h"
#include "support/waiting.h"

/* Each request has this timeout: for so long each would wait for the other. */
#define TIMEOUT_MS SLOWLY_MS(10000)

/* Fences the lock in the transaction, which has the file. That returns `outcome`, and the thread
 * that waits for the file has lost nothing. */
static void is_fenced_in_a_crowd(struct spy *spy, struct dblock_client *client,
				 struct dblock_lock *lock, int outcome)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	struct waiting other;
	int64_t begun;

	spy_reset(spy);
	waiting_start(&other, client, "other");
	wait_until(spy->runs > 0);
	begun = clock_ms();
	expect_at(dblock_fence(tx, lock, &err), outcome, &err, "fence", __FILE__, __LINE__);
	assert_true(clock_ms() - begun < TIMEOUT_MS / 2);
	assert_false(other.done);
	tx_rollback(tx);
	give(waiting_join(&other));
}

static void what_was_lost(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, 0, TIMEOUT_MS);
	struct dblock_error err = {0};
	struct dblock_lock *lock = take(client, "x");

	(void)state;
	expect(OK, break_by_force(client, "x", 0, 0, &err));
	is_fenced_in_a_crowd(spy, client, lock, DBLOCK_STALE);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
	spy_free(spy);
}

/* A row of the queue, whose key is not known yet, carries the grant. */
static void what_is_shared(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, 0, TIMEOUT_MS);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	is_fenced_in_a_crowd(spy, client, lock, DBLOCK_OK);
	give(lock);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* That row is gone: somebody took us for dead. */
static void what_was_shared_and_is_lost(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, 0, TIMEOUT_MS);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct raw *raw = raw_open(NULL);

	(void)state;
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	raw_exec(raw, "DELETE FROM dblock_queue WHERE name = 'x'");
	raw_close(raw);
	is_fenced_in_a_crowd(spy, client, lock, DBLOCK_STALE);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_lost),
		cmocka_unit_test(what_is_shared),
		cmocka_unit_test(what_was_shared_and_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
