/* SPDX-License-Identifier: MIT */
/* A rate that is so slow that nothing comes free during a test. */
#ifndef TESTS_DB_RATE_H
#define TESTS_DB_RATE_H

#include <dblock/rate.h>

#include "support/scene.h"

#define HOUR_MS 3600000LL
#define HOUR_US (HOUR_MS * 1000)

/* One an hour: so slow that nothing comes free during a test. */
static inline int take_of(struct dblock_client *client, int64_t burst, int64_t n, int64_t wait_ms,
			  struct dblock_rate_state *state, struct dblock_error *err)
{
	struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;

	options.period_ms = HOUR_MS;
	options.wait_ms = wait_ms;
	return dblock_rate_take(client, "r", 1, burst, n, &options, state, err);
}

static inline int take_one(struct dblock_client *client, int64_t burst, struct dblock_error *err)
{
	return take_of(client, burst, 1, 0, NULL, err);
}

static inline int set_up(void **state)
{
	struct scene *s;

	scene_set_up(state);
	s = *state;
	raw_exec(s->raw, "DELETE FROM dblock_rate");
	return 0;
}

/* As if the clock had been set back by that. */
static inline void set_back(struct scene *s, int64_t us)
{
	raw_exec(s->raw, "UPDATE dblock_rate SET taken_at = taken_at + %lld", (long long)us);
}

static inline int64_t column(struct scene *s, const char *name)
{
	return raw_int(s->raw, "SELECT %s FROM dblock_rate WHERE name = 'r'", name);
}

#define assert_about(us, expected)                                                                 \
	do {                                                                                       \
		assert_true((us) <= (expected));                                                   \
		assert_true((us) > (expected)-PLENTY_MS * 1000);                                   \
	} while (0)

#endif
