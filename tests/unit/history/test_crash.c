/* SPDX-License-Identifier: MIT */
/* A crash of the server may forget some things, and others not. */
#include "tape.h"

/* Client 2 is in the queue from 11 on, client 3 from 1021 on, and client 3 is granted the lock
 * before, after a crash. */
static void passed_after_a_crash(int64_t down, int64_t up, const char *found)
{
	struct tape t = tape_new(3);

	calls(&t, 1, 1, 1, FOR_EVER);
	gets_for(&t, 2, 1, 1, 100, 4000);
	calls(&t, 10, 2, 1, FOR_EVER);
	queues(&t, 11, 2, 1, 1);
	befalls(&t, down, 0, EVENT_DOWN);
	befalls(&t, up, 0, EVENT_UP);
	calls(&t, 1020, 3, 1, FOR_EVER);
	queues(&t, 1021, 3, 1, 2);
	gives(&t, 1500, 1, 1, 100);
	gets(&t, 1510, 3, 1, 101);
	gives(&t, 1515, 3, 1, 101);
	gets(&t, 1520, 2, 1, 102);
	gives(&t, 1525, 2, 1, 102);
	finds(&t, found);
}

/* Joining waits for no disk. */
static void a_crash_forgets_who_has_just_come(void **state)
{
	(void)state;
	passed_after_a_crash(800, 810, "");
	passed_after_a_crash(15, 25, "");
}

static void a_crash_does_not_forget_who_has_waited(void **state)
{
	(void)state;
	passed_after_a_crash(1100, 1110, "order");
	passed_after_a_crash(3, 8, "order");
}

/* ---- a session is over ----------------------------------------------------------------------- */

/* Client 2 is in the queue from 11 on; its session is replaced by another one. */
static void passed_when_its_session_was_over(int64_t before, int64_t renewed, const char *found)
{
	struct tape t = tape_new(3);

	calls(&t, 1, 1, 1, FOR_EVER);
	gets_for(&t, 2, 1, 1, 100, 4000);
	calls(&t, 10, 2, 1, FOR_EVER);
	queues(&t, 11, 2, 1, 1);
	put(&t, renewed,
	    (struct event){.kind = EVENT_RENEWED, .client = 2, .before = (before + 1) * 1000});
	calls(&t, 1020, 3, 1, FOR_EVER);
	queues(&t, 1021, 3, 1, 2);
	gives(&t, 1500, 1, 1, 100);
	gets(&t, 1510, 3, 1, 101);
	gives(&t, 1515, 3, 1, 101);
	gets(&t, 1520, 2, 1, 102);
	gives(&t, 1525, 2, 1, 102);
	finds(&t, found);
}

static void its_place_goes_with_its_session(void **state)
{
	(void)state;
	passed_when_its_session_was_over(900, 950, "");
	passed_when_its_session_was_over(1490, 1512, "");
}

static void before_it_came_and_after_it_was_passed(void **state)
{
	(void)state;
	passed_when_its_session_was_over(3, 8, "order");
	passed_when_its_session_was_over(1512, 1518, "order");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crash_forgets_who_has_just_come),
		cmocka_unit_test(a_crash_does_not_forget_who_has_waited),
		cmocka_unit_test(its_place_goes_with_its_session),
		cmocka_unit_test(before_it_came_and_after_it_was_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
