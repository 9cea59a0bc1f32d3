/* SPDX-License-Identifier: MIT */
/* Locks that are released with the commit of a transaction. */
#include <stdatomic.h>

#include "db/lock/tx/in_tx_kit.h"

static void it_is_free_from_the_commit_on_and_not_before(void **state)
{
	struct dblock_lock *lock = take(a, "x");
	struct dblock_tx *tx = tx_begin(a);

	(void)state;
	tx_exec(tx, "UPDATE account SET money = money + 1 WHERE id = 1");
	release_in(tx, lock);
	assert_false(dblock_valid(lock, 0));
	busy(b, "x");
	end(tx, true);
	is_free(b, "x");
	give(lock);
	assert_int_equal(tx_money(a, 1), 101);
}

static void rolled_back_it_is_held_as_before(void **state)
{
	struct dblock_lock *lock = take(a, "y");
	struct dblock_tx *tx = tx_begin(a);

	(void)state;
	release_in(tx, lock);
	end(tx, false);
	assert_true(dblock_valid(lock, 0));
	busy(b, "y");
	give(lock);
	is_free(b, "y");
}

/* Locks of each kind can be released so, with a fence before it, and of several names. */
static void every_kind_of_grant_can_be_released_so(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_fence_options to_release = DBLOCK_FENCE_OPTIONS_INIT;
	struct dblock_lock_spec wants[] = {{.name = "k1"}, {.name = "k2"}};
	struct dblock_error err = {0};
	struct dblock_lock *locks[3];
	struct dblock_tx *tx;

	(void)state;
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(a, "shared", &options, &locks[0], &err));
	options.mode = DBLOCK_PERMITS;
	options.capacity = 1;
	expect(OK, dblock_try(a, "permit", &options, &locks[1], &err));
	expect(OK, dblock_try_all(a, wants, 2, NULL, &locks[2], &err));
	tx = tx_begin(a);
	to_release.to_release = 1;
	expect(OK, dblock_fence_all(tx, locks, 3, &to_release, &err));
	for (int i = 0; i < 3; i++)
		release_in(tx, locks[i]);
	busy(b, "shared");
	busy(b, "k1");
	end(tx, true);
	is_free(b, "shared");
	is_free(b, "k1");
	is_free(b, "k2");
	expect(OK, dblock_try(b, "permit", &options, &locks[1], &err));
	give(locks[1]);
}

/* The lock stays taken until its minimum hold is over, whichever row carries it. */
static void it_is_held_as_long_as_it_was_to_be_at_least(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	(void)state;
	options.at_least_ms = PLENTY_MS;
	for (int shared = 0; shared < 2; shared++) {
		const char *name = shared ? "least, shared" : "least";
		struct dblock_lock *lock;
		struct dblock_tx *tx;

		options.mode = shared ? DBLOCK_SHARED : DBLOCK_EXCLUSIVE;
		expect(OK, dblock_try(a, name, &options, &lock, &err));
		tx = tx_begin(a);
		release_in(tx, lock);
		end(tx, true);
		busy(b, name);
		give(lock);
		busy(b, name);
	}
}

static void a_stale_holder_cannot_release_in_it(void **state)
{
	struct dblock_lock *lock = take(a, "stale");
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	(void)state;
	expect(OK, break_by_force(b, "stale", 0, PLENTY_MS, &err));
	tx = tx_begin(a);
	tx_exec(tx, "UPDATE account SET money = 0 WHERE id = 2");
	expect(STALE, dblock_tx_release(tx, lock, &err));
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	assert_int_equal(tx_int(tx, "SELECT money FROM account WHERE id = 2"), 0);
	end(tx, false);
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(tx_money(a, 2), 100);
}

