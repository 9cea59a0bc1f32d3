/* SPDX-License-Identifier: MIT */
/* The arithmetic of rates, against the same in twice as many bits, up to the bounds of dblock/rate.h. */
#include "lock/rate/gcra.h"

#include <dblock/rate.h>

#include "support/kit.h"

__extension__ typedef unsigned __int128 wide;

static const int64_t rates[] = {1, 2, 3, 7, 10, 999, 1000, 33333333, 999999937, DBLOCK_RATE_MAX};
static const int64_t periods[] = {1, 7, 1000, 60000, 86400000, DBLOCK_RATE_PERIOD_MAX_MS};
static const int64_t counts[] = {1, 2, 3, 10, 1001, 123456789, DBLOCK_RATE_MAX};

#define EACH(i, list) for (size_t i = 0; i < sizeof(list) / sizeof(*(list)); i++)

/* Naive: n x period overflows; or it is rounded down, so that more than the rate is allowed. */
static void check_cost(const struct dbl_gcra *g, int64_t n)
{
	wide exact = (wide)n * (wide)g->period_ms * 1000000, rate = (wide)g->rate;
	wide up = (exact + rate - 1) / rate;
	int64_t cost = dbl_gcra_cost(g, n);

	assert_true(cost == (up > INT64_MAX ? INT64_MAX : (int64_t)up));
	if (cost > DBLOCK_RATE_SPAN_MAX_MS * 1000000)
		return;
	assert_int_equal(dbl_gcra_fit(g, cost), n);
	assert_true(dbl_gcra_fit(g, cost - 1) == n - 1);
}

static void a_cost_is_rounded_up_and_nothing_overflows(void **state)
{
	(void)state;
	EACH(r, rates)
	EACH(p, periods)
	EACH(n, counts)
	if (rates[r] <= DBLOCK_RATE_MAX / 1000 * periods[p])
		check_cost(&(struct dbl_gcra){rates[r], periods[p]}, counts[n]);
}

static void a_counter_runs_down_to_zero(void **state)
{
	(void)state;
	assert_int_equal(dbl_gcra_drained(5000, 0), 5000);
	assert_int_equal(dbl_gcra_drained(5000, 2), 3000);
	assert_int_equal(dbl_gcra_drained(5001, 5), 1);
	assert_int_equal(dbl_gcra_drained(5000, 5), 0);
	assert_int_equal(dbl_gcra_drained(5000, 6), 0);
	assert_int_equal(dbl_gcra_drained(5000, INT64_MAX), 0);
	assert_int_equal(dbl_gcra_drained(5000, -1), 5000);
	assert_int_equal(dbl_gcra_drained(5000, INT64_MIN), 5000);
}

static void nothing_fits_where_there_is_no_room(void **state)
{
	const struct dbl_gcra g = {10, 1000};

	(void)state;
	assert_int_equal(dbl_gcra_fit(&g, 0), 0);
	assert_int_equal(dbl_gcra_fit(&g, -1), 0);
	assert_int_equal(dbl_gcra_fit(&g, INT64_MIN / 2), 0);
	assert_int_equal(dbl_gcra_fit(&g, 99999999), 0);
	assert_int_equal(dbl_gcra_fit(&g, 100000000), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cost_is_rounded_up_and_nothing_overflows),
		cmocka_unit_test(a_counter_runs_down_to_zero),
		cmocka_unit_test(nothing_fits_where_there_is_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
