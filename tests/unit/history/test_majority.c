/* SPDX-License-Identifier: MIT */
/* A lock on a majority of several databases. */
#include "tape.h"

static void silent(struct tape *t, int64_t ms, int n)
{
	put(t, ms, (struct event){.kind = EVENT_SILENT, .weight = n, .capacity = 3});
}

/* Asked for and granted then, while `n` of three are silent from 10 to 100. */
static struct tape granted(int n, int64_t called, int64_t gets_it)
{
	struct tape t = tape_new(1);

	silent(&t, 10, n);
	silent(&t, 100, 0);
	calls(&t, called, 1, 1, FOR_EVER);
	gets(&t, gets_it, 1, 1, 100);
	gives(&t, 200, 1, 1, 100);
	return t;
}

static void one_of_three_is_not_missed(void **state)
{
	struct tape t = granted(1, 20, 30);

	(void)state;
	finds(&t, "");
}

static void one_of_three_grants_it(void **state)
{
	struct tape t = granted(2, 20, 30);

	(void)state;
	finds(&t, "majority");
}

static void nobody_grants_it(void **state)
{
	struct tape t = granted(3, 20, 30);

	(void)state;
	finds(&t, "majority");
}

static void it_was_asked_for_before(void **state)
{
	struct tape t = granted(2, 5, 30);

	(void)state;
	finds(&t, "");
}

static void it_is_granted_afterwards(void **state)
{
	struct tape t = granted(2, 20, 101);

	(void)state;
	finds(&t, "");
}

/* One after the other comes back, and the second one makes a majority. */
static void silence_that_changes_is_one(void **state)
{
	struct tape t = granted(3, 20, 90);

	(void)state;
	silent(&t, 50, 2);
	finds(&t, "majority");
}

static void silence_without_end(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	silent(&t, 10, 2);
	calls(&t, 20, 1, 1, FOR_EVER);
	gets(&t, 30, 1, 1, 100);
	gives(&t, 40, 1, 1, 100);
	finds(&t, "majority");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_three_is_not_missed),
		cmocka_unit_test(one_of_three_grants_it),
		cmocka_unit_test(nobody_grants_it),
		cmocka_unit_test(it_was_asked_for_before),
		cmocka_unit_test(it_is_granted_afterwards),
		cmocka_unit_test(silence_that_changes_is_one),
		cmocka_unit_test(silence_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
