/* SPDX-License-Identifier: MIT */
/* Tickets whose count began anew below what has been served. */
#include "lock/queue/queue.h"
#include "support/kit.h"

static void one_that_is_above_stays(void **state)
{
	(void)state;
	assert_int_equal(dbl_ticket_above(8, 7), 8);
	assert_int_equal(dbl_ticket_above(1, 0), 1);
	assert_int_equal(dbl_ticket_above(0, 0), 0);
	assert_int_equal(dbl_ticket_above(0, 7), 0);
	assert_int_equal(dbl_ticket_above(-7, 7), -7);
}

static void one_that_is_not_is_raised_above(void **state)
{
	int64_t served = 1000;

	(void)state;
	for (int64_t drawn = 1; drawn < 100; drawn++) {
		int64_t ticket = dbl_ticket_above(drawn, served);

		assert_true(ticket > served);
		served = ticket;
	}
	/* It begins anew once more. */
	assert_true(dbl_ticket_above(1, served) > served);
	assert_true(dbl_ticket_above(2, dbl_ticket_above(1, served)) > dbl_ticket_above(1, served));
}

/* Naive: the sum of both: 3 and 7 is 4 and 6. */
static void who_draws_later_has_a_larger_one_whatever_he_saw(void **state)
{
	const int64_t before = 1000;
	int64_t seen[11] = {before}; /* one that nobody had raised yet, or one that was */

	(void)state;
	for (int64_t i = 1; i <= 10; i++)
		seen[i] = dbl_ticket_above(i, before);
	for (int64_t drawn = 11; drawn < 20; drawn++) {
		for (int i = 0; i < 11; i++) {
			for (int j = 0; j < 11; j++)
				assert_true(dbl_ticket_above(drawn, seen[i]) <
					    dbl_ticket_above(drawn + 1, seen[j]));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_is_above_stays),
		cmocka_unit_test(one_that_is_not_is_raised_above),
		cmocka_unit_test(who_draws_later_has_a_larger_one_whatever_he_saw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
