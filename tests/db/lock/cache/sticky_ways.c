/* SPDX-License-Identifier: MIT */
/* A client keeps a lock idle that others want. */
#include "lock/cache/own.h"
#include "support/local.h"
#include "support/sticky.h"

#define SHORT_TTL_MS SLOWLY_MS(1500)

/* ---- others want it -------------------------------------------------------------------------- */

/* Naive: nobody tells the client, which keeps the lock for an hour. */
static void who_waits_is_let_in_at_once(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = client_new(LONG_TTL_MS);
	int64_t token = keep(a, "x");
	struct dblock_lock *lock;
	struct waiting w;

	(void)state;
	waiting_start(&w, b, "x");
	lock = waiting_join(&w);
	assert_true(dblock_token(lock) > token + DBL_TOKEN_BLOCK_FIRST);
	wait_until(a->locks->cache->n_idle == 0);
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Naive: the try returns DBLOCK_BUSY, though nobody needs the lock. A loaded machine may be slower
 * than the time that a try gives: then the next try has it, as the client has been told. */
static void who_tries_asks_first(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = client_new(LONG_TTL_MS);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	const enum dblock_mode modes[] = {DBLOCK_EXCLUSIVE, DBLOCK_SHARED, DBLOCK_UPDATE};
	struct dblock_lock *lock;

	(void)state;
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		int64_t token = keep(a, "x");

		options.mode = modes[i];
		wait_until(dblock_try(b, "x", &options, &lock, NULL) == 0);
		assert_true(dblock_token(lock) > token);
		give(lock);
	}
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static struct raw *watcher;
static _Atomic int looks;

/* The second look comes when the holder has had time to release, however slow the machine is. */
static enum spy_fate look_late(struct spy *spy, enum dbl_op op)
{
	int64_t until = clock_ms() + PLENTY_MS;

	(void)spy;
	if (op == DBL_OP_look && looks++ == 1) {
		while (held_in_database(watcher, "x") && clock_ms() < until)
			sleep_ms(2);
	}
	return SPY_PASS;
}

static void one_try_is_enough(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = spy_client(spy, 0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	keep(a, "x");
	watcher = raw_open(NULL);
	spy->fate = look_late;
	expect(OK, dblock_try(b, "x", NULL, &lock, &err));
	assert_int_equal(looks, 2);
	give(lock);
	raw_close(watcher);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	spy_free(spy);
}

/* The idle thread is about to give the lock back. Naive: a thread of ours is faster, and the others
 * wait on. */
static void what_others_want_is_not_taken_again(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct dbl_entry *entry;

	(void)state;
	keep(a, "x");
	entry = dbl_entry_find(a->locks->cache->local, "x");
	entry->wanted = true;
	dbl_entry_leave(entry);
	spy_reset(spy);
	give(take_for(a, "x", KEPT_MS));
	assert_true(spy->runs_of[DBL_OP_acquire] >= 1);
	dblock_close(a, NULL);
	spy_free(spy);
}

static int no_time(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		   struct dblock_lock **out, struct dblock_error *err)
{
	(void)locks;
	(void)spec;
	(void)out;
	(void)err;
	return DBLOCK_TIMEOUT;
}

/* A thread comes at that moment. Naive: it waits in memory for a thread that does not exist. */
static void nobody_waits_in_memory_for_what_is_idle(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS);
	const struct dbl_acquire_spec spec = {.name = "x", .blocks = true, .wait_until = DBL_NEVER};
	struct dblock_error err = {0};
	struct dbl_entry *entry;
	struct dblock_lock *lock;

	(void)state;
	keep(a, "x");
	entry = dbl_entry_find(a->locks->cache->local, "x");
	entry->wanted = true;
	dbl_entry_leave(entry);
	assert_int_equal(dbl_local_wait(a->locks, &spec, no_time, &lock, &err), DBLOCK_TIMEOUT);
	dblock_close(a, NULL);
}

/* The lock's holder waits in another queue, and the row names its thread, for those who look for
 * deadlocks. Naive: it still names the thread when the lock is idle, and nobody asks the client for
 * it. */
static void what_is_idle_bears_nobodys_name(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	keep(a, "x");
	lock = take_for(a, "x", KEPT_MS);
	expect(OK, dbl_local_name(a->locks, dbl_locks_deadline(a->locks), &err));
	assert_true(raw_int(raw, "SELECT thread FROM dblock_lock WHERE name = 'x'") > 0);
	give(lock);
	assert_int_equal(a->locks->cache->n_idle, 1);
	assert_int_equal(raw_int(raw, "SELECT thread FROM dblock_lock WHERE name = 'x'"),
			 DBL_THREAD_OF_IDLE);
	assert_int_equal(show(a, "x").h.thread, 0);
	dblock_close(a, NULL);
	raw_close(raw);
}

/* Others have seen the row before we have the answer that it was granted. Naive: no handle has that
 * token yet, so the lock is kept. */
static void a_word_may_be_faster_than_the_answer(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock;

	(void)state;
	dbl_sticky_give_back(a->locks, "x");
	lock = take_for(a, "x", KEPT_MS);
	dbl_local_wanted(a->locks, dblock_token(lock) + DBL_TOKEN_BLOCK_FIRST);
	give(lock);
	assert_false(held_in_database(raw, "x"));
	dblock_close(a, NULL);
	raw_close(raw);
}

/* The lock is kept, and in use: a try is told that it is held, and its release lets others in. */
static void who_is_asked_while_it_is_in_use_does_not_keep_it(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct dblock_lock *lock, *other;

	(void)state;
	keep(a, "x");
	lock = take_for(a, "x", KEPT_MS);
	expect(BUSY, dblock_try(b, "x", NULL, &other, &err));
	message_has("'x' is held by host");
	wait_until(is_wanted(a, "x"));
	give(lock);
	assert_false(held_in_database(raw, "x"));
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Naive: the try asks its own client, for long, and the lock is not kept any more. */
static void a_try_beside_a_thread_of_ours_asks_nobody(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *other;

	(void)state;
	keep(a, "x");
	lock = take_for(a, "x", KEPT_MS);
	spy_reset(spy);
	options.owner = 9;
	expect(BUSY, dblock_try(a, "x", &options, &other, &err));
	assert_int_equal(spy->runs_of[DBL_OP_look], 1);
	assert_false(is_wanted(a, "x"));
	give(lock);
	assert_int_equal(a->locks->cache->n_idle, 1);
	dblock_close(a, NULL);
	spy_free(spy);
}

static void a_heartbeat_sees_who_cannot_say_so(void **state)
{
	struct dblock_client *a = client_new(SHORT_TTL_MS), *b;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct waiting w;

	(void)state;
	TUNE(options, .wake_off = DBLOCK_WAKE_SOCKET);
	expect(OK, dblock_open(test_url(), &options, &b, &err));
	keep(a, "x");
	/* A try that cannot ask the client does not wait for an answer. */
	expect(BUSY, dblock_try(b, "x", NULL, &lock, &err));
	waiting_start(&w, b, "x");
	give(waiting_join(&w));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void a_request_ends_it(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	keep(a, "x");
	expect(OK, dblock_request_release(b, "x", "please", &err));
	wait_until(!held_in_database(raw, "x"));
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Naive: the client takes the broken lock again. */
static void what_is_broken_is_not_taken_again(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = client_new(LONG_TTL_MS);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	keep(a, "x");
	expect(OK, break_by_force(b, "x", 0, 0, &err));
	wait_until(a->locks->cache->n_idle == 0);
	lock = take(b, "x");
	token = dblock_token(lock);
	busy(a, "x");
	give(lock);
	lock = take_for(a, "x", KEPT_MS);
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_is_let_in_at_once),
		cmocka_unit_test(who_tries_asks_first),
		cmocka_unit_test(one_try_is_enough),
		cmocka_unit_test(what_others_want_is_not_taken_again),
		cmocka_unit_test(nobody_waits_in_memory_for_what_is_idle),
		cmocka_unit_test(what_is_idle_bears_nobodys_name),
		cmocka_unit_test(a_word_may_be_faster_than_the_answer),
		cmocka_unit_test(who_is_asked_while_it_is_in_use_does_not_keep_it),
		cmocka_unit_test(a_try_beside_a_thread_of_ours_asks_nobody),
		cmocka_unit_test(a_heartbeat_sees_who_cannot_say_so),
		cmocka_unit_test(a_request_ends_it),
		cmocka_unit_test(what_is_broken_is_not_taken_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
