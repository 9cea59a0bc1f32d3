/* SPDX-License-Identifier: MIT */
/* Waits that a test drives itself, step by step. */
#ifndef TESTS_SUPPORT_STEPS_H
#define TESTS_SUPPORT_STEPS_H

#include <poll.h>

#include "support/kit.h"

static inline struct dblock_wait *wait_begin_with(struct dblock_client *client, const char *name,
						  const struct dblock_acquire_options *options)
{
	struct dblock_error err = {0};
	struct dblock_wait *wait;

	expect(OK, dblock_acquire_begin(client, name, options, &wait, &err));
	assert_non_null(wait);
	return wait;
}

static inline struct dblock_wait *wait_begin(struct dblock_client *client, const char *name)
{
	return wait_begin_with(client, name, NULL);
}

static inline int wait_fd(struct dblock_wait *wait)
{
	struct dblock_error err = {0};
	int fd = -1;

	expect(OK, dblock_wait_fd(wait, &fd, &err));
	assert_true(fd >= 0);
	return fd;
}

/* Tells whether a step is due within so long. */
static inline bool is_due_within(struct dblock_wait *wait, int ms)
{
	struct pollfd fd = {.fd = wait_fd(wait), .events = POLLIN};

	return poll(&fd, 1, ms) == 1;
}

static inline bool is_due(struct dblock_wait *wait)
{
	return is_due_within(wait, 0);
}

static inline void step_waits(struct dblock_wait *wait)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(WAITING, dblock_wait_step(wait, &lock, &err));
	assert_null(lock);
}

/* Takes the steps as they are due, to the outcome. */
static inline int drive(struct dblock_wait *wait, struct dblock_lock **lock,
			struct dblock_error *err)
{
	int rc;

	do {
		assert_true(is_due_within(wait, PLENTY_MS));
		rc = dblock_wait_step(wait, lock, err);
		assert_true((rc == DBLOCK_OK) == (*lock != NULL));
	} while (rc == DBLOCK_WAITING);
	return rc;
}

/* Steps a new wait into the queue, until it is only woken, or looks once in a while. It has come so
 * far when the words are those of the database. */
static inline void get_in_queue(struct dblock_wait *wait)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t until = clock_ms() + PLENTY_MS;

	do {
		expect(WAITING, dblock_wait_step(wait, &lock, &err));
		assert_null(lock);
		assert_true(clock_ms() < until);
	} while (is_due_within(wait, 1) || strstr(err.message, "no answer yet"));
}

static inline struct dblock_wait *wait_in_queue(struct dblock_client *client, const char *name)
{
	struct dblock_wait *wait = wait_begin(client, name);

	get_in_queue(wait);
	return wait;
}

/* The wait must get the lock, which stays held; the wait is ended. */
static inline struct dblock_lock *wait_gets(struct dblock_wait *wait)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, drive(wait, &lock, &err));
	dblock_wait_end(wait);
	assert_true(dblock_valid(lock, 0));
	return lock;
}

/* The wait must end with that outcome, without the lock. */
static inline void wait_comes_to(struct dblock_wait *wait, int outcome)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect_at(drive(wait, &lock, &err), outcome, &err, "drive", __FILE__, __LINE__);
	dblock_wait_end(wait);
}

/* The same of a release, an extension, or a try that fails. */
static inline void call_comes_to(struct dblock_wait *wait, int outcome)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	do {
		assert_true(is_due_within(wait, PLENTY_MS));
		rc = dblock_wait_step(wait, &lock, &err);
		assert_null(lock);
	} while (rc == DBLOCK_WAITING);
	expect_at(rc, outcome, &err, "dblock_wait_step", __FILE__, __LINE__);
	dblock_wait_end(wait);
}

#endif
