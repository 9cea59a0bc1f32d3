/* SPDX-License-Identifier: MIT */
/* Who may hold the lock together: the matrix of modes, permits, and upgrades and downgrades. */
#include "modes.h"

/* ---- the matrix ------------------------------------------------------------------------------ */

/* Client 2 holds the lock while client 1 does. If that is wrong, it is also wrong that the first
 * one's release returns OK. */
static void both_have_it(int mine, int theirs, const char *found)
{
	struct tape t = tape_new(2);

	takes(&t, 10, 50, 1, 1, mine, 100);
	takes(&t, 20, 60, 2, 1, theirs, 101);
	finds(&t, found);
}

static void readers_together(void **state)
{
	(void)state;
	both_have_it(S, S, "");
}

static void readers_with_one_that_updates(void **state)
{
	(void)state;
	both_have_it(S, U, "");
	both_have_it(U, S, "");
}

static void a_writer_among_readers(void **state)
{
	(void)state;
	both_have_it(S, X, "overlap release");
	both_have_it(U, X, "overlap release");
}

static void a_reader_beside_a_writer(void **state)
{
	(void)state;
	both_have_it(X, S, "overlap release");
	both_have_it(X, U, "overlap release");
}

static void two_that_update(void **state)
{
	(void)state;
	both_have_it(U, U, "overlap release");
}

static void permits_of_a_lock(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 10, 50, 1, 1, S, 100);
	asks_for(&t, 20, 2, 1, 1);
	has_permits(&t, 21, 2, 1, 1, 101);
	gives(&t, 60, 2, 1, 101);
	finds(&t, "overlap release");
}

/* The first has gone when the third comes, but the second has not. */
static void the_longest_is_not_the_last(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	takes(&t, 10, 30, 1, 1, S, 100);
	takes(&t, 12, 80, 2, 1, S, 101);
	takes(&t, 14, 40, 3, 1, S, 102);
	takes(&t, 60, 70, 1, 2, X, 103);
	finds(&t, "overlap release");
}

/* ---- permits --------------------------------------------------------------------------------- */

static struct tape permits_are_held(int64_t a, int64_t b, int64_t c)
{
	struct tape t = tape_new(3);
	int64_t weights[] = {a, b, c};

	for (int i = 0; i < 3; i++) {
		asks_for(&t, 10 + i, i + 1, 1, weights[i]);
		has_permits(&t, 20 + i, i + 1, 1, weights[i], 100 + i);
		gives(&t, 50 + i, i + 1, 1, 100 + i);
	}
	return t;
}

static void as_many_as_there_are(void **state)
{
	struct tape t = permits_are_held(1, 2, 1);

	(void)state;
	finds(&t, "");
}

/* Two of them alone are not too many. */
static void one_more_than_there_are(void **state)
{
	struct tape t = permits_are_held(2, 1, 2);

	(void)state;
	finds(&t, "permits");
}

static void too_many_of_two(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks_for(&t, 10, 1, 1, 3);
	has_permits(&t, 11, 1, 1, 3, 100);
	asks_for(&t, 12, 2, 1, 2);
	has_permits(&t, 13, 2, 1, 2, 101);
	gives(&t, 20, 1, 1, 100);
	gives(&t, 21, 2, 1, 101);
	finds(&t, "permits release");
}

static void another_capacity(void **state)
{
	struct tape t = permits_are_held(1, 1, 1);

	(void)state;
	for (size_t i = 0; i < t.history.n; i++) {
		if (t.history.events[i].client == 2 && t.history.events[i].capacity)
			t.history.events[i].capacity = 5;
	}
	finds(&t, "overlap release");
}

/* ---- upgrade --------------------------------------------------------------------------------- */

static void it_is_upgraded_when_the_others_have_done(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	asks(&t, 10, 1, 1, U);
	has(&t, 11, 1, 1, U, 100);
	takes(&t, 12, 30, 2, 1, S, 101);
	upgrades(&t, 20, 32, 1, 1, 102, DBLOCK_OK);
	gives(&t, 40, 1, 1, 102);
	takes(&t, 41, 50, 2, 2, S, 103);
	finds(&t, "");
}

static void it_is_upgraded_beside_a_reader(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, U);
	has(&t, 11, 1, 1, U, 100);
	takes(&t, 12, 50, 2, 1, S, 101);
	upgrades(&t, 20, 32, 1, 1, 102, DBLOCK_OK);
	gives(&t, 40, 1, 1, 102);
	finds(&t, "overlap release");
}

