/* SPDX-License-Identifier: MIT */
#include "lock/rate/gcra.h"

#include "base/assert.h"

#define NS_PER_MS 1000000LL
#define US_MAX    (INT64_MAX / 1000)

/* n x period / rate = n x whole + n x rest / rate, and neither product overflows: rest is less than rate. */
int64_t dbl_gcra_cost(const struct dbl_gcra *g, int64_t n)
{
	int64_t period = g->period_ms * NS_PER_MS;
	int64_t whole = period / g->rate, rest = n * (period % g->rate);
	int64_t part = rest / g->rate + (rest % g->rate > 0);

	DBL_ASSERT(g->rate > 0 && period > 0 && n > 0, "%lld", (long long)n);
	return whole > (INT64_MAX - part) / n ? INT64_MAX : n * whole + part;
}

int64_t dbl_gcra_drained(int64_t level, int64_t elapsed_us)
{
	if (elapsed_us <= 0)
		return level;
	return elapsed_us >= US_MAX || elapsed_us * 1000 >= level ? 0 : level - elapsed_us * 1000;
}

int64_t dbl_gcra_fit(const struct dbl_gcra *g, int64_t room)
{
	long double period = (long double)g->period_ms * NS_PER_MS;
	int64_t n = room > 0 ? (int64_t)((long double)room * (long double)g->rate / period) + 1 : 0;

	while (n > 0 && dbl_gcra_cost(g, n) > room)
		n--;
	return n;
}
