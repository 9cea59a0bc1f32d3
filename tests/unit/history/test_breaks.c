/* SPDX-License-Identifier: MIT */
/* Locks are taken away: some holders may not know it when another is let in, and the others must
 * know it. */
#include "tape.h"

static struct tape one_holds(void)
{
	struct tape t = tape_new(3);

	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	return t;
}

/* ---- told ------------------------------------------------------------------------------------ */

static void its_holder_knows(void **state)
{
	struct tape t = one_holds();

	(void)state;
	begins_break(&t, 20, 3, 1, false);
	is_told(&t, 100, 1, 1, 100);
	begins_release(&t, 101, 1, 1, 100, 0);
	gets(&t, 102, 2, 1, 101);
	ends_release(&t, 103, 1, 1, 100, DBLOCK_LOST);
	ends_break(&t, 104, 3, 1, DBLOCK_OK);
	gives(&t, 110, 2, 1, 101);
	finds(&t, "");
}

static void its_holder_does_not_know(void **state)
{
	struct tape t = one_holds();

	(void)state;
	begins_break(&t, 20, 3, 1, false);
	ends_break(&t, 25, 3, 1, DBLOCK_OK);
	gets(&t, 30, 2, 1, 101);
	is_told(&t, 100, 1, 1, 100);
	gives_lost(&t, 101, 1, 1, 100);
	gives(&t, 110, 2, 1, 101);
	finds(&t, "told");
}

/* The break ended early, but its row stays. */
static void nor_after_the_break_was_over(void **state)
{
	struct tape t = one_holds();

	(void)state;
	begins_break(&t, 20, 3, 1, false);
	ends_break(&t, 40, 3, 1, DBLOCK_TIMEOUT);
	gets(&t, 600, 2, 1, 101);
	is_told(&t, 700, 1, 1, 100);
	gives_lost(&t, 701, 1, 1, 100);
	gives(&t, 710, 2, 1, 101);
	finds(&t, "told");
}

static void its_holder_is_stopped_for_a_ttl(void **state)
{
	struct tape t = one_holds();

	(void)state;
	befalls(&t, 15, 1, EVENT_STOPPED);
	begins_break(&t, 20, 3, 1, false);
	gets(&t, 1025, 2, 1, 101);
	ends_break(&t, 1026, 3, 1, DBLOCK_OK);
	befalls(&t, 1500, 1, EVENT_CONTINUED);
	gives_lost(&t, 1501, 1, 1, 100);
	gives(&t, 1510, 2, 1, 101);
	finds(&t, "");
}

static void its_holder_is_stopped_for_less(void **state)
{
	struct tape t = one_holds();

	(void)state;
	befalls(&t, 15, 1, EVENT_STOPPED);
	begins_break(&t, 20, 3, 1, false);
	gets(&t, 800, 2, 1, 101);
	ends_break(&t, 801, 3, 1, DBLOCK_OK);
	befalls(&t, 1500, 1, EVENT_CONTINUED);
	gives_lost(&t, 1501, 1, 1, 100);
	gives(&t, 1510, 2, 1, 101);
	finds(&t, "told");
}

/* This was seed 721439 of the simulator: the handle is invalid at once, and the next one comes
 * before its holder has looked. */
static void by_its_own_client(void **state)
{
	struct tape t = one_holds();

	(void)state;
	begins_break(&t, 20, 1, 9, false);
	gets(&t, 22, 2, 1, 101);
	ends_break(&t, 23, 1, 9, DBLOCK_OK);
	gives_lost(&t, 25, 1, 1, 100);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "");
}

static void before_its_own_client_breaks_it(void **state)
{
	struct tape t = one_holds();

	(void)state;
	gets(&t, 15, 2, 1, 101);
	begins_break(&t, 20, 1, 9, false);
	ends_break(&t, 23, 1, 9, DBLOCK_OK);
	gives_lost(&t, 25, 1, 1, 100);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "overlap");
}

/* An earlier or later break does not count. */
static void another_break(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	begins_break(&t, 5, 3, 1, true);
	ends_break(&t, 9, 3, 1, DBLOCK_STALE);
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	gets(&t, 15, 2, 1, 101);
	begins_release(&t, 20, 1, 1, 100, VALID_MS);
	ends_release(&t, 21, 1, 1, 100, DBLOCK_LOST);
	gives(&t, 30, 2, 1, 101);
	begins_break(&t, 50, 3, 2, true);
	ends_break(&t, 51, 3, 2, DBLOCK_STALE);
	finds(&t, "overlap kept");
}

/* ---- by force -------------------------------------------------------------------------------- */

static void by_force(void **state)
{
	struct tape t = one_holds();

	(void)state;
	begins_break(&t, 20, 3, 1, true);
	gets(&t, 22, 2, 1, 101);
	ends_break(&t, 25, 3, 1, DBLOCK_OK);
	presents(&t, 30, 2, 1, 101, 0, true, VALID_MS);
	presents(&t, 31, 1, 1, 100, 101, false, VALID_MS);
	begins_release(&t, 32, 1, 1, 100, VALID_MS);
	ends_release(&t, 33, 1, 1, 100, DBLOCK_LOST);
	gives(&t, 40, 2, 1, 101);
	finds(&t, "");
}

