/* SPDX-License-Identifier: MIT */
/* Histories of a semaphore whose capacity is stored, and changes; some are impossible, and found out. */
#include "modes.h"

static void resizes(struct tape *t, int64_t from, int64_t to, int64_t capacity, int outcome)
{
	struct event e = {.kind = EVENT_RESIZING, .client = 3, .capacity = capacity, .name = "x"};

	put(t, from, e);
	e.kind = EVENT_RESIZED;
	e.outcome = outcome;
	put(t, to, e);
}

/* Three permits, and two beside them: from 20 on, by a call that came at 19. */
static struct tape five_are_held(void)
{
	struct tape t = tape_new(3);

	resizes(&t, 5, 6, 6, DBLOCK_OK);
	asks_for(&t, 10, 1, 1, 3);
	has_permits(&t, 11, 1, 1, 3, 100);
	return t;
}

static void finds_five(struct tape *t, const char *rules)
{
	asks_for(t, 19, 2, 1, 2);
	has_permits(t, 20, 2, 1, 2, 101);
	gives(t, 30, 2, 1, 101);
	gives(t, 31, 1, 1, 100);
	for (size_t i = 0; i < t->history.n; i++) {
		if (t->history.events[i].wait && t->history.events[i].capacity)
			t->history.events[i].capacity = DBLOCK_CAPACITY_STORED;
	}
	finds(t, rules);
}

/* As many as are stored: naive, each call says how many there are. */
static void as_many_as_are_stored(void **state)
{
	struct tape t = five_are_held();

	(void)state;
	finds_five(&t, "");
}

static void it_has_shrunk_before(void **state)
{
	struct tape t = five_are_held();

	(void)state;
	resizes(&t, 15, 17, 4, DBLOCK_OK);
	finds_five(&t, "permits");
}

/* The one who stores it is yet to be told: the grant may have come first. */
static void it_shrinks_meanwhile(void **state)
{
	struct tape t = five_are_held();

	(void)state;
	resizes(&t, 15, 22, 4, DBLOCK_OK);
	finds_five(&t, "");
}

static void it_may_have_grown(void **state)
{
	struct tape t = five_are_held();

	(void)state;
	resizes(&t, 12, 13, 4, DBLOCK_OK);
	resizes(&t, 15, 16, 5, DBLOCK_E_UNSURE);
	finds_five(&t, "");
}

static void it_shrinks_when_both_have_it(void **state)
{
	struct tape t = five_are_held();

	(void)state;
	resizes(&t, 23, 24, 2, DBLOCK_OK);
	finds_five(&t, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_are_stored),
		cmocka_unit_test(it_has_shrunk_before),
		cmocka_unit_test(it_shrinks_meanwhile),
		cmocka_unit_test(it_may_have_grown),
		cmocka_unit_test(it_shrinks_when_both_have_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
