/* SPDX-License-Identifier: MIT */
/* Waits for any one of several locks, for the tests of them. */
#ifndef TESTS_DB_ANY_KIT_H
#define TESTS_DB_ANY_KIT_H

#include "support/kit.h"

#include <dblock/group.h>

#include "support/raw.h"
#include "support/waiting.h"

static const struct dblock_lock_spec abc[] = {{.name = "c"}, {.name = "a"}, {.name = "b"}};

static inline struct dblock_lock *any(struct dblock_client *client, const char *expected)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_acquire_any(client, abc, 3, NULL, &lock, &err));
	assert_string_equal(dblock_name(lock), expected);
	assert_true(dblock_valid(lock, 0));
	return lock;
}

struct job {
	struct dblock_client *client;
	struct dblock_acquire_options how;
	struct dblock_lock *_Atomic lock;
	_Atomic int rc;
	struct dblock_error err;
	pthread_t thread;
};

static inline void *wait_for_any(void *arg)
{
	struct job *job = arg;
	struct dblock_lock *lock;

	job->rc = dblock_acquire_any(job->client, abc, 3, &job->how, &lock, &job->err);
	job->lock = lock;
	return NULL;
}

/* Returns when it stands in `n` queues. */
static inline void begins(struct job *job, struct dblock_client *client, struct raw *raw, int n)
{
	int64_t before = raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE token IS NULL");

	job->client = client;
	job->rc = -1;
	job->lock = NULL;
	assert_int_equal(pthread_create(&job->thread, NULL, wait_for_any, job), 0);
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE token IS NULL") ==
		   before + n);
}

static inline struct dblock_lock *gets_now(const struct job *job, const char *name)
{
	struct dblock_error err = job->err;

	expect_at(job->rc, DBLOCK_OK, &err, "dblock_acquire_any", __FILE__, __LINE__);
	assert_string_equal(dblock_name(job->lock), name);
	assert_true(dblock_valid(job->lock, 0));
	return job->lock;
}

static inline struct dblock_lock *gets(struct job *job, const char *name)
{
	pthread_join(job->thread, NULL);
	return gets_now(job, name);
}

#define JOB                                                                                        \
	{                                                                                          \
		.how = DBLOCK_ACQUIRE_OPTIONS_INIT                                                 \
	}

#endif