static void before_the_force(void **state)
{
	struct tape t = one_holds();

	(void)state;
	gets(&t, 18, 2, 1, 101);
	begins_break(&t, 20, 3, 1, true);
	ends_break(&t, 25, 3, 1, DBLOCK_OK);
	begins_release(&t, 32, 1, 1, 100, VALID_MS);
	ends_release(&t, 33, 1, 1, 100, DBLOCK_LOST);
	gives_lost(&t, 40, 2, 1, 101);
	finds(&t, "overlap");
}

/* ---- kept ------------------------------------------------------------------------------------ */

static void told_while_it_is_released(void **state)
{
	struct tape t = one_holds();

	(void)state;
	begins_break(&t, 20, 3, 1, false);
	begins_release(&t, 30, 1, 1, 100, VALID_MS);
	ends_release(&t, 31, 1, 1, 100, DBLOCK_LOST);
	gets(&t, 32, 2, 1, 101);
	ends_break(&t, 33, 3, 1, DBLOCK_OK);
	gives(&t, 40, 2, 1, 101);
	finds(&t, "");
}

/* ---- token ----------------------------------------------------------------------------------- */

static void received_late(const char *rules, bool forced)
{
	struct tape t = tape_new(3);

	calls(&t, 10, 1, 1, FOR_EVER);
	calls(&t, 12, 2, 1, FOR_EVER);
	begins_break(&t, 20, 3, 1, forced);
	gets(&t, 22, 2, 1, 101);
	gets(&t, 23, 1, 1, 100);
	ends_break(&t, 25, 3, 1, DBLOCK_OK);
	gives(&t, 30, 2, 1, 101);
	begins_release(&t, 32, 1, 1, 100, VALID_MS);
	ends_release(&t, 33, 1, 1, 100, DBLOCK_LOST);
	finds(&t, rules);
}

static void taken_before_it_was_received(void **state)
{
	(void)state;
	received_late("", true);
	received_late("told token", false);
}

/* ---- release --------------------------------------------------------------------------------- */

static void released_after_force(const char *rules, bool posts)
{
	struct tape t = one_holds();

	/* The last event counts. */
	put(&t, 1,
	    (struct event){.kind = EVENT_OPENED,
			   .client = 1,
			   .until = (TTL_MS + 1) * 1000,
			   .weight = posts});
	begins_break(&t, 20, 3, 1, true);
	gets(&t, 22, 2, 1, 101);
	ends_break(&t, 25, 3, 1, DBLOCK_OK);
	gives(&t, 32, 1, 1, 100);
	gives(&t, 40, 2, 1, 101);
	finds(&t, rules);
}

static void the_database_is_asked(void **state)
{
	(void)state;
	released_after_force("release", false);
}

static void the_database_is_not_asked(void **state)
{
	(void)state;
	released_after_force("", true);
}

/* ---- who waits ------------------------------------------------------------------------------- */

static void passed(const char *rules, bool forced, int outcome)
{
	struct tape t = tape_new(3);

	calls(&t, 10, 1, 1, FOR_EVER);
	queues(&t, 11, 1, 1, 5);
	calls(&t, 20, 2, 1, FOR_EVER);
	queues(&t, 21, 2, 1, 6);
	begins_break(&t, 30, 3, 1, forced);
	ends_break(&t, 32, 3, 1, outcome);
	gets(&t, 33, 2, 1, 101);
	gives(&t, 40, 2, 1, 101);
	gets(&t, 43, 1, 1, 102);
	gives(&t, 44, 1, 1, 102);
	finds(&t, rules);
}

static void what_it_had_not_heard_of(void **state)
{
	(void)state;
	passed("", true, DBLOCK_OK);
	passed("", true, DBLOCK_E_UNSURE);
}

static void it_had_nothing(void **state)
{
	(void)state;
	passed("order", true, DBLOCK_STALE);
	passed("order", false, DBLOCK_OK);
}

/* ---- its end --------------------------------------------------------------------------------- */

static void a_break_without_an_end(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	begins_break(&t, 20, 1, 1, false);
	finds(&t, "end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_holder_knows),
		cmocka_unit_test(its_holder_does_not_know),
		cmocka_unit_test(nor_after_the_break_was_over),
		cmocka_unit_test(its_holder_is_stopped_for_a_ttl),
		cmocka_unit_test(its_holder_is_stopped_for_less),
		cmocka_unit_test(by_its_own_client),
		cmocka_unit_test(before_its_own_client_breaks_it),
		cmocka_unit_test(another_break),
		cmocka_unit_test(by_force),
		cmocka_unit_test(before_the_force),
		cmocka_unit_test(told_while_it_is_released),
		cmocka_unit_test(taken_before_it_was_received),
		cmocka_unit_test(the_database_is_asked),
		cmocka_unit_test(the_database_is_not_asked),
		cmocka_unit_test(what_it_had_not_heard_of),
		cmocka_unit_test(it_had_nothing),
		cmocka_unit_test(a_break_without_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
