/* SPDX-License-Identifier: MIT */
/*
 * While somebody's open transaction has the lock's row (on SQLite the whole file) no answer comes, and
 * the thread of the loop goes on all the same. It is the one that ends the transaction: so a call that
 * blocked would fail for want of time, or never return.
 */
#include <fcntl.h>

#include "support/call.h"
#include "support/raw.h"
#include "support/steps.h"

enum { CALLS = 12 }; /* more than there are threads that make them */

static struct dblock_client *client;
static struct raw *raw;

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	raw = raw_open(NULL);
	is_free(client, "x");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	raw_close(raw);
	dblock_close(client, NULL);
	return 0;
}

static struct dblock_lock *take_lease(void)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = 10 * PLENTY_MS;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	return lock;
}

/* The loop goes round: nothing is due, and each step says so. */
static void nothing_comes_of(struct dblock_wait **waits, int n)
{
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < n; i++) {
			assert_false(is_due(waits[i]));
			step_waits(waits[i]);
		}
		sleep_ms(5);
	}
}

static void a_loop_goes_on_beside_its_release(void **state)
{
	struct dblock_lock *lock = take_lease();
	struct dblock_wait *waits[CALLS + 1];
	struct dblock_error err = {0};
	int n = 0;

	(void)state;
	raw_lock_row(raw, "x");
	while (n < CALLS)
		expect(OK, dblock_extend_begin(lock, 10 * PLENTY_MS, &waits[n++], &err));
	expect(OK, dblock_release_begin(lock, &waits[n++], &err));
	nothing_comes_of(waits, n);
	raw_exec(raw, "COMMIT");
	for (int i = 0; i < n; i++)
		call_comes_to(waits[i], DBLOCK_OK);
	is_free(client, "x");
}

/* On a server a try says busy after a while: until then, nothing. */
static void a_loop_goes_on_beside_its_try(void **state)
{
	struct dblock_error err = {0};
	struct dblock_wait *wait;
	struct dblock_lock *lock;
	int rc;

	(void)state;
	raw_lock_row(raw, "x");
	expect(OK, dblock_try_begin(client, "x", NULL, &wait, &err));
	rc = dblock_wait_step(wait, &lock, &err);
	assert_true(rc == DBLOCK_WAITING || rc == DBLOCK_BUSY);
	if (rc == DBLOCK_BUSY) {
		raw_exec(raw, "COMMIT");
		dblock_wait_end(wait);
		return;
	}
	raw_exec(raw, "COMMIT");
	rc = drive(wait, &lock, &err);
	assert_true(rc == DBLOCK_OK || rc == DBLOCK_BUSY);
	dblock_wait_end(wait);
	if (lock)
		give(lock);
}

/* Which of them is granted it first is not known. */
static void each_gets_it(struct dblock_wait **waits, int n)
{
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	for (int left = n; left > 0;) {
		assert_true(clock_ms() < until);
		for (int i = 0; i < n; i++) {
			if (!waits[i] || !is_due_within(waits[i], 1) ||
			    dblock_wait_step(waits[i], &lock, &err) == DBLOCK_WAITING)
				continue;
			give(lock);
			dblock_wait_end(waits[i]);
			waits[i] = NULL;
			left--;
		}
	}
}

/* An acquire waits for as long as the row is locked, and is none the worse for it. */
static void a_loop_goes_on_beside_its_acquires(void **state)
{
	struct dblock_wait *waits[CALLS];

	(void)state;
	raw_lock_row(raw, "x");
	for (int i = 0; i < CALLS; i++) {
		waits[i] = wait_begin(client, "x");
		step_waits(waits[i]);
	}
	for (int i = CALLS / 2; i < CALLS; i++)
		dblock_wait_end(waits[i]);
	raw_exec(raw, "COMMIT");
	each_gets_it(waits, CALLS / 2);
	is_free_soon(client, "x");
}

/* Naive: it stays open until a worker has ended the wait, and the loop hears of it meanwhile. */
static void the_descriptor_is_closed_at_once(void **state)
{
	struct dblock_wait *wait = wait_begin(client, "x");
	int fd = wait_fd(wait);

	(void)state;
	raw_lock_row(raw, "x");
	step_waits(wait);
	dblock_wait_end(wait);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	raw_exec(raw, "COMMIT");
	is_free_soon(client, "x");
}

/* Who does not want to know ends them at once, which blocks as little. */
static void a_loop_need_not_stay(void **state)
{
	struct dblock_lock *lock = take_lease();
	struct dblock_error err = {0};
	struct dblock_wait *wait;

	(void)state;
	raw_lock_row(raw, "x");
	for (int i = 0; i < CALLS; i++) {
		expect(OK, dblock_extend_begin(lock, 10 * PLENTY_MS, &wait, &err));
		dblock_wait_end(wait);
	}
	expect(OK, dblock_release_begin(lock, &wait, &err));
	dblock_wait_end(wait);
	raw_exec(raw, "COMMIT");
	is_free_soon(client, "x");
}

static int close_it(void *arg, struct dblock_error *err)
{
	(void)err;
	return (dblock_close)(arg, NULL);
}

/* Naive: the call of a worker counts as one of the caller's, and he is told to end it first. */
static void a_close_waits_for_what_was_ended(void **state)
{
	struct dblock_client *closed = client_new(0);
	struct dblock_error err = {0};
	struct dblock_wait *wait;
	struct call call;

	(void)state;
	raw_lock_row(raw, "x");
	for (int i = 0; i < CALLS; i++) {
		expect(OK, dblock_try_begin(closed, "x", NULL, &wait, &err));
		sleep_ms(5);
		dblock_wait_end(wait);
	}
	call_start(&call, close_it, closed);
	sleep_ms(50);
	raw_exec(raw, "COMMIT");
	assert_int_equal(call_end(&call), DBLOCK_OK);
	is_free(client, "x");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_loop_goes_on_beside_its_release),
		CASE(a_loop_goes_on_beside_its_try),
		CASE(a_loop_goes_on_beside_its_acquires),
		CASE(the_descriptor_is_closed_at_once),
		CASE(a_loop_need_not_stay),
		CASE(a_close_waits_for_what_was_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
