/* SPDX-License-Identifier: MIT */
/* Scenes of nomem.c: what is true after a call, whatever it returned. */
#ifndef TESTS_DB_NOMEM_CHECKS_H
#define TESTS_DB_NOMEM_CHECKS_H

#include "db/faults/nomem_calls.h"

/* The lock is held if the call says so, and free at once if it says that there was no memory. */
static inline void check_acquired(struct stage *s, int rc)
{
	if (rc == DBLOCK_OK) {
		assert_true(dblock_valid(s->lock, 0));
		busy(s->helper, "x");
	} else {
		assert_null(s->lock);
	}
	if (rc == DBLOCK_E_NOMEM)
		is_free(s->helper, "x");
}

/* A session that nobody needs is taken back, unless there is no memory for that either. */
static inline void check_opened(struct stage *s, int rc)
{
	if (rc && !shortage.lasts)
		assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_session WHERE NOT "
						 "dead AND app = 'opened'"),
				 0);
	if (rc)
		raw_exec(s->raw, "DELETE FROM dblock_session WHERE app = 'opened'");
}

/* The lock's holder may have been declared dead before memory ran out. */
static inline void check_outlived(struct stage *s, int rc)
{
	if (rc == DBLOCK_OK)
		assert_true(dblock_token(s->lock) > s->dying->token);
	else
		assert_null(s->lock);
}

static inline void check_still_held(struct stage *s, int rc)
{
	(void)rc;
	assert_true(dblock_valid(s->lock, 0));
	busy(s->helper, "x");
}

/* The place in the queue is gone, at once or by the client's cleanup. */
static inline void check_not_in_queue(struct stage *s, int rc)
{
	int64_t give_up = clock_ms() + PLENTY_MS;

	(void)rc;
	while (raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE name = 'x'") > 0) {
		assert_true(clock_ms() < give_up);
		sleep_ms(5);
	}
}

#endif
