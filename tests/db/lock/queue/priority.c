/* SPDX-License-Identifier: MIT */
/*
 * Waits with a priority: the order in which they are granted, which ageing bounds; and what it does to those who
 * have none. Each case names the naive form that it is meant to catch.
 */
#include "db/lock/queue/priority_kit.h"

enum { STEP_S = DBLOCK_PRIORITY_AGE_MS / 1000 };

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

/* Naive: the time counts within a class; or who came before the clock was set back is passed by all who come until
 * it is as late again. */
static void a_clock_that_is_set_back_moves_nobody(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting first, second, less;

	joins(s, &first, s->b, 3);
	raw_exec(s->raw, "UPDATE dblock_queue SET since = since + 86400000000");
	joins(s, &second, s->c, 3);
	joins(s, &less, s->b, -10);
	go_in_order(s, lock, (struct waiting *[]){&first, &second, &less}, 3);
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
		CASE(a_clock_that_is_set_back_moves_nobody),
		CASE(a_crowd_of_low_classes_hides_nobody),
		CASE(the_dead_stand_before_nobody),
		CASE(a_few_permits_before_many),
		CASE(a_writer_before_readers),
		CASE(any_of_several_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
