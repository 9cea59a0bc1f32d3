/* SPDX-License-Identifier: MIT */
/* A time to wait means the same to each call: a negative one that is neither of the two names is refused,
 * DBLOCK_NO_WAIT ends at once what would wait, DBLOCK_FOREVER what is ended otherwise. */
#include "support/kit.h"

static struct dblock_client *mine, *theirs;

static int two_clients(void **unused)
{
	(void)unused;
	mine = client_new(0);
	theirs = client_new(0);
	return 0;
}

static int no_clients(void **unused)
{
	(void)unused;
	dblock_close(mine, NULL);
	dblock_close(theirs, NULL);
	return 0;
}

static struct dblock_acquire_options waiting(int64_t wait_ms)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.wait_ms = wait_ms;
	return options;
}

/* As long as somebody else has it, and with nobody's place in the queue. */
static void no_wait_is_a_try(void **unused)
{
	struct dblock_acquire_options options = waiting(DBLOCK_NO_WAIT);
	const struct dblock_lock_spec wants[] = {{"w.other", DBLOCK_EXCLUSIVE, 0, 0},
						 {"w.held", DBLOCK_EXCLUSIVE, 0, 0}};
	struct dblock_elect_options stands = DBLOCK_ELECT_OPTIONS_INIT;
	struct dblock_lock *held = take(theirs, "w.held"), *lock;
	struct dblock_error err;
	struct dblock_wait *wait;

	(void)unused;
	stands.wait_ms = DBLOCK_NO_WAIT;
	expect(BUSY, dblock_acquire(mine, "w.held", &options, &lock, &err));
	expect(BUSY, dblock_acquire_all(mine, wants, 2, &options, &lock, &err));
	expect(BUSY, dblock_acquire_all(mine, wants + 1, 1, &options, &lock, &err));
	expect(BUSY, dblock_elect(mine, "w.held", &stands, &lock, &err));
	expect(BUSY, dblock_once(mine, "w.held", "slot", &options, &lock, &err));
	expect(OK, dblock_acquire_begin(mine, "w.held", &options, &wait, &err));
	expect(BUSY, dblock_wait_finish(wait, &lock, &err));
	dblock_wait_end(wait);
	is_free(mine, "w.other");
	give(held);
	expect(OK, dblock_acquire(mine, "w.held", &options, &lock, &err));
	give(lock);
	expect(OK, dblock_acquire_all(mine, wants, 2, &options, &lock, &err));
	give(lock);
	expect(OK, dblock_elect(mine, "w.held", &stands, &lock, &err));
	give(lock);
}

static void no_wait_is_a_try_in_a_transaction(void **unused)
{
	struct dblock_acquire_options options = waiting(DBLOCK_NO_WAIT);
	struct dblock_lock *held = take(theirs, "w.held"), *lock;
	struct dblock_error err;
	struct dblock_tx *tx;

	(void)unused;
	expect(OK, dblock_tx_open(mine, &tx, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(BUSY, dblock_tx_acquire(tx, mine, "w.held", &options, &lock, &err));
	expect(BUSY, dblock_tx_lock(tx, mine, "w.held", &options, NULL, &err));
	dblock_tx_close(tx);
	give(held);
}

static int never_called(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	(void)arg, (void)result, (void)err;
	fail();
	return DBLOCK_E_BUG;
}

/* What cannot be a try is over when it has looked once. */
static void no_wait_looks_once(void **unused)
{
	struct dblock_upgrade_options alone = DBLOCK_UPGRADE_OPTIONS_INIT;
	struct dblock_flight_options flies = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct dblock_break_options end = DBLOCK_BREAK_OPTIONS_INIT;
	struct dblock_acquire_options read = waiting(0);
	struct dblock_result *none;
	struct dblock_lock *one, *other;
	struct dblock_error err;

	(void)unused;
	read.mode = DBLOCK_SHARED;
	alone.wait_ms = end.wait_ms = flies.wait_ms = DBLOCK_NO_WAIT;
	expect(OK, dblock_try(mine, "w.read", &read, &one, &err));
	expect(OK, dblock_try(theirs, "w.read", &read, &other, &err));
	expect(BUSY, dblock_upgrade(one, &alone, &err));
	assert_int_equal(err.code, DBLOCK_BUSY);
	give(other);
	expect(OK, dblock_upgrade(one, &alone, &err));
	give(one);
	one = take(theirs, "flight:w");
	expect(BUSY, dblock_single_flight(mine, "w", &flies, never_called, NULL, &none, &err));
	give(one);
	one = take(theirs, "w.break");
	expect(TIMEOUT, dblock_break(mine, "w.break", &end, &err));
	(void)dblock_release(one, NULL);
}

static int at_the_third_question(void *arg)
{
	return ++*(int *)arg == 3;
}

static void for_ever_ends_otherwise(void **unused)
{
	struct dblock_acquire_options options = waiting(DBLOCK_FOREVER);
	struct dblock_lock *held = take(theirs, "w.long"), *lock;
	struct dblock_error err;
	int asked = 0;

	(void)unused;
	options.canceled = at_the_third_question;
	options.canceled_arg = &asked;
	expect(CANCELED, dblock_acquire(mine, "w.long", &options, &lock, &err));
	assert_int_equal(asked, 3);
	give(held);
	expect(OK, dblock_acquire(mine, "w.long", &options, &lock, &err));
	give(lock);
}

static void no_other_is_below_zero(void **unused)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dblock_acquire_options options = waiting(-3);
	struct dblock_lock *lock;
	struct dblock_error err;
	const char *url = getenv("DBLOCK_TEST_URL");

	(void)unused;
	which.wait_ms = INT64_MIN;
	expect(E_INVALID, dblock_acquire(mine, "w", &options, &lock, &err));
	assert_non_null(strstr(err.message, "wait_ms is -3"));
	assert_non_null(strstr(err.message, "DBLOCK_NO_WAIT"));
	expect(E_INVALID, dblock_migrate_up(url, NULL, &which, NULL, NULL, &err));
	which.wait_ms = 0;
	which.lock_timeout_ms = DBLOCK_NO_WAIT;
	expect(E_INVALID, dblock_migrate_up(url, NULL, &which, NULL, NULL, &err));
	assert_non_null(strstr(err.message, "lock_timeout_ms is -2"));
	which.lock_timeout_ms = DBLOCK_FOREVER;
	expect(OK, dblock_migrate_up(url, NULL, &which, NULL, NULL, &err));
	expect(E_INVALID, dblock_migrate_wait(url, NULL, -3, NULL, NULL, &err));
	expect(OK, dblock_migrate_wait(url, NULL, DBLOCK_NO_WAIT, NULL, NULL, &err));
	expect(OK, dblock_migrate_wait(url, NULL, DBLOCK_FOREVER, NULL, NULL, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_wait_is_a_try),
		cmocka_unit_test(no_wait_is_a_try_in_a_transaction),
		cmocka_unit_test(no_wait_looks_once),
		cmocka_unit_test(for_ever_ends_otherwise),
		cmocka_unit_test(no_other_is_below_zero),
	};

	return cmocka_run_group_tests(tests, two_clients, no_clients);
}
