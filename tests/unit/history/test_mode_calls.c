/* SPDX-License-Identifier: MIT */
/* Re-entry by mode, groups, lost locks, and calls that do not end. */
#include "modes.h"

/* ---- mode ------------------------------------------------------------------------------------ */

/* Client 1 holds the lock in one mode, and asks for it again. */
static struct tape enters(int mode, int wished, int granted, int64_t token)
{
	struct tape t = tape_new(1);

	asks(&t, 10, 1, 1, mode);
	has(&t, 11, 1, 1, mode, 100);
	asks(&t, 20, 1, 2, wished);
	has(&t, 21, 1, 2, granted, token);
	gives(&t, 30, 1, 2, token);
	gives(&t, 40, 1, 1, 100);
	return t;
}

static void it_does_for_what_is_asked(void **state)
{
	struct tape t = enters(X, S, X, 100);

	(void)state;
	finds(&t, "");
	t = enters(U, S, U, 100);
	finds(&t, "");
	t = enters(S, S, S, 100);
	finds(&t, "");
}

static void it_does_not_do_for_what_is_asked(void **state)
{
	struct tape t = enters(S, X, S, 100);

	(void)state;
	finds(&t, "mode");
	t = enters(S, U, S, 100);
	finds(&t, "mode");
}

static void it_is_entered_in_another_mode(void **state)
{
	struct tape t = enters(X, S, S, 100);

	(void)state;
	finds(&t, "mode");
}

static void readers_are_granted_it_a_second_time(void **state)
{
	struct tape t = enters(S, S, S, 101);

	(void)state;
	finds(&t, "mode");
}

/* After an upgrade the handle is another grant. */
static void an_upgraded_one_is_entered(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	asks(&t, 10, 1, 1, U);
	has(&t, 11, 1, 1, U, 100);
	upgrades(&t, 12, 13, 1, 1, 101, DBLOCK_OK);
	asks(&t, 20, 1, 2, X);
	has(&t, 21, 1, 2, X, 101);
	gives(&t, 22, 1, 2, 101);
	downgrades(&t, 24, 25, 1, 1, S, 101);
	asks(&t, 26, 1, 3, S);
	has(&t, 27, 1, 3, S, 101);
	gives(&t, 28, 1, 3, 101);
	gives(&t, 40, 1, 1, 101);
	finds(&t, "");
}

static void what_was_given_back_is_entered(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	takes(&t, 10, 20, 1, 1, S, 100);
	takes(&t, 30, 40, 1, 2, S, 100);
	finds(&t, "mode");
}

static void permits_are_entered(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	for (int wait = 1; wait <= 2; wait++) {
		asks_for(&t, 10 * wait, 1, wait, 1);
		has_permits(&t, 10 * wait + 1, 1, wait, 1, 100);
		gives(&t, 60 - 10 * wait, 1, wait, 100);
	}
	finds(&t, "mode");
}

static void permits_twice(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	for (int wait = 1; wait <= 2; wait++) {
		asks_for(&t, 10 * wait, 1, wait, 2);
		has_permits(&t, 10 * wait + 1, 1, wait, 2, 100 + wait);
		gives(&t, 60 - 10 * wait, 1, wait, 100 + wait);
	}
	finds(&t, "");
}

static void it_is_granted_in_another_mode(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	asks(&t, 10, 1, 1, X);
	has(&t, 11, 1, 1, S, 100);
	gives(&t, 20, 1, 1, 100);
	finds(&t, "mode");
}

static void fewer_permits_are_granted(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	asks_for(&t, 10, 1, 1, 3);
	has_permits(&t, 11, 1, 1, 2, 100);
	gives(&t, 20, 1, 1, 100);
	finds(&t, "mode");
}

/* ---- group ----------------------------------------------------------------------------------- */

static void asks_together(struct tape *t, int wait, const char *name)
{
	asks(t, 10, 1, wait, X);
	t->history.events[t->history.n - 1].group = 7;
	strcpy(t->history.events[t->history.n - 1].name, name);
}

/* Client 1 asks for x and y at once, and gets x at 20. */
static struct tape half_of_a_group(void)
{
	struct tape t = tape_new(1);

	asks_together(&t, 1, "x");
	asks_together(&t, 2, "y");
	has(&t, 20, 1, 1, X, 100);
	gives(&t, 30, 1, 1, 100);
	return t;
}

static void has_the_other(struct tape *t, int64_t ms)
{
	has(t, ms, 1, 2, X, 100);
	gives(t, 40, 1, 2, 100);
	for (size_t i = 0; i < t->history.n; i++) {
		if (t->history.events[i].wait == 2)
			strcpy(t->history.events[i].name, "y");
	}
}

static void all_of_a_group(void **state)
{
	struct tape t = half_of_a_group();

	(void)state;
	has_the_other(&t, 20);
	finds(&t, "");
}

static void one_after_the_other(void **state)
{
	struct tape t = half_of_a_group();

	(void)state;
	has_the_other(&t, 21);
	finds(&t, "group");
}

static void one_and_not_the_other(void **state)
{
	struct tape t = half_of_a_group();

	(void)state;
	gets_not(&t, 20, 1, 2, DBLOCK_TIMEOUT);
	strcpy(t.history.events[t.history.n - 1].name, "y");
	finds(&t, "group");
}

static void none_of_a_group(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	asks_together(&t, 1, "x");
	asks_together(&t, 2, "y");
	gets_not(&t, 20, 1, 1, DBLOCK_TIMEOUT);
	gets_not(&t, 20, 1, 2, DBLOCK_TIMEOUT);
	strcpy(t.history.events[t.history.n - 1].name, "y");
	finds(&t, "");
}

static void killed_while_it_wrote_it_down(void **state)
{
	struct tape t = half_of_a_group();

	(void)state;
	befalls(&t, 21, 1, EVENT_KILLED);
	finds(&t, "");
}

/* ---- kept, outcome, end ---------------------------------------------------------------------- */

static void what_was_valid_is_lost(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	upgrades(&t, 20, 25, 1, 1, 100, DBLOCK_LOST);
	gives(&t, 30, 1, 1, 100);
	finds(&t, "kept");
}

static void an_upgrade_does_not_end(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	begins_change(&t, 20, EVENT_UPGRADING, 1, 1, X, 100);
	gives(&t, 30, 1, 1, 100);
	finds(&t, "end");
}

static void an_upgrade_ends_twice(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	upgrades(&t, 20, 25, 1, 1, 100, DBLOCK_TIMEOUT);
	ends_change(&t, 26, EVENT_UPGRADED, 1, 1, 101, DBLOCK_OK);
	gives(&t, 30, 1, 1, 100);
	finds(&t, "outcome");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_does_for_what_is_asked),
		cmocka_unit_test(it_does_not_do_for_what_is_asked),
		cmocka_unit_test(it_is_entered_in_another_mode),
		cmocka_unit_test(readers_are_granted_it_a_second_time),
		cmocka_unit_test(an_upgraded_one_is_entered),
		cmocka_unit_test(what_was_given_back_is_entered),
		cmocka_unit_test(permits_are_entered),
		cmocka_unit_test(permits_twice),
		cmocka_unit_test(it_is_granted_in_another_mode),
		cmocka_unit_test(fewer_permits_are_granted),
		cmocka_unit_test(all_of_a_group),
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(one_and_not_the_other),
		cmocka_unit_test(none_of_a_group),
		cmocka_unit_test(killed_while_it_wrote_it_down),
		cmocka_unit_test(what_was_valid_is_lost),
		cmocka_unit_test(an_upgrade_does_not_end),
		cmocka_unit_test(an_upgrade_ends_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
