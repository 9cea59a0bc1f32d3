/* SPDX-License-Identifier: MIT */
/* The scenes of nomem.c with a latch and a barrier. */
#ifndef TESTS_DB_NOMEM_LATCH_H
#define TESTS_DB_NOMEM_LATCH_H

#include <dblock/barrier.h>
#include <dblock/latch.h>

#include "db/faults/nomem_calls.h"

/* A request of its own: so the call can be made again. */
static inline int call_latch(struct stage *s, struct dblock_error *err)
{
	struct dblock_count_down_options options = DBLOCK_COUNT_DOWN_OPTIONS_INIT;
	int rc = dblock_latch_create(s->client, "x", 1, NULL, err);

	options.request = 1;
	if (rc == 0)
		rc = dblock_latch_count_down(s->client, "x", 1, &options, NULL, err);
	if (rc == 0)
		rc = dblock_latch_wait(s->client, "x", NULL, err);
	return rc ? rc : dblock_latch_reset(s->client, "x", 0, NULL, err);
}

static inline int call_wait_for_latch(struct stage *s, struct dblock_error *err)
{
	struct dblock_latch_wait_options options = DBLOCK_LATCH_WAIT_OPTIONS_INIT;
	int rc = dblock_latch_create(s->client, "y", 1, NULL, err);

	options.wait_ms = 1;
	return rc ? rc : dblock_latch_wait(s->client, "y", &options, err);
}

static inline int call_barrier(struct stage *s, struct dblock_error *err)
{
	struct dblock_barrier *barrier;
	int rc = dblock_barrier_enter(s->client, "x", 1, NULL, &barrier, err);

	assert_true((rc == 0) == (barrier != NULL));
	return rc ? rc : dblock_barrier_leave(barrier, NULL, err);
}

/* Its place is free. */
static inline void check_barrier(struct stage *s, int rc)
{
	struct dblock_error err = {0};
	struct dblock_barrier *barrier;

	(void)rc;
	expect(OK, dblock_barrier_enter(s->helper, "x", 1, NULL, &barrier, &err));
	expect(OK, dblock_barrier_leave(barrier, NULL, &err));
}

#endif
