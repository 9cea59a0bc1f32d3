/* SPDX-License-Identifier: MIT */
/* Scenes of nomem.c: calls that block nobody. */
#ifndef TESTS_DB_NOMEM_BEGUN_H
#define TESTS_DB_NOMEM_BEGUN_H

#include "db/faults/nomem_calls.h"

/* The outcome of what was begun. */
static inline int come_to(struct dblock_wait *wait, struct dblock_lock **lock,
			  struct dblock_error *err)
{
	int rc = dblock_wait_finish(wait, lock, err);

	dblock_wait_end(wait);
	return rc;
}

static inline int call_try_begin(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_wait *wait;
	int rc;

	options.value = "a value";
	rc = dblock_try_begin(s->client, "x", &options, &wait, err);
	return rc ? rc : come_to(wait, &s->lock, err);
}

static inline int call_extend_begin(struct stage *s, struct dblock_error *err)
{
	struct dblock_wait *wait;
	struct dblock_lock *none;
	int rc = dblock_extend_begin(s->lock, DAY_MS, &wait, err);

	return rc ? rc : come_to(wait, &none, err);
}

/* The handle stays if nothing could be begun. */
static inline int call_release_begin(struct stage *s, struct dblock_error *err)
{
	struct dblock_wait *wait;
	struct dblock_lock *none;
	int rc = s->lock ? dblock_release_begin(s->lock, &wait, err) : DBLOCK_OK;

	if (rc || !s->lock) {
		assert_true(!s->lock || dblock_valid(s->lock, 0));
		return rc;
	}
	s->lock = NULL;
	return come_to(wait, &none, err);
}

#endif
