/* SPDX-License-Identifier: MIT */
/* A turn begins at once, or when those who were just served are back. The test has its own clock.
 */
#include "unit/link/combiner_kit.h"

/* The guest leads a turn with so many others. */
static void leads(struct dbl_combiner *combiner, int i, unsigned others)
{
	struct dbl_member *members[DBL_BATCH_MAX] = {&guests[i].sender.member};
	unsigned n;

	becomes(i, DBL_SEND_LEADS);
	n = dbl_combiner_gather(combiner, clock_us, members, 1);
	assert_int_equal(n, others + 1);
	clock_us += TURN_US;
	dbl_combiner_end(combiner, members + 1, n - 1);
}

/* The first leads, and the others are served; then a moment passes. */
static void go_together(struct dbl_combiner *combiner, int leader, int n)
{
	leads(combiner, leader, (unsigned)n - 1);
	for (int i = 0; i < n; i++) {
		if (i != leader)
			becomes(i, DBL_SEND_DONE);
	}
	clock_us += SOON_US;
}

/* The guests were in one turn twice, the second time at once after the first. */
static void be_a_crowd(struct dbl_combiner *combiner, int n)
{
	clock_us = 1000000;
	assert_int_equal(dbl_combiner_init(combiner, &target, true), 0);
	for (int round = 0; round < 2; round++) {
		/* Nobody has been served yet, so nobody is waited for. */
		for (int i = 0; i < n; i++)
			comes(combiner, i);
		go_together(combiner, 0, n);
	}
}

static void who_comes_back_is_waited_for(void **state)
{
	struct dbl_combiner combiner;

	(void)state;
	be_a_crowd(&combiner, 3);
	for (int round = 0; round < 3; round++) {
		comes(&combiner, 0);
		comes(&combiner, 1);
		assert_int_equal(guests[0].is, -1);
		assert_int_equal(guests[1].is, -1);
		comes(&combiner, 2); /* the last of them leads, as it runs anyway */
		go_together(&combiner, 2, 3);
	}
	dbl_combiner_fini(&combiner);
}

static void one_who_stays_away_ends_it(void **state)
{
	struct dbl_combiner combiner;
	struct dbl_member *members[DBL_BATCH_MAX] = {&guests[0].sender.member};

	(void)state;
	be_a_crowd(&combiner, 3);
	comes(&combiner, 0);
	comes(&combiner, 1);
	clock_us += WINDOW_US;
	becomes(0, DBL_SEND_LEADS);
	assert_int_equal(dbl_combiner_gather(&combiner, clock_us, members, 1), 2);
	comes(&combiner, 2);
	clock_us += TURN_US;
	dbl_combiner_end(&combiner, members + 1, 1);
	becomes(1, DBL_SEND_DONE);
	leads(&combiner, 2, 0);
	dbl_combiner_fini(&combiner);
}

/* Of eight guests one comes when the others are under way, and is the first in the queue when they
 * return. */
static void seven_pass_one(struct dbl_combiner *combiner)
{
	struct dbl_member *members[DBL_BATCH_MAX] = {&guests[0].sender.member};

	be_a_crowd(combiner, GUESTS);
	for (int i = 0; i < GUESTS - 1; i++)
		comes(combiner, i);
	clock_us += WINDOW_US;
	becomes(0, DBL_SEND_LEADS);
	assert_int_equal(dbl_combiner_gather(combiner, clock_us, members, 1), GUESTS - 1);
	comes(combiner, GUESTS - 1);
	clock_us += TURN_US;
	dbl_combiner_end(combiner, members + 1, GUESTS - 2);
	for (int i = 1; i < GUESTS - 1; i++)
		becomes(i, DBL_SEND_DONE);
	clock_us += SOON_US;
}

static void the_first_in_queue_waits_for_them(void **state)
{
	struct dbl_combiner combiner;

	(void)state;
	seven_pass_one(&combiner);
	for (int i = 0; i < GUESTS - 2; i++) {
		assert_int_equal(guests[GUESTS - 1].is, -1);
		comes(&combiner, i);
	}
	leads(&combiner, GUESTS - 3, GUESTS - 2);
	becomes(GUESTS - 1, DBL_SEND_DONE);
	for (int i = 0; i < GUESTS - 3; i++)
		becomes(i, DBL_SEND_DONE);
	dbl_combiner_fini(&combiner);
}

static void if_they_come(void **state)
{
	struct dbl_combiner combiner;

	(void)state;
	seven_pass_one(&combiner);
	clock_us += WINDOW_US;
	leads(&combiner, GUESTS - 1, 0);
	dbl_combiner_fini(&combiner);
}

