/* SPDX-License-Identifier: MIT */
/* Tests of what a client finds to be forgotten share a client that holds locks, and is told of losses. */
#ifndef TESTS_DB_RECONCILE_KIT_H
#define TESTS_DB_RECONCILE_KIT_H

#include "lock/watch/own.h"
#include "lock/watch/reconcile.h"
#include "support/waiting.h"

struct scene {
	struct dblock_client *client, *other;
	struct raw *raw;
	_Atomic int lost;
};

static inline void begin(struct scene *s)
{
	*s = (struct scene){.client = client_new(600000), .other = client_new(600000)};
	s->raw = raw_open(NULL);
}

static inline void end(struct scene *s)
{
	dblock_close(s->client, NULL);
	dblock_close(s->other, NULL);
	raw_exec(s->raw, "DELETE FROM dblock_lock");
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	raw_close(s->raw);
}

static inline void told(void *arg, struct dblock_lock *lock)
{
	struct scene *s = arg;

	(void)lock;
	s->lost++;
}

static inline struct dblock_lock *hold(struct scene *s, const char *name,
				       const struct dblock_acquire_options *given)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	if (given)
		how = *given;
	how.lost = told;
	how.lost_arg = s;
	expect(OK, dblock_try(s->client, name, &how, &lock, &err));
	return lock;
}

/* Waits for a whole pass that began after this call. */
static inline void reconcile(struct scene *s)
{
	struct dbl_locks *locks = s->client->locks;
	int64_t heard = atomic_load(&locks->watchdog->passes) + 2;

	while (atomic_load(&locks->watchdog->passes) < heard) {
		dbl_reconcile_soon(locks);
		sleep_ms(2);
	}
}

static inline void is_lost(struct scene *s, struct dblock_lock *lock)
{
	struct dblock_error err = {0};

	/* An earlier pass may have found it already. */
	reconcile(s);
	wait_until(s->lost == 1);
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	s->lost = 0;
}

#endif
