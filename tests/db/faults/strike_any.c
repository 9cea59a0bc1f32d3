/* SPDX-License-Identifier: MIT */
/* A wait for any one of two locks, of which one is given back, with each driver call in turn going wrong in
 * each way. */
#include "db/faults/strike_kit.h"

#include <dblock/group.h>

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

static void with_both_busy(struct stage *s)
{
	with_client(s);
	s->theirs = take(s->calm, "w");
	s->own = take(s->calm, "x");
	s->asked = 0;
}

/* The calm one gives "x" back while the call waits. */
static int give_at_third(void *arg)
{
	struct stage *s = arg;

	if (++s->asked == 3) {
		give(s->own);
		s->own = NULL;
	}
	return s->asked > 8; /* while the database is down an ask takes as long as a request */
}

static int call_wait_for_any(struct stage *s, struct dblock_error *err)
{
	const struct dblock_lock_spec wants[] = {{.name = "x"}, {.name = "w"}};
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.canceled = give_at_third;
	how.canceled_arg = s;
	return dblock_acquire_any(s->client, wants, 2, &how, &s->lock, err);
}

/* It has one, or none; and its place in the queues of both is over. (What a dead session has left in a queue
 * is never granted.) */
static void check_any(struct stage *s, int rc)
{
	assert_true((rc == 0) == (s->lock != NULL));
	if (s->lock)
		assert_string_equal(dblock_name(s->lock), "x");
	if (s->own)
		give(s->own);
	s->own = NULL;
	assert_true(dblock_valid(s->theirs, 0));
	give(s->theirs);
	s->theirs = NULL;
}

static void nobody_is_in_queue(struct stage *s)
{
	is_free(s->calm, "w");
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue w JOIN dblock_session c"
					 " ON c.id = w.session WHERE NOT c.dead"),
			 0);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
}

/* Naive: a place in the queue of the other is left where the answer to the grant was lost. (Where the server
 * stays down it is as with a wait for one, strike_queue.c, and takes minutes.) */
PLAY(wait_for_any, .prepare = with_both_busy, .call = call_wait_for_any, .check = check_any,
     .clear = nobody_is_in_queue, .least = 15, .frail = true, .large = true,
     .kinds = KIND(LOST) | KIND(REPLY_LOST) | KIND(HALF) | KIND(STUBBORN) | KIND(DARK) |
	      KIND(LATE) | KIND(STRAY_POOLED),
     .may = {DBLOCK_CANCELED, FAILURES})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(wait_for_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
