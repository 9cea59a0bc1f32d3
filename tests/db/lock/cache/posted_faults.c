/* SPDX-License-Identifier: MIT */
/* Releases that nobody waits for and that fail, and many at a time. */
#include "support/posted.h"
#include "support/raw.h"

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void until_told(void)
{
	int64_t begun = clock_ms();

	while (failure.n == 0 && clock_ms() - begun < PLENTY_MS)
		sleep_ms(1);
	assert_int_equal(failure.n, 1);
}

/* Takes the grant away, as a crash does that forgets it. (The client would have been told of a
 * break.) */
static void forget(const char *name)
{
	struct raw *raw = raw_open(NULL);

	raw_exec(raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = '%s'", name);
	raw_close(raw);
}

static void a_lost_lock_is_told(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy), *other = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	int64_t token = dblock_token(lock);

	(void)state;
	forget("x");
	give(lock);
	until_told();
	assert_int_equal(failure.code, DBLOCK_LOST);
	assert_int_equal(failure.token, token);
	assert_string_equal(failure.name, "x");
	is_free(other, "x");
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

/* Naive: the thread that runs the callback waits for its own end; or the client is closed twice. */
static void who_is_told_cannot_close(bool while_it_is_closed)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct dblock_lock *lock = take(client, "x");

	failure.closes = client;
	forget("x");
	if (while_it_is_closed)
		spy_freeze(spy);
	give(lock);
	if (!while_it_is_closed)
		until_told();
	dblock_close(client, NULL);
	assert_int_equal(failure.n, 1);
	assert_int_equal(failure.closed, DBLOCK_E_INVALID);
	spy_free(spy);
}

static void who_is_told_closes_nothing(void **state)
{
	(void)state;
	who_is_told_cannot_close(false);
}

static void who_is_told_in_the_end_closes_nothing(void **state)
{
	(void)state;
	who_is_told_cannot_close(true);
}

static enum spy_fate fate;
static _Atomic int unlucky;

static enum spy_fate hit(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_batch && op != DBL_OP_acquire && op != DBL_OP_release)
		return SPY_PASS;
	return unlucky-- > 0 ? fate : SPY_PASS;
}

static void a_lost_release_comes_all_the_same(void **state)
{
	static const enum spy_fate fates[] = {SPY_LOST_BEFORE, SPY_LOST_AFTER};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct spy *spy = spy_new();
		struct dblock_client *client = posting(spy);
		struct raw *raw = raw_open(NULL);
		struct dblock_lock *lock = take(client, "x");

		fate = fates[i];
		unlucky = 1;
		atomic_store(&spy->fate, hit);
		give(lock);
		until_free(raw, "x");
		dblock_close(client, NULL);
		assert_true(unlucky <= 0);
		assert_int_equal(failure.n, 0);
		raw_close(raw);
		spy_free(spy);
	}
}

/* The statement that replaces one grant by the next is lost: neither of them is left held. */
static void a_lost_replacement_leaves_nothing(void **state)
{
	static const enum spy_fate fates[] = {SPY_LOST_BEFORE, SPY_LOST_AFTER};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct spy *spy = spy_new();
		struct dblock_client *client = posting(spy), *other = client_new(0);
		struct dblock_lock *lock = take(client, "x");

		spy_freeze(spy);
		give(lock);
		fate = fates[i];
		unlucky = 1;
		atomic_store(&spy->fate, hit);
		spy->frozen_at = 0;
		lock = NULL;
		if (dblock_try(client, "x", NULL, &lock, NULL) == DBLOCK_OK)
			give(lock);
		assert_true(unlucky <= 0);
		is_free_soon(other, "x");
		assert_int_equal(failure.n, 0);
		dblock_close(client, NULL);
		dblock_close(other, NULL);
		spy_free(spy);
	}
}

/* ---- many ----------------------------------------------------------------------------------- */

struct loop {
	struct dblock_client *client;
	int number;
	_Atomic int *problems;
};

/* Each thread takes names that others use as well, and its own one. */
static void *acquire_and_release(void *arg)
{
	const struct loop *loop = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	char name[16];

	options.wait_ms = PLENTY_MS;
	for (int i = 0; i < 60; i++) {
		struct dblock_lock *lock;

		snprintf(name, sizeof(name), "n%d", i % 3 ? loop->number + 10 : i % 2);
		if (dblock_acquire(loop->client, name, &options, &lock, &err) ||
		    dblock_release(lock, &err))
			note_problem(loop->problems, name, &err);
	}
	return NULL;
}

static void many_threads(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct raw *raw = raw_open(NULL);
	struct crew crew = {.n = 0};
	_Atomic int problems = 0;
	struct loop loops[8];

	(void)state;
	for (int i = 0; i < 8; i++) {
		loops[i] = (struct loop){client, i, &problems};
		crew_add(&crew, acquire_and_release, &loops[i]);
	}
	crew_join(&crew);
	assert_int_equal(problems, 0);
	dblock_close(client, NULL);
	assert_int_equal(failure.n, 0);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE nonce <> 0"), 0);
	raw_close(raw);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_lost_lock_is_told, clean),
		cmocka_unit_test_setup(who_is_told_closes_nothing, clean),
		cmocka_unit_test_setup(who_is_told_in_the_end_closes_nothing, clean),
		cmocka_unit_test_setup(a_lost_release_comes_all_the_same, clean),
		cmocka_unit_test_setup(a_lost_replacement_leaves_nothing, clean),
		cmocka_unit_test_setup(many_threads, clean),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}
