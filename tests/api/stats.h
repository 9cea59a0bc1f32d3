/* SPDX-License-Identifier: MIT */
/* What a client has counted. */
#ifndef TESTS_API_STATS_H
#define TESTS_API_STATS_H

#include "support/kit.h"

static inline struct dblock_stats stats_of(const struct dblock_client *client)
{
	struct dblock_stats stats = DBLOCK_STATS_INIT;
	struct dblock_error err = {0};

	expect(OK, dblock_stats_of(client, &stats, &err));
	return stats;
}

static inline int64_t acquires_of(const struct dblock_stats *s)
{
	return s->acquired + s->reentered + s->busy + s->timed_out + s->canceled + s->deadlocks +
	       s->late + s->fenced + s->failed;
}

/* A histogram agrees with itself, and has so many times. */
static inline void has_times(const struct dblock_histogram *h, int64_t n)
{
	int64_t sum = 0, least = 0;

	for (int i = 0; i < DBLOCK_HISTOGRAM_BUCKETS; i++) {
		sum += h->buckets[i];
		least += i ? h->buckets[i] << (i - 1) : 0;
	}
	assert_int_equal(h->count, n);
	assert_int_equal(sum, n);
	assert_true(h->sum_us >= least);
}

#endif
