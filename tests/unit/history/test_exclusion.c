/* SPDX-License-Identifier: MIT */
/* Two holders at one time, and tokens that do not grow, must be found; what only looks like that
 * must not. */
#include "tape.h"

static void one_after_the_other(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	presents(&t, 12, 1, 1, 100, 0, true, VALID_MS);
	calls(&t, 12, 2, 1, FOR_EVER);
	gives(&t, 20, 1, 1, 100);
	gets(&t, 21, 2, 1, 101);
	presents(&t, 22, 2, 1, 101, 100, true, VALID_MS);
	presents(&t, 23, 2, 1, 101, 101, true, VALID_MS);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "");
}

/* ---- overlap --------------------------------------------------------------------------------- */

static void granted_before_the_other_has_done(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	gets(&t, 15, 2, 1, 101);
	gives(&t, 20, 1, 1, 100);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "overlap release");
}

/* The release is under way, and carried out: the next holder may know that before the one who
 * released. */
static void granted_while_the_release_is_under_way(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	begins_release(&t, 20, 1, 1, 100, VALID_MS);
	gets(&t, 21, 2, 1, 101);
	ends_release(&t, 25, 1, 1, 100, DBLOCK_OK);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "");
}

static void granted_before_the_dead_ones_deadline(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	befalls(&t, 50, 1, EVENT_STOPPED);
	calls(&t, 60, 2, 1, FOR_EVER);
	gets(&t, 700, 2, 1, 101);
	befalls(&t, 2000, 1, EVENT_CONTINUED);
	is_told(&t, 2001, 1, 1, 100);
	gives_lost(&t, 2002, 1, 1, 100);
	gives(&t, 2010, 2, 1, 101);
	finds(&t, "overlap");
}

static void granted_after_the_stopped_ones_deadline(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	befalls(&t, 50, 1, EVENT_STOPPED);
	calls(&t, 60, 2, 1, FOR_EVER);
	gets(&t, 1100, 2, 1, 101);
	befalls(&t, 2000, 1, EVENT_CONTINUED);
	presents(&t, 2001, 1, 1, 100, 101, false, 0);
	gives_lost(&t, 2002, 1, 1, 100);
	gives(&t, 2010, 2, 1, 101);
	finds(&t, "");
}

/* The grant was renewed, as its holder has seen. */
static void granted_while_the_other_is_renewed(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 60, 2, 1, FOR_EVER);
	gets(&t, 1100, 2, 1, 101);
	presents(&t, 1200, 1, 1, 100, 0, true, VALID_MS);
	is_told(&t, 1300, 1, 1, 100);
	gives_lost(&t, 1302, 1, 1, 100);
	gives(&t, 2010, 2, 1, 101);
	finds(&t, "overlap");
}

static void granted_after_the_loss_was_told(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	is_told(&t, 600, 1, 1, 100);
	gets(&t, 601, 2, 1, 101);
	gives_lost(&t, 602, 1, 1, 100);
	gives(&t, 610, 2, 1, 101);
	finds(&t, "");
}

static void granted_after_the_holder_was_killed(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	befalls(&t, 50, 1, EVENT_KILLED);
	calls(&t, 60, 2, 1, FOR_EVER);
	gets(&t, 1050, 2, 1, 101);
	gives(&t, 1060, 2, 1, 101);
	finds(&t, "");
}

static void granted_at_once_when_the_holder_was_killed(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 40, 2, 1, FOR_EVER);
	befalls(&t, 50, 1, EVENT_KILLED);
	gets(&t, 51, 2, 1, 101);
	gives(&t, 1060, 2, 1, 101);
	finds(&t, "");
}

static void granted_before_the_holder_was_killed(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 40, 2, 1, FOR_EVER);
	gets(&t, 49, 2, 1, 101);
	befalls(&t, 50, 1, EVENT_KILLED);
	gives(&t, 1060, 2, 1, 101);
	finds(&t, "overlap");
}

/* ---- guard ----------------------------------------------------------------------------------- */

