/* SPDX-License-Identifier: MIT */
/* Pools, for nomem.c. */
#ifndef TESTS_DB_NOMEM_POOL_H
#define TESTS_DB_NOMEM_POOL_H

#include "db/faults/nomem_calls.h"

#include <dblock/pool.h>

/* It is given back at once: others try the name in another mode. */
static inline int call_numbered(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;
	int rc;

	how.mode = DBLOCK_PERMITS;
	how.permits = 2;
	how.capacity = 100; /* what could not be given back yet is in nobody's way */
	how.numbered = true;
	rc = dblock_try(s->client, "x", &how, &lock, err);
	if (rc)
		return rc;
	assert_true(dblock_permit_of(lock, 1) >= 1);
	return dblock_release(lock, err);
}

static inline int no_member(void *arg, const struct dblock_pool_member *member)
{
	(void)arg, (void)member;
	return 0;
}

static inline int call_pool(struct stage *s, struct dblock_error *err)
{
	int rc = dblock_pool_resize(s->client, "nomem", 4, err);

	if (rc == 0)
		rc = dblock_pool_add(s->client, "p", "nomem", err);
	return rc ? rc : dblock_pool_members(s->client, "p", no_member, NULL, err);
}

#endif
