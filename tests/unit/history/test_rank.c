/* SPDX-License-Identifier: MIT */
/* Waits with priorities: who may pass whom, and for how long. Client 1 holds the lock, then client 3 is granted it,
 * and only then client 2. */
#include "modes.h"

enum { STEP_MS = DBLOCK_PRIORITY_AGE_MS, ENOUGH_MS = 4000 };

struct one {
	int64_t at; /* ms: when it called */
	int priority;
};

static void wants(struct tape *t, int client, int mode, const struct one *one)
{
	asks(t, one->at, client, 1, mode);
	t->history.events[t->history.n - 1].priority = one->priority;
}

/* It is seen in the queue; tickets go by time. */
static void is_seen(struct tape *t, int client, const struct one *one)
{
	queues(t, one->at + 1, client, 1, one->at);
}

static void has_it(struct tape *t, int64_t ms, int client, int mode, int64_t token)
{
	has(t, ms, client, 1, mode, token);
	gives(t, ms + 5, client, 1, token);
}

static struct tape is_passed(struct one waiter, struct one by, int64_t free)
{
	struct tape t = tape_new(3);

	asks(&t, 1, 1, 1, X);
	has(&t, 2, 1, 1, X, 100);
	t.history.events[t.history.n - 1].until = until(free + VALID_MS);
	gives(&t, free, 1, 1, 100);
	wants(&t, 2, X, &waiter);
	wants(&t, 3, X, &by);
	has_it(&t, free + 2, 3, X, 101);
	has_it(&t, free + 12, 2, X, 102);
	return t;
}

/* Each once with places that were seen, and once where time alone tells that it was in the queue. */
static void finds_once_seen(struct one waiter, struct one by, int64_t free, const char *rules,
			    const char *unseen)
{
	struct tape t = is_passed(waiter, by, free);

	finds(&t, unseen);
	t = is_passed(waiter, by, free);
	is_seen(&t, 2, &waiter);
	is_seen(&t, 3, &by);
	finds(&t, rules);
}

/* It is passed by one who came so much later than it, when both had waited for long enough. */
static void passed(int priority, int by, int64_t later, const char *rules, const char *unseen)
{
	struct one first = {10, priority}, second = {10 + later, by};

	finds_once_seen(first, second, second.at + ENOUGH_MS, rules, unseen);
}

/* It came so much later than the other one, which is granted the lock all the same; then it is free so much later. */
static void waits_behind(int priority, int by, int64_t later, int64_t free, const char *rules,
			 const char *unseen)
{
	struct one first = {10, by}, second = {10 + later, priority};

	finds_once_seen(second, first, second.at + free, rules, unseen);
}

/* ---- by who comes later ---------------------------------------------------------------------- */

static void by_its_own_class(void **state)
{
	(void)state;
	passed(0, 0, 3000, "order line", "line");
	passed(1, 1, 3000, "order line", "line");
	passed(-1, -1, 500, "order", "");
}

static void by_a_lower_class(void **state)
{
	(void)state;
	passed(1, 0, 3000, "order line", "line");
	passed(DBLOCK_PRIORITY_MAX, DBLOCK_PRIORITY_MIN, 3000, "order line", "line");
}

static void by_a_higher_class_in_time(void **state)
{
	(void)state;
	passed(0, 1, 3000, "", "");
	passed(0, 1, STEP_MS, "", "");
	passed(-1, 1, 2 * STEP_MS, "", "");
	passed(DBLOCK_PRIORITY_MIN, DBLOCK_PRIORITY_MAX, 10 * STEP_MS, "", "");
}

/* Naive: a class goes before all lower ones for ever. */
static void by_a_higher_class_that_comes_too_late(void **state)
{
	(void)state;
	passed(0, 1, STEP_MS + 1500, "order", "");
	passed(0, 1, STEP_MS + 3000, "order line", "line");
	passed(-1, 1, 2 * STEP_MS + 3000, "order line", "line");
	passed(-10, -8, 2 * STEP_MS + 3000, "order line", "line");
}

/* ---- by who came first ----------------------------------------------------------------------- */

/* Naive: priorities change nothing. */
static void it_waits_behind_a_lower_class(void **state)
{
	(void)state;
	waits_behind(0, -1, 3000, ENOUGH_MS, "order line", "line");
	waits_behind(10, 9, 3000, ENOUGH_MS, "order line", "line");
	waits_behind(1, -1, STEP_MS, ENOUGH_MS, "order line", "line");
}

