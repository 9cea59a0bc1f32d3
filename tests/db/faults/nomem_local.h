/* SPDX-License-Identifier: MIT */
/* Scenes of nomem.c: threads of one client that wait for each other in memory. */
#ifndef TESTS_DB_NOMEM_LOCAL_H
#define TESTS_DB_NOMEM_LOCAL_H

#include "db/faults/nomem_calls.h"
#include "support/local.h"

/* Another thread of the same client has the lock. */
static inline void with_own_thread(struct stage *s)
{
	struct waiting first;

	with_client(s);
	waiting_start(&first, s->client, "x");
	s->lock = waiting_join(&first);
}

/* The handle of the waiting thread must not hide the holder's. */
static inline int call_wait_in_memory(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *none;
	int rc;

	options.wait_ms = 1;
	rc = dblock_acquire(s->client, "x", &options, &none, err);
	assert_null(none);
	return rc;
}

static inline void check_none_in_memory(struct stage *s, int rc)
{
	(void)rc;
	assert_int_equal(in_memory(s->client, "x"), 0);
	assert_true(dblock_valid(s->lock, 0));
}

/* The lock is given back, or known to be: either way the next thread gets it. Returns how many
 * requests were refused. */
static inline int release_to_next(struct stage *s, int n, bool lasts)
{
	struct dblock_error err = {0};
	struct waiting next;
	int refused, rc;

	with_own_thread(s);
	waits_in_memory(&next, s->client, "x");
	shortage_begin(SHORT_OF_MEMORY, n, lasts);
	rc = dblock_release(s->lock, &err);
	refused = shortage_end();
	if (rc != DBLOCK_E_UNSURE && rc != DBLOCK_E_NOMEM)
		assert_int_equal(rc, DBLOCK_OK);
	wait_until(next.done);
	pthread_join(next.thread, NULL);
	/* The next thread has it unless its own request was refused. */
	if (next.rc == DBLOCK_OK)
		give(next.lock);
	else
		assert_int_equal(next.rc, DBLOCK_E_NOMEM);
	assert_int_equal(in_memory(s->client, "x"), 0);
	dblock_close(s->client, NULL);
	s->client = NULL;
	s->lock = NULL;
	return refused;
}

static inline void it_goes_from_thread_to_thread(void **state)
{
	for (int n = 1; release_to_next(*state, n, false) > 0; n++)
		(void)release_to_next(*state, n, true);
}

#endif
