/* SPDX-License-Identifier: MIT */
/*
 * Waits with a priority: the order in which they are granted, which ageing bounds; and what it does to those who
 * have none. Each case names the naive form that it is meant to catch.
 */
#include "db/lock/queue/queue_kit.h"

#include <dblock/once.h>

#include "driver/value.h"

enum { STEP_S = DBLOCK_PRIORITY_AGE_MS / 1000 };

static void joins(struct scene *s, struct waiting *w, struct dblock_client *client, int priority)
{
	memset(w, 0, sizeof(*w));
	w->how.priority = priority;
	waiting_join(w, client, s->raw);
}

/* It gets the lock, and those that come after it in the list do not yet. */
static void gets_before(struct waiting *w[], int n)
{
	waiting_end(w[0], OK);
	assert_true(dblock_valid(w[0]->lock, 0));
	for (int i = 1; i < n; i++)
		assert_false(w[i]->call.done);
}

/* All get the lock, in this order, with tokens that grow, and nothing is left. */
static void go_in_order(struct scene *s, struct dblock_lock *holder, struct waiting *w[], int n)
{
	int64_t token = dblock_token(holder);

	give(holder);
	for (int i = 0; i < n; i++) {
		gets_before(w + i, n - i);
		assert_true(dblock_token(w[i]->lock) > token);
		token = dblock_token(w[i]->lock);
		busy(s->a, "x");
		give(w[i]->lock);
	}
	assert_true(is_free(s->a, "x") > token);
	assert_int_equal(in_queue(s->raw), 0);
	assert_int_equal(row_of(s->raw, "ranked"), 0);
}

static void joined_earlier(struct scene *s, int priority, int seconds)
{
	raw_exec(s->raw,
		 "UPDATE dblock_queue SET since = since - %lld WHERE name = 'x' AND priority = %d",
		 seconds * 1000000LL, priority);
}

/* Naive: the hand-over takes the smallest ticket; or a served ticket hides the ones below it. */
static void a_higher_class_goes_before_a_lower_one(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting none, less, more, most, none_too;

	joins(s, &none, s->b, 0);
	joins(s, &less, s->c, -1);
	joins(s, &more, s->b, 5);
	joins(s, &none_too, s->c, 0);
	joins(s, &most, s->b, 10);
	go_in_order(s, lock, (struct waiting *[]){&most, &more, &none, &none_too, &less}, 5);
}

/* Naive: the class stands before all else, so who has a lower one may wait for ever. */
static void who_waits_for_long_enough_is_passed_by_nobody(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting none, more;

	joins(s, &none, s->b, 0);
	joined_earlier(s, 0, 5 * STEP_S + 1);
	joins(s, &more, s->c, 5);
	go_in_order(s, lock, (struct waiting *[]){&none, &more}, 2);
}

/* Naive: another constant; or the age counts only from the moment of the grant. */
static void until_then_it_may_be_passed(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting none, more;

	joins(s, &none, s->b, 0);
	joined_earlier(s, 0, 4 * STEP_S);
	joins(s, &more, s->c, 5);
	go_in_order(s, lock, (struct waiting *[]){&more, &none}, 2);
}

/* Naive: the time counts within a class. The clock was set back between the two. */
static void within_a_class_the_tickets_count(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting first, second;

	joins(s, &first, s->b, 3);
	raw_exec(s->raw, "UPDATE dblock_queue SET since = since + 86400000000");
	joins(s, &second, s->c, 3);
	go_in_order(s, lock, (struct waiting *[]){&first, &second}, 2);
}

/* Naive: the queue is read up to its 64th ticket. */
static void a_crowd_of_low_classes_hides_nobody(void **state)
{
	enum { CROWD = 70 };
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting none;

	s->puppet->priority = DBLOCK_PRIORITY_MIN;
	for (int i = 0; i < CROWD; i++)
		puppet_queues(s->puppet, "x");
	joins(s, &none, s->b, 0);
	give(lock);
	waiting_end(&none, OK);
	raw_exec(s->raw, "DELETE FROM dblock_queue WHERE token IS NULL");
	give(none.lock);
}