static void it_waits_behind_a_lower_class_that_came_long_before(void **state)
{
	(void)state;
	waits_behind(0, -1, STEP_MS, ENOUGH_MS, "", "");
	waits_behind(1, -1, 2 * STEP_MS, ENOUGH_MS, "", "");
}

/* The other's grant may have been decided before. */
static void it_came_only_when_the_lock_was_free(void **state)
{
	(void)state;
	waits_behind(0, -1, 3000, 150, "", "");
	waits_behind(0, -1, 3000, -100, "", "");
}

/* The other is a reader, as who has the lock; it may have had it for as long as it did not say so. */
static void nobody_knows_when_the_other_was_granted_it(void **state)
{
	struct tape t = tape_new(3);
	struct one waiter = {3000, 0}, reader = {2000, -1};

	(void)state;
	asks(&t, 1, 1, 1, S);
	has(&t, 2, 1, 1, S, 100);
	t.history.events[t.history.n - 1].until = until(6000 + VALID_MS);
	gives(&t, 6000, 1, 1, 100);
	wants(&t, 2, X, &waiter);
	wants(&t, 3, S, &reader);
	has_it(&t, 5900, 3, S, 101);
	has_it(&t, 6002, 2, X, 102);
	finds(&t, "");
}

/* ---- time passes for those who wait ---------------------------------------------------------- */

/* It takes a moment, and somebody may have died meanwhile. */
static void age(struct tape *t, int64_t ms, int64_t by_ms, int outcome)
{
	struct event e = {.kind = EVENT_AGEING, .client = 1, .name = "x", .lease = by_ms * 1000};

	put(t, ms, e);
	e.kind = EVENT_AGED;
	e.outcome = outcome;
	put(t, ms + 1, e);
}

static void passed_when_aged(struct one waiter, struct one by, int64_t at, int outcome,
			     const char *found)
{
	int64_t last = waiter.at > by.at ? waiter.at : by.at;
	struct tape t = is_passed(waiter, by, last + ENOUGH_MS);

	age(&t, at, STEP_MS + 2000, outcome);
	finds(&t, found);
}

/* Naive: who has aged is passed all the same. */
static void who_has_aged_is_passed(void **state)
{
	const struct one waiter = {10, 0}, by = {3500, 1}, by_two = {3500, 2};

	(void)state;
	passed_when_aged(waiter, by, 2000, DBLOCK_OK, "line");
	passed_when_aged(waiter, by_two, 2000, DBLOCK_OK, "");
}

static void both_have_aged_or_none(void **state)
{
	const struct one waiter = {10, 0}, by = {3500, 1};

	(void)state;
	passed_when_aged(waiter, by, 4000, DBLOCK_OK, "");
	passed_when_aged(waiter, by, 3500, DBLOCK_OK, "");
	passed_when_aged(waiter, by, 5, DBLOCK_OK, "");
	/* Perhaps before it was in the queue. */
	passed_when_aged(waiter, by, 1000, DBLOCK_OK, "");
	passed_when_aged(waiter, by, 2000, DBLOCK_E_UNSURE, "");
}

/* The one that came first is of a lower class. */
static void who_comes_later_waits_behind_who_has_aged(void **state)
{
	const struct one waiter = {3000, 0}, first = {10, -1};

	(void)state;
	passed_when_aged(waiter, first, 2000, DBLOCK_OK, "");
	passed_when_aged(waiter, first, 2000, DBLOCK_E_UNSURE, "");
	/* The other may not have been there yet. */
	passed_when_aged(waiter, first, 4000, DBLOCK_OK, "");
	passed_when_aged(waiter, first, 5000, DBLOCK_OK, "line");
	passed_when_aged(waiter, first, 5, DBLOCK_OK, "line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_its_own_class),
		cmocka_unit_test(by_a_lower_class),
		cmocka_unit_test(by_a_higher_class_in_time),
		cmocka_unit_test(by_a_higher_class_that_comes_too_late),
		cmocka_unit_test(it_waits_behind_a_lower_class),
		cmocka_unit_test(it_waits_behind_a_lower_class_that_came_long_before),
		cmocka_unit_test(it_came_only_when_the_lock_was_free),
		cmocka_unit_test(nobody_knows_when_the_other_was_granted_it),
		cmocka_unit_test(who_has_aged_is_passed),
		cmocka_unit_test(both_have_aged_or_none),
		cmocka_unit_test(who_comes_later_waits_behind_who_has_aged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
