/* SPDX-License-Identifier: MIT */
/* The state machine of an acquire that waits, which a test drives itself: a step asks the database one
 * thing at most, in the test's own thread. */
#ifndef TESTS_SUPPORT_MACHINE_H
#define TESTS_SUPPORT_MACHINE_H

#include <poll.h>

#include "api/client.h"
#include "base/alarm.h"
#include "lock/begun.h"
#include "lock/wait/wait.h"
#include "support/kit.h"

struct machine {
	struct dbl_wait wait;
	struct dbl_acquire_spec spec;
	char texts[128];
};

static inline struct machine *machine_new_with(struct dblock_client *client, const char *name,
					       const struct dblock_acquire_options *options)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct dbl_acquire_spec spec;
	struct dblock_error err = {0};

	assert_non_null(m);
	expect(OK, dbl_spec_read(&spec, client, name, options, &err));
	assert_true(dbl_begun_room(&spec) <= sizeof(m->texts));
	dbl_begun_copy(&m->spec, &spec, m->texts);
	expect(OK, dbl_wait_begin(&m->wait, client->locks, &m->spec, &err));
	m->wait.waiter.alarm = dbl_alarm_new();
	m->wait.by_steps = true;
	assert_true(m->wait.waiter.alarm >= 0);
	return m;
}

static inline struct machine *machine_new(struct dblock_client *client, const char *name)
{
	return machine_new_with(client, name, NULL);
}

static inline bool machine_is_due_within(struct machine *m, int ms)
{
	struct dbl_locks *locks = m->wait.attempt.locks;
	struct pollfd fd = {.fd = m->wait.waiter.alarm, .events = POLLIN};

	dbl_lock(&locks->mutex);
	dbl_alarm_set(fd.fd, locks->env, dbl_wait_due_at(&m->wait));
	dbl_unlock(&locks->mutex);
	return poll(&fd, 1, ms) == 1;
}

static inline int machine_step(struct machine *m, struct dblock_lock **lock,
			       struct dblock_error *err)
{
	int rc = dbl_wait_step(&m->wait, lock, err);

	assert_true((rc == DBLOCK_OK) == (*lock != NULL));
	return rc;
}

static inline void machine_waits(struct machine *m)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	assert_int_equal(machine_step(m, &lock, &err), DBLOCK_WAITING);
}

static inline void machine_get_in_queue(struct machine *m)
{
	while (machine_is_due_within(m, 0))
		machine_waits(m);
}

static inline void machine_free(struct machine *m)
{
	dbl_wait_end(&m->wait);
	free(m);
}

/* It must get the lock, which stays held. */
static inline struct dblock_lock *machine_gets(struct machine *m)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	do {
		assert_true(machine_is_due_within(m, PLENTY_MS));
		rc = machine_step(m, &lock, &err);
	} while (rc == DBLOCK_WAITING);
	expect(OK, rc);
	machine_free(m);
	return lock;
}

#endif
