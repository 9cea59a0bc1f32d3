/* SPDX-License-Identifier: MIT */
/* Grants that a client keeps idle. */
#ifndef TESTS_SUPPORT_STICKY_H
#define TESTS_SUPPORT_STICKY_H

#include "lock/cache/own.h"
#include "lock/cache/sticky.h"
#include "lock/handle/handle.h"
#include "support/kit.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/waiting.h"

/* Both are longer than any test, so no heartbeat comes meanwhile: the client hears of others by
 * datagram. */
enum { KEPT_MS = 3600000, LONG_TTL_MS = 600000 };

static inline struct dblock_lock *take_for(struct dblock_client *client, const char *name,
					   int64_t idle_ms)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.idle_ms = idle_ms;
	expect(OK, dblock_acquire(client, name, &options, &lock, &err));
	assert_true(dblock_valid(lock, 0));
	return lock;
}

/* Leaves the lock idle with that client, and returns its token. If there was a queue before, the
 * first release only clears that up. */
static inline int64_t keep(struct dblock_client *client, const char *name)
{
	int64_t token = 0;

	for (int i = 0; i < 2 && client->locks->cache->n_idle == 0; i++) {
		struct dblock_lock *lock = take_for(client, name, KEPT_MS);

		token = dblock_token(lock);
		give(lock);
	}
	assert_int_equal(client->locks->cache->n_idle, 1);
	return token;
}

/* Tells whether the row says that any session holds it. */
static inline bool held_in_database(struct raw *raw, const char *name)
{
	return raw_int(raw,
		       "SELECT count(*) FROM dblock_lock WHERE name = '%s' AND session IS NOT NULL",
		       name) > 0;
}

#endif
