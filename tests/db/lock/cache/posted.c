/* SPDX-License-Identifier: MIT */
/* Releases that nobody waits for: what they cost, when they are sent, and who is next. */
#include "support/posted.h"

/* ---- what it costs, and when it comes ------------------------------------------------------- */

/* The release thread does not send it while the clock of deadlines stands still. */
static void it_costs_nothing_at_once(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct raw *raw = raw_open(&spy->env);
	struct dblock_lock *lock = take(client, "x");

	(void)state;
	spy_freeze(spy);
	spy_reset(spy);
	give(lock);
	spy_assert_runs(spy, 0);
	assert_true(is_held(raw, "x"));
	spy->skew += 2000;
	until_free(raw, "x");
	assert_int_equal(spy->runs_of[DBL_OP_release], 1);
	assert_int_equal(failure.n, 0);
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void taking_it_again_is_one_statement(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct dblock_lock *lock = take(client, "x");
	int64_t token = dblock_token(lock);

	(void)state;
	spy_freeze(spy);
	spy_reset(spy);
	for (int i = 0; i < 100; i++) {
		give(lock);
		lock = take(client, "x");
		assert_true(dblock_token(lock) > token);
		assert_true(dblock_valid(lock, 0));
		token = dblock_token(lock);
	}
	spy_assert_runs(spy, 100);
	assert_int_equal(spy->runs_of[DBL_OP_acquire], 100);
	give(lock);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void another_name_takes_it_along(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct raw *raw = raw_open(&spy->env);
	struct dblock_lock *lock;

	(void)state;
	is_free(client, "x");
	is_free(client, "y");
	lock = take(client, "x");
	spy_freeze(spy);
	spy_reset(spy);
	give(lock);
	lock = take(client, "y");
	assert_false(is_held(raw, "x"));
	assert_true(is_held(raw, "y"));
	assert_int_equal(spy->execs, on_backend("sqlite") ? 2 : 0);
	assert_int_equal(spy->runs_of[DBL_OP_batch], on_backend("sqlite")  ? 0
						     : on_backend("mysql") ? 2
									   : 1);
	give(lock);
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void closing_sends_them(void **state)
{
	enum { MANY = 700 };
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct raw *raw = raw_open(NULL);
	static struct dblock_lock *locks[MANY];
	char name[32];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many %d", i);
		locks[i] = take(client, name);
	}
	for (int i = 0; i < MANY; i++)
		give(locks[i]);
	dblock_close(client, NULL);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE nonce <> 0"), 0);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_session"), 0);
	assert_int_equal(failure.n, 0);
	raw_close(raw);
	spy_free(spy);
}

/* For this client the lock is free at once, however it asks. */
static void it_is_free_to_its_own_client(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	shared.mode = DBLOCK_SHARED;
	spy_freeze(spy);
	give(take(client, "x"));
	expect(OK, dblock_try(client, "x", &shared, &lock, &err));
	give(lock);
	lock = take(client, "x");
	give(lock);
	expect(STALE, dblock_release_token(client, "x", 1, &err));
	dblock_close(client, NULL);
	spy_free(spy);
}

/* ---- others want it ------------------------------------------------------------------------- */

static _Atomic int waits;

static void note_waiting(void *arg, const struct dblock_waiting *waiting)
{
	(void)arg;
	(void)waiting;
	waits++;
}

static void *wait_for_it(void *arg)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.wait_ms = PLENTY_MS;
	options.waiting = note_waiting;
	options.waiting_every_ms = 100;
	if (dblock_acquire(arg, "x", &options, &lock, &err))
		return NULL;
	return lock;
}

static void who_waits_is_next(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy), *other = client_new(0);
	struct dblock_lock *lock = take(client, "x"), *again;
	struct dblock_error err = {0};
	pthread_t thread;
	void *theirs;

	(void)state;
	waits = 0;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, other), 0);
	while (waits == 0)
		sleep_ms(1);
	give(lock);
	/* The client does not take the lock before those who wait, though its release may not have
	 * been sent yet. */
	expect(BUSY, dblock_try(client, "x", NULL, &again, &err));
	pthread_join(thread, &theirs);
	assert_non_null(theirs);
	assert_true(dblock_valid(theirs, 0));
	assert_int_equal(failure.n, 0);
	give(theirs);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

static void who_waits_is_served_by_the_release_thread(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy), *other = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	pthread_t thread;
	void *theirs;

	(void)state;
	waits = 0;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, other), 0);
	while (waits == 0)
		sleep_ms(1);
	give(lock);
	pthread_join(thread, &theirs);
	assert_non_null(theirs);
	assert_int_equal(failure.n, 0);
	give(theirs);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_costs_nothing_at_once, clean),
		cmocka_unit_test_setup(taking_it_again_is_one_statement, clean),
		cmocka_unit_test_setup(another_name_takes_it_along, clean),
		cmocka_unit_test_setup(closing_sends_them, clean),
		cmocka_unit_test_setup(it_is_free_to_its_own_client, clean),
		cmocka_unit_test_setup(who_waits_is_next, clean),
		cmocka_unit_test_setup(who_waits_is_served_by_the_release_thread, clean),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}
