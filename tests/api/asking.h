/* SPDX-License-Identifier: MIT */
/* Asking holders to let go, and what they see of it. */
#ifndef TESTS_SUPPORT_ASKING_H
#define TESTS_SUPPORT_ASKING_H

#include "support/kit.h"

/* No heartbeat comes within the time that a test takes. */
enum { HOUR_MS = 3600000 };

/* What a holder's callback has seen. Written on a thread of the library, before `times`. */
struct told {
	_Atomic int times;
	struct dblock_lock *lock;
	struct dblock_release_request request;
	char reason[256], host[256], app[64];
	bool release; /* from within */
	_Atomic int released;
};

static inline void requested(void *arg, struct dblock_lock *lock,
			     const struct dblock_release_request *request)
{
	struct told *told = arg;

	told->lock = lock;
	told->request = *request;
	snprintf(told->reason, sizeof(told->reason), "%s", request->reason);
	snprintf(told->host, sizeof(told->host), "%s", request->host);
	snprintf(told->app, sizeof(told->app), "%s", request->app);
	told->times++;
	if (told->release)
		told->released = 1 + (dblock_release(lock, NULL) == DBLOCK_OK);
}

static inline struct dblock_lock *take_with(struct dblock_client *client, const char *name,
					    struct told *told, int64_t lease_ms)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.release_requested = told ? requested : NULL;
	options.release_requested_arg = told;
	options.lease_ms = lease_ms;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

static inline void ask(struct dblock_client *client, const char *name, const char *reason)
{
	struct dblock_error err = {0};

	expect(OK, dblock_request_release(client, name, reason, &err));
}

static inline void nobody_to_ask(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};

	expect(STALE, dblock_request_release(client, name, "why", &err));
	message_has(name);
}

#define soon(condition)                                                                            \
	do {                                                                                       \
		int64_t until_ = clock_ms() + PLENTY_MS;                                           \
		while (!(condition) && clock_ms() < until_)                                        \
			sleep_ms(2);                                                               \
		assert_true(condition);                                                            \
	} while (0)

/* All that this client was asked before has been looked at: what is asked now is heard. */
static inline void hears(struct dblock_client *client, struct dblock_client *other,
			 const char *name)
{
	struct told told = {.times = 0};
	struct dblock_lock *lock = take_with(client, name, &told, 0);

	ask(other, name, NULL);
	soon(told.times == 1);
	assert_string_equal(told.reason, "");
	give(lock);
}

struct seen {
	int n;
	char reason[256];
	int64_t pid;
};

static inline int look_at_request(void *arg, const struct dblock_holder *holder)
{
	struct seen *seen = arg;

	if (holder->request) {
		seen->n++;
		snprintf(seen->reason, sizeof(seen->reason), "%s", holder->request->reason);
		seen->pid = holder->request->pid;
	}
	return 0;
}

#endif
