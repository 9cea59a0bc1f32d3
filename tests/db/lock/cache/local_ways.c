/* SPDX-License-Identifier: MIT */
/* A grant goes from thread to thread: what else is done with a turn, and how a wait for one ends.
 */
#include "lock/cache/own.h"
#include "support/local.h"
#include "support/tx.h"

enum { LOCAL_TURNS = 64 };

/* ---- what else is done to a turn ------------------------------------------------------------- */

static void a_turn_can_be_fenced_and_is_not_passed_on_then(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock = in_turns(a, "x");
	struct dblock_tx *tx;
	struct waiting next;

	(void)state;
	waits_in_memory(&next, a, "x");
	tx = tx_begin(a);
	expect(OK, dblock_fence(tx, lock, &err));
	expect(FENCED, dblock_release(lock, &err));
	assert_int_equal(in_memory(a, "x"), 1);
	expect(OK, dblock_fence(tx, lock, &err));
	tx_commit(tx);
	give(lock);
	lock = waiting_join(&next);
	tx = tx_begin(a);
	expect(OK, dblock_fence_to_release(tx, lock, &err));
	expect(OK, dblock_tx_release(tx, lock, &err));
	tx_commit(tx);
	give(lock);
	is_free(a, "x");
	dblock_close(a, NULL);
}

static void a_fence_of_a_turn_that_was_broken_is_stale(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock = in_turns(a, "x");
	struct dblock_tx *tx;

	(void)state;
	expect(OK, break_by_force(a, "x", 0, 0, &err));
	tx = tx_begin(a);
	expect(STALE, dblock_fence(tx, lock, &err));
	tx_rollback(tx);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(a, NULL);
}

static enum spy_fate nobody_can_say(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_fence_idle ? SPY_LOST_BEFORE : SPY_PASS;
}

static void *releases(void *arg)
{
	(void)dblock_release(arg, NULL);
	return NULL;
}

/* Another thread than the transaction's gives the lock back, and the database cannot be asked
 * whether the transaction is over. The lock may be released, but is passed on to nobody in memory.
 */
static void what_may_be_fenced_is_not_passed_on(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, 0, SLOWLY_MS(2500));
	struct dblock_lock *lock;
	struct dblock_error err = {0};
	struct crew crew = {.n = 0};
	struct waiting next;
	struct dblock_tx *tx;
	int64_t nonce;

	(void)state;
	client->locks->cache->local_turns = 64;
	lock = in_turns(client, "x");
	nonce = lock->grant.nonce;
	waits_in_memory(&next, client, "x");
	tx = tx_begin(client);
	expect(OK, dblock_fence(tx, lock, &err));
	spy->fate = nobody_can_say;
	crew_add(&crew, releases, lock);
	crew_join(&crew);
	spy->fate = NULL;
	(void)dblock_tx_rollback(tx, NULL);
	dblock_tx_close(tx);
	lock = waiting_join(&next);
	assert_int_not_equal(lock->grant.nonce, nonce);
	give(lock);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* From then on the grant is known by its row's token. */
