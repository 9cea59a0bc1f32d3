/* SPDX-License-Identifier: MIT */
/* The cost of a call, counted at the driver: statements run, each one round trip. */
#ifndef TESTS_DB_ROUND_TRIPS_KIT_H
#define TESTS_DB_ROUND_TRIPS_KIT_H

#include "support/raw.h"
#include "support/spy.h"

/* The spied-on client is warm: each of its statements has been prepared. */
struct scene {
	struct spy *spy;
	struct dblock_client *client, *other;
};

static inline int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock, *none;

	s->spy = spy_new();
	s->client = spy_client(s->spy, 0);
	s->other = client_new(0);
	is_free(s->client, "x");
	how.lease_ms = 600000;
	assert_int_equal(dblock_try(s->client, "x", &how, &lock, NULL), DBLOCK_OK);
	give(lock);
	lock = take(s->other, "x");
	assert_int_equal(dblock_try(s->client, "x", NULL, &none, NULL), DBLOCK_BUSY);
	give(lock);
	*state = s;
	return 0;
}

static inline int tear_down(void **state)
{
	struct scene *s = *state;

	dblock_close(s->client, NULL);
	dblock_close(s->other, NULL);
	spy_free(s->spy);
	free(s);
	return 0;
}

/* There were exactly so many runs since the last reset, and nothing else over the wire. */
static inline void costs(struct spy *spy, int runs)
{
	spy_assert_runs(spy, runs);
	assert_int_equal(spy->prepares, 0);
	assert_int_equal(spy->execs, 0);
	assert_int_equal(spy->opens, 0);
	spy_reset(spy);
}

/* SQLite clients are relaxed by default: the release of a lease is made durable by a transaction of
 * two statements. */
static inline int settling(void)
{
	return on_backend("sqlite") ? 2 : 0;
}

static inline void costs_and_settles(struct spy *spy, int runs)
{
	assert_int_equal(spy->execs, settling());
	spy->execs = 0;
	costs(spy, runs + settling());
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
