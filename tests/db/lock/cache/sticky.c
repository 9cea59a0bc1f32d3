/* SPDX-License-Identifier: MIT */
/* Sticky ownership: a client keeps a lock idle, and takes it again. */
#include "support/sticky.h"
#include "lock/cache/own.h"
#include "support/steps.h"
#include "support/tx.h"

enum { AGAIN = DBL_TOKEN_BLOCK_FIRST - 100 };

static int64_t row_token(struct raw *raw, const char *name)
{
	return raw_int(raw, "SELECT token FROM dblock_lock WHERE name = '%s'", name);
}

/* ---- taken again ----------------------------------------------------------------------------- */

/* Naive: each time costs a release and an acquire. */
static void taking_it_again_is_no_statement(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct raw *raw = raw_open(NULL);
	int64_t last;

	(void)state;
	spy_freeze(spy); /* nobody asks each second whether it is still ours */
	last = keep(a, "x");
	assert_int_equal(spy->runs_of[DBL_OP_turn], 1);
	assert_int_equal(spy->runs_of[DBL_OP_release], 0);
	spy_reset(spy);
	for (int i = 0; i < AGAIN; i++) {
		struct dblock_lock *lock = take_for(a, "x", KEPT_MS);

		assert_true(dblock_token(lock) > last);
		last = dblock_token(lock);
		give(lock);
	}
	spy_assert_runs(spy, 0);
	assert_true(row_token(raw, "x") >= last);
	dblock_close(a, NULL);
	assert_false(held_in_database(raw, "x"));
	raw_close(raw);
	spy_free(spy);
}

/* After many acquires the reserved tokens are used up, and the database is asked for more. */
static void when_its_tokens_are_used_up_it_gets_more(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct dblock_lock *lock;
	int64_t top, last;

	(void)state;
	keep(a, "x");
	lock = take_for(a, "x", KEPT_MS);
	/* The handle is set as if it had been taken so often. */
	lock->grant.token = top = lock->grant.row_token;
	spy_reset(spy);
	give(lock);
	assert_int_equal(spy->runs_of[DBL_OP_turn], 1);
	lock = take_for(a, "x", KEPT_MS);
	last = dblock_token(lock);
	assert_true(last > top);
	give(lock);
	spy_assert_runs(spy, 1);
	dblock_close(a, NULL);
	spy_free(spy);
}

static void a_try_and_any_thread_may_take_it_again(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct waiting other;

	(void)state;
	options.idle_ms = KEPT_MS;
	expect(OK, dblock_try(a, "x", &options, &lock, &err));
	give(lock);
	spy_reset(spy);
	expect(OK, dblock_try(a, "x", &options, &lock, &err));
	give(lock);
	options.owner = 7;
	expect(OK, dblock_try(a, "x", &options, &lock, &err));
	give(lock);
	spy_assert_runs(spy, 0);
	/* A caller who does not ask for an idle time gets the lock all the same, but releases it.
	 */
	waiting_start(&other, a, "x");
	lock = waiting_join(&other);
	spy_assert_runs(spy, 0);
	give(lock);
	assert_int_equal(spy->runs_of[DBL_OP_release], 1);
	dblock_close(a, NULL);
	spy_free(spy);
}

static void what_is_idle_is_nobodys(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct dblock_lock *first, *second;

	(void)state;
	first = take_for(a, "x", KEPT_MS);
	second = take_for(a, "x", KEPT_MS);
	assert_ptr_equal(first, second);
	spy_reset(spy);
	give(second);
	spy_assert_runs(spy, 0);
	assert_int_equal(a->locks->cache->n_idle, 0);
	give(first);
	assert_int_equal(a->locks->cache->n_idle, 1);
	/* Another thread of the client is a new holder: it does not re-enter. */
	first = take_for(a, "x", KEPT_MS);
	assert_int_equal(a->locks->cache->n_idle, 0);
	assert_int_equal(dbl_handle_count(first), 1);
	give(first);
	dblock_close(a, NULL);
	spy_free(spy);
}

/* ---- given back ------------------------------------------------------------------------------ */

static void after_its_time_it_is_given_back(void **state)
{
	struct dblock_client *a = client_new(0);
	struct raw *raw = raw_open(NULL);

	(void)state;
	give(take_for(a, "later", KEPT_MS));
	give(take_for(a, "x", 50));
	wait_until(!held_in_database(raw, "x"));
	assert_true(held_in_database(raw, "later"));
	assert_int_equal(a->locks->cache->n_idle, 1);
	dblock_close(a, NULL);
	assert_false(held_in_database(raw, "later"));
	raw_close(raw);
}

/* The idle time begins anew each time: naive, the idle thread gives the lock back by the end that
 * it saw first. */
static void its_time_begins_with_the_last_release(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct dblock_lock *lock;

	(void)state;
	spy_freeze(spy);
	give(take_for(a, "x", 1000));
	spy->skew += 900000;
	lock = take_for(a, "x", 1000);
	spy->skew += 900000;
	give(lock);
	spy->skew += 900000;
	spy_reset(spy);
	give(take_for(a, "x", 1000));
	spy_assert_runs(spy, 0);
	dblock_close(a, NULL);
	spy_free(spy);
}

