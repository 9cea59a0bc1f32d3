/* SPDX-License-Identifier: MIT */
/*
 * Where somebody waits with a priority the policy alone grants, and to rows of the queue: what that means to the
 * statements that know only tickets, and to waits that have no priority. Each case names the naive form that it is
 * meant to catch.
 */
#include "db/lock/queue/priority_kit.h"

#include <dblock/once.h>

/* ---- the statements that know only tickets --------------------------------------------------- */

/* The puppet has the lock, by the queue; who waits is another one. */
static struct puppet *one_that_was_handed_it(struct scene *s)
{
	struct dblock_lock *lock = take(s->a, "x");
	struct puppet *holder = puppet_new(NULL, DBLOCK_TTL_MAX_MS);

	puppet_queues(holder, "x");
	give(lock);
	assert_true(row_of(s->raw, "nonce") == holder->place);
	holder->nonce = holder->place;
	holder->token = row_of(s->raw, "token");
	return holder;
}

/* Naive: they pass over who is ranked before the smallest ticket. */
static void a_hand_over_leaves_it_to_the_policy(void **state)
{
	struct scene *s = *state;
	struct puppet *holder = one_that_was_handed_it(s);
	struct puppet *more = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	struct puppet_winner winner;

	puppet_queues(s->puppet, "x");
	more->priority = 1;
	puppet_queues(more, "x");
	assert_int_equal(row_of(s->raw, "ranked"), 1);
	assert_false(puppet_passes_on(holder, "x", holder->ticket).done);
	winner = puppet_hands_over(holder, "x");
	assert_true(winner.done && winner.holder == 0);
	assert_int_equal(in_queue(s->raw), 2);
	busy(s->b, "x"); /* who finds it so grants it */
	assert_int_equal(raw_int(s->raw, "SELECT nonce FROM dblock_queue WHERE token IS NOT NULL"),
			 more->place);
	puppet_free(more);
	puppet_free(holder);
}

/* Naive: only what was announced is left to the policy: the lock's own row carries the grant of a wait that
 * looks for its own. */
static void nor_is_it_handed_to_who_is_not_announced(void **state)
{
	struct scene *s = *state;
	struct puppet *holder = one_that_was_handed_it(s);

	s->puppet->priority = 1;
	puppet_enqueue(s->puppet, "x");
	assert_int_equal(row_of(s->raw, "ranked"), 0);
	assert_false(puppet_passes_on(holder, "x", holder->ticket).done);
	assert_int_equal(puppet_hands_over(holder, "x").holder, 0);
	puppet_free(holder);
}

/* Naive: it counts as somebody who has joined behind the first, whom a hand-over need not have seen. */
static void who_may_come_first_changes_what_a_hand_over_compares(void **state)
{
	struct scene *s = *state;
	int64_t before;

	give(take(s->a, "x"));
	before = row_of(s->raw, "queue_version");
	puppet_queues(s->puppet, "x");
	assert_int_equal((row_of(s->raw, "queue_version") - before) % 65536, 0);
	s->puppet->priority = -1;
	puppet_queues(s->puppet, "x");
	assert_int_not_equal((row_of(s->raw, "queue_version") - before) % 65536, 0);
}

/* Naive: once a queue is ranked it stays so, and each hand-over takes three statements more. */
static void afterwards_it_is_handed_over_as_before(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting first, second, third;

	s->puppet->priority = 2;
	puppet_queues(s->puppet, "x");
	joins(s, &first, s->b, 0);
	joins(s, &second, s->c, 0);
	joins(s, &third, s->b, 0);
	puppet_dequeue(s->puppet, "x");
	puppet_announce(s->puppet, "x");
	assert_int_equal(row_of(s->raw, "ranked"), 1);
	give(lock);
	waiting_end(&first, OK);
	assert_int_equal(row_of(s->raw, "ranked"), 0);
	give(first.lock);
	waiting_end(&second, OK);
	assert_true(row_of(s->raw, "nonce") != 0); /* its own row has it */
	give(second.lock);
	waiting_give(&third);
}

/* Five statements: it goes, nobody is handed the lock, the queue is read, somebody is granted it, and nobody else can
 * have it. */
