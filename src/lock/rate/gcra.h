/* SPDX-License-Identifier: MIT */
/* The arithmetic of the generic cell rate algorithm, in whole ns: see dblock/rate.h. Pure functions. */
#ifndef DBL_LOCK_RATE_GCRA_H
#define DBL_LOCK_RATE_GCRA_H

#include <stdint.h>

/* So many in a period: both fit their bounds (dblock/rate.h), so no product below overflows. */
struct dbl_gcra {
	int64_t rate, period_ms;
};

/* What n of these raise the counter by: n x period / rate, rounded up, so that rounding never allows more than the rate.
 * INT64_MAX: it is too much for a counter. */
int64_t dbl_gcra_cost(const struct dbl_gcra *, int64_t n);

/* The counter after a time, in us; a negative one, of a clock that was set back, counts as none. */
int64_t dbl_gcra_drained(int64_t level, int64_t elapsed_us);

/* How many of these fit into that room, and cost no more than it. */
int64_t dbl_gcra_fit(const struct dbl_gcra *, int64_t room);

/* ns as us, rounded up. */
static inline int64_t dbl_gcra_us(int64_t ns)
{
	return ns / 1000 + (ns % 1000 > 0);
}

#endif
