/* SPDX-License-Identifier: MIT */
/* Somebody's open transaction has the lock's row: joining the queue, leaving it, and a hand-over to
 * it take no longer than their time. */
#include "db/lock/queue/queue_kit.h"

/* A fence has the lock's row. On SQLite it has the file, and nobody can join. */
static void joining_under_a_fence(void **state)
{
	struct scene *s = *state;
	struct waiting w = {.lock = NULL}, in_vain = {.lock = NULL};
	struct dblock_lock *lock = take(s->a, "x");
	int64_t begun;

	if (on_backend("sqlite")) {
		give(lock);
		return;
	}
	raw_lock_row(s->fence, "x");
	waiting_start(&w, s->b);
	waiting_start(&in_vain, s->b);
	until_true(in_queue(s->raw) == 2);
	sleep_ms(300);
	begun = clock_ms();
	waiting_cancel(&in_vain);
	/* This is long before a request's own deadline; a statement waits for the row 1 s at most.
	 */
	assert_true(clock_ms() - begun < PLENTY_MS / 2);
	until_true(in_queue(s->raw) == 1);
	assert_false(w.call.done);
	raw_exec(s->fence, "COMMIT");
	until_true(row_of(s->raw, "queue_version") > 1);
	give(lock);
	waiting_give(&w);
	until_true(rows_in_queue(s->raw) == 0);
	is_free(s->a, "x");
}

static void *commit_after_a_while(void *arg)
{
	sleep_ms(700);
	raw_exec(arg, "COMMIT");
	return NULL;
}

/* Naive: a hand-over that finds the row locked is left to the heartbeat. */
static void a_hand_over_is_patient(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};
	struct crew crew = {.n = 0};
	int64_t begun;

	waiting_join(&w, s->b, s->raw);
	raw_lock_row(s->fence, "x");
	begun = clock_ms();
	crew_add(&crew, commit_after_a_while, s->fence);
	give(lock);
	assert_true(clock_ms() - begun >= 700);
	crew_join(&crew);
	waiting_give(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(joining_under_a_fence),
		CASE(a_hand_over_is_patient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