static void misuse_is_told(void **state)
{
	struct dblock_lock *lock = take(a, "misuse"), *again;
	struct dblock_tx *tx = tx_begin(a), *other;
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_acquire(a, "misuse", NULL, &again, &err));
	expect(E_INVALID, dblock_tx_release(tx, lock, &err));
	message_has("2 times");
	give(again);
	release_in(tx, lock);
	expect(E_INVALID, dblock_tx_release(tx, lock, &err));
	/* Otherwise the call would wait for itself. */
	expect(FENCED, dblock_acquire(a, "misuse", NULL, &again, &err));
	expect(FENCED, dblock_release(lock, &err));
	expect(FENCED, dblock_fence(tx, lock, &err));
	if (!on_backend("sqlite")) {
		struct dblock_lock *fenced = take(a, "fenced");

		other = tx_begin(a);
		expect(OK, dblock_fence(other, fenced, &err));
		expect(FENCED, dblock_tx_release(tx, fenced, &err));
		end(other, false);
		give(fenced);
	}
	end(tx, true);
	give(lock);
	tx = tx_open(a);
	lock = take(a, "misuse");
	expect(E_INVALID, dblock_tx_release(tx, lock, &err));
	message_has("no transaction is open");
	expect(E_INVALID, dblock_tx_release(tx, NULL, &err));
	give(lock);
	dblock_tx_close(tx);
}

static atomic_bool wanted;

/* One thread wants the lock all the time: nearly always its request waits for the row. */
static void *want(void *arg)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)arg;
	while (wanted) {
		if (dblock_try(b, "wanted", NULL, &lock, &err) == DBLOCK_OK)
			(void)dblock_release(lock, &err);
	}
	return NULL;
}

/* Naive, on MySQL: the shared lock of a plain fence is made exclusive, and has to wait for a
 * request that itself waits for the shared one: a deadlock. */
static void a_fence_to_release_meets_nobody(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct crew crew = {.n = 0};
	struct dblock_lock *lock;

	(void)state;
	wanted = true;
	crew_add(&crew, want, NULL);
	for (int i = 0; i < 4; i++) {
		struct dblock_tx *tx;

		options.wait_ms = PLENTY_MS;
		expect(OK, dblock_acquire(a, "wanted", &options, &lock, &err));
		tx = tx_begin(a);
		expect(OK, dblock_fence_to_release(tx, lock, &err));
		sleep_ms(100);
		release_in(tx, lock);
		end(tx, true);
		give(lock);
	}
	wanted = false;
	crew_join(&crew);
}

struct waiting {
	struct dblock_lock *lock;
	_Atomic int rc;
	struct dblock_error err;
};

static void *wait_for(void *arg)
{
	struct waiting *w = arg;

	w->rc = dblock_acquire(b, "line", NULL, &w->lock, &w->err);
	return NULL;
}

static int count_one(void *arg, const struct dblock_waiter *waiter)
{
	(void)waiter;
	++*(int *)arg;
	return 0;
}

static void who_waits_in_queue_gets_it_at_the_commit(void **state)
{
	struct dblock_lock *lock = take(a, "line");
	struct waiting w = {.rc = DBLOCK_WAITING};
	struct dblock_error err = {0};
	struct crew crew = {.n = 0};
	struct dblock_waiters_options of_line = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_tx *tx;
	int in_queue = 0;

	(void)state;
	of_line.name = "line";
	crew_add(&crew, wait_for, &w);
	while (in_queue == 0) {
		sleep_ms(10);
		expect(OK, dblock_waiters(a, &of_line, count_one, &in_queue, &err));
	}
	tx = tx_begin(a);
	release_in(tx, lock);
	assert_int_equal(w.rc, DBLOCK_WAITING);
	end(tx, true);
	give(lock);
	crew_join(&crew);
	assert_int_equal(w.rc, DBLOCK_OK);
	give(w.lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_free_from_the_commit_on_and_not_before),
		cmocka_unit_test(rolled_back_it_is_held_as_before),
		cmocka_unit_test(every_kind_of_grant_can_be_released_so),
		cmocka_unit_test(it_is_held_as_long_as_it_was_to_be_at_least),
		cmocka_unit_test(a_stale_holder_cannot_release_in_it),
		cmocka_unit_test(misuse_is_told),
		cmocka_unit_test(a_fence_to_release_meets_nobody),
		cmocka_unit_test(who_waits_in_queue_gets_it_at_the_commit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
