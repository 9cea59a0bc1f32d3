/* SPDX-License-Identifier: MIT */
/* The scenes of nomem.c with rates. */
#ifndef TESTS_DB_NOMEM_RATE_H
#define TESTS_DB_NOMEM_RATE_H

#include <dblock/rate.h>

#include "db/faults/nomem_calls.h"

static inline void with_rate(struct stage *s)
{
	raw_exec(s->raw, "DELETE FROM dblock_rate");
	with_client(s);
}

static inline int call_rate(struct stage *s, struct dblock_error *err)
{
	struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;

	options.period_ms = DAY_MS;
	return dblock_rate_take(s->client, "r", 1, 9, 1, &options, NULL, err);
}

/* It is counted, once; or nothing is, and the second call, with memory, is yet to come. */
static inline void check_rate(struct stage *s, int rc)
{
	int64_t rows = raw_int(s->raw, "SELECT count(*) FROM dblock_rate WHERE level <= %lld",
			       DAY_MS * 1000000LL);

	assert_int_equal(rows, rc == DBLOCK_OK);
}

static inline int list_nothing(void *arg, const struct dblock_rate_bucket *bucket)
{
	(void)arg;
	(void)bucket;
	return 0;
}

static inline int call_rates(struct stage *s, struct dblock_error *err)
{
	return dblock_rate_list(s->client, list_nothing, NULL, err);
}

#endif
