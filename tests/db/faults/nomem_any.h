/* SPDX-License-Identifier: MIT */
/* Any one of several locks, for nomem.c. */
#ifndef TESTS_DB_NOMEM_ANY_H
#define TESTS_DB_NOMEM_ANY_H

#include <dblock/group.h>

#include "db/faults/nomem_calls.h"

static inline void with_both_busy(struct stage *s)
{
	with_busy(s);
	(void)take(s->helper, "w");
}

static inline int call_any_of(struct stage *s, const char *name, struct dblock_error *err)
{
	const struct dblock_lock_spec both[] = {{.name = name}, {.name = "x"}};
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.wait_ms = 1;
	return dblock_acquire_any(s->client, both, 2, &options, &s->lock, err);
}

static inline int call_wait_for_any(struct stage *s, struct dblock_error *err)
{
	return call_any_of(s, "w", err);
}

static inline int call_take_any(struct stage *s, struct dblock_error *err)
{
	return call_any_of(s, "y", err);
}

/* The helper has "x". */
static inline void check_any(struct stage *s, int rc)
{
	assert_true((rc == DBLOCK_OK) == (s->lock != NULL));
	if (rc == DBLOCK_OK) {
		assert_string_equal(dblock_name(s->lock), "y");
		busy(s->helper, "y");
	}
	if (rc == DBLOCK_E_NOMEM)
		is_free(s->helper, "y");
}

#endif