/* Naive: the lock is taken again though its session is nearly over, or is over. */
static void its_deadline_is_the_sessions(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 4000);
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	spy_freeze(spy);
	token = keep(a, "x");
	/* Less than a quarter of the session's time is left. */
	spy->skew += 3000000;
	spy_reset(spy);
	lock = take_for(a, "x", KEPT_MS);
	assert_true(spy->runs_of[DBL_OP_acquire] > 0);
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(a, NULL);
	spy_free(spy);
}

static void another_wish_is_granted_by_the_database(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	keep(a, "x");
	options.lease_ms = 60000;
	expect(OK, dblock_try(a, "x", &options, &lock, &err));
	give(lock);
	keep(a, "x");
	options = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(a, "x", &options, &lock, &err));
	give(lock);
	keep(a, "x");
	options = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
	options.value = "mine";
	expect(OK, dblock_acquire(a, "x", &options, &lock, &err));
	assert_string_equal(show(a, "x").value, "mine");
	give(lock);
	assert_int_equal(a->locks->cache->n_idle, 0);
	dblock_close(a, NULL);
}

/* Naive: to begin a wait takes a round trip; or the wait joins the queue behind its own client. */
static void who_drives_his_wait_has_it_too(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct dblock_lock *lock;

	(void)state;
	keep(a, "x");
	spy_reset(spy);
	lock = wait_gets(wait_begin(a, "x"));
	spy_assert_runs(spy, 0);
	give(lock);
	dblock_close(a, NULL);
	spy_free(spy);
}

/* On SQLite the transaction has the file. Naive: the call waits for its own client until its time
 * is over. */
static void a_transaction_may_want_it(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_tx *tx;

	(void)state;
	keep(a, "x");
	tx = tx_begin(a);
	if (on_backend("sqlite")) {
		expect(E_INVALID, dblock_tx_acquire(tx, a, "x", NULL, &lock, &err));
		message_has("this client keeps it idle");
		tx_rollback(tx);
	} else {
		expect(OK, dblock_tx_acquire(tx, a, "x", NULL, &lock, &err));
		tx_commit(tx);
		give(lock);
	}
	dblock_close(a, NULL);
}

/* ---- not kept -------------------------------------------------------------------------------- */

/* Naive: the lock is kept, and a thread has it again while the fence's row may still be read by its
 * token. */
static void what_was_fenced_is_not_kept(void **state)
{
	struct dblock_client *a = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_tx *tx;

	(void)state;
	keep(a, "x");
	lock = take_for(a, "x", KEPT_MS);
	assert_true(dblock_token(lock) < row_token(raw, "x"));
	tx = tx_begin(a);
	expect(OK, dblock_fence(tx, lock, &err));
	/* The holder writes the same token that triggers see. */
	assert_int_equal(dblock_token(lock), row_token(raw, "x"));
	expect(FENCED, dblock_release(lock, &err));
	tx_commit(tx);
	give(lock);
	assert_int_equal(a->locks->cache->n_idle, 0);
	assert_false(held_in_database(raw, "x"));
	dblock_close(a, NULL);
	raw_close(raw);
}

static void where_others_wait_it_is_handed_over(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take_for(a, "x", KEPT_MS);
	struct raw *raw = raw_open(NULL);
	struct waiting w;

	(void)state;
	waiting_start(&w, b, "x");
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x' AND queued"));
	give(lock);
	assert_int_equal(a->locks->cache->n_idle, 0);
	give(waiting_join(&w));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	raw_close(raw);
}

static void wrong_options_are_told(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.idle_ms = -1;
	expect(E_INVALID, dblock_try(a, "x", &options, &lock, &err));
	message_has("idle_ms is -1");
	options.idle_ms = 1000;
	options.lease_ms = 1000;
	expect(E_INVALID, dblock_try(a, "x", &options, &lock, &err));
	message_has("idle_ms is for exclusive locks without lease_ms, at_least_ms and value");
	options.lease_ms = 0;
	options.mode = DBLOCK_SHARED;
	expect(E_INVALID, dblock_acquire(a, "x", &options, &lock, &err));
	dblock_close(a, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taking_it_again_is_no_statement),
		cmocka_unit_test(when_its_tokens_are_used_up_it_gets_more),
		cmocka_unit_test(a_try_and_any_thread_may_take_it_again),
		cmocka_unit_test(what_is_idle_is_nobodys),
		cmocka_unit_test(after_its_time_it_is_given_back),
		cmocka_unit_test(its_time_begins_with_the_last_release),
		cmocka_unit_test(its_deadline_is_the_sessions),
		cmocka_unit_test(another_wish_is_granted_by_the_database),
		cmocka_unit_test(who_drives_his_wait_has_it_too),
		cmocka_unit_test(a_transaction_may_want_it),
		cmocka_unit_test(what_was_fenced_is_not_kept),
		cmocka_unit_test(where_others_wait_it_is_handed_over),
		cmocka_unit_test(wrong_options_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
