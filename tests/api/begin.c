/* SPDX-License-Identifier: MIT */
/* A waiting acquire in steps, driven by the caller: each outcome, and several at a time. */
#include <fcntl.h>

#include "support/call.h"
#include "support/steps.h"

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

static void what_is_free_is_had_at_once(void **state)
{
	struct dblock_wait *wait = wait_begin(a, "x");
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	assert_true(is_due(wait));
	assert_true(fcntl(wait_fd(wait), F_GETFD) & FD_CLOEXEC);
	expect(OK, drive(wait, &lock, &err));
	assert_false(is_due(wait));
	dblock_wait_end(wait);
	assert_string_equal(dblock_name(lock), "x");
	assert_true(dblock_valid(lock, 0));
	busy(b, "x");
	give(lock);
	is_free(b, "x");
}

static void it_is_had_on_release(void **state)
{
	struct dblock_lock *theirs = take(a, "x");
	int64_t token = dblock_token(theirs);
	struct dblock_wait *wait = wait_in_queue(b, "x");
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char pid[32];

	(void)state;
	/* What is not due does no harm; the words say who has it. */
	expect(WAITING, dblock_wait_step(wait, &lock, &err));
	snprintf(pid, sizeof(pid), "pid %ld", (long)getpid());
	message_has("'x' is held by host ");
	message_has(pid);
	give(theirs);
	lock = wait_gets(wait);
	assert_true(dblock_token(lock) > token);
	busy(a, "x");
	give(lock);
	is_free(a, "x");
}

static void options_are_copied(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	char name[] = "x", value[] = "what for";
	struct dblock_lock *lock = take(a, "x");
	struct dblock_wait *wait;
	struct shown shown;

	(void)state;
	options.value = value;
	options.lease_ms = PLENTY_MS;
	wait = wait_begin_with(b, name, &options);
	memset(name, '?', 1);
	memset(value, '?', 8);
	memset(&options, 0xff, sizeof(options));
	get_in_queue(wait);
	give(lock);
	lock = wait_gets(wait);
	shown = show(a, "x");
	assert_string_equal(shown.value, "what for");
	assert_int_equal(shown.h.hold, DBLOCK_HOLD_LEASE);
	give(lock);
}

static void timeout_not_before_its_time(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	static const int64_t waits[] = {1, 30, 300};
	struct dblock_lock *theirs = take(a, "x"), *lock;
	struct dblock_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		int64_t begun = clock_ms();
		struct dblock_wait *wait;

		options.wait_ms = waits[i];
		wait = wait_begin_with(b, "x", &options);
		expect(TIMEOUT, drive(wait, &lock, &err));
		assert_true(clock_ms() - begun >= waits[i]);
		message_has("'x' is held by host ");
		assert_false(is_due(wait));
		dblock_wait_end(wait);
	}
	give(theirs);
	is_free(b, "x");
}

static int count_down(void *arg)
{
	return --*(int *)arg <= 0;
}

static void the_callback_is_asked(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *theirs = take(a, "x");
	int questions = 8;

	(void)state;
	options.canceled = count_down;
	options.canceled_arg = &questions;
	wait_comes_to(wait_begin_with(b, "x", &options), DBLOCK_CANCELED);
	assert_int_equal(questions, 0);
	give(theirs);
	is_free(b, "x");
}

static void finish_is_an_acquire(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock, *none;
	struct dblock_error err = {0};
	struct dblock_wait *wait = wait_begin(a, "x");

	(void)state;
	expect(OK, dblock_wait_finish(wait, &lock, &err));
	dblock_wait_end(wait);
	options.wait_ms = 100;
	wait = wait_begin_with(b, "x", &options);
	expect(TIMEOUT, dblock_wait_finish(wait, &none, &err));
	assert_null(none);
	dblock_wait_end(wait);
	give(lock);
	is_free(b, "x");
}

/* ---- ended before an outcome ---------------------------------------------------------------- */

static void one_that_was_never_stepped_can_be_ended(void **state)
{
	(void)state;
	dblock_wait_end(wait_begin(a, "x"));
	dblock_wait_end(NULL);
	is_free(b, "x");
}

static void ended_in_queue_it_is_granted_nothing(void **state)
{
	struct dblock_lock *lock = take(a, "x");

	(void)state;
	dblock_wait_end(wait_in_queue(b, "x"));
	give(lock);
	is_free_soon(a, "x");
}

static void what_was_granted_unseen_is_passed_on(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock = take(a, "x");
	struct dblock_wait *first = wait_in_queue(b, "x"), *second;

	(void)state;
	options.owner = 2;
	second = wait_begin_with(b, "x", &options);
	get_in_queue(second);
	give(lock);
	assert_true(is_due_within(first, PLENTY_MS));
	busy(a, "x");
	dblock_wait_end(first);
	lock = wait_gets(second);
	give(lock);
	is_free(b, "x");
}

/* ---- several at a time ---------------------------------------------------------------------- */

