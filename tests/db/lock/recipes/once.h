/* SPDX-License-Identifier: MIT */
/* Helpers of the tests of jobs that are done once. */
#ifndef TESTS_SUPPORT_ONCE_H
#define TESTS_SUPPORT_ONCE_H

#include "support/kit.h"
#include "support/raw.h"

/* Begins the slot, which must be free and not done. */
static inline struct dblock_lock *once(struct dblock_client *client, const char *name,
				       const char *slot)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_once_try(client, name, slot, NULL, &lock, &err));
	return lock;
}

/* The slot must have been done. */
static inline void done_before(struct dblock_client *client, const char *name, const char *slot)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(DONE, dblock_once_try(client, name, slot, NULL, &lock, &err));
	assert_null(lock);
}

static inline void until_somebody_waits(struct dblock_client *client, const char *name)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (show(client, name).h.waiting == 0) {
		assert_true(clock_ms() < until);
		sleep_ms(2);
	}
}

/* Declares a session dead as if it had been watched for its whole ttl. */
static inline void declare_holder_dead(struct raw *raw, const char *name)
{
	raw_exec(raw,
		 "UPDATE dblock_session SET dead = TRUE WHERE id ="
		 " (SELECT session FROM dblock_lock WHERE name = '%s')",
		 name);
}

#endif
