/* SPDX-License-Identifier: MIT */
/* Rows are deleted by hand while calls wait in the queue, the lock's or their own: no call is
 * forgotten, and nothing is left in the queue. */
#include "db/lock/queue/queue_kit.h"

/* Naive: a waiter looks for its own row only, or waits to be woken. */
static void the_locks_row_is_deleted(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};

	waiting_join(&w, s->b, s->raw);
	raw_exec(s->raw, "DELETE FROM dblock_lock WHERE name = 'x'");
	waiting_end(&w, OK);
	assert_true(dblock_token(w.lock) > dblock_token(lock));
	assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
	give(w.lock);
	until_true(rows_in_queue(s->raw) == 0);
}

/* Returns the number of a wait that is done, and has not been returned yet; -1: none. */
static int next_done(const struct waiting *w, int n)
{
	while (--n >= 0 && !(w[n].client && w[n].call.done))
		;
	return n;
}

/* Naive: a waiter whose row is gone is never granted the lock. */
static void waiters_rows_are_deleted(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w[3];

	memset(w, 0, sizeof(w));
	for (int i = 0; i < 3; i++)
		waiting_join(&w[i], s->b, s->raw);
	raw_exec(s->raw, "DELETE FROM dblock_queue WHERE name = 'x' AND nonce ="
			 " (SELECT nonce FROM (SELECT MIN(nonce) AS nonce FROM dblock_queue) m)");
	until_true(in_queue(s->raw) == 3);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	until_true(in_queue(s->raw) == 3);
	give(lock);
	/* The order of the waiters is unknown: each has made its row anew when it looked. */
	for (int served = 0; served < 3; served++) {
		int at;

		until_true((at = next_done(w, 3)) >= 0);
		waiting_give(&w[at]);
		w[at].client = NULL;
	}
	until_true(rows_in_queue(s->raw) == 0);
}

/* The queue is emptied at the moment when the lock is free: nobody wakes the waiters, but none
 * waits for ever. */
static void the_table_is_emptied_at_the_release(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting first = {.lock = NULL}, second = {.lock = NULL};

	waiting_join(&first, s->a, s->raw);
	waiting_join(&second, s->b, s->raw);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	give(lock);
	until_true(first.call.done || second.call.done);
	if (first.call.done) {
		waiting_give(&first);
		waiting_give(&second);
	} else {
		waiting_give(&second);
		waiting_give(&first);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_locks_row_is_deleted),
		CASE(waiters_rows_are_deleted),
		CASE(the_table_is_emptied_at_the_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
