/* SPDX-License-Identifier: MIT */
/* The tables were copied to another server, as logical replication and blue-green switches copy
 * them: without what counts the tickets, which begins anew below what has been served. Whoever waits
 * is granted the lock all the same, first come, first served. Naive: a wait whose ticket counts as
 * served joins anew, again and again, and nobody else is heard. */
#include <inttypes.h>

#include "db/lock/queue/queue_kit.h"

/* Far above what was drawn before: MySQL's count follows a ticket that was raised. (On SQLite tickets
 * follow the clock and what was served.) */
static void copy_without_the_count(struct scene *s)
{
	static int64_t served = 1000000000;

	served *= 16;
	raw_exec(s->raw, "UPDATE dblock_lock SET served = %" PRId64 " WHERE name = 'x'", served);
}

static void one_after_the_other(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_client *clients[] = {s->b, s->c, s->b};
	struct waiting w[3];

	memset(w, 0, sizeof(w));
	copy_without_the_count(s);
	for (int i = 0; i < 3; i++)
		waiting_join(&w[i], clients[i], s->raw);
	give(lock);
	for (int i = 0; i < 3; i++) {
		waiting_end(&w[i], OK);
		for (int j = i + 1; j < 3; j++)
			assert_false(w[j].call.done);
		give(w[i].lock);
	}
	is_free(s->a, "x");
}

static void together(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w[2] = {{.how.mode = DBLOCK_SHARED}, {.how.mode = DBLOCK_SHARED}};
	struct dblock_error err = {0};

	copy_without_the_count(s);
	waiting_join(&w[0], s->b, s->raw);
	waiting_join(&w[1], s->c, s->raw);
	give(lock);
	waiting_end(&w[0], OK);
	waiting_end(&w[1], OK);
	busy(s->a, "x");
	give(w[1].lock);
	copy_without_the_count(s);
	expect(OK, dblock_upgrade(w[0].lock, NULL, &err));
	give(w[0].lock);
	is_free(s->a, "x");
}

static void with_another(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct call all;

	copy_without_the_count(s);
	call_start(&all, acquire_both, s->b);
	until_true(in_queue(s->raw) == 1);
	give(lock);
	call_is_ok(&all);
	is_free(s->a, "x");
}

static void until_its_time_is_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.how.wait_ms = 200};

	copy_without_the_count(s);
	waiting_start(&w, s->b);
	waiting_end(&w, TIMEOUT);
	give(lock);
}

/* Nobody knows whether the row is there. Naive: its failure ends the wait. */
static enum spy_fate lose_the_first(struct spy *spy, enum dbl_op op)
{
	return op == DBL_OP_ticket_set && spy->runs_of[op] == 0 ? SPY_LOST_AFTER : SPY_PASS;
}

static void though_the_answer_was_lost(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, DBLOCK_TTL_MAX_MS);
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.client = NULL};

	copy_without_the_count(s);
	spy->fate = lose_the_first;
	waiting_start(&w, client);
	/* What was rolled back has raised MySQL's count all the same. */
	until_true(on_backend("sqlite") ||
		   spy->runs_of[DBL_OP_ticket_set] > (on_backend("postgresql") ? 1 : 0));
	give(lock);
	waiting_give(&w);
	until_true(rows_in_queue(s->raw) == 0);
	is_free(s->a, "x");
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(one_after_the_other),
		CASE(together),
		CASE(with_another),
		CASE(until_its_time_is_over),
		CASE(though_the_answer_was_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
