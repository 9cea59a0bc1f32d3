/* SPDX-License-Identifier: MIT */
/* Threads that wait for a lock, and what can be seen of them from outside. */
#ifndef TESTS_SUPPORT_WAITING_H
#define TESTS_SUPPORT_WAITING_H

#include "api/client.h"
#include "support/kit.h"
#include "support/raw.h"
#include "support/spy.h"

struct waiting {
	struct dblock_client *client;
	const char *name;
	int64_t wait_ms; /* 0: for ever */
	pthread_t thread;
	int rc;
	struct dblock_lock *lock;
	struct dblock_error err;
	_Atomic bool done;
};

static inline void *waiting_body(void *arg)
{
	struct waiting *w = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.wait_ms = w->wait_ms;
	w->rc = dblock_acquire(w->client, w->name, &options, &w->lock, &w->err);
	w->done = true;
	return NULL;
}

static inline void waiting_start(struct waiting *w, struct dblock_client *client, const char *name)
{
	*w = (struct waiting){.client = client, .name = name};
	assert_int_equal(pthread_create(&w->thread, NULL, waiting_body, w), 0);
}

/* Waits until the condition holds: for longer than any machine needs. */
#define wait_until(condition)                                                                      \
	do {                                                                                       \
		int64_t until_ = clock_ms() + PLENTY_MS;                                           \
		bool came_;                                                                        \
		while (!(came_ = (condition)) && clock_ms() < until_)                              \
			sleep_ms(2);                                                               \
		if (!came_) {                                                                      \
			print_error("never came: %s\n", #condition);                               \
			_fail(__FILE__, __LINE__);                                                 \
		}                                                                                  \
	} while (0)

/* The wait must get the lock. */
static inline struct dblock_lock *waiting_join(struct waiting *w)
{
	wait_until(w->done);
	pthread_join(w->thread, NULL);
	if (w->rc)
		fail_msg("%s: %s", dblock_outcome_name(w->rc), w->err.message);
	return w->lock;
}

/* Returns how many wait in the queue, and have announced it. */
static inline int64_t in_queue(struct raw *raw)
{
	return raw_int(raw, "SELECT count(*) FROM dblock_queue");
}

/* Returns how many channels work: on MySQL, those that sleep for long. */
static inline int64_t count_doorbells(struct raw *raw)
{
	if (on_backend("postgresql"))
		return raw_int(raw, "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle' "
				    "AND query LIKE '-- granted:%%' "
				    "AND datname = current_database()");
	return raw_int(raw, "SELECT count(*) FROM information_schema.processlist "
			    "WHERE info LIKE '-- doorbell:%%SLEEP(1000 %%' "
			    "AND db = DATABASE()");
}

#endif