static void a_turn_can_go_on_shared(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock = in_turns(a, "x"), *other;
	int64_t token = dblock_token(lock);

	(void)state;
	expect(OK, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	assert_true(dblock_token(lock) >= token);
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(b, "x", &options, &other, &err));
	assert_true(dblock_token(other) > dblock_token(lock));
	give(other);
	give(lock);
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The request names the row's token. */
static void a_turn_can_be_asked_for(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = in_turns(a, "x");
	struct dblock_error err = {0};
	struct waiting next;

	(void)state;
	waits_in_memory(&next, a, "x");
	expect(OK, dblock_request_release(b, "x", "please", &err));
	wait_until(dblock_release_requested(lock));
	/* Therefore the grant is not passed on: the next holder has its own grant. */
	give(lock);
	lock = waiting_join(&next);
	assert_false(dblock_release_requested(lock));
	assert_false(lock->cached.unnamed);
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- ways out -------------------------------------------------------------------------------- */

struct canceled {
	struct dblock_client *client;
	_Atomic int now, rc;
};

static int yes(void *arg)
{
	return ((struct canceled *)arg)->now;
}

static void *is_canceled(void *arg)
{
	struct canceled *c = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;

	options.canceled = yes;
	options.canceled_arg = c;
	options.deadlock_ms = PLENTY_MS;
	c->rc = dblock_acquire(c->client, "x", &options, &lock, NULL);
	return NULL;
}

static void who_waits_in_memory_can_leave(void **state)
{
	struct spy *spy = spy_new();
	struct canceled c = {.client = spy_client(spy, 0), .rc = DBLOCK_OK};
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *none;
	struct waiting first, last;
	struct crew crew = {.n = 0};

	(void)state;
	c.client->locks->cache->local_turns = LOCAL_TURNS;
	waiting_start(&first, c.client, "x");
	lock = waiting_join(&first);
	spy_reset(spy);
	crew_add(&crew, is_canceled, &c);
	wait_until(in_memory(c.client, "x") == 1);
	options.wait_ms = 50;
	expect(TIMEOUT, dblock_acquire(c.client, "x", &options, &none, &err));
	message_has("'x' is held by host");
	c.now = 1;
	crew_join(&crew);
	assert_int_equal(c.rc, DBLOCK_CANCELED);
	assert_int_equal(in_memory(c.client, "x"), 0);
	assert_int_equal(spy_joins(spy), 0);
	waits_in_memory(&last, c.client, "x");
	give(lock);
	give(waiting_join(&last));
	dblock_close(c.client, NULL);
	spy_free(spy);
}

/* After a second in memory the thread takes a place that everybody can see. */
static void who_waits_long_goes_to_the_queue(void **state)
{
	struct dblock_client *a = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = in_turns(a, "x");
	struct waiting w[2];

	(void)state;
	waits_in_memory(&w[0], a, "x");
	wait_until(in_queue(raw) == 1);
	waits_in_memory(&w[1], a, "x");
	wait_until(in_queue(raw) == 2);
	give(lock);
	lock = waiting_join(&w[0]);
	assert_false(w[1].done);
	give(lock);
	give(waiting_join(&w[1]));
	dblock_close(a, NULL);
	raw_close(raw);
}

/* ---- lost answers ---------------------------------------------------------------------------- */

static enum spy_fate fate;
static _Atomic int losses;

static enum spy_fate lose_turns(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_turn && losses-- > 0 ? fate : SPY_PASS;
}

static void with_lost_turns(enum spy_fate how, int n)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct waiting first, next;
	struct dblock_lock *lock;
	int64_t token;

	a->locks->cache->local_turns = LOCAL_TURNS;
	waiting_start(&first, a, "x");
	lock = waiting_join(&first);
	token = dblock_token(lock);
	waits_in_memory(&next, a, "x");
	fate = how;
	losses = n;
	spy->fate = lose_turns;
	give(lock);
	lock = waiting_join(&next);
	assert_true(dblock_token(lock) > token);
	assert_true(dblock_valid(lock, 0));
	spy->fate = NULL;
	give(lock);
	is_free(a, "x");
	dblock_close(a, NULL);
	spy_free(spy);
}

static void a_lost_answer_loses_nothing(void **state)
{
	(void)state;
	with_lost_turns(SPY_LOST_BEFORE, 1);
	with_lost_turns(SPY_LOST_AFTER, 1);
	with_lost_turns(SPY_LOST_AFTER, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_can_be_fenced_and_is_not_passed_on_then),
		cmocka_unit_test(a_fence_of_a_turn_that_was_broken_is_stale),
		cmocka_unit_test(what_may_be_fenced_is_not_passed_on),
		cmocka_unit_test(a_turn_can_go_on_shared),
		cmocka_unit_test(a_turn_can_be_asked_for),
		cmocka_unit_test(who_waits_in_memory_can_leave),
		cmocka_unit_test(who_waits_long_goes_to_the_queue),
		cmocka_unit_test(a_lost_answer_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
