/* SPDX-License-Identifier: MIT */
/* A rate: five at once, and one each 50 ms. */
#include "tape.h"

/* Its turn came between these. */
static void takes(struct tape *t, int64_t from, int64_t ms, int client, int n)
{
	put(t, ms,
	    (struct event){.kind = EVENT_TAKEN,
			   .client = client,
			   .before = (from + 1) * 1000,
			   .weight = n,
			   .capacity = 5,
			   .lease = 50000});
}

static void a_burst_and_what_comes_free(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 100, 100, 1, 3);
	takes(&t, 100, 100, 2, 2);
	takes(&t, 150, 150, 1, 1);
	takes(&t, 250, 250, 2, 2);
	finds(&t, "");
}

static void one_comes_too_early(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 100, 100, 1, 5);
	takes(&t, 140, 149, 2, 1);
	finds(&t, "rate");
}

/* In each half of it no more than may be; and not so in the window around both. */
static void two_bursts_meet(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 1, 1, 1, 1);
	takes(&t, 990, 999, 1, 5);
	takes(&t, 1000, 1010, 2, 5);
	finds(&t, "rate");
}

/* The first one's turn may have been when it asked. */
static void who_is_told_late_may_have_been_early(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 100, 500, 1, 5);
	takes(&t, 400, 400, 2, 5);
	finds(&t, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_and_what_comes_free),
		cmocka_unit_test(one_comes_too_early),
		cmocka_unit_test(two_bursts_meet),
		cmocka_unit_test(who_is_told_late_may_have_been_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
