/* SPDX-License-Identifier: MIT */
/* Who is woken: only the one that is handed the lock, at once and without a statement. */
#include "db/lock/queue/queue_kit.h"

enum { TRIES = 20 };

/* Naive: nobody wakes it; or it looks before it believes a message. One play of several is without
 * the look that is due once a second. */
static void woken_without_a_statement(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	int runs = 1;

	for (int i = 0; i < TRIES && runs > 0; i++) {
		struct dblock_lock *lock = take(s->a, "x");
		struct waiting w = {.lock = NULL};
		int looks = spy_snapshots(spy);

		waiting_join(&w, client, s->raw);
		until_true(spy_snapshots(spy) > looks);
		looks = spy_snapshots(spy);
		give(lock);
		waiting_end(&w, OK);
		runs = spy_snapshots(spy) - looks;
		give(w.lock);
	}
	assert_int_equal(runs, 0);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* Returns how many statements a waiting client sends, but for looks (also for deadlocks and for
 * lost wake-ups), heartbeats, and the cleanup of its place. */
static int other_runs(struct spy *spy)
{
	return spy->runs - spy->runs_of[DBL_OP_look] - spy->runs_of[DBL_OP_dequeue_served] -
	       spy->runs_of[DBL_OP_heartbeat] - spy->runs_of[DBL_OP_cycle] -
	       spy->runs_of[DBL_OP_granted];
}

enum { CROWD = 200 };

/* Waits until all have joined, and announced it. */
static void until_quiet(struct spy *spy)
{
	int runs;

	do {
		runs = other_runs(spy);
		sleep_ms(SLOWLY_MS(100));
	} while (other_runs(spy) > runs);
}

static int count_done(struct waiting *crowd)
{
	int done = 0;

	for (int i = 0; i < CROWD; i++)
		done += crowd[i].call.done;
	return done;
}

/* Naive: a release wakes all of them, or each that wakes asks for the lock. */
static void a_crowd_sleeps_on(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting *crowd = calloc(CROWD, sizeof(*crowd));
	int first = 0, runs;

	for (int i = 0; i < CROWD; i++)
		waiting_start(&crowd[i], client);
	until_true(spy_snapshots(spy) >= CROWD);
	until_true(in_queue(s->raw) == CROWD);
	until_quiet(spy);
	runs = other_runs(spy);
	give(lock);
	until_true(count_done(crowd) > 0);
	sleep_ms(150);
	/* Those who joined last may be counted late; a wake-up for all would be one for each. */
	assert_in_range(other_runs(spy) - runs, 0, CROWD / 4);
	assert_int_equal(count_done(crowd), 1);
	for (int i = 0; i < CROWD; i++) {
		if (crowd[i].call.done)
			first = i;
		else
			crowd[i].cancel = true;
	}
	for (int i = 0; i < CROWD; i++) {
		if (i != first)
			waiting_end(&crowd[i], CANCELED);
	}
	waiting_give(&crowd[first]);
	until_true(rows_in_queue(s->raw) == 0);
	is_free(s->a, "x");
	free(crowd);
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(woken_without_a_statement),
		CASE(a_crowd_sleeps_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
