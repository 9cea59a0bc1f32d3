/* SPDX-License-Identifier: MIT */
/* Latches and barriers, for tests by the public API. */
#ifndef TESTS_DB_LATCH_H
#define TESTS_DB_LATCH_H

#include <dblock/barrier.h>
#include <dblock/latch.h>

#include "support/call.h"
#include "support/scene.h"
#include "support/spy.h"

static inline struct dblock_latch latch_new(struct dblock_client *client, int64_t count)
{
	struct dblock_latch latch = DBLOCK_LATCH_INIT;
	struct dblock_error err = {0};

	expect(OK, dblock_latch_create(client, "x", count, &latch, &err));
	return latch;
}

static inline struct dblock_latch latch_now(struct dblock_client *client)
{
	struct dblock_latch latch = DBLOCK_LATCH_INIT;
	struct dblock_error err = {0};

	expect(OK, dblock_latch_show(client, "x", &latch, &err));
	return latch;
}

static inline int64_t latch_down(struct dblock_client *client, int64_t n)
{
	struct dblock_error err = {0};
	int64_t left = -1;

	expect(OK, dblock_latch_count_down(client, "x", n, NULL, &left, &err));
	return left;
}

static inline void latch_reset(struct dblock_client *client, int64_t count)
{
	struct dblock_error err = {0};

	expect(OK, dblock_latch_reset(client, "x", count, NULL, &err));
}

/* ---- who waits --------------------------------------------------------------------------------- */

/* A party of a barrier, or who waits for a latch, on a thread of its own. */
struct party {
	struct dblock_client *client;
	int64_t n;
	struct dblock_barrier_options options;
	struct dblock_latch_wait_options waiting;
	struct dblock_barrier *barrier;
	_Atomic bool stop;
	struct call call;
};

#define PARTY(c, parties)                                                                          \
	{                                                                                          \
		.client = (c), .n = (parties), .options = DBLOCK_BARRIER_OPTIONS_INIT,             \
		.waiting = DBLOCK_LATCH_WAIT_OPTIONS_INIT                                          \
	}

static inline int is_stopped(void *arg)
{
	return ((struct party *)arg)->stop;
}

static inline int party_waits(void *arg, struct dblock_error *err)
{
	struct party *p = arg;

	return dblock_latch_wait(p->client, "x", &p->waiting, err);
}

static inline int party_enters(void *arg, struct dblock_error *err)
{
	struct party *p = arg;

	p->options.canceled = is_stopped;
	p->options.canceled_arg = p;
	return dblock_barrier_enter(p->client, "x", p->n, &p->options, &p->barrier, err);
}

static inline int party_leaves(void *arg, struct dblock_error *err)
{
	struct party *p = arg;

	return dblock_barrier_leave(p->barrier, &p->options, err);
}

static inline void party_start(struct party *p, int (*what)(void *, struct dblock_error *))
{
	call_start(&p->call, what, p);
}

static inline void party_ends(struct party *p, int outcome)
{
	int rc = call_end(&p->call);

	if (rc != outcome)
		fail_msg("%s, and not %s: %s", dblock_outcome_name(rc),
			 dblock_outcome_name(outcome), p->call.err.message);
}

/* So many living grants with that name are there; with `value` in theirs. */
static inline void until_there_are(struct raw *raw, const char *name, int n, const char *value)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (raw_int(raw,
		       "SELECT count(*) FROM dblock_queue q JOIN dblock_session s ON s.id = "
		       "q.session WHERE q.name = '%s' AND q.token IS NOT NULL AND NOT s.dead AND "
		       "q.value LIKE '%s'",
		       name, value) != n) {
		assert_true(clock_ms() < until);
		sleep_ms(2);
	}
}

/* n have arrived in the generation that the barrier is at. */
static inline void until_arrived(struct raw *raw, int n)
{
	int64_t until = clock_ms() + PLENTY_MS, generation, arrived;

	do {
		assert_true(clock_ms() < until);
		sleep_ms(2);
		generation = raw_int(raw, "SELECT coalesce(max(generation), 0) FROM dblock_latch "
					  "WHERE name = 'barrier:x'");
		arrived = raw_int(raw,
				  "SELECT count(*) FROM dblock_queue q JOIN dblock_session s ON "
				  "s.id = q.session WHERE q.name = 'barrier:x' AND q.token IS NOT "
				  "NULL AND NOT s.dead AND q.value LIKE '%lld#%%'",
				  (long long)generation);
	} while (arrived != n);
}

/* ---- the tests of a latch -------------------------------------------------------------------------- */

#define LATCH_TEST(test) cmocka_unit_test_setup_teardown(test, latch_set_up, latch_tear_down)

static inline int latch_set_up(void **state)
{
	int rc = scene_set_up(state);

	raw_exec(((struct scene *)*state)->raw, "DELETE FROM dblock_latch");
	return rc;
}

static inline int latch_tear_down(void **state)
{
	return scene_tear_down(state);
}

#endif
