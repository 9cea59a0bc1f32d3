/* SPDX-License-Identifier: MIT */
/* What a client keeps idle, and others want; and what becomes of it where an answer is lost. */
#include "lock/reconcile.h"
#include "support/local.h"
#include "support/sticky.h"

/* No heartbeat comes while a test runs: who is heard is heard by a word. */
enum { LONG_TTL_MS = 600000, SHORT_TTL_MS = 1500 };

/* ---- others want it -------------------------------------------------------------------------- */

/* Naive: nobody tells the client, which keeps it for an hour. */
static void who_waits_is_let_in_at_once(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = client_new(LONG_TTL_MS);
	int64_t token = keep(a, "x");
	struct dblock_lock *lock;
	struct waiting w;

	(void)state;
	waiting_start(&w, b, "x");
	lock = waiting_join(&w);
	assert_true(dblock_token(lock) > token + DBL_KEPT_FIRST);
	wait_until(a->locks->n_idle == 0);
	give(lock);
	dblock_close(a);
	dblock_close(b);
}

/* Naive: it says DBLOCK_BUSY, though nobody needs the lock. A loaded machine may be slower than the
 * time that a try gives: then the next one has it, as the word has been said. */
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
	dblock_close(a);
	dblock_close(b);
}

static struct raw *watcher;
static _Atomic int looks;

/* The second look comes when the holder has had its time, however slow the machine is. */
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
	dblock_close(a);
	dblock_close(b);
	spy_free(spy);
}

/* What is kept, and in use: a try is told so, and its release lets others in. */
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
	dblock_close(a);
	dblock_close(b);
}

static void a_heartbeat_sees_who_cannot_say_so(void **state)
{
	struct dblock_client *a = client_new(SHORT_TTL_MS), *b;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct waiting w;

	(void)state;
	options.wake_off = DBLOCK_WAKE_SOCKET;
	expect(OK, dblock_open(test_url(), &options, &b, &err));
	keep(a, "x");
	/* Who cannot ask does not wait for an answer. */
	expect(BUSY, dblock_try(b, "x", NULL, &lock, &err));
	waiting_start(&w, b, "x");
	give(waiting_join(&w));
	dblock_close(a);
	dblock_close(b);
}

static void a_request_ends_it(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	keep(a, "x");
	expect(OK, dblock_request(b, "x", "please", &err));
	wait_until(!held_in_database(raw, "x"));
	raw_close(raw);
	dblock_close(a);
	dblock_close(b);
}

/* Naive: its client goes on to take what is broken. */
static void what_is_broken_is_not_taken_again(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS), *b = client_new(LONG_TTL_MS);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	keep(a, "x");
	expect(OK, dblock_break(b, "x", 0, 0, &err));
	wait_until(a->locks->n_idle == 0);
	lock = take(b, "x");
	token = dblock_token(lock);
	busy(a, "x");
	give(lock);
	lock = take_for(a, "x", KEPT_MS);
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(a);
	dblock_close(b);
}

/* ---- losses ---------------------------------------------------------------------------------- */

static void a_lost_connection_does_not_end_it(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	int64_t passes;

	(void)state;
	keep(a, "x");
	passes = a->locks->passes;
	dbl_reconcile_soon(a->locks);
	wait_until(a->locks->passes > passes);
	assert_true(held_in_database(raw, "x"));
	assert_int_equal(a->locks->n_idle, 1);
	give(take_for(a, "x", KEPT_MS));
	dblock_close(a);
	raw_close(raw);
}

/* As a crash would that lost the grant. Naive: it is taken again all the same. */
static void what_the_database_has_forgotten_is_not_taken_again(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock;
	int64_t passes;

	(void)state;
	keep(a, "x");
	raw_exec(raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = 'x'");
	passes = a->locks->passes;
	dbl_reconcile_soon(a->locks);
	wait_until(a->locks->passes > passes);
	lock = take_for(a, "x", KEPT_MS);
	assert_true(held_in_database(raw, "x"));
	give(lock);
	dblock_close(a);
	raw_close(raw);
}

static enum spy_fate lost_how;
static _Atomic int losses;

static enum spy_fate lose_turns(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_turn && losses-- > 0 ? lost_how : SPY_PASS;
}

static void with_lost_turns(enum spy_fate how, int n)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0), *b = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock = take_for(a, "x", KEPT_MS);
	int64_t token = dblock_token(lock);

	lost_how = how;
	losses = n;
	spy->fate = lose_turns;
	/* It may not be known what came of it. */
	(void)dblock_release(lock, &err);
	spy->fate = NULL;
	lock = take_for(a, "x", KEPT_MS);
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(a);
	is_free(b, "x");
	dblock_close(b);
	spy_free(spy);
}

static void a_lost_answer_loses_nothing(void **state)
{
	(void)state;
	for (int n = 1; n <= 2; n++) {
		with_lost_turns(SPY_LOST_BEFORE, n);
		with_lost_turns(SPY_LOST_AFTER, n);
	}
}

/* What could not be given back is given back later, and does not stand in the way of a new one. */
static enum spy_fate lose_releases(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return (op == DBL_OP_release || op == DBL_OP_hand_over) && losses-- > 0 ? lost_how
										: SPY_PASS;
}

static void a_lost_return_is_made_good(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0), *b = client_new(LONG_TTL_MS);
	struct waiting w;

	(void)state;
	keep(a, "x");
	lost_how = SPY_LOST_AFTER;
	losses = 1;
	spy->fate = lose_releases;
	waiting_start(&w, b, "x");
	give(waiting_join(&w));
	spy->fate = NULL;
	give(take_for(a, "x", KEPT_MS));
	dblock_close(a);
	is_free(b, "x");
	dblock_close(b);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_is_let_in_at_once),
		cmocka_unit_test(who_tries_asks_first),
		cmocka_unit_test(one_try_is_enough),
		cmocka_unit_test(who_is_asked_while_it_is_in_use_does_not_keep_it),
		cmocka_unit_test(a_heartbeat_sees_who_cannot_say_so),
		cmocka_unit_test(a_request_ends_it),
		cmocka_unit_test(what_is_broken_is_not_taken_again),
		cmocka_unit_test(a_lost_connection_does_not_end_it),
		cmocka_unit_test(what_the_database_has_forgotten_is_not_taken_again),
		cmocka_unit_test(a_lost_answer_loses_nothing),
		cmocka_unit_test(a_lost_return_is_made_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
