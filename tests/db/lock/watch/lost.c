/* SPDX-License-Identifier: MIT */
/* A lock is lost: its holder is told, once, by callback and by descriptor, before anybody else can
 * get it. */
#include <poll.h>

#include "support/raw.h"
#include "support/spy.h"

/* What a callback saw. */
struct news {
	struct dblock_client *other; /* tries the lock during the callback; may be NULL */
	_Atomic int calls;
	_Atomic bool was_valid, other_got_it;
	_Atomic int64_t tried_ms; /* the time at which the other's try was over */
	bool release;             /* the callback releases the lock */
	_Atomic int released;
	_Atomic bool slow;
	_Atomic bool done;
};

static void lost(void *arg, struct dblock_lock *lock)
{
	struct news *news = arg;
	struct dblock_lock *theirs;

	news->calls++;
	news->was_valid = dblock_valid(lock, 0);
	if (news->other && dblock_try(news->other, dblock_name(lock), NULL, &theirs, NULL) == 0) {
		news->other_got_it = true;
		(void)dblock_release(theirs, NULL);
	}
	news->tried_ms = clock_ms();
	if (news->release)
		news->released = dblock_release(lock, NULL);
	if (news->slow)
		sleep_ms(300);
	news->done = true;
}

static struct dblock_lock *take_telling(struct dblock_client *client, const char *name,
					int64_t lease_ms, struct news *news)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = lease_ms;
	options.lost = news ? lost : NULL;
	options.lost_arg = news;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

/* Waits for a condition, for as long as any machine may need. */
#define until(condition)                                                                           \
	do {                                                                                       \
		int64_t end_ = clock_ms() + PLENTY_MS;                                             \
		while (!(condition)) {                                                             \
			assert_true(clock_ms() < end_);                                            \
			sleep_ms(1);                                                               \
		}                                                                                  \
	} while (0)

static bool is_readable(int fd, int wait_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, wait_ms) == 1;
}

static int fd_of(struct dblock_lock *lock)
{
	struct dblock_error err = {0};
	int fd = -1;

	expect(OK, dblock_lost_fd(lock, &fd, &err));
	return fd;
}

/* The other client must not have got it, unless this machine slept through the whole margin between
 * the callback and the end by the database's clock. */
static void was_told_in_time(const struct news *news, int64_t deadline_ms, int64_t margin_ms)
{
	if (news->other_got_it)
		assert_true(news->tried_ms >= deadline_ms + margin_ms);
}

/* Naive: the holder is told at the lease's own end, when the next holder may be in already. The
 * margin of a lease of 10 s is a second: the callback and its try have that long. */
static void a_lease_is_told_before_others_get_in(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct news news = {.other = other};
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t deadline_ms;

	(void)state;
	lock = take_telling(client, "x", 10000, &news);
	deadline_ms = clock_ms() + dblock_remaining_ms(lock);
	until(news.done);
	assert_false(news.was_valid);
	was_told_in_time(&news, deadline_ms, 1000 - 20);
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(news.calls, 1);
	dblock_close(other, NULL);
	dblock_close(client, NULL);
}

static void a_descriptor_becomes_readable(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take_telling(client, "x", 1000, NULL);
	struct dblock_error err = {0};
	int fd = fd_of(lock);

	(void)state;
	assert_int_equal(fd, fd_of(lock));
	if (is_readable(fd, 0))
		assert_false(dblock_valid(lock, 0));
	assert_true(is_readable(fd, PLENTY_MS));
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
}

static void a_descriptor_that_is_asked_for_late_is_readable(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.calls = 0};
	struct dblock_lock *lock = take_telling(client, "x", 500, &news);
	struct dblock_error err = {0};

	(void)state;
	until(news.done);
	assert_true(is_readable(fd_of(lock), 0));
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
}

static void the_callback_may_release(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.release = true};

	(void)state;
	(void)take_telling(client, "x", 500, &news);
	until(news.done);
	assert_int_equal(news.released, DBLOCK_LOST);
	assert_int_equal(news.calls, 1);
	dblock_close(client, NULL);
}

/* Naive: the release frees the handle while the callback uses it. */
static void a_release_waits_for_the_callback(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.slow = true};
	struct dblock_lock *lock = take_telling(client, "x", 500, &news);
	struct dblock_error err = {0};

	(void)state;
	until(news.calls == 1);
	expect(LOST, dblock_release(lock, &err));
	assert_true(news.done);
	dblock_close(client, NULL);
}

