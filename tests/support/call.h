/* SPDX-License-Identifier: MIT */
/* A call into the library on its own thread: the test looks on, and does harm meanwhile. */
#ifndef TESTS_SUPPORT_CALL_H
#define TESTS_SUPPORT_CALL_H

#include "support/kit.h"

struct call {
	int (*run)(void *arg, struct dblock_error *err);
	void *arg;
	/* Set once it is done: */
	int rc;
	struct dblock_error err;
	int64_t begun, ended; /* CLOCK_BOOTTIME, ms */
	_Atomic bool done;
	pthread_t thread;
};

static inline void *call_body(void *arg)
{
	struct call *call = arg;

	call->begun = clock_ms();
	call->rc = call->run(call->arg, &call->err);
	call->ended = clock_ms();
	call->done = true;
	return NULL;
}

static inline void call_start(struct call *call, int (*run)(void *, struct dblock_error *),
			      void *arg)
{
	*call = (struct call){.run = run, .arg = arg};
	assert_int_equal(pthread_create(&call->thread, NULL, call_body, call), 0);
}

/* Waits for its end, but not for ever. */
static inline int call_end(struct call *call)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (!call->done && clock_ms() < until)
		sleep_ms(2);
	assert_true(call->done);
	pthread_join(call->thread, NULL);
	return call->rc;
}

static inline void call_is_ok(struct call *call)
{
	if (call_end(call))
		fail_msg("%s: %s", dblock_outcome_name(call->rc), call->err.message);
}

#endif
