/* SPDX-License-Identifier: MIT */
/* Asking a holder to let go: who is told, how often, by which of three ways; whom it does not
 * concern.
 */
#include <poll.h>

#include "api/asking.h"

static bool is_readable(int fd, int ms)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	return poll(&ready, 1, ms) == 1;
}

static int fd_of(struct dblock_lock *lock)
{
	struct dblock_error err = {0};
	int fd = -1;

	expect(OK, dblock_release_requested_fd(lock, &fd, &err));
	assert_true(fd >= 0);
	return fd;
}

/* By a ring: the next heartbeat is 20 minutes away. */
static void the_holder_is_told_once_and_by_whom(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told told = {.times = 0};
	struct dblock_lock *lock = take_with(a, "x", &told, 0);
	struct shown shown;

	(void)state;
	assert_false(dblock_release_requested(lock));
	assert_null(show(b, "x").h.request);
	ask(b, "x", "deploy of 2.4");
	soon(told.times == 1);
	assert_true(dblock_release_requested(lock));
	assert_ptr_equal(told.lock, lock);
	assert_string_equal(told.reason, "deploy of 2.4");
	assert_int_equal(told.request.pid, getpid());
	assert_int_equal(told.request.size, sizeof(struct dblock_release_request));
	shown = show(b, "x");
	assert_string_equal(told.host, shown.host);
	assert_string_equal(told.app, shown.app);
	assert_true(told.request.since_us >= shown.h.acquired_us);

	/* The same request, with another reason, which others see. */
	ask(b, "x", "deploy of 2.5");
	hears(a, b, "y");
	assert_int_equal(told.times, 1);
	/* Nothing was taken from anybody. */
	assert_true(dblock_valid(lock, 0));
	busy(b, "x");
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void others_see_it_as_long_as_it_stands(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x"), *other = take(a, "y");
	struct seen seen = {.n = 0}, listed = {.n = 0}, after = {.n = 0};
	struct dblock_error err = {0};

	(void)state;
	ask(b, "x", "first");
	ask(b, "x", "second \xe2\x98\x83");
	expect(OK, dblock_show(b, "x", look_at_request, &seen, &err));
	assert_int_equal(seen.n, 1);
	assert_string_equal(seen.reason, "second \xe2\x98\x83");
	assert_int_equal(seen.pid, getpid());
	expect(OK, dblock_list(b, NULL, look_at_request, &listed, &err));
	assert_int_equal(listed.n, 1);
	give(lock);
	expect(OK, dblock_show(b, "x", look_at_request, &after, &err));
	lock = take(b, "x");
	expect(OK, dblock_show(b, "x", look_at_request, &after, &err));
	assert_int_equal(after.n, 0);
	give(lock);
	give(other);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void the_descriptor_becomes_readable(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct dblock_lock *lock = take(a, "x"), *late = take(a, "y");
	int fd = fd_of(lock);

	(void)state;
	assert_false(is_readable(fd, 0));
	assert_int_equal(fd_of(lock), fd);
	ask(b, "x", "please");
	assert_true(is_readable(fd, PLENTY_MS));
	assert_true(dblock_release_requested(lock));
	assert_int_equal(fd_of(lock), fd);
	assert_true(is_readable(fd, 0));
	/* Heard by then, or on the way: the descriptor comes later. */
	ask(b, "y", "please");
	assert_true(is_readable(fd_of(late), PLENTY_MS));
	give(lock);
	give(late);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Asked for before anybody could ring: the call itself has it looked for. */
static void a_first_descriptor_finds_what_was_asked_before(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct dblock_lock *lock = take(a, "x");

	(void)state;
	ask(b, "x", "early");
	assert_true(is_readable(fd_of(lock), PLENTY_MS));
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static struct dblock_client *deaf_client(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	TUNE(options, .wake_off = DBLOCK_WAKE_SOCKET | DBLOCK_WAKE_NOTIFY | DBLOCK_WAKE_DOORBELL);
	return client_with(&options);
}

/* The holder says whether it lost its session meanwhile, on a busy machine: then once more. */
static bool heard_by_heartbeat(int64_t ttl_ms)
{
	struct dblock_client *a = deaf_client(ttl_ms), *b = client_new(0);
	struct told told = {.times = 0};
	struct dblock_lock *with = take_with(a, "x", &told, 0), *without = take(a, "y");
	struct dblock_lock *lease = take_with(a, "z", NULL, HOUR_MS);
	int64_t until = clock_ms() + PLENTY_MS;
	bool held;

	ask(b, "x", "one");
	ask(b, "y", "two");
	ask(b, "z", "three");
	while ((!told.times || !dblock_release_requested(without) ||
		!dblock_release_requested(lease)) &&
	       dblock_valid(with, 0) && clock_ms() < until)
		sleep_ms(2);
	held = dblock_valid(with, 0) && dblock_valid(without, 0);
	if (held) {
		assert_int_equal(told.times, 1);
		assert_string_equal(told.reason, "one");
		assert_true(dblock_release_requested(without));
		assert_true(dblock_release_requested(lease));
	}
	(void)dblock_release(with, NULL);
	(void)dblock_release(without, NULL);
	(void)dblock_release(lease, NULL);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	return held;
}

static void a_heartbeat_is_enough(void **state)
{
	int64_t ttl_ms = 1500;

	(void)state;
	while (!heard_by_heartbeat(ttl_ms))
		ttl_ms *= 2;
}

static void the_callback_may_release(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told told = {.release = true};

	(void)state;
	(void)take_with(a, "x", &told, 0);
	ask(b, "x", "let go");
	is_free_soon(b, "x");
	soon(told.released);
	assert_int_equal(told.released, 2);
	assert_int_equal(told.times, 1);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Whoever has it next, the same client too. */
static void a_request_is_about_one_grant(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told first = {.times = 0}, next = {.times = 0}, third = {.times = 0};
	struct dblock_lock *lock = take_with(a, "x", &first, 0);

	(void)state;
	ask(b, "x", "once");
	soon(first.times == 1);
	give(lock);
	lock = take_with(a, "x", &next, 0);
	hears(a, b, "y");
	assert_int_equal(next.times, 0);
	assert_false(dblock_release_requested(lock));
	give(lock);
	lock = take_with(b, "x", &third, 0);
	hears(b, a, "y");
	assert_int_equal(third.times, 0);
	assert_false(dblock_release_requested(lock));
	assert_int_equal(first.times, 1);
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void a_child_process_is_asked_nothing(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told told = {.times = 0};
	struct dblock_lock *lock = take_with(a, "x", &told, 0);
	struct dblock_error err = {0};
	int status, fd;
	pid_t pid;

	(void)state;
	ask(b, "x", "parent");
	soon(told.times == 1);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(dblock_release_requested(lock) ||
		      dblock_release_requested_fd(lock, &fd, &err) != DBLOCK_E_FORKED ||
		      dblock_request_release(b, "x", "child", &err) != DBLOCK_E_FORKED ||
		      dblock_request_release_all(b, "host:1", "child", NULL, &err) !=
			      DBLOCK_E_FORKED);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(dblock_release_requested(lock));
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_holder_is_told_once_and_by_whom),
		cmocka_unit_test(others_see_it_as_long_as_it_stands),
		cmocka_unit_test(the_descriptor_becomes_readable),
		cmocka_unit_test(a_first_descriptor_finds_what_was_asked_before),
		cmocka_unit_test(a_heartbeat_is_enough),
		cmocka_unit_test(the_callback_may_release),
		cmocka_unit_test(a_request_is_about_one_grant),
		cmocka_unit_test(a_child_process_is_asked_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
