/* SPDX-License-Identifier: MIT */
/* dblock_stats_of(): how those that waited heard of their grants. */
#include "api/stats.h"
#include "support/call.h"

static int acquire_x(void *arg, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_acquire(arg, "x", NULL, &lock, err);

	return rc ? rc : dblock_release(lock, err);
}

/* The holder gives x to one that waits for it. */
static struct dblock_stats handed_over(struct dblock_client *holder, struct dblock_client *waiter)
{
	struct dblock_lock *lock = take(holder, "x");
	int64_t until = clock_ms() + PLENTY_MS;
	struct call call;

	call_start(&call, acquire_x, waiter);
	while (show(holder, "x").h.waiting == 0 && clock_ms() < until)
		sleep_ms(2);
	sleep_ms(
		50); /* it sleeps by now, or else finds the lock by looking: both are as they were */
	give(lock);
	call_is_ok(&call);
	return stats_of(waiter);
}

static int64_t handovers_of(const struct dblock_stats *s)
{
	return s->passed_in_memory + s->woken_by_thread + s->woken_by_datagram +
	       s->woken_by_database + s->found_by_looking;
}

static void who_waits_was_woken_one_way(void **state)
{
	struct dblock_client *holder = client_new(0), *near = client_new(0), *far = client_far();
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_stats s;

	(void)state;
	/* A look may come before the word, now and then: so it is played until the word comes. */
	do
		s = handed_over(holder, near);
	while (s.woken_by_datagram == 0 && s.found_by_looking < 20);
	assert_int_equal(s.woken_by_datagram, 1);
	assert_true(handovers_of(&s) <= s.acquired);
	/* On a busy machine it may come to its first look when it has the lock: then it has not waited. */
	do
		s = handed_over(holder, far);
	while (handovers_of(&s) == 0 && s.acquired < 20);
	assert_int_equal(s.woken_by_datagram, 0);
	assert_int_equal(s.woken_by_database + s.found_by_looking, 1);
	assert_int_equal(handovers_of(&s), 1);
	/* Who has it at once was handed nothing, though by way of the queue. */
	shared.mode = DBLOCK_SHARED;
	expect(OK, dblock_acquire(holder, "y", &shared, &lock, &err));
	give(lock);
	s = stats_of(holder);
	assert_int_equal(handovers_of(&s), 0);
	dblock_close(holder, NULL);
	dblock_close(near, NULL);
	dblock_close(far, NULL);
}

/* Three threads of one client, all of which want it all the time. */
static int many_x(void *arg, struct dblock_error *err)
{
	int rc = 0;

	for (int i = 0; i < 50 && rc == 0; i++)
		rc = acquire_x(arg, err);
	return rc;
}

static struct dblock_stats of_a_crowd(struct dblock_client *client)
{
	struct call calls[3];

	for (int i = 0; i < 3; i++)
		call_start(&calls[i], many_x, client);
	for (int i = 0; i < 3; i++)
		call_is_ok(&calls[i]);
	return stats_of(client);
}

static void threads_pass_it_on_in_memory(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_stats s;
	int64_t all = 0;

	(void)state;
	/* On a busy machine one may be over before the next one begins: then nobody waits. */
	do {
		s = of_a_crowd(client);
		all += 150;
	} while (s.passed_in_memory == 0 && all < 50 * 150);
	assert_int_equal(s.acquired, all);
	assert_int_equal(s.released, all);
	has_times(&s.wait, all);
	has_times(&s.hold, all);
	assert_true(s.passed_in_memory > 0 && s.passed_in_memory < all);
	dblock_close(client, NULL);
}

static void what_is_kept_idle_is_taken_again(void **state)
{
	struct dblock_acquire_options sticky = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_stats s;

	(void)state;
	sticky.idle_ms = PLENTY_MS;
	for (int i = 0; i < 20; i++) {
		struct dblock_lock *lock;

		expect(OK, dblock_acquire(client, "x", &sticky, &lock, &err));
		give(lock);
	}
	s = stats_of(client);
	assert_int_equal(s.acquired, 20);
	assert_int_equal(s.released, 20);
	assert_true(s.idle_taken > 0 && s.idle_taken < 20);
	has_times(&s.hold, 20);
	dblock_close(client, NULL);
}

/* An idle grant is nobody's: that it is taken away is no loss. Naive: the client had it. */
static void what_is_kept_idle_is_not_lost(void **state)
{
	struct dblock_acquire_options sticky = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_stats s;

	(void)state;
	sticky.idle_ms = PLENTY_MS;
	for (int i = 0; i < 3; i++) {
		expect(OK, dblock_acquire(client, "x", &sticky, &lock, &err));
		give(lock);
	}
	assert_true(stats_of(client).idle_taken > 0);
	expect(OK, dblock_break(other, "x", NULL, &err)); /* waits until the client has let go */
	give(take(client, "x"));
	s = stats_of(client);
	for (int i = 0; i < DBLOCK_LOSS_CAUSES; i++)
		assert_int_equal(s.losses[i], 0);
	assert_int_equal(s.released, 4);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_was_woken_one_way),
		cmocka_unit_test(threads_pass_it_on_in_memory),
		cmocka_unit_test(what_is_kept_idle_is_taken_again),
		cmocka_unit_test(what_is_kept_idle_is_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
