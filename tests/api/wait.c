/* SPDX-License-Identifier: MIT */
/* Waiting: until the lock is released, until wait_ms is over, until canceled, or for ever. */
#include "support/kit.h"

/* A thread that waits for "x". */
struct waiter {
	struct dblock_client *client;
	struct dblock_acquire_options options;
	struct dblock_error err;
	struct dblock_lock *lock;
	int rc;
	int64_t got_at; /* when the call returned */
	pthread_t thread;
};

static void *wait_body(void *arg)
{
	struct waiter *w = arg;

	w->rc = dblock_acquire(w->client, "x", &w->options, &w->lock, &w->err);
	w->got_at = clock_ms();
	return NULL;
}

static void wait_begin(struct waiter *w, struct dblock_client *client)
{
	w->client = client;
	w->options.size = sizeof(w->options);
	assert_int_equal(pthread_create(&w->thread, NULL, wait_body, w), 0);
}

static void wait_end(struct waiter *w, int outcome)
{
	pthread_join(w->thread, NULL);
	expect_at(w->rc, outcome, &w->err, "dblock_acquire", __FILE__, __LINE__);
}

static void it_is_had_on_release(int64_t wait_ms)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	int64_t token = dblock_token(lock);
	struct waiter w = {.options.wait_ms = wait_ms};
	int64_t released_at;

	wait_begin(&w, b);
	sleep_ms(400); /* past the quick polls */
	released_at = clock_ms();
	give(lock);
	wait_end(&w, DBLOCK_OK);
	assert_true(w.got_at >= released_at);
	assert_true(dblock_token(w.lock) > token);
	assert_true(dblock_valid(w.lock, 0));
	busy(a, "x");
	give(w.lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void had_on_release(void **state)
{
	(void)state;
	it_is_had_on_release(PLENTY_MS);
}

static void waiting_for_ever_ends_on_release(void **state)
{
	(void)state;
	it_is_had_on_release(0);
}

/* Longer than any clock can count: for ever as well, and no overflow. */
static void the_longest_wait_ends_on_release(void **state)
{
	(void)state;
	it_is_had_on_release(INT64_MAX);
}

static void timeout_not_before_its_time(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock = take(a, "x"), *none;
	struct dblock_error err = {0};
	static const int64_t waits[] = {1, 30, 500};
	char pid[32];

	(void)state;
	snprintf(pid, sizeof(pid), "pid %ld", (long)getpid());
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		int64_t begun = clock_ms();

		options.wait_ms = waits[i];
		expect(TIMEOUT, dblock_acquire(b, "x", &options, &none, &err));
		assert_true(clock_ms() - begun >= waits[i]);
		assert_null(none);
		message_has("'x' is held by host ");
		message_has(pid);
	}
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static int count_down(void *arg)
{
	return --*(int *)arg <= 0;
}

static void canceled_ends_it(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock = take(a, "x"), *none;
	struct dblock_error err = {0};
	int questions = 5;

	(void)state;
	options.canceled = count_down;
	options.canceled_arg = &questions;
	expect(CANCELED, dblock_acquire(b, "x", &options, &none, &err));
	assert_int_equal(questions, 0);
	assert_null(none);
	message_has("'x'");
	give(lock);
	/* What never was granted is not held. */
	is_free(a, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static int yes(void *arg)
{
	(void)arg;
	return 1;
}

static void a_free_lock_is_had_without_waiting(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.canceled = yes;
	options.wait_ms = 1;
	expect(OK, dblock_acquire(client, "x", &options, &lock, &err));
	give(lock);
	dblock_close(client, NULL);
}

/* The holder's own client may be asked anything while a thread of it waits. */
static void a_waiting_thread_keeps_nobody_out(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	struct waiter w = {.options.wait_ms = PLENTY_MS};

	(void)state;
	wait_begin(&w, a);
	for (int i = 0; i < 20; i++) {
		is_free(a, "y");
		assert_ptr_equal(take(a, "x"), lock);
		give(lock);
	}
	give(lock);
	wait_end(&w, DBLOCK_OK);
	give(w.lock);
	dblock_close(a, NULL);
}

static void *wait_and_give(void *arg)
{
	struct waiter *w = arg;

	wait_body(w);
	if (w->rc == 0)
		w->rc = dblock_release(w->lock, &w->err);
	return NULL;
}

static void every_waiter_has_its_turn(void **state)
{
	struct dblock_client *clients[2] = {client_new(0), client_new(0)};
	struct dblock_lock *lock = take(clients[0], "x");
	struct waiter waiters[6];
	struct crew crew = {.n = 0};

	(void)state;
	memset(waiters, 0, sizeof(waiters));
	for (int i = 0; i < 6; i++) {
		waiters[i].client = clients[i % 2];
		waiters[i].options.size = sizeof(waiters[i].options);
		crew_add(&crew, wait_and_give, &waiters[i]);
	}
	sleep_ms(50);
	give(lock);
	crew_join(&crew);
	for (int i = 0; i < 6; i++)
		assert_int_equal(waiters[i].rc, DBLOCK_OK);
	is_free(clients[0], "x");
	dblock_close(clients[0], NULL);
	dblock_close(clients[1], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(had_on_release),
		cmocka_unit_test(waiting_for_ever_ends_on_release),
		cmocka_unit_test(the_longest_wait_ends_on_release),
		cmocka_unit_test(timeout_not_before_its_time),
		cmocka_unit_test(canceled_ends_it),
		cmocka_unit_test(a_free_lock_is_had_without_waiting),
		cmocka_unit_test(a_waiting_thread_keeps_nobody_out),
		cmocka_unit_test(every_waiter_has_its_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
