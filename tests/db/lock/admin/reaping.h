/* SPDX-License-Identifier: MIT */
/* A client that reaps, and what it reports. */
#ifndef TESTS_SUPPORT_REAPING_H
#define TESTS_SUPPORT_REAPING_H

#include "support/kit.h"
#include "support/raw.h"

struct scene {
	struct dblock_client *client;
	struct raw *raw;
};

/* Removes what earlier tests have left for a reaper. */
static inline int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->client = client_new(0);
	s->raw = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_lock");
	raw_exec(s->raw, "DELETE FROM dblock_session WHERE dead = true");
	*state = s;
	return 0;
}

static inline int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	dblock_close(s->client, NULL);
	free(s);
	return 0;
}

static inline struct dblock_reaped reap(struct dblock_client *client)
{
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	expect(OK, dblock_reap(client, NULL, &reaped, &err));
	return reaped;
}

static inline void is(const struct dblock_reaped *r, int64_t buried, int64_t freed, int64_t deleted,
		      int64_t purged)
{
	assert_int_equal(r->sessions_buried, buried);
	assert_int_equal(r->locks_freed, freed);
	assert_int_equal(r->sessions_deleted, deleted);
	assert_int_equal(r->names_purged, purged);
}

#endif