static void what_is_released_in_time_is_not_told(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.calls = 0}, later = {.calls = 0};
	struct dblock_lock *lock = take_telling(client, "x", 3000, &news);
	struct dblock_error err = {0};

	(void)state;
	give(lock);
	lock = take_telling(client, "y", 3000, &later);
	until(later.done);
	assert_int_equal(news.calls, 0);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
}

/* Naive: the watchdog goes by the end that it knew. */
static void an_earlier_end_is_told_in_time(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.calls = 0};
	struct dblock_lock *lock = take_telling(client, "x", 3600 * 1000, &news);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_extend(lock, 500, &err));
	until(news.done);
	assert_false(news.was_valid);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
}

/* Somebody declared the session dead: the next heartbeat notices, all of its locks are told, those
 * with their own lease are not, and the client goes on. */
static void the_end_of_a_session_is_told_to_all_it_holds(void **state)
{
	struct dblock_client *client = client_new(3000);
	struct raw *raw = raw_open(NULL);
	struct news a = {.calls = 0}, b = {.calls = 0}, lease = {.calls = 0};
	struct dblock_lock *x = take_telling(client, "x", 0, &a);
	struct dblock_lock *y = take_telling(client, "y", 0, &b);
	struct dblock_lock *z = take_telling(client, "z", 3600 * 1000, &lease);
	struct dblock_error err = {0};

	(void)state;
	raw_exec(raw, "UPDATE dblock_session SET dead = %s",
		 on_backend("postgresql") ? "true" : "1");
	until(a.done && b.done);
	assert_int_equal(a.calls + b.calls, 2);
	assert_false(a.was_valid || b.was_valid);
	assert_int_equal(lease.calls, 0);
	assert_true(dblock_valid(z, 0));
	expect(LOST, dblock_release(x, &err));
	expect(LOST, dblock_release(y, &err));
	give(z);
	is_free(client, "x");
	raw_close(raw);
	dblock_close(client, NULL);
}

/* No heartbeat arrives any more, as behind a dead network. */
static enum spy_fate no_heartbeats(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_heartbeat ? SPY_LOST_BEFORE : SPY_PASS;
}

/* Naive: the watchdog waits for the heartbeat thread, whose heartbeat hangs. */
static void a_silent_network_is_told_before_the_burial(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 6000), *other = client_new(0);
	struct news news = {.other = other};
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t deadline_ms;

	(void)state;
	lock = take_telling(client, "x", 0, &news);
	spy->fate = no_heartbeats;
	deadline_ms = clock_ms() + dblock_remaining_ms(lock);
	until(news.done);
	assert_false(news.was_valid);
	was_told_in_time(&news, deadline_ms, 600 - 20);
	spy->fate = NULL;
	expect(LOST, dblock_release(lock, &err));
	is_free(client, "x");
	dblock_close(other, NULL);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* Naive: at its deadline the client writes at once that its session is dead, and others are let in
 * while the callback of the first lock still delays that of the second. */
static void nobody_is_let_in_before_all_are_told(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 6000), *other = client_new(0);
	struct news first = {.other = other, .slow = true}, second = first;
	struct dblock_lock *a = take_telling(client, "a", 0, &first);
	struct dblock_lock *b = take_telling(client, "b", 0, &second);
	struct dblock_error err = {0};
	int64_t deadline_ms;

	(void)state;
	spy->fate = no_heartbeats;
	deadline_ms = clock_ms() + dblock_remaining_ms(b);
	until(first.done && second.done);
	was_told_in_time(&first, deadline_ms, 600 - 20);
	was_told_in_time(&second, deadline_ms, 600 - 20);
	spy->fate = NULL;
	expect(LOST, dblock_release(a, &err));
	expect(LOST, dblock_release(b, &err));
	dblock_close(other, NULL);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void arguments_are_checked(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_error err = {0};
	int fd;

	(void)state;
	expect(E_INVALID, dblock_lost_fd(NULL, &fd, &err));
	expect(E_INVALID, dblock_lost_fd(lock, NULL, &err));
	give(lock);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_is_told_before_others_get_in),
		cmocka_unit_test(a_descriptor_becomes_readable),
		cmocka_unit_test(a_descriptor_that_is_asked_for_late_is_readable),
		cmocka_unit_test(the_callback_may_release),
		cmocka_unit_test(a_release_waits_for_the_callback),
		cmocka_unit_test(what_is_released_in_time_is_not_told),
		cmocka_unit_test(an_earlier_end_is_told_in_time),
		cmocka_unit_test(the_end_of_a_session_is_told_to_all_it_holds),
		cmocka_unit_test(a_silent_network_is_told_before_the_burial),
		cmocka_unit_test(nobody_is_let_in_before_all_are_told),
		cmocka_unit_test(arguments_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