static void but_no_longer_than_half_a_turn(void **state)
{
	struct dbl_combiner combiner;

	(void)state;
	be_a_crowd(&combiner, 3);
	comes(&combiner, 0);
	comes(&combiner, 1);
	clock_us += WINDOW_US - SOON_US - 1;
	for (int i = 0; i < 20; i++)
		pause_a_little();
	assert_int_equal(guests[0].is, -1);
	clock_us += 1;
	leads(&combiner, 0, 1);
	becomes(1, DBL_SEND_DONE);
	/* One of two came back alone: from now on nobody is waited for. */
	clock_us += WINDOW_US + 1;
	comes(&combiner, 0);
	leads(&combiner, 0, 0);
	clock_us += SOON_US;
	comes(&combiner, 0);
	leads(&combiner, 0, 0);
	dbl_combiner_fini(&combiner);
}

static void who_comes_later_is_not_a_crowd(void **state)
{
	struct dbl_combiner combiner;

	(void)state;
	be_a_crowd(&combiner, 3);
	clock_us += WINDOW_US;
	for (int i = 0; i < 3; i++) {
		comes(&combiner, i);
		leads(&combiner, i, 0);
		clock_us += WINDOW_US + 1;
	}
	dbl_combiner_fini(&combiner);
}

static void one_by_himself_never_waits(void **state)
{
	struct dbl_combiner combiner;

	(void)state;
	clock_us = 1000000;
	assert_int_equal(dbl_combiner_init(&combiner, &target, true), 0);
	for (int i = 0; i < 20; i++) {
		comes(&combiner, 0);
		leads(&combiner, 0, 0);
		clock_us += SOON_US;
	}
	dbl_combiner_fini(&combiner);
}

static void a_host_that_is_late_leaves_it_to_the_next(void **state)
{
	struct dbl_combiner combiner;

	(void)state;
	be_a_crowd(&combiner, 3);
	comes_by(&combiner, 0, clock_us + 20);
	comes(&combiner, 1);
	clock_us += 20;
	becomes(0, DBL_SEND_LATE);
	leads(&combiner, 1, 0);
	dbl_combiner_fini(&combiner);
}

static void who_wants_it_alone_is_not_held_up(void **state)
{
	struct dbl_combiner combiner;
	struct dbl_sender alone = {0};

	(void)state;
	be_a_crowd(&combiner, 3);
	comes(&combiner, 0);
	comes(&combiner, 1);
	assert_int_equal(dbl_combiner_take(&combiner, &alone, DBL_NEVER), DBL_SEND_LEADS);
	dbl_combiner_end(&combiner, NULL, 0);
	leads(&combiner, 0, 1);
	becomes(1, DBL_SEND_DONE);
	dbl_combiner_fini(&combiner);
}

/* A heartbeat, by the connection of others. Naive: it waits for all who came before, and the session ends
 * meanwhile. */
static void who_is_urgent_goes_before_those_who_wait(void **state)
{
	struct dbl_combiner combiner;

	(void)state;
	clock_us = 1000000;
	assert_int_equal(dbl_combiner_init(&combiner, &target, true), 0);
	comes(&combiner, 0);
	becomes(0, DBL_SEND_LEADS);
	comes(&combiner, 1);
	comes(&combiner, 2);
	comes_as(&combiner, 3, DBL_NEVER, true);
	dbl_combiner_end(&combiner, NULL, 0);
	becomes(3, DBL_SEND_LEADS);
	assert_int_equal(guests[1].is, -1);
	assert_int_equal(guests[2].is, -1);
	dbl_combiner_end(&combiner, NULL, 0);
	leads(&combiner, 1, 1); /* and the order of these is as it was */
	becomes(2, DBL_SEND_DONE);
	/* It ends the wait for a crowd. */
	dbl_combiner_fini(&combiner);
	be_a_crowd(&combiner, 3);
	comes(&combiner, 0);
	comes_as(&combiner, 3, DBL_NEVER, true);
	becomes(3, DBL_SEND_LEADS);
	assert_int_equal(guests[0].is, -1);
	dbl_combiner_end(&combiner, NULL, 0);
	leads(&combiner, 0, 0);
	dbl_combiner_fini(&combiner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_comes_back_is_waited_for),
		cmocka_unit_test(one_who_stays_away_ends_it),
		cmocka_unit_test(the_first_in_queue_waits_for_them),
		cmocka_unit_test(if_they_come),
		cmocka_unit_test(but_no_longer_than_half_a_turn),
		cmocka_unit_test(who_comes_later_is_not_a_crowd),
		cmocka_unit_test(one_by_himself_never_waits),
		cmocka_unit_test(a_host_that_is_late_leaves_it_to_the_next),
		cmocka_unit_test(who_wants_it_alone_is_not_held_up),
		cmocka_unit_test(who_is_urgent_goes_before_those_who_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
