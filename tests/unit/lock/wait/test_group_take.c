/* SPDX-License-Identifier: MIT */
/* A group that cannot take what is ready, since the database fails it, looks again from its place. */
#include "unit/lock/handle_kit.h"

#include "lock/cache/cache.h"
#include "lock/wait/group.h"

enum { TIME = 1000000 };

static struct dbl_acquire_spec common = {.weight = 1, .names = 2, .wait_until = NOW + TIME};
static struct dbl_acquire_spec specs[2];
static int failure; /* of each statement that grants */

static int fail_to_grant(struct dbl_request *request)
{
	return request->op == DBL_OP_grant ? failure : 0;
}

static void begin(struct dbl_group *g)
{
	kit_begin();
	kit_begin_handles();
	locks.cache = dbl_cache_new();
	specs[0] = specs[1] = common;
	specs[0].name = "a";
	specs[1].name = "b";
	assert_int_equal(dbl_group_begin(g, &locks, &common, specs, 2, NULL), 0);
	dbl_notifier_add(&locks, &g->waiter, 50);
	play = fail_to_grant;
}

/* Nobody holds the name, and the group is the first that waits for it. */
static void be_first(struct dbl_wait *w)
{
	w->attempt.epoch = &epoch;
	w->waiter.nonce = 50;
	w->queue = (struct dbl_queue){
		.found = true, .n = 1, .room = 1, .rows = dbl_alloc(sizeof(struct dbl_row))};
	assert_non_null(w->queue.rows);
	w->queue.rows[0] = (struct dbl_row){.ticket = 7,
					    .nonce = 50,
					    .mode = DBLOCK_EXCLUSIVE,
					    .weight = 1,
					    .names = 2,
					    .session_found = true};
}

static void expect_take(struct dbl_group *g, int rc, int outcome)
{
	failure = rc;
	assert_int_equal(dbl_group_take(g, NULL), outcome);
}

/* Naive: it leaves its queues, unless a row was locked, or the answer was lost. */
static void what_passes_is_no_outcome_while_there_is_time(void **state)
{
	static const int passes[] = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_UNSURE,
				     DBLOCK_E_CONFLICT, DBLOCK_E_BLOCKED};
	struct dbl_group g;

	(void)state;
	begin(&g);
	for (unsigned i = 0; i < g.n; i++)
		be_first(&g.waits[i]);
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
		expect_take(&g, passes[i], DBLOCK_BUSY);
	expect_take(&g, DBLOCK_E_SCHEMA, DBLOCK_E_SCHEMA);
	clock_now = NOW + TIME;
	expect_take(&g, DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNAVAILABLE);
	for (unsigned i = 0; i < g.n; i++)
		dbl_free(g.waits[i].queue.rows);
	dbl_free(g.waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_passes_is_no_outcome_while_there_is_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
