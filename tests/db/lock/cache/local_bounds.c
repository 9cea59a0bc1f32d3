/* SPDX-License-Identifier: MIT */
/* How long a grant goes from thread to thread without a word to the database. The test's own clock
 * stands still, so that only what is tested can end it. */
#include "support/local.h"

/* The first thread has the lock, the others wait in memory. */
static struct dblock_lock *queue_up(struct waiting *w, int n, struct dblock_client *client)
{
	struct dblock_lock *lock;

	waiting_start(&w[0], client, "x");
	lock = waiting_join(&w[0]);
	for (int i = 1; i < n; i++)
		waits_in_memory(&w[i], client, "x");
	return lock;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Naive: the grant goes on for all of its turns, and a client that cannot tell us waits for them.
 */
static void the_queue_is_asked_again_after_a_tenth_of_a_second(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = in_still_time(spy, 0);
	struct waiting w[4];
	struct dblock_lock *lock = queue_up(w, 4, client);

	(void)state;
	give(lock);
	lock = waiting_join(&w[1]);
	spy_reset(spy);
	spy->skew += DBL_LOCAL_FRESH_US - 1;
	give(lock);
	lock = waiting_join(&w[2]);
	spy_assert_runs(spy, 0);
	spy->skew += 1;
	give(lock);
	lock = waiting_join(&w[3]);
	assert_int_equal(spy->runs_of[DBL_OP_turn], 1);
	give(lock);
	still_time_ends(spy, client);
}

static enum spy_fate takes_long(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_turn)
		spy->skew += DBL_LOCAL_FRESH_US / 2;
	return SPY_PASS;
}

/* The queue may be what it was when the statement was sent. Naive: time counts from the answer. */
static void time_on_the_way_counts(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = in_still_time(spy, 0);
	struct waiting w[3];
	struct dblock_lock *lock = queue_up(w, 3, client);

	(void)state;
	spy->fate = takes_long;
	give(lock);
	lock = waiting_join(&w[1]);
	spy->fate = NULL;
	spy_reset(spy);
	spy->skew += DBL_LOCAL_FRESH_US / 2;
	give(lock);
	lock = waiting_join(&w[2]);
	assert_int_equal(spy->runs_of[DBL_OP_turn], 1);
	give(lock);
	still_time_ends(spy, client);
}

static enum spy_fate without_heartbeats(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_heartbeat ? SPY_LOST_BEFORE : SPY_PASS;
}

/* Naive: the grant is passed on as long as it is valid at all, and the next thread has no time for
 * anything. */
static void what_is_nearly_over_is_not_passed_on(void **state)
{
	enum { TTL_MS = 20000 };
	struct spy *spy = spy_new();
	struct dblock_client *client = in_still_time(spy, TTL_MS);
	struct waiting w[2];
	struct dblock_lock *lock = queue_up(w, 1, client);
	int64_t token = dblock_token(lock);

	(void)state;
	spy->fate = without_heartbeats;
	spy->skew += (dblock_remaining_ms(lock) - TTL_MS / 4 + 100) * 1000;
	assert_true(dblock_valid(lock, 0));
	waits_in_memory(&w[1], client, "x");
	spy_reset(spy);
	give(lock);
	lock = waiting_join(&w[1]);
	assert_int_equal(spy->runs_of[DBL_OP_turn], 0);
	assert_true(dblock_token(lock) > token);
	give(lock);
	still_time_ends(spy, client);
}

/* ---- who waits elsewhere --------------------------------------------------------------------- */

/* Our thread comes when its client already knows that somebody else waits. Naive: it waits in
 * memory, and gets a turn as long as no thread of ours has joined the database's queue. */
static void who_comes_after_the_word_is_behind(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = in_still_time(spy, 0), *b = client_new(0);
	struct dblock_lock *lock = in_turns(a, "x");
	struct waiting theirs, ours;

	(void)state;
	waiting_start(&theirs, b, "x");
	wait_until(is_wanted(a, "x"));
	waits_in_memory(&ours, a, "x");
	spy_reset(spy);
	give(lock);
	/* The client does not even ask: it knows that the queue is not empty. */
	assert_int_equal(spy->runs_of[DBL_OP_turn] + spy->runs_of[DBL_OP_release], 0);
	lock = waiting_join(&theirs);
	assert_false(ours.done);
	give(lock);
	give(waiting_join(&ours));
	dblock_close(b, NULL);
	still_time_ends(spy, a);
}

static struct dblock_client *who_cannot_tell(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = PLENTY_MS;
	TUNE(options, .wake_off = DBLOCK_WAKE_SOCKET);
	options.auto_migrate = 1;
	return client_with(&options);
}

static void a_heartbeat_sees_who_waits(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = in_still_time(spy, 0), *b = who_cannot_tell();
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = in_turns(a, "x");
	struct waiting theirs;

	(void)state;
	waiting_start(&theirs, b, "x");
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x' AND queued") ==
		   1);
	assert_false(is_wanted(a, "x"));
	dbl_local_look(a->locks, a->locks->link, dbl_locks_deadline(a->locks));
	assert_true(is_wanted(a, "x"));
	give(lock);
	give(waiting_join(&theirs));
	raw_close(raw);
	dblock_close(b, NULL);
	still_time_ends(spy, a);
}

/* Nobody could tell the client of the waiter, so it asks for turns: one statement too many. */
static void a_refused_turn_costs_one_statement(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = in_still_time(spy, 0), *b = who_cannot_tell();
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = in_turns(a, "x");
	struct waiting theirs, ours;

	(void)state;
	waits_in_memory(&ours, a, "x");
	waiting_start(&theirs, b, "x");
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x' AND queued") ==
		   1);
	assert_false(is_wanted(a, "x"));
	spy->skew += DBL_LOCAL_FRESH_US;
	spy_reset(spy);
	give(lock);
	assert_int_equal(spy->runs_of[DBL_OP_turn], 1);
	assert_int_equal(spy->runs_of[DBL_OP_release], 0);
	lock = waiting_join(&theirs);
	assert_false(ours.done);
	spy->frozen_at = 0; /* our thread has to look, as nobody can tell it */
	give(lock);
	give(waiting_join(&ours));
	raw_close(raw);
	dblock_close(b, NULL);
	still_time_ends(spy, a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_queue_is_asked_again_after_a_tenth_of_a_second),
		cmocka_unit_test(time_on_the_way_counts),
		cmocka_unit_test(what_is_nearly_over_is_not_passed_on),
		cmocka_unit_test(who_comes_after_the_word_is_behind),
		cmocka_unit_test(a_heartbeat_sees_who_waits),
		cmocka_unit_test(a_refused_turn_costs_one_statement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