static void the_guard_accepts_an_older_token(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	befalls(&t, 50, 1, EVENT_STOPPED);
	calls(&t, 60, 2, 1, FOR_EVER);
	gets(&t, 1100, 2, 1, 101);
	presents(&t, 1101, 2, 1, 101, 0, true, VALID_MS);
	gives(&t, 1102, 2, 1, 101);
	befalls(&t, 2000, 1, EVENT_CONTINUED);
	presents(&t, 2001, 1, 1, 100, 101, true, 0);
	gives_lost(&t, 2002, 1, 1, 100);
	finds(&t, "guard");
}

/* Each write says that it came after an older one; so the token went down in between. */
static void the_guard_went_down_unseen(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	presents(&t, 12, 1, 1, 100, 0, true, VALID_MS);
	gives(&t, 13, 1, 1, 100);
	calls(&t, 20, 2, 1, FOR_EVER);
	gets(&t, 21, 2, 1, 101);
	presents(&t, 22, 2, 1, 101, 50, true, VALID_MS);
	gives(&t, 23, 2, 1, 101);
	finds(&t, "guard");
}

static void the_guard_refuses_a_valid_holder(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	presents(&t, 12, 1, 1, 100, 101, false, VALID_MS);
	gives(&t, 13, 1, 1, 100);
	finds(&t, "guard");
}

static void the_guard_refuses_the_newest_token(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	is_told(&t, 911, 1, 1, 100);
	presents(&t, 912, 1, 1, 100, 100, false, 0);
	gives_lost(&t, 913, 1, 1, 100);
	finds(&t, "guard");
}

/* ---- token ----------------------------------------------------------------------------------- */

static void a_token_is_granted_twice(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	gives(&t, 20, 1, 1, 100);
	calls(&t, 30, 2, 1, FOR_EVER);
	gets(&t, 31, 2, 1, 100);
	gives(&t, 40, 2, 1, 100);
	finds(&t, "token");
}

static void a_token_goes_back(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	gives(&t, 20, 1, 1, 100);
	gets(&t, 31, 2, 1, 99);
	gives(&t, 40, 2, 1, 99);
	finds(&t, "token release");
}

/* The process was stopped when the answer came, and learns of the grant when all is over. */
static void an_old_grant_is_received_late(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	befalls(&t, 11, 1, EVENT_STOPPED);
	calls(&t, 12, 2, 1, FOR_EVER);
	gets(&t, 1100, 2, 1, 101);
	befalls(&t, 2000, 1, EVENT_CONTINUED);
	gets_for(&t, 2001, 1, 1, 100, 0);
	gives_lost(&t, 2002, 1, 1, 100);
	gives(&t, 2010, 2, 1, 101);
	finds(&t, "");
}

/* It is found if the call began after the other grant was made. */
static void an_old_grant_to_a_new_call(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 12, 2, 1, FOR_EVER);
	gets(&t, 13, 2, 1, 101);
	calls(&t, 14, 1, 1, FOR_EVER);
	befalls(&t, 15, 1, EVENT_STOPPED);
	befalls(&t, 2000, 1, EVENT_CONTINUED);
	gets_for(&t, 2001, 1, 1, 100, 0);
	gives_lost(&t, 2002, 1, 1, 100);
	gives(&t, 2010, 2, 1, 101);
	finds(&t, "token");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(granted_before_the_other_has_done),
		cmocka_unit_test(granted_while_the_release_is_under_way),
		cmocka_unit_test(granted_before_the_dead_ones_deadline),
		cmocka_unit_test(granted_after_the_stopped_ones_deadline),
		cmocka_unit_test(granted_while_the_other_is_renewed),
		cmocka_unit_test(granted_after_the_loss_was_told),
		cmocka_unit_test(granted_after_the_holder_was_killed),
		cmocka_unit_test(granted_at_once_when_the_holder_was_killed),
		cmocka_unit_test(granted_before_the_holder_was_killed),
		cmocka_unit_test(the_guard_refuses_the_newest_token),
		cmocka_unit_test(the_guard_accepts_an_older_token),
		cmocka_unit_test(the_guard_went_down_unseen),
		cmocka_unit_test(the_guard_refuses_a_valid_holder),
		cmocka_unit_test(a_token_is_granted_twice),
		cmocka_unit_test(a_token_goes_back),
		cmocka_unit_test(an_old_grant_is_received_late),
		cmocka_unit_test(an_old_grant_to_a_new_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
