/* SPDX-License-Identifier: MIT */
/* A wait for several names keeps its place in all their queues while the database fails it. Naive:
 * it leaves them, and joins them again at their ends, behind all that have come meanwhile. */
#include "db/lock/queue/queue_kit.h"

static struct raw *stranger; /* has the row of 'x' locked: what is announced there fails */

/* Somebody locks the row while the group is about to announce itself, and goes on once it has tried
 * that twice. */
static enum spy_fate lock_it_out(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_announce && spy->runs_of[op] == 0)
		raw_lock_row(stranger, "x");
	if (op == DBL_OP_announce && spy->runs_of[op] == 1)
		raw_exec(stranger, "COMMIT");
	return SPY_PASS;
}

static void though_it_cannot_be_announced(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, DBLOCK_TTL_MAX_MS, 300);
	struct dblock_lock *y = take(s->a, "y");
	struct call both;

	stranger = s->fence;
	spy->fate = lock_it_out;
	call_start(&both, acquire_both, client);
	until_true(spy->runs_of[DBL_OP_announce] >= 3);
	assert_int_equal(spy->runs_of[DBL_OP_enqueue], 2);
	give(y);
	call_is_ok(&both);
	assert_int_equal(spy->runs_of[DBL_OP_enqueue], 2);
	until_true(rows_in_queue(s->raw) == 0);
	is_free(s->b, "x");
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(though_it_cannot_be_announced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
