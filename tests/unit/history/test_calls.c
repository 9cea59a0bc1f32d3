/* SPDX-License-Identifier: MIT */
/* Releases; and that each call has one outcome. */
#include "tape.h"

/* ---- release, kept --------------------------------------------------------------------------- */

/* A release by token, which anybody may try. */
static void tries_to_free(struct tape *t, int64_t ms, int client, int wait, int64_t token,
			  int outcome)
{
	begins_release(t, ms, client, wait, token, 0);
	ends_release(t, ms + 1, client, wait, token, outcome);
}

static void a_former_holder_frees_it(struct tape *t, int outcome)
{
	*t = tape_new(2);
	calls(t, 10, 1, 1, FOR_EVER);
	gets(t, 11, 1, 1, 100);
	gives(t, 12, 1, 1, 100);
	calls(t, 20, 2, 1, FOR_EVER);
	gets(t, 21, 2, 1, 101);
	tries_to_free(t, 30, 1, 2, 100, outcome);
	gives(t, 40, 2, 1, 101);
}

static void a_former_holder_cannot_free_it(void **state)
{
	struct tape t;

	(void)state;
	a_former_holder_frees_it(&t, DBLOCK_STALE);
	finds(&t, "");
}

static void a_former_holder_can_free_it(void **state)
{
	struct tape t;

	(void)state;
	a_former_holder_frees_it(&t, DBLOCK_OK);
	finds(&t, "release");
}

static void what_was_lost_is_released(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	is_told(&t, 911, 1, 1, 100);
	tries_to_free(&t, 912, 1, 1, 100, DBLOCK_OK);
	finds(&t, "release");
}

static void what_was_valid_is_lost(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	begins_release(&t, 20, 1, 1, 100, VALID_MS);
	ends_release(&t, 21, 1, 1, 100, DBLOCK_LOST);
	finds(&t, "kept");
}

/* The lock's validity is over by the time that the release is done. */
static void what_was_valid_is_over(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	begins_release(&t, 900, 1, 1, 100, 11);
	ends_release(&t, 950, 1, 1, 100, DBLOCK_LOST);
	finds(&t, "");
}

/* ---- outcome --------------------------------------------------------------------------------- */

static void a_call_has_two_outcomes(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, 50);
	gets_not(&t, 60, 1, 1, DBLOCK_TIMEOUT);
	gets(&t, 61, 1, 1, 100);
	gives(&t, 62, 1, 1, 100);
	finds(&t, "outcome");
}

static void an_outcome_of_nothing(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	gets_not(&t, 60, 1, 1, DBLOCK_TIMEOUT);
	finds(&t, "outcome");
}

static void it_is_released_twice(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	gives(&t, 20, 1, 1, 100);
	gives(&t, 30, 1, 1, 100);
	finds(&t, "outcome");
}

static void a_release_ends_twice(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	gives(&t, 20, 1, 1, 100);
	ends_release(&t, 30, 1, 1, 100, DBLOCK_OK);
	finds(&t, "outcome");
}

static void a_loss_is_told_twice(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	is_told(&t, 911, 1, 1, 100);
	is_told(&t, 912, 1, 1, 100);
	gives_lost(&t, 913, 1, 1, 100);
	finds(&t, "outcome");
}

static void a_loss_of_what_nobody_had(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets_not(&t, 11, 1, 1, DBLOCK_LOST);
	is_told(&t, 12, 1, 1, 100);
	finds(&t, "outcome");
}

/* ---- end ------------------------------------------------------------------------------------- */

static void a_call_has_no_outcome(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, 50);
	finds(&t, "end");
}

static void a_grant_is_kept(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, 50);
	gets(&t, 11, 1, 1, 100);
	finds(&t, "end");
}

static void a_release_does_not_end(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	calls(&t, 10, 1, 1, 50);
	gets(&t, 11, 1, 1, 100);
	begins_release(&t, 20, 1, 1, 100, VALID_MS);
	finds(&t, "end");
}

static void the_killed_need_no_end(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	calls(&t, 10, 1, 1, 50);
	gets(&t, 11, 1, 1, 100);
	begins_release(&t, 20, 1, 1, 100, VALID_MS);
	calls(&t, 12, 2, 1, 50);
	befalls(&t, 30, 1, EVENT_KILLED);
	befalls(&t, 30, 2, EVENT_KILLED);
	befalls(&t, 30, 3, EVENT_KILLED);
	finds(&t, "");
}

static void a_client_does_not_end(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	t.clients = 0;
	finds(&t, "end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_former_holder_cannot_free_it),
		cmocka_unit_test(a_former_holder_can_free_it),
		cmocka_unit_test(what_was_lost_is_released),
		cmocka_unit_test(what_was_valid_is_lost),
		cmocka_unit_test(what_was_valid_is_over),
		cmocka_unit_test(a_call_has_two_outcomes),
		cmocka_unit_test(an_outcome_of_nothing),
		cmocka_unit_test(it_is_released_twice),
		cmocka_unit_test(a_release_ends_twice),
		cmocka_unit_test(a_loss_is_told_twice),
		cmocka_unit_test(a_loss_of_what_nobody_had),
		cmocka_unit_test(a_call_has_no_outcome),
		cmocka_unit_test(a_grant_is_kept),
		cmocka_unit_test(a_release_does_not_end),
		cmocka_unit_test(the_killed_need_no_end),
		cmocka_unit_test(a_client_does_not_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
