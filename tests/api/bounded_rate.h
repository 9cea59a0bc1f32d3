/* SPDX-License-Identifier: MIT */
/* The bounds of rates. */
#ifndef TESTS_API_BOUNDED_RATE_H
#define TESTS_API_BOUNDED_RATE_H

#include <dblock/rate.h>

#include "api/bounded.h"

static inline int take_rate(struct stage *s, int64_t rate, int64_t burst, int64_t n,
			    int64_t period_ms, int64_t wait_ms, struct dblock_error *err)
{
	struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;

	options.period_ms = period_ms;
	options.wait_ms = wait_ms;
	return dblock_rate_take(s->client, "r", rate, burst, n, &options, NULL, err);
}

static inline int rate_rate(struct stage *s, int64_t v, struct dblock_error *err)
{
	return take_rate(s, v, 1, 1, 0, 0, err);
}

static inline int rate_burst(struct stage *s, int64_t v, struct dblock_error *err)
{
	return take_rate(s, DBLOCK_RATE_MAX, v, 1, 0, 0, err);
}

static inline int rate_n(struct stage *s, int64_t v, struct dblock_error *err)
{
	return take_rate(s, 9, 9, v, 0, 0, err);
}

static inline int rate_period(struct stage *s, int64_t v, struct dblock_error *err)
{
	return take_rate(s, 1, 1, 1, v, 0, err);
}

/* In this time one comes free. */
enum { RATE_LONG_MS = 1000000 };

static inline int rate_span(struct stage *s, int64_t v, struct dblock_error *err)
{
	return take_rate(s, 1, v, 1, RATE_LONG_MS, 0, err);
}

/* What is taken above does not make this one wait. */
static inline int rate_wait(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;

	options.wait_ms = v;
	return dblock_rate_take(s->client, "another", 1000, 1, 1, &options, NULL, err);
}

static inline int rate_name(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_rate_take(s->client, text(s, v), 1, 1, 1, NULL, NULL, err);
}

#endif
