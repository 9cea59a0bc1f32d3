/* SPDX-License-Identifier: MIT */
/* Releases, extensions and tries that block nobody. */
#ifndef TESTS_SUPPORT_BEGUN_H
#define TESTS_SUPPORT_BEGUN_H

#include "support/steps.h"

static inline struct dblock_wait *try_begin(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};
	struct dblock_wait *wait;

	expect(OK, dblock_try_begin(client, name, NULL, &wait, &err));
	return wait;
}

static inline struct dblock_wait *release_begin(struct dblock_lock *lock)
{
	struct dblock_error err = {0};
	struct dblock_wait *wait;

	expect(OK, dblock_release_begin(lock, &wait, &err));
	return wait;
}

static inline struct dblock_wait *extend_begin(struct dblock_lock *lock, int64_t lease_ms)
{
	struct dblock_error err = {0};
	struct dblock_wait *wait;

	expect(OK, dblock_extend_begin(lock, lease_ms, &wait, &err));
	return wait;
}

static inline struct dblock_lock *take_with(struct dblock_client *client, enum dblock_mode mode,
					    int64_t lease_ms)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = mode;
	options.lease_ms = lease_ms;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	return lock;
}

#endif
