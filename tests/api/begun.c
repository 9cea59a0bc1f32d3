/* SPDX-License-Identifier: MIT */
/* A release, an extension and a try that block nobody: each outcome, and what comes between. */
#include <fcntl.h>

#include "support/begun.h"

static struct dblock_client *a, *b;

static int set_up(void **state)
{
	(void)state;
	a = client_new(0);
	b = client_new(0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	return 0;
}

/* ---- outcomes ------------------------------------------------------------------------------- */

static void a_try_gets_what_is_free(void **state)
{
	struct dblock_wait *wait = try_begin(a, "x");
	struct dblock_lock *lock;

	(void)state;
	assert_true(fcntl(wait_fd(wait), F_GETFD) & FD_CLOEXEC);
	lock = wait_gets(wait);
	assert_string_equal(dblock_name(lock), "x");
	busy(b, "x");
	call_comes_to(try_begin(b, "x"), DBLOCK_BUSY);
	/* Each is an owner of its own, and none is the thread's. */
	call_comes_to(try_begin(a, "x"), DBLOCK_BUSY);
	busy(a, "x");
	assert_int_equal(show(a, "x").h.thread, 0);
	give(lock);
	is_free(a, "x");
	lock = take(a, "x");
	call_comes_to(try_begin(a, "x"), DBLOCK_BUSY);
	give(lock);
}

static void an_owner_that_is_named_enters_again(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *locks[2];
	struct dblock_wait *wait;

	(void)state;
	options.owner = 7;
	for (int i = 0; i < 2; i++) {
		expect(OK, dblock_try_begin(a, "x", &options, &wait, &err));
		locks[i] = wait_gets(wait);
	}
	assert_ptr_equal(locks[0], locks[1]);
	/* The first release only counts, and has its outcome at once. */
	wait = release_begin(locks[0]);
	assert_true(is_due(wait));
	call_comes_to(wait, DBLOCK_OK);
	assert_true(dblock_valid(locks[1], 0));
	busy(b, "x");
	call_comes_to(release_begin(locks[1]), DBLOCK_OK);
	is_free(b, "x");
}

static void a_release_frees(void **state)
{
	static const enum dblock_mode modes[] = {DBLOCK_EXCLUSIVE, DBLOCK_SHARED, DBLOCK_UPDATE};

	(void)state;
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		call_comes_to(release_begin(take_with(a, modes[i], 0)), DBLOCK_OK);
		is_free(b, "x");
		call_comes_to(release_begin(take_with(a, modes[i], PLENTY_MS)), DBLOCK_OK);
		is_free(b, "x");
	}
}

static void what_is_lost_is_said_so(void **state)
{
	struct dblock_lock *lock = take_with(a, DBLOCK_EXCLUSIVE, PLENTY_MS);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, break_by_force(b, "x", dblock_token(lock), 0, &err));
	call_comes_to(extend_begin(lock, PLENTY_MS), DBLOCK_LOST);
	call_comes_to(release_begin(lock), DBLOCK_LOST);
	is_free(b, "x");
}

static void an_extension_extends(void **state)
{
	struct dblock_lock *lock = take_with(a, DBLOCK_EXCLUSIVE, PLENTY_MS);

	(void)state;
	call_comes_to(extend_begin(lock, 10 * PLENTY_MS), DBLOCK_OK);
	assert_true(dblock_remaining_ms(lock) > 5 * PLENTY_MS);
	give(lock);
	lock = take(a, "x");
	call_comes_to(extend_begin(lock, PLENTY_MS), DBLOCK_E_INVALID);
	give(lock);
}

static void finish_waits_for_the_outcome(void **state)
{
	struct dblock_wait *wait = try_begin(a, "x");
	struct dblock_error err = {0};
	struct dblock_lock *lock, *none;

	(void)state;
	expect(OK, dblock_wait_finish(wait, &lock, &err));
	expect(E_INVALID, dblock_wait_step(wait, &none, &err));
	message_has("over");
	dblock_wait_end(wait);
	wait = release_begin(lock);
	expect(OK, dblock_wait_finish(wait, &lock, &err));
	assert_null(lock);
	dblock_wait_end(wait);
	is_free(b, "x");
}

/* ---- one after the other -------------------------------------------------------------------- */

/* They are made in the order in which they were begun, though there are several threads. */
static void what_is_begun_on_one_handle_keeps_its_order(void **state)
{
	struct dblock_lock *lock = take_with(a, DBLOCK_EXCLUSIVE, PLENTY_MS);
	struct dblock_wait *waits[32];
	int n = 0;

	(void)state;
	for (n = 0; n < 31; n++)
		waits[n] = extend_begin(lock, PLENTY_MS + n * 1000);
	waits[n++] = release_begin(lock);
	while (n > 0)
		call_comes_to(waits[--n], DBLOCK_OK);
	is_free(b, "x");
}

/* A call that releases the handle waits for what is still to be done with it. */
static void a_release_waits_for_extensions(void **state)
{
	struct dblock_lock *lock = take_with(a, DBLOCK_EXCLUSIVE, PLENTY_MS);
	struct dblock_wait *waits[16];

	(void)state;
	for (int i = 0; i < 16; i++)
		waits[i] = extend_begin(lock, PLENTY_MS);
	give(lock);
	for (int i = 0; i < 16; i++)
		call_comes_to(waits[i], DBLOCK_OK);
	is_free(b, "x");
}

/* The owner that has begun a release does not get the handle again, which is about to be freed. */
static void a_handle_that_was_given_is_not_entered_again(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.owner = 7;
	options.wait_ms = PLENTY_MS;
	for (int i = 0; i < 50; i++) {
		struct dblock_wait *wait;
		int64_t token;

		expect(OK, dblock_acquire(a, "x", &options, &lock, &err));
		token = dblock_token(lock);
		wait = release_begin(lock);
		expect(OK, dblock_acquire(a, "x", &options, &lock, &err));
		assert_true(dblock_token(lock) > token);
		call_comes_to(wait, DBLOCK_OK);
		assert_true(dblock_valid(lock, 0));
		give(lock);
	}
}

/* Naive: what was kept idle goes on as a handle that a worker is about to release. */
static void what_is_kept_idle_is_held_again(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *again;

	(void)state;
	options.owner = 7;
	options.idle_ms = PLENTY_MS;
	for (int i = 0; i < 3; i++) {
		expect(OK, dblock_try(a, "x", &options, &lock, &err));
		expect(OK, dblock_try(a, "x", &options, &again, &err));
		assert_ptr_equal(lock, again);
		call_comes_to(release_begin(again), DBLOCK_OK);
		assert_true(dblock_valid(lock, 0));
		call_comes_to(release_begin(lock), DBLOCK_OK);
	}
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_try_gets_what_is_free),
		CASE(an_owner_that_is_named_enters_again),
		CASE(a_release_frees),
		CASE(what_is_lost_is_said_so),
		CASE(an_extension_extends),
		CASE(finish_waits_for_the_outcome),
		CASE(what_is_begun_on_one_handle_keeps_its_order),
		CASE(a_release_waits_for_extensions),
		CASE(a_handle_that_was_given_is_not_entered_again),
		CASE(what_is_kept_idle_is_held_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