/* Naive: the dead count by their class. */
static void the_dead_stand_before_nobody(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting none;

	s->puppet->priority = 5;
	puppet_queues(s->puppet, "x");
	joins(s, &none, s->b, 0);
	end_session(s->raw, s->puppet->id);
	give(lock);
	waiting_give(&none);
}

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

/* Naive: it leaves without a look at what its row has been granted meanwhile. */
static void who_has_none_and_leaves_lets_the_next_in(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting none, less;

	joins(s, &none, s->b, 0);
	joins(s, &less, s->c, -1);
	waiting_cancel(&none);
	give(lock);
	waiting_give(&less);
	is_free(s->a, "x");
}

/* ---- other modes, several names -------------------------------------------------------------- */

/* Naive: who fits beside the holders is granted the lock only in the order of tickets. */
static void a_few_permits_before_many(void **state)
{
	struct scene *s = *state;
	struct waiting first, many, few, fewer;

	memset(&first, 0, sizeof(first));
	first.how.mode = DBLOCK_PERMITS;
	first.how.permits = 2;
	first.how.capacity = 3;
	many = few = fewer = first;
	waiting_start(&first, s->a);
	waiting_end(&first, OK);
	waiting_join(&many, s->b, s->raw);
	fewer.how.permits = few.how.permits = 1;
	fewer.how.priority = -1;
	waiting_join(&fewer, s->c, s->raw);
	assert_false(fewer.call.done);
	few.how.priority = 1;
	waiting_start(&few, s->c);
	waiting_end(&few, OK);
	give(few.lock);
	assert_false(many.call.done || fewer.call.done);
	give(first.lock);
	waiting_give(&many);
	waiting_give(&fewer);
}

/* Naive: readers that stood before it are granted the lock with it, or before. */
static void a_writer_before_readers(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting reader[2], writer;

	for (int i = 0; i < 2; i++) {
		memset(&reader[i], 0, sizeof(reader[i]));
		reader[i].how.mode = DBLOCK_SHARED;
		waiting_join(&reader[i], s->b, s->raw);
	}
	joins(s, &writer, s->c, 1);
	give(lock);
	gets_before((struct waiting *[]){&writer, &reader[0], &reader[1]}, 3);
	give(writer.lock);
	waiting_end(&reader[0], OK);
	waiting_give(&reader[1]);
	give(reader[0].lock);
}

static int any_run(void *arg, struct dblock_error *err)
{
	const struct dblock_lock_spec names[] = {{.name = "x"}, {.name = "y"}};
	struct waiting *w = arg;

	return dblock_acquire_any(w->client, names, 2, &w->how, &w->lock, err);
}

/* Naive: its places are not announced as such. */
static void any_of_several_names(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *x = take(s->a, "x"), *y = take(s->a, "y");
	struct waiting none, any = {.client = s->c, .how = DBLOCK_ACQUIRE_OPTIONS_INIT};

	assert_int_equal(row_of(s->raw, "ranked"), 0);
	joins(s, &none, s->b, 0);
	assert_int_equal(row_of(s->raw, "ranked"), 0);
	any.how.priority = 4;
	call_start(&any.call, any_run, &any);
	until_true(row_of(s->raw, "ranked") == 1);
	give(x);
	waiting_end(&any, OK);
	assert_string_equal(dblock_name(any.lock), "x");
	assert_false(none.call.done);
	give(any.lock);
	waiting_give(&none);
	give(y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_higher_class_goes_before_a_lower_one),
		CASE(who_waits_for_long_enough_is_passed_by_nobody),
		CASE(until_then_it_may_be_passed),
		CASE(within_a_class_the_tickets_count),
		CASE(a_crowd_of_low_classes_hides_nobody),
		CASE(the_dead_stand_before_nobody),
		CASE(a_hand_over_leaves_it_to_the_policy),
		CASE(nor_is_it_handed_to_who_is_not_announced),
		CASE(who_may_come_first_changes_what_a_hand_over_compares),
		CASE(afterwards_it_is_handed_over_as_before),
		CASE(who_has_none_holds_all_the_same),
		CASE(what_is_done_once_is_marked),
		CASE(who_has_none_and_leaves_lets_the_next_in),
		CASE(a_few_permits_before_many),
		CASE(a_writer_before_readers),
		CASE(any_of_several_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
