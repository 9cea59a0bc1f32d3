/* SPDX-License-Identifier: MIT */
/* Releases that nobody waits for: what they cost, when they come, and what they cannot do. */
#include "api/client.h"
#include "support/gate.h"
#include "support/raw.h"

struct failure {
	_Atomic int n;
	_Atomic int code;
	_Atomic int64_t token;
	char name[32];
};

static void note_failure(void *arg, const char *name, int64_t token, const struct dblock_error *err)
{
	struct failure *failure = arg;

	snprintf(failure->name, sizeof(failure->name), "%s", name);
	failure->token = token;
	failure->code = err->code;
	failure->n++;
}

static struct failure failure;

static struct dblock_client *posting(struct spy *spy)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	failure = (struct failure){.n = 0};
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	options.post_releases = 1;
	options.release_failed = note_failure;
	options.release_failed_arg = &failure;
	expect(OK, dbl_client_open(test_url(), &options, &spy->env, &client, &err));
	return client;
}

static bool is_held(struct raw *raw, const char *name)
{
	return raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = '%s' AND nonce <> 0",
		       name) == 1;
}

static void until_free(struct raw *raw, const char *name)
{
	int64_t begun = clock_ms();

	while (is_held(raw, name) && clock_ms() - begun < PLENTY_MS)
		sleep_ms(1);
	assert_false(is_held(raw, name));
}

/* ---- what it costs, and when it comes ------------------------------------------------------- */

/* The courier does not come to it while the clock of deadlines stands still. */
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
	assert_int_equal(spy->runs, 0);
	assert_true(is_held(raw, "x"));
	spy->skew += 2000;
	until_free(raw, "x");
	assert_int_equal(spy->runs_of[DBL_OP_release], 1);
	assert_int_equal(failure.n, 0);
	raw_close(raw);
	dblock_close(client);
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
	assert_int_equal(spy->runs, 100);
	assert_int_equal(spy->runs_of[DBL_OP_acquire], 100);
	give(lock);
	dblock_close(client);
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
	dblock_close(client);
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
	dblock_close(client);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE nonce <> 0"), 0);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_session"), 0);
	assert_int_equal(failure.n, 0);
	raw_close(raw);
	spy_free(spy);
}

/* To this client it is free at once, however it asks. */
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
	dblock_close(client);
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
	/* Not past who waits, though its release may not have been sent yet. */
	expect(BUSY, dblock_try(client, "x", NULL, &again, &err));
	pthread_join(thread, &theirs);
	assert_non_null(theirs);
	assert_true(dblock_valid(theirs, 0));
	assert_int_equal(failure.n, 0);
	give(theirs);
	dblock_close(client);
	dblock_close(other);
	spy_free(spy);
}

static void who_waits_is_served_by_the_courier(void **state)
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
	dblock_close(client);
	dblock_close(other);
	spy_free(spy);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void until_told(void)
{
	int64_t begun = clock_ms();

	while (failure.n == 0 && clock_ms() - begun < PLENTY_MS)
		sleep_ms(1);
	assert_int_equal(failure.n, 1);
}

static void a_lost_lock_is_told(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy), *other = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_error err = {0};
	int64_t token = dblock_token(lock);

	(void)state;
	expect(OK, dblock_break(other, "x", token, 0, &err));
	give(lock);
	until_told();
	assert_int_equal(failure.code, DBLOCK_LOST);
	assert_int_equal(failure.token, token);
	assert_string_equal(failure.name, "x");
	is_free(other, "x");
	dblock_close(client);
	dblock_close(other);
	spy_free(spy);
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
		dblock_close(client);
		assert_true(unlucky <= 0);
		assert_int_equal(failure.n, 0);
		raw_close(raw);
		spy_free(spy);
	}
}

/* The statement that replaces one grant by the next is lost: neither stays behind. */
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
		dblock_close(client);
		dblock_close(other);
		spy_free(spy);
	}
}

/* ---- many ----------------------------------------------------------------------------------- */

struct loop {
	struct dblock_client *client;
	int number;
	_Atomic int *problems;
};

/* Names that others use as well, and one of its own. */
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
	dblock_close(client);
	assert_int_equal(failure.n, 0);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE nonce <> 0"), 0);
	raw_close(raw);
	spy_free(spy);
}

static int clean(void **state)
{
	struct raw *raw = raw_open(NULL);

	(void)state;
	raw_exec(raw, "DELETE FROM dblock_session");
	raw_exec(raw, "DELETE FROM dblock_lock");
	raw_close(raw);
	return 0;
}

static int make_tables(void **state)
{
	(void)state;
	dblock_close(client_new(0));
	return 0;
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
		cmocka_unit_test_setup(who_waits_is_served_by_the_courier, clean),
		cmocka_unit_test_setup(a_lost_lock_is_told, clean),
		cmocka_unit_test_setup(a_lost_release_comes_all_the_same, clean),
		cmocka_unit_test_setup(a_lost_replacement_leaves_nothing, clean),
		cmocka_unit_test_setup(many_threads, clean),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}
