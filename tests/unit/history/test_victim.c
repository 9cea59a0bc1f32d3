/* SPDX-License-Identifier: MIT */
/* DEADLOCK, and who had a reason for it. */
#include "modes.h"

/* Client 2's upgrade ends with DEADLOCK; client 1's, if there is one, lasts from `from` to `to`. */
static void one_of_two_gives_up(int64_t from, int64_t to, int outcome, const char *found)
{
	struct tape t = tape_new(2);

	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	asks(&t, 10, 2, 1, S);
	has(&t, 11, 2, 1, S, 101);
	upgrades(&t, 40, 42, 2, 1, 101, DBLOCK_DEADLOCK);
	gives(&t, 43, 2, 1, 101);
	if (from)
		upgrades(&t, from, to, 1, 1, outcome ? 100 : 102, outcome);
	gives(&t, 200, 1, 1, from && !outcome ? 102 : 100);
	finds(&t, found);
}

static void two_upgrades(void **state)
{
	(void)state;
	one_of_two_gives_up(30, 50, DBLOCK_OK, "");
	one_of_two_gives_up(41, 50, DBLOCK_OK, "");
	one_of_two_gives_up(30, 41, DBLOCK_TIMEOUT, "");
}

static void an_upgrade_alone(void **state)
{
	(void)state;
	one_of_two_gives_up(0, 0, 0, "victim");
}

static void an_upgrade_after_the_other(void **state)
{
	(void)state;
	one_of_two_gives_up(20, 30, DBLOCK_TIMEOUT, "victim");
	one_of_two_gives_up(60, 70, DBLOCK_OK, "victim");
}

static void what_was_killed_while_it_upgraded(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	asks(&t, 10, 2, 1, S);
	has(&t, 11, 2, 1, S, 101);
	begins_change(&t, 20, EVENT_UPGRADING, 1, 1, X, 100);
	befalls(&t, 30, 1, EVENT_KILLED);
	upgrades(&t, 40, 42, 2, 1, 101, DBLOCK_DEADLOCK);
	gives(&t, 43, 2, 1, 101);
	finds(&t, "");
}

static void a_call_that_holds_nothing(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 10, 50, 1, 1, X, 100);
	asks(&t, 20, 2, 1, X);
	gets_not(&t, 30, 2, 1, DBLOCK_DEADLOCK);
	finds(&t, "victim");
}

static void a_call_that_holds_another(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 10, 50, 1, 1, X, 100);
	takes(&t, 10, 50, 2, 1, X, 100);
	for (size_t i = 0; i < t.history.n; i++) {
		if (t.history.events[i].client == 2 && t.history.events[i].wait)
			strcpy(t.history.events[i].name, "y");
	}
	asks(&t, 20, 2, 2, X);
	gets_not(&t, 30, 2, 2, DBLOCK_DEADLOCK);
	finds(&t, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_upgrades),
		cmocka_unit_test(an_upgrade_alone),
		cmocka_unit_test(an_upgrade_after_the_other),
		cmocka_unit_test(what_was_killed_while_it_upgraded),
		cmocka_unit_test(a_call_that_holds_nothing),
		cmocka_unit_test(a_call_that_holds_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
