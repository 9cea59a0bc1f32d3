/* SPDX-License-Identifier: MIT */
/* A waiting acquire in steps, and what a caller may do wrong with it. */
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

static void nothing_is_done_without_arguments(void **state)
{
	struct dblock_wait *wait = wait_begin(a, "x"), *none = wait;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int fd;

	(void)state;
	expect(E_INVALID, dblock_acquire_begin(NULL, "x", NULL, &none, &err));
	assert_null(none);
	expect(E_INVALID, dblock_acquire_begin(a, NULL, NULL, &none, &err));
	expect(E_INVALID, dblock_acquire_begin(a, "", NULL, &none, &err));
	expect(E_INVALID, dblock_acquire_begin(a, "x", NULL, NULL, &err));
	expect(E_INVALID, dblock_wait_fd(NULL, &fd, &err));
	expect(E_INVALID, dblock_wait_fd(wait, NULL, &err));
	expect(E_INVALID, dblock_wait_step(NULL, &lock, &err));
	expect(E_INVALID, dblock_wait_step(wait, NULL, &err));
	expect(E_INVALID, dblock_wait_finish(NULL, &lock, &err));
	expect(E_INVALID, dblock_wait_finish(wait, NULL, &err));
	assert_int_equal(dblock_wait_step(NULL, &lock, NULL), DBLOCK_E_INVALID);
	dblock_wait_cancel(NULL);
	/* The wait is none the worse for it. */
	give(wait_gets(wait));
}

static void after_its_outcome_it_can_only_be_ended(void **state)
{
	struct dblock_wait *wait = wait_begin(a, "x");
	struct dblock_error err = {0};
	struct dblock_lock *lock, *none;

	(void)state;
	expect(OK, drive(wait, &lock, &err));
	assert_false(is_due(wait));
	expect(E_INVALID, dblock_wait_step(wait, &none, &err));
	assert_null(none);
	message_has("over");
	expect(E_INVALID, dblock_wait_finish(wait, &none, &err));
	dblock_wait_cancel(wait);
	expect(E_INVALID, dblock_wait_step(wait, &none, &err));
	dblock_wait_end(wait);
	/* Nor does it touch what it brought. */
	assert_true(dblock_valid(lock, 0));
	busy(b, "x");
	give(lock);
}

/* A finish that lasts as long as the test likes. */
struct gate {
	_Atomic bool reached, open;
};

static int stand_at_the_gate(void *arg)
{
	struct gate *gate = arg;

	gate->reached = true;
	while (!gate->open)
		sleep_ms(1);
	return 0;
}

/* A wait whose `canceled` stands there. */
static struct dblock_wait *wait_begin_with_a_gate(struct dblock_client *client, struct gate *gate)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.canceled = stand_at_the_gate;
	options.canceled_arg = gate;
	return wait_begin_with(client, "x", &options);
}

static int finish(void *arg, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_wait_finish(arg, &lock, err);

	return rc ? rc : dblock_release(lock, err);
}

static void one_thread_at_a_time_is_in_a_step(void **state)
{
	struct dblock_lock *theirs = take(a, "x"), *none;
	struct gate gate = {.reached = false};
	struct dblock_error err = {0};
	struct dblock_wait *wait = wait_begin_with_a_gate(b, &gate);
	struct call call;

	(void)state;
	call_start(&call, finish, wait);
	while (!gate.reached)
		sleep_ms(1);
	expect(E_INVALID, dblock_wait_step(wait, &none, &err));
	message_has("another thread");
	expect(E_INVALID, dblock_wait_finish(wait, &none, &err));
	gate.open = true;
	give(theirs);
	assert_int_equal(call_end(&call), DBLOCK_OK);
	dblock_wait_end(wait);
	is_free(a, "x");
}

static int open_soon(void *arg, struct dblock_error *err)
{
	struct gate *gate = arg;

	(void)err;
	sleep_ms(50);
	gate->open = true;
	return 0;
}

/* Naive: the end does not wait for the worker, which stands in a function whose argument is gone. */
static void after_the_end_nothing_is_called(void **state)
{
	struct dblock_lock *theirs = take(a, "x");
	struct gate gate = {.reached = false};
	struct dblock_wait *wait = wait_begin_with_a_gate(b, &gate);
	struct call call;

	(void)state;
	step_waits(wait);
	while (!gate.reached)
		sleep_ms(1);
	call_start(&call, open_soon, &gate);
	dblock_wait_end(wait);
	assert_true(gate.open);
	gate.reached = false;
	assert_int_equal(call_end(&call), 0);
	sleep_ms(250);
	assert_false(gate.reached);
	give(theirs);
	is_free(a, "x");
}

/* Each is ended by its caller: then nothing of it is left. */
static void a_close_refuses_what_was_not_ended(void **state)
{
	struct dblock_client *c = client_new(0);
	struct dblock_lock *x = take(a, "x"), *y = take(a, "y");
	struct dblock_wait *granted = wait_in_queue(c, "x"), *next = wait_in_queue(b, "x");
	struct dblock_wait *free = wait_begin(c, "z"), *waits = wait_in_queue(c, "y");

	(void)state;
	give(x);
	assert_true(is_due_within(granted, PLENTY_MS));
	assert_int_equal((dblock_close)(c, NULL), DBLOCK_E_INVALID);
	dblock_wait_end(granted);
	dblock_wait_end(free);
	assert_int_equal((dblock_close)(c, NULL), DBLOCK_E_INVALID);
	dblock_wait_end(waits);
	assert_int_equal((dblock_close)(c, NULL), DBLOCK_OK);
	give(wait_gets(next));
	give(y);
	is_free(a, "x");
	is_free(a, "y");
	is_free(a, "z");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nothing_is_done_without_arguments),
		CASE(after_its_outcome_it_can_only_be_ended),
		CASE(one_thread_at_a_time_is_in_a_step),
		CASE(after_the_end_nothing_is_called),
		CASE(a_close_refuses_what_was_not_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
