/* SPDX-License-Identifier: MIT */
/* A release, an extension and a try that are ended, canceled, or not even begun. */
#include <sys/resource.h>

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

/* ---- ended, canceled, closed ---------------------------------------------------------------- */

static void what_is_ended_goes_on_by_itself(void **state)
{
	struct dblock_lock *lock = take_with(a, DBLOCK_EXCLUSIVE, PLENTY_MS);

	(void)state;
	dblock_wait_end(extend_begin(lock, PLENTY_MS));
	dblock_wait_end(release_begin(lock));
	is_free_soon(b, "x");
	for (int i = 0; i < 20; i++)
		dblock_wait_end(try_begin(a, "z"));
	/* What they get they give back before a close is over; here and in the end of this case. */
}

static void an_outcome_that_nobody_fetched_is_given_back(void **state)
{
	struct dblock_wait *wait = try_begin(a, "x");

	(void)state;
	assert_true(is_due_within(wait, PLENTY_MS));
	busy(b, "x");
	dblock_wait_end(wait);
	is_free_soon(b, "x");
}

static void a_try_that_is_canceled_gets_nothing(void **state)
{
	struct dblock_wait *wait = try_begin(a, "x");

	(void)state;
	dblock_wait_cancel(wait);
	call_comes_to(wait, DBLOCK_CANCELED);
	is_free(b, "x");
	wait = try_begin(a, "x");
	assert_true(is_due_within(wait, PLENTY_MS));
	dblock_wait_cancel(wait);
	call_comes_to(wait, DBLOCK_CANCELED);
	is_free(b, "x");
}

static void a_release_cannot_be_canceled(void **state)
{
	struct dblock_lock *lock = take_with(a, DBLOCK_EXCLUSIVE, PLENTY_MS);
	struct dblock_wait *extension = extend_begin(lock, PLENTY_MS), *wait = release_begin(lock);

	(void)state;
	dblock_wait_cancel(extension);
	dblock_wait_cancel(wait);
	call_comes_to(extension, DBLOCK_OK);
	call_comes_to(wait, DBLOCK_OK);
	is_free(b, "x");
}

static void a_close_refuses_what_was_not_ended(void **state)
{
	struct dblock_client *c = client_new(0);
	struct dblock_lock *lock = take(c, "x");
	struct dblock_wait *release = release_begin(lock), *got = try_begin(c, "y");

	(void)state;
	assert_int_equal((dblock_close)(c, NULL), DBLOCK_E_INVALID);
	call_comes_to(release, DBLOCK_OK);
	assert_true(is_due_within(got, PLENTY_MS));
	assert_int_equal((dblock_close)(c, NULL), DBLOCK_E_INVALID);
	dblock_wait_end(got);
	/* What goes on by itself does not keep it from being closed: it is waited for. */
	for (int i = 0; i < 10; i++)
		dblock_wait_end(try_begin(c, "z"));
	dblock_wait_end(release_begin(take(c, "w")));
	assert_int_equal((dblock_close)(c, NULL), DBLOCK_OK);
	is_free(a, "w");
	is_free(a, "x");
	is_free(a, "y");
	is_free(a, "z");
}

static void a_shutdown_ends_none_of_them(void **state)
{
	struct dblock_client *c = client_new(0);
	struct dblock_lock *lock;
	struct dblock_wait *got = try_begin(c, "x");

	(void)state;
	dblock_shutdown(c);
	lock = wait_gets(got);
	call_comes_to(release_begin(lock), DBLOCK_OK);
	call_comes_to(wait_begin(c, "x"), DBLOCK_CANCELED);
	dblock_close(c, NULL);
	is_free(a, "x");
}

/* ---- what may be wrong ---------------------------------------------------------------------- */

static void nothing_is_done_without_arguments(void **state)
{
	struct dblock_lock *lock = take_with(a, DBLOCK_EXCLUSIVE, PLENTY_MS);
	struct dblock_wait *none = (struct dblock_wait *)&none;
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, dblock_try_begin(NULL, "x", NULL, &none, &err));
	assert_null(none);
	expect(E_INVALID, dblock_try_begin(a, "", NULL, &none, &err));
	expect(E_INVALID, dblock_try_begin(a, "x", NULL, NULL, &err));
	expect(E_INVALID, dblock_release_begin(NULL, &none, &err));
	expect(E_INVALID, dblock_release_begin(lock, NULL, &err));
	expect(E_INVALID, dblock_extend_begin(NULL, PLENTY_MS, &none, &err));
	expect(E_INVALID, dblock_extend_begin(lock, PLENTY_MS, NULL, &err));
	expect(E_INVALID, dblock_extend_begin(lock, 0, &none, &err));
	expect(E_INVALID, dblock_extend_begin(lock, -5, &none, &err));
	assert_null(none);
	assert_true(dblock_valid(lock, 0));
	give(lock);
}

static void without_a_descriptor_nothing_happens(void **state)
{
	struct dblock_lock *lock = take_with(a, DBLOCK_EXCLUSIVE, PLENTY_MS);
	struct dblock_wait *none = (struct dblock_wait *)&none;
	struct dblock_error err = {0};
	struct rlimit all, few;
	int next = dup(0);

	(void)state;
	close(next);
	getrlimit(RLIMIT_NOFILE, &all);
	few = all;
	few.rlim_cur = (rlim_t)next;
	setrlimit(RLIMIT_NOFILE, &few);
	expect(E_NOMEM, dblock_release_begin(lock, &none, &err));
	assert_null(none);
	expect(E_NOMEM, dblock_extend_begin(lock, PLENTY_MS, &none, &err));
	expect(E_NOMEM, dblock_try_begin(a, "y", NULL, &none, &err));
	message_has("descriptor");
	setrlimit(RLIMIT_NOFILE, &all);
	assert_true(dblock_valid(lock, 0));
	busy(b, "x");
	call_comes_to(release_begin(lock), DBLOCK_OK);
	is_free(b, "x");
	is_free(b, "y");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_ended_goes_on_by_itself),
		CASE(an_outcome_that_nobody_fetched_is_given_back),
		CASE(a_try_that_is_canceled_gets_nothing),
		CASE(a_release_cannot_be_canceled),
		CASE(a_close_refuses_what_was_not_ended),
		CASE(a_shutdown_ends_none_of_them),
		CASE(nothing_is_done_without_arguments),
		CASE(without_a_descriptor_nothing_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