/* The upgrading call must hold all the time what it held before. */
static void somebody_writes_while_it_waits(int outcome, int64_t token)
{
	struct tape t = tape_new(2);

	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	takes(&t, 21, 25, 2, 1, X, 101);
	upgrades(&t, 20, 32, 1, 1, token, outcome);
	gives(&t, 40, 1, 1, token);
	finds(&t, token == 100 ? "overlap release" : "overlap");
}

static void somebody_writes_before_it_is_upgraded(void **state)
{
	(void)state;
	somebody_writes_while_it_waits(DBLOCK_OK, 102);
}

static void somebody_writes_while_it_waits_in_vain(void **state)
{
	(void)state;
	somebody_writes_while_it_waits(DBLOCK_TIMEOUT, 100);
}

/* The lock must still be held as before. */
static void after_it_failed_somebody_writes(void **state, int outcome)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	upgrades(&t, 20, 32, 1, 1, 100, outcome);
	takes(&t, 33, 35, 2, 1, X, 101);
	gives(&t, 40, 1, 1, 100);
	finds(&t, "overlap release");
}

static void out_of_time_is_still_held(void **state)
{
	after_it_failed_somebody_writes(state, DBLOCK_TIMEOUT);
}

static void canceled_is_still_held(void **state)
{
	after_it_failed_somebody_writes(state, DBLOCK_CANCELED);
}

static void it_failed_and_is_read_together(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	takes(&t, 12, 50, 2, 1, S, 101);
	upgrades(&t, 20, 32, 1, 1, 100, DBLOCK_TIMEOUT);
	gives(&t, 40, 1, 1, 100);
	finds(&t, "");
}

/* ---- downgrade ------------------------------------------------------------------------------- */

static void readers_come_after_a_downgrade(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, X);
	has(&t, 11, 1, 1, X, 100);
	downgrades(&t, 20, 25, 1, 1, S, 100);
	/* The downgrade has not been answered yet. */
	takes(&t, 21, 30, 2, 1, S, 101);
	gives(&t, 40, 1, 1, 100);
	finds(&t, "");
}

static void readers_come_before_a_downgrade(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, X);
	has(&t, 11, 1, 1, X, 100);
	downgrades(&t, 20, 25, 1, 1, S, 100);
	takes(&t, 15, 30, 2, 1, S, 101);
	gives(&t, 40, 1, 1, 100);
	finds(&t, "overlap");
}

static void somebody_writes_in_between(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, X);
	has(&t, 11, 1, 1, X, 100);
	downgrades(&t, 20, 25, 1, 1, S, 100);
	takes(&t, 21, 23, 2, 1, X, 101);
	gives(&t, 40, 1, 1, 100);
	finds(&t, "overlap release");
}

/* The downgrade's answer says that nothing has changed. */
static void a_downgrade_fails(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, X);
	has(&t, 11, 1, 1, X, 100);
	begins_change(&t, 20, EVENT_DOWNGRADING, 1, 1, S, 100);
	ends_change(&t, 25, EVENT_DOWNGRADED, 1, 1, 100, DBLOCK_E_UNAVAILABLE);
	takes(&t, 26, 30, 2, 1, S, 101);
	gives(&t, 40, 1, 1, 100);
	finds(&t, "overlap release");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_together),
		cmocka_unit_test(readers_with_one_that_updates),
		cmocka_unit_test(a_writer_among_readers),
		cmocka_unit_test(a_reader_beside_a_writer),
		cmocka_unit_test(two_that_update),
		cmocka_unit_test(permits_of_a_lock),
		cmocka_unit_test(the_longest_is_not_the_last),
		cmocka_unit_test(as_many_as_there_are),
		cmocka_unit_test(one_more_than_there_are),
		cmocka_unit_test(too_many_of_two),
		cmocka_unit_test(another_capacity),
		cmocka_unit_test(it_is_upgraded_when_the_others_have_done),
		cmocka_unit_test(it_is_upgraded_beside_a_reader),
		cmocka_unit_test(somebody_writes_before_it_is_upgraded),
		cmocka_unit_test(somebody_writes_while_it_waits_in_vain),
		cmocka_unit_test(out_of_time_is_still_held),
		cmocka_unit_test(canceled_is_still_held),
		cmocka_unit_test(it_failed_and_is_read_together),
		cmocka_unit_test(readers_come_after_a_downgrade),
		cmocka_unit_test(readers_come_before_a_downgrade),
		cmocka_unit_test(somebody_writes_in_between),
		cmocka_unit_test(a_downgrade_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