static void one_loop_drives_two(void **state)
{
	struct dblock_lock *x = take(a, "x"), *y = take(a, "y");
	struct dblock_wait *waits[2] = {wait_in_queue(b, "x"), wait_in_queue(b, "y")};
	struct dblock_lock *locks[2] = {NULL, NULL};
	struct dblock_error err = {0};
	int64_t give_up = clock_ms() + PLENTY_MS;

	(void)state;
	give(y);
	give(x);
	while (!locks[0] || !locks[1]) {
		struct pollfd fds[2] = {{.fd = wait_fd(waits[0]), .events = POLLIN},
					{.fd = wait_fd(waits[1]), .events = POLLIN}};

		assert_true(clock_ms() < give_up);
		assert_true(poll(fds, 2, PLENTY_MS) > 0);
		for (int i = 0; i < 2; i++) {
			if (fds[i].revents && !locks[i] &&
			    dblock_wait_step(waits[i], &locks[i], &err) != DBLOCK_OK)
				assert_int_equal(err.code, DBLOCK_WAITING);
		}
	}
	for (int i = 0; i < 2; i++) {
		dblock_wait_end(waits[i]);
		give(locks[i]);
	}
	is_free(a, "x");
	is_free(a, "y");
}

/* Each is an owner of its own, whichever thread steps them: so two requests of one loop never both
 * have the lock. */
static void two_waits_of_a_loop_for_one_name_are_two(void **state)
{
	struct dblock_wait *first = wait_begin(a, "x"), *second = wait_begin(a, "x");
	struct dblock_lock *lock = wait_gets(first), *next;
	int64_t token = dblock_token(lock);

	(void)state;
	get_in_queue(second);
	give(lock);
	next = wait_gets(second);
	assert_true(dblock_token(next) > token);
	busy(b, "x");
	give(next);
	is_free(b, "x");
}

/* Nor does a thread get by a wait what it holds, or by a call of its own what a wait has brought. */
static void a_wait_is_not_its_thread(void **state)
{
	struct dblock_lock *lock = take(a, "x");
	struct dblock_wait *wait = wait_in_queue(a, "x");

	(void)state;
	step_waits(wait);
	give(lock);
	lock = wait_gets(wait);
	busy(a, "x");
	assert_int_equal(show(a, "x").h.thread, 0);
	give(lock);
	is_free(a, "x");
}

/* By its number, which is not that of a wait, however many there were. */
static void an_owner_that_is_named_enters_again(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock, *again, *other;

	(void)state;
	for (options.owner = 1; options.owner <= 8; options.owner++) {
		lock = wait_gets(wait_begin_with(a, "x", &options));
		again = wait_gets(wait_begin_with(a, "x", &options));
		assert_ptr_equal(lock, again);
		give(again);
		give(lock);
	}
	lock = wait_gets(wait_begin(a, "x"));
	for (options.owner = 1; options.owner <= 64; options.owner++)
		assert_int_equal(dblock_try(a, "x", &options, &other, NULL), DBLOCK_BUSY);
	give(lock);
	is_free(b, "x");
}

static void two_waits_with_owners_of_their_own_do_not(void **state)
{
	struct dblock_acquire_options options[2] = {DBLOCK_ACQUIRE_OPTIONS_INIT,
						    DBLOCK_ACQUIRE_OPTIONS_INIT};
	struct dblock_wait *first, *second;
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	options[0].owner = 1;
	options[1].owner = 2;
	first = wait_begin_with(a, "x", &options[0]);
	second = wait_begin_with(a, "x", &options[1]);
	lock = wait_gets(first);
	token = dblock_token(lock);
	get_in_queue(second);
	give(lock);
	lock = wait_gets(second);
	assert_true(dblock_token(lock) > token);
	give(lock);
	is_free(b, "x");
}

static int release_it(void *arg, struct dblock_error *err)
{
	return dblock_release(arg, err);
}

static void any_thread_releases_what_it_brought(void **state)
{
	struct dblock_lock *lock = wait_gets(wait_begin(a, "x"));
	struct call call;

	(void)state;
	call_start(&call, release_it, lock);
	assert_int_equal(call_end(&call), DBLOCK_OK);
	is_free(b, "x");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_free_is_had_at_once),
		CASE(it_is_had_on_release),
		CASE(options_are_copied),
		CASE(timeout_not_before_its_time),
		CASE(the_callback_is_asked),
		CASE(finish_is_an_acquire),
		CASE(one_that_was_never_stepped_can_be_ended),
		CASE(ended_in_queue_it_is_granted_nothing),
		CASE(what_was_granted_unseen_is_passed_on),
		CASE(one_loop_drives_two),
		CASE(two_waits_of_a_loop_for_one_name_are_two),
		CASE(a_wait_is_not_its_thread),
		CASE(an_owner_that_is_named_enters_again),
		CASE(two_waits_with_owners_of_their_own_do_not),
		CASE(any_thread_releases_what_it_brought),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
