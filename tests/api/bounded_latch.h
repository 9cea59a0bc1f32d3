/* SPDX-License-Identifier: MIT */
/* The bounds of latches and barriers. */
#ifndef TESTS_API_BOUNDED_LATCH_H
#define TESTS_API_BOUNDED_LATCH_H

#include <dblock/barrier.h>
#include <dblock/latch.h>

#include "api/bounded.h"

static inline int latch_name(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_latch_create(s->client, text(s, v), 1, NULL, err);
}

static inline int latch_count(struct stage *s, int64_t v, struct dblock_error *err)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "count %lld", (long long)v);
	return dblock_latch_create(s->client, name, v, NULL, err);
}

static inline int latch_down(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_latch_count_down(s->client, "none", v, NULL, NULL, err);
}

static inline int latch_request(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_count_down_options o = DBLOCK_COUNT_DOWN_OPTIONS_INIT;

	o.request = v;
	return dblock_latch_count_down(s->client, "none", 1, &o, NULL, err);
}

static inline int latch_reset(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_latch_reset(s->client, "none", v, NULL, err);
}

static inline int latch_wait(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_latch_wait_options o = DBLOCK_LATCH_WAIT_OPTIONS_INIT;

	o.wait_ms = v;
	return dblock_latch_wait(s->client, "none", &o, err);
}

static inline int latch_generation(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_latch_wait_options o = DBLOCK_LATCH_WAIT_OPTIONS_INIT;

	o.generation = v;
	return dblock_latch_wait(s->client, "none", &o, err);
}

static inline int enter_and_leave(struct stage *s, const char *name, int64_t parties,
				  int64_t wait_ms, struct dblock_error *err)
{
	struct dblock_barrier_options o = DBLOCK_BARRIER_OPTIONS_INIT;
	struct dblock_barrier *barrier;
	int rc;

	o.wait_ms = wait_ms;
	rc = dblock_barrier_enter(s->client, name, parties, &o, &barrier, err);
	return rc ? rc : dblock_barrier_leave(barrier, NULL, err);
}

static inline int barrier_name(struct stage *s, int64_t v, struct dblock_error *err)
{
	return enter_and_leave(s, text(s, v), 1, 0, err);
}

static inline int barrier_parties(struct stage *s, int64_t v, struct dblock_error *err)
{
	return enter_and_leave(s, "parties", v, DBLOCK_NO_WAIT, err);
}

static inline int barrier_wait(struct stage *s, int64_t v, struct dblock_error *err)
{
	return enter_and_leave(s, "wait", 1, v, err);
}

#endif
