/* SPDX-License-Identifier: MIT */
/* A hand-over meets a call that leaves the queue, in every order that the database allows: the lock
 * never goes to a call that has left. */
#include "db/lock/queue/queue_races_kit.h"

/* A queue of one or two, and a hand-over that has read it and waits for the lock's row. */
static bool hand_over_waits(struct scene *s, struct hand_over *h)
{
	raw_lock_row(s->fence, "x");
	hand_over_start(h, s->holder);
	return is_waited_for(s, h, 1);
}

/* The waiter leaves the table first. Then the hand-over grants the lock to a place that nobody has.
 */
static bool leaves_before_the_row_is_had(struct scene *s)
{
	struct hand_over h = {.puppet = NULL};
	struct waiting w = {.lock = NULL};
	bool met;
	int rc;

	assert_true(puppet_takes(s->holder, "x"));
	waiting_join(&w, s->client, s->raw);
	puppet_queues(s->next, "x");
	met = hand_over_waits(s, &h);
	w.cancel = true;
	/* The waiter's own announcement waits for the row as well, behind the hand-over. */
	while (met && rows_in_queue(s->raw) > 1 && rows_waited_for(s->raw) < 2)
		sleep_ms(1);
	raw_exec(s->fence, "COMMIT");
	met = hand_over_end(&h) && met;
	rc = call_end(&w.call);
	assert_int_equal(rc, DBLOCK_CANCELED);
	if (met && !h.winner.done)
		assert_true(puppet_hands_over(s->holder, "x").done);
	until_true(!met || row_of(s->raw, "nonce") == s->next->place);
	until_true(rows_in_queue(s->raw) == 1);
	return met;
}

/* Naive: a call that leaves only deletes its row: the lock stays with it for ever. */
static void no_ghost_has_it_with_others_in_queue(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, leaves_before_the_row_is_had);
}

static bool last_leaves_before_the_row_is_had(struct scene *s)
{
	struct hand_over h = {.puppet = NULL};
	struct waiting w = {.lock = NULL};
	bool met;

	assert_true(puppet_takes(s->holder, "x"));
	waiting_join(&w, s->client, s->raw);
	met = hand_over_waits(s, &h);
	w.cancel = true;
	while (met && rows_in_queue(s->raw) > 0 && rows_waited_for(s->raw) < 2)
		sleep_ms(1);
	raw_exec(s->fence, "COMMIT");
	met = hand_over_end(&h) && met;
	assert_int_equal(call_end(&w.call), DBLOCK_CANCELED);
	if (met && !h.winner.done)
		assert_true(puppet_hands_over(s->holder, "x").done);
	until_true(!met || row_of(s->raw, "nonce") == 0);
	return met;
}

static void no_ghost_has_it_after_the_last(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, last_leaves_before_the_row_is_had);
}

/* The waiter has left and announced it in one transaction: the hand-over knows that what it has
 * read is old. */
static bool leaves_behind_the_snapshot(struct scene *s)
{
	struct hand_over h = {.puppet = NULL};
	bool met;

	assert_true(puppet_takes(s->holder, "x"));
	puppet_queues(s->waiter, "x");
	puppet_queues(s->next, "x");
	puppet_begin(s->waiter);
	puppet_dequeue(s->waiter, "x");
	puppet_announce(s->waiter, "x");
	hand_over_start(&h, s->holder);
	met = is_waited_for(s, &h, 1);
	puppet_commit(s->waiter);
	if (!hand_over_end(&h) || !met)
		return false;
	/* From here on nobody can grant it anything. */
	assert_false(puppet_gives_back(s->waiter, "x"));
	if (!h.winner.done)
		assert_true(puppet_hands_over(s->holder, "x").done);
	has_it(s, s->next);
	return true;
}

/* Naive: without queue_version the lock goes to a call that has left, and has looked for the last
 * time. */
static void what_was_read_before_somebody_left_is_old(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, leaves_behind_the_snapshot);
}

/* The hand-over comes after the waiter has left the table, and before it has announced that: in
 * steps, on every database. */
static void a_grant_that_nobody_wants_is_passed_on(void **state)
{
	struct scene *s = *state;
	struct waiting w = {.lock = NULL};

	assert_true(puppet_takes(s->holder, "x"));
	waiting_join(&w, s->client, s->raw);
	puppet_queues(s->next, "x");
	/* A puppet wakes nobody: the waiter is granted the lock, and does not know it. */
	assert_true(puppet_hands_over(s->holder, "x").done);
	w.cancel = true;
	if (call_end(&w.call) == 0)
		give(w.lock);
	until_true(row_of(s->raw, "nonce") == s->next->place);
	until_true(rows_in_queue(s->raw) == 1);
	clear_up(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(no_ghost_has_it_with_others_in_queue),
		CASE(no_ghost_has_it_after_the_last),
		CASE(what_was_read_before_somebody_left_is_old),
		CASE(a_grant_that_nobody_wants_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