static void what_a_release_costs(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting first, second;

	joins(s, &first, client, 1);
	joins(s, &second, s->b, 1);
	give(lock);
	waiting_end(&first, OK);
	spy_reset(spy);
	give(first.lock);
	assert_int_equal(spy->runs_of[DBL_OP_row_release], 1);
	assert_int_equal(spy->runs_of[DBL_OP_line], 2);
	assert_true(spy->runs_of[DBL_OP_hand_over] > 0 && spy->runs_of[DBL_OP_grant] > 0);
	if (on_backend("postgresql"))
		assert_int_equal(spy->runs - spy->runs_of[DBL_OP_ring], 5);
	waiting_give(&second);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* ---- who has none ---------------------------------------------------------------------------- */

/* Naive: its own row is looked for, where a row of the queue carries the grant; or its lease is not. */
static void who_has_none_holds_all_the_same(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_error err = {0};
	struct waiting none, less;

	memset(&none, 0, sizeof(none));
	none.how.lease_ms = LEASE_MS;
	none.how.value = "a word";
	waiting_join(&none, s->b, s->raw);
	joins(s, &less, s->c, -1);
	give(lock);
	waiting_end(&none, OK);
	assert_string_equal(show(s->a, "x").value, "a word");
	assert_true(show(s->a, "x").h.left_ms > LEASE_MS - PLENTY_MS);
	expect(OK, dblock_extend(none.lock, 2 * LEASE_MS, &err));
	assert_true(show(s->a, "x").h.left_ms > 2 * LEASE_MS - PLENTY_MS);
	assert_false(less.call.done);
	give(none.lock);
	waiting_give(&less);
}

static int once_run(void *arg, struct dblock_error *err)
{
	struct waiting *w = arg;

	return dblock_once(w->client, "x", "monday", &w->how, &w->lock, err);
}

/* Naive: the mark is written beside the lock's own row, which does not carry the grant. */
static void what_is_done_once_is_marked(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting job = {.client = s->b, .how = DBLOCK_ACQUIRE_OPTIONS_INIT}, less;
	struct dblock_error err = {0};

	call_start(&job.call, once_run, &job);
	until_true(in_queue(s->raw) == 1);
	joins(s, &less, s->c, -1);
	give(lock);
	waiting_end(&job, OK);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE token > 0"), 1);
	expect(OK, dblock_once_done(job.lock, &err));
	waiting_give(&less);
	expect(DONE, dblock_once(s->a, "x", "monday", NULL, &lock, &err));
	raw_exec(s->raw, "DELETE FROM dblock_once");
}

/* The spy's hook reads this. */
static struct dblock_lock *given;

static enum spy_fate give_before_it_leaves(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op == DBL_OP_dequeue && given) {
		struct dblock_lock *lock = given;

		given = NULL;
		give(lock);
	}
	return SPY_PASS;
}

/* Naive: it leaves, and looks only whether the lock's own row has been given to it: its row goes, which held the
 * lock, and nobody knows. (The next one, whose clock stands still, never looks by itself.) */
static void who_has_none_and_leaves_lets_the_next_in(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct spy *leaver = spy_new(), *next = spy_new();
	struct dblock_client *one = spy_client(leaver, 0), *other = spy_client(next, 0);
	struct waiting none, less;

	joins(s, &none, one, 0);
	joins(s, &less, other, -1);
	spy_freeze(next);
	given = lock;
	leaver->fate = give_before_it_leaves;
	waiting_cancel(&none);
	assert_null(given);
	waiting_give(&less);
	dblock_close(one, NULL);
	dblock_close(other, NULL);
	spy_free(leaver);
	spy_free(next);
}

/* Naive: what the channel says of its row is the token, as where the lock's own row is granted. */
static void who_hears_of_it_by_the_channel_looks(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct spy *spy = spy_new();
	struct dblock_client *deaf = spy_client_without(spy, DBLOCK_WAKE_SOCKET);
	struct waiting none, less;

	joins(s, &none, deaf, 0);
	joins(s, &less, s->c, -1);
	give(lock);
	waiting_end(&none, OK);
	give(none.lock);
	waiting_give(&less);
	dblock_close(deaf, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_hand_over_leaves_it_to_the_policy),
		CASE(nor_is_it_handed_to_who_is_not_announced),
		CASE(who_may_come_first_changes_what_a_hand_over_compares),
		CASE(afterwards_it_is_handed_over_as_before),
		CASE(what_a_release_costs),
		CASE(who_has_none_holds_all_the_same),
		CASE(what_is_done_once_is_marked),
		CASE(who_has_none_and_leaves_lets_the_next_in),
		CASE(who_hears_of_it_by_the_channel_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
