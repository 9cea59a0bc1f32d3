/* SPDX-License-Identifier: MIT */
/* Two queues, each for half of the names: a guest that is moved keeps his place, his deadline, his
 * order. */
#include "unit/link/combiner_kit.h"

static struct dbl_combiner first, other;

static bool is_of_other_half(int i)
{
	return dbl_batch_other_half(&guests[i].sender.member);
}

/* Somebody has the first queue's connection, and the guests have come. */
static void all_come(struct dbl_sender *leader, int64_t until)
{
	clock_us = 1000000;
	assert_int_equal(dbl_combiner_init(&first, &target, true), 0);
	assert_int_equal(dbl_combiner_init(&other, &target, false), 0);
	assert_int_equal(dbl_combiner_take(&first, leader, DBL_NEVER), DBL_SEND_LEADS);
	for (int i = 0; i < GUESTS; i++)
		comes_by(&first, i, until);
}

static int first_of(bool half)
{
	int i = 0;

	while (is_of_other_half(i) != half)
		i++;
	return i;
}

/* The guest who leads serves all of that half that are left. Returns their number. */
static int serve(struct dbl_combiner *combiner, int leader)
{
	struct dbl_member *members[DBL_BATCH_MAX] = {&guests[leader].sender.member};
	unsigned n;

	becomes(leader, DBL_SEND_LEADS);
	assert_ptr_equal(guests[leader].sender.in, combiner);
	n = dbl_combiner_gather(combiner, clock_us, members, 1);
	dbl_combiner_end(combiner, members + 1, n - 1);
	for (unsigned m = 1; m < n; m++) {
		for (int i = 0; i < GUESTS; i++) {
			if (members[m] == &guests[i].sender.member)
				becomes(i, DBL_SEND_DONE);
		}
	}
	return (int)n;
}

static void fini_both(void)
{
	dbl_combiner_fini(&first);
	dbl_combiner_fini(&other);
}

static void each_half_goes_to_its_line(void **state)
{
	struct dbl_sender leader = {0};
	int n = 0, of_other;

	(void)state;
	all_come(&leader, DBL_NEVER);
	for (int i = 0; i < GUESTS; i++)
		n += is_of_other_half(i);
	assert_true(n > 0 && n < GUESTS);
	dbl_combiner_part(&first, &other, true);
	/* The second connection was idle: a guest who was moved has it; the first one is still
	 * busy. */
	of_other = first_of(true);
	assert_int_equal(guests[first_of(false)].is, -1);
	assert_int_equal(serve(&other, of_other), n);
	dbl_combiner_end(&first, NULL, 0);
	assert_int_equal(serve(&first, first_of(false)), GUESTS - n);
	/* A guest who comes now has to come to the right queue. */
	assert_int_equal(dbl_combiner_take(&first, &guests[of_other].sender, DBL_NEVER),
			 DBL_SEND_ELSEWHERE);
	assert_int_equal(dbl_combiner_take(&other, &guests[first_of(false)].sender, DBL_NEVER),
			 DBL_SEND_ELSEWHERE);
	fini_both();
}

static void who_has_gone_over_leaves_in_time(void **state)
{
	struct dbl_sender leader = {0}, another = {0};

	(void)state;
	all_come(&leader, 1000000 + TURN_US);
	assert_int_equal(dbl_combiner_take(&other, &another, DBL_NEVER), DBL_SEND_LEADS);
	dbl_combiner_part(&first, &other, true);
	clock_us += TURN_US;
	for (int i = 0; i < GUESTS; i++)
		becomes(i, DBL_SEND_LATE);
	assert_null(first.first);
	assert_null(other.first);
	dbl_combiner_end(&first, NULL, 0);
	dbl_combiner_end(&other, NULL, 0);
	fini_both();
}

static void all_come_back(void **state)
{
	struct dbl_sender leader = {0}, another = {0};

	(void)state;
	all_come(&leader, DBL_NEVER);
	assert_int_equal(dbl_combiner_take(&other, &another, DBL_NEVER), DBL_SEND_LEADS);
	dbl_combiner_part(&first, &other, true);
	for (int i = 0; i < GUESTS; i++)
		assert_int_equal(guests[i].is, -1);
	dbl_combiner_end(&first, NULL, 0);
	assert_true(serve(&first, first_of(false)) < GUESTS);
	/* The first connection is idle: the first guest who is moved back has it. */
	dbl_combiner_part(&first, &other, false);
	assert_true(serve(&first, first_of(true)) < GUESTS);
	dbl_combiner_end(&other, NULL, 0);
	assert_null(first.first);
	fini_both();
}

static void nobody_waits(struct dbl_sender *sender)
{
	(void)sender;
}

static void what_is_posted_is_found_in_either(void **state)
{
	struct dbl_sender leader = {0};
	struct dbl_sender *posts[] = {&guests[0].sender, &guests[1].sender, &guests[2].sender};

	(void)state;
	all_come(&leader, DBL_NEVER);
	dbl_combiner_end(&first, NULL, 0);
	assert_int_equal(serve(&first, 0), GUESTS);
	assert_int_equal(dbl_combiner_take(&first, &leader, DBL_NEVER), DBL_SEND_LEADS);
	for (int i = 0; i < 3; i++) {
		posts[i]->over = nobody_waits;
		assert_false(dbl_combiner_post(&other, posts[i]));
		assert_true(dbl_combiner_post(&first, posts[i]));
	}
	dbl_combiner_part(&first, &other, true);
	assert_true(first.first && other.first);
	for (int i = 0; i < 3; i++) {
		assert_true(dbl_combiner_recall(posts[i]));
		assert_false(dbl_combiner_recall(posts[i]));
	}
	dbl_combiner_end(&first, NULL, 0);
	fini_both();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_half_goes_to_its_line),
		cmocka_unit_test(who_has_gone_over_leaves_in_time),
		cmocka_unit_test(all_come_back),
		cmocka_unit_test(what_is_posted_is_found_in_either),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
