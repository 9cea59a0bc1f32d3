/* SPDX-License-Identifier: MIT */
/* Re-entry: the holder, a thread or an explicit owner, gets the same handle again. */
#include "support/kit.h"

static int try_as(struct dblock_client *client, uint64_t owner, struct dblock_lock **lock)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.owner = owner;
	return dblock_try(client, "x", &options, lock, NULL);
}

/* On a thread of its own: what dblock_try() says to this owner. */
struct trial {
	struct dblock_client *client;
	uint64_t owner;
	struct dblock_lock *lock;
	int rc;
};

static void *trial_body(void *arg)
{
	struct trial *trial = arg;

	trial->rc = try_as(trial->client, trial->owner, &trial->lock);
	return NULL;
}

static struct trial try_elsewhere(struct dblock_client *client, uint64_t owner)
{
	struct trial trial = {client, owner, NULL, -1};
	struct crew crew = {.n = 0};

	crew_add(&crew, trial_body, &trial);
	crew_join(&crew);
	return trial;
}

static void the_same_thread_gets_the_same_handle(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_lock *first = take(client, "x");
	int64_t token = dblock_token(first);
	struct dblock_lock *again;
	struct dblock_error err = {0};

	(void)state;
	assert_ptr_equal(take(client, "x"), first);
	expect(OK, dblock_acquire(client, "x", NULL, &again, &err));
	assert_ptr_equal(again, first);
	assert_int_equal(dblock_token(first), token);

	give(first);
	busy(other, "x");
	give(first);
	busy(other, "x");
	assert_true(dblock_valid(first, 0));
	give(first);
	is_free(other, "x");
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

static void another_thread_is_not_let_in(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");

	(void)state;
	assert_int_equal(try_elsewhere(client, 0).rc, DBLOCK_BUSY);
	give(lock);
	dblock_close(client, NULL);
}

/* Thread ids of the kernel are used again: a new thread must not inherit an old one's locks. */
static void a_new_thread_is_a_new_holder(void **state)
{
	struct dblock_client *client = client_new(0);
	struct trial gone = try_elsewhere(client, 0);

	(void)state;
	assert_int_equal(gone.rc, DBLOCK_OK);
	for (int i = 0; i < 20; i++)
		assert_int_equal(try_elsewhere(client, 0).rc, DBLOCK_BUSY);
	give(gone.lock);
	dblock_close(client, NULL);
}

static void an_owner_is_the_same_on_every_thread(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_lock *lock;
	struct trial trial;

	(void)state;
	assert_int_equal(try_as(client, 7, &lock), DBLOCK_OK);
	trial = try_elsewhere(client, 7);
	assert_int_equal(trial.rc, DBLOCK_OK);
	assert_ptr_equal(trial.lock, lock);
	/* The thread itself, and another owner on it, are strangers. */
	busy(client, "x");
	assert_int_equal(try_as(client, 8, &trial.lock), DBLOCK_BUSY);
	/* An owner is known within its client only. */
	assert_int_equal(try_as(other, 7, &trial.lock), DBLOCK_BUSY);

	give(lock);
	busy(other, "x");
	give(lock);
	is_free(other, "x");
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

/* A thread's number and an owner's number are not of one kind. */
static void a_small_owner_number_is_not_a_thread(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *mine = take(client, "x"), *lock;

	(void)state;
	for (uint64_t owner = 1; owner < 10; owner++)
		assert_int_equal(try_as(client, owner, &lock), DBLOCK_BUSY);
	give(mine);
	dblock_close(client, NULL);
}

static void the_first_options_stay(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock, *again;
	struct dblock_error err = {0};

	(void)state;
	options.value = "first";
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	options.value = "second";
	options.lease_ms = 1000;
	options.at_least_ms = 3600000;
	expect(OK, dblock_try(client, "x", &options, &again, &err));
	assert_ptr_equal(again, lock);
	assert_string_equal(show(client, "x").value, "first");
	assert_int_equal(show(client, "x").h.hold, DBLOCK_HOLD_SESSION);
	give(lock);
	give(lock);
	is_free(client, "x");
	dblock_close(client, NULL);
}

static void wait_for_count(struct dblock_client *client, int64_t count)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (show(client, "x").h.reentry != count && clock_ms() < until)
		sleep_ms(20);
	assert_int_equal(show(client, "x").h.reentry, count);
}

static void the_count_is_shown_after_a_heartbeat(void **state)
{
	struct dblock_client *client = client_new(3000);
	struct dblock_lock *lock = take(client, "x");

	(void)state;
	assert_int_equal(show(client, "x").h.reentry, 1);
	take(client, "x");
	take(client, "x");
	wait_for_count(client, 3);
	give(lock);
	wait_for_count(client, 2);
	give(lock);
	give(lock);
	assert_int_equal(show(client, "x").h.reentry, 0);
	dblock_close(client, NULL);
}

/* ---- two threads of one owner wait for one lock ---------------------------------------------- */

struct waiter {
	struct dblock_client *client;
	struct dblock_lock *lock;
	_Atomic int *problems;
};

static void *wait_as_seven(void *arg)
{
	struct waiter *w = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.owner = 7;
	options.wait_ms = PLENTY_MS;
	if (dblock_acquire(w->client, "x", &options, &w->lock, &err))
		note_problem(w->problems, "acquire", &err);
	return NULL;
}

static void both_waiting_threads_of_an_owner_get_it(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_lock *theirs = take(other, "x");
	_Atomic int problems = 0;
	struct waiter waiters[2] = {{client, NULL, &problems}, {client, NULL, &problems}};
	struct crew crew = {.n = 0};

	(void)state;
	crew_add(&crew, wait_as_seven, &waiters[0]);
	crew_add(&crew, wait_as_seven, &waiters[1]);
	sleep_ms(100);
	give(theirs);
	crew_join(&crew);
	assert_int_equal(problems, 0);
	assert_ptr_equal(waiters[0].lock, waiters[1].lock);
	give(waiters[0].lock);
	busy(other, "x");
	give(waiters[0].lock);
	is_free_soon(other, "x");
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_thread_gets_the_same_handle),
		cmocka_unit_test(another_thread_is_not_let_in),
		cmocka_unit_test(a_new_thread_is_a_new_holder),
		cmocka_unit_test(an_owner_is_the_same_on_every_thread),
		cmocka_unit_test(a_small_owner_number_is_not_a_thread),
		cmocka_unit_test(the_first_options_stay),
		cmocka_unit_test(the_count_is_shown_after_a_heartbeat),
		cmocka_unit_test(both_waiting_threads_of_an_owner_get_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
