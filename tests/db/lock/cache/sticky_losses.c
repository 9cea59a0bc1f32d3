/* SPDX-License-Identifier: MIT */
/* A client keeps locks idle, and answers, connections and sessions are lost; also with many
 * threads. */
#include "lock/cache/own.h"
#include "lock/watch/own.h"
#include "lock/watch/reconcile.h"
#include "lock/watch/watchdog.h"
#include "support/sticky.h"

/* ---- losses ---------------------------------------------------------------------------------- */

static void a_lost_connection_does_not_end_it(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	int64_t passes;

	(void)state;
	keep(a, "x");
	passes = a->locks->watchdog->passes;
	dbl_reconcile_soon(a->locks);
	wait_until(a->locks->watchdog->passes > passes);
	assert_true(held_in_database(raw, "x"));
	assert_int_equal(a->locks->cache->n_idle, 1);
	give(take_for(a, "x", KEPT_MS));
	dblock_close(a, NULL);
	raw_close(raw);
}

/* The row is changed as by a crash that lost the grant. Naive: the lock is taken again all the
 * same. */
static void what_the_database_has_forgotten_is_not_taken_again(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock;
	int64_t passes;

	(void)state;
	keep(a, "x");
	raw_exec(raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = 'x'");
	passes = a->locks->watchdog->passes;
	dbl_reconcile_soon(a->locks);
	wait_until(a->locks->watchdog->passes > passes);
	lock = take_for(a, "x", KEPT_MS);
	assert_true(held_in_database(raw, "x"));
	give(lock);
	dblock_close(a, NULL);
	raw_close(raw);
}

/* The lock is not taken again before that is known: after a lost connection the database may have
 * forgotten what it said. */
static void after_a_lost_connection_the_database_is_asked(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);

	(void)state;
	keep(a, "x");
	spy_hit_nth(spy, 1, SPY_LOST_AFTER);
	give(take(a, "y"));
	assert_true(spy_has_hit(spy));
	assert_int_equal(a->locks->cache->n_idle, 1);
	spy_reset(spy);
	give(take_for(a, "x", KEPT_MS));
	assert_true(spy->runs_of[DBL_OP_acquire] >= 1);
	dblock_close(a, NULL);
	spy_free(spy);
}

/* A crash has forgotten that tokens were reserved, but not the grant. Naive: the release finds
 * nothing by its token, and the lock stays held as long as the client lives. */
static void what_was_forgotten_in_part_is_given_back(void **state)
{
	struct dblock_client *a = client_new(LONG_TTL_MS);
	struct raw *raw = raw_open(NULL);

	(void)state;
	keep(a, "x");
	raw_exec(raw, "UPDATE dblock_lock SET token = token - %d WHERE name = 'x'",
		 DBL_TOKEN_BLOCK_FIRST);
	dbl_sticky_give_back(a->locks, "x");
	assert_false(held_in_database(raw, "x"));
	dblock_close(a, NULL);
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
	/* The outcome of the acquire may be unknown. */
	(void)dblock_release(lock, &err);
	spy->fate = NULL;
	lock = take_for(a, "x", KEPT_MS);
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(a, NULL);
	is_free(b, "x");
	dblock_close(b, NULL);
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

/* A lock that could not be given back is given back later, and does not hinder a new grant. */
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
	dblock_close(a, NULL);
	is_free(b, "x");
	dblock_close(b, NULL);
	spy_free(spy);
}

static _Atomic int losses_told;

static void count_loss(void *arg, struct dblock_lock *lock)
{
	(void)arg;
	(void)lock;
	losses_told++;
}

static bool is_told(struct dblock_client *client, struct dblock_lock *lock)
{
	bool told;

	dbl_lock(&client->locks->mutex);
	told = lock->told;
	dbl_unlock(&client->locks->mutex);
	return told;
}

/* Naive: a caller who has released it long ago is told that it is lost. */
static void nobody_is_told_of_the_loss_of_what_is_idle(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 4000);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	spy_freeze(spy);
	options.idle_ms = KEPT_MS;
	options.lost = count_loss;
	expect(OK, dblock_acquire(a, "x", &options, &lock, &err));
	give(lock);
	assert_int_equal(a->locks->cache->n_idle, 1);
	spy->skew += 5000000;
	dbl_watchdog_wake(a->locks);
	/* Only this test has a handle of what the client keeps. */
	wait_until(is_told(a, lock));
	assert_int_equal(losses_told, 0);
	dblock_close(a, NULL);
	spy_free(spy);
}

/* ---- many of both ---------------------------------------------------------------------------- */

enum { CLIENTS = 3, CREW = 9, ROUNDS = 60 };

struct guarded {
	int64_t last; /* the last token, guarded by the lock */
	int inside;
	_Atomic int problems;
};

struct member {
	struct guarded *guarded;
	struct dblock_client *client;
	int number;
};

/* Most threads keep it for a moment, some do not. Now and then they pause, so that it is idle. */
static void *take_and_keep(void *arg)
{
	const struct member *m = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct guarded *g = m->guarded;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	for (int i = 0; i < ROUNDS; i++) {
		options.idle_ms = (i + m->number) % 4 ? 1 + i % 5 : 0;
		if (dblock_acquire(m->client, "x", &options, &lock, &err)) {
			note_problem(&g->problems, "acquire", &err);
			break;
		}
		g->problems +=
			++g->inside != 1 || dblock_token(lock) <= g->last || !dblock_valid(lock, 0);
		g->last = dblock_token(lock);
		g->inside--;
		if (dblock_release(lock, &err))
			note_problem(&g->problems, "release", &err);
		if (i % 8 == m->number % 8)
			sleep_ms(3);
	}
	return NULL;
}

/* All tokens are one growing sequence, whoever has the lock, and in whatever way. */
static void several_clients_and_all_their_threads(void **state)
{
	struct dblock_client *clients[CLIENTS];
	struct member members[CREW];
	struct guarded guarded = {.last = 0};
	struct crew crew = {.n = 0};

	(void)state;
	for (int i = 0; i < CLIENTS; i++)
		clients[i] = client_new(LONG_TTL_MS);
	for (int i = 0; i < CREW; i++) {
		members[i] = (struct member){&guarded, clients[i % CLIENTS], i};
		crew_add(&crew, take_and_keep, &members[i]);
	}
	crew_join(&crew);
	assert_int_equal(guarded.problems, 0);
	for (int i = 0; i < CLIENTS; i++)
		dblock_close(clients[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_connection_does_not_end_it),
		cmocka_unit_test(what_the_database_has_forgotten_is_not_taken_again),
		cmocka_unit_test(after_a_lost_connection_the_database_is_asked),
		cmocka_unit_test(what_was_forgotten_in_part_is_given_back),
		cmocka_unit_test(a_lost_answer_loses_nothing),
		cmocka_unit_test(a_lost_return_is_made_good),
		cmocka_unit_test(several_clients_and_all_their_threads),
		cmocka_unit_test(nobody_is_told_of_the_loss_of_what_is_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
