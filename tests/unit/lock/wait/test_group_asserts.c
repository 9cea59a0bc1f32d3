/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/wait about waits for several names, and about cycles. */
#include "unit/lock/handle_kit.h"

#include "lock/cache/cache.h"
#include "lock/wait/cycle.h"
#include "lock/wait/group.h"
#include "lock/wait/wait_own.h"

static struct dbl_group g;
static struct dbl_acquire_spec common = {.weight = 1, .names = 2, .wait_until = DBL_NEVER};
static struct dbl_acquire_spec specs[2];

static void set_up(void)
{
	kit_begin_handles();
	locks.cache = dbl_cache_new();
	specs[0] = specs[1] = common;
	specs[0].name = "a";
	specs[1].name = "b";
}

static void begin(void)
{
	assert_int_equal(dbl_group_begin(&g, &locks, &common, specs, 2, NULL), 0);
	for (int i = 0; i < 2; i++)
		g.waits[i].attempt.epoch = &epoch;
}

static void want_one_name_twice(void)
{
	specs[1].name = "a";
	begin();
}

static void take_before_it_is_in_queue(void)
{
	begin();
	(void)dbl_group_take(&g, NULL);
}

static void take_into_a_handle_that_has_some(void)
{
	begin();
	dbl_notifier_add(&locks, &g.waiter, 50);
	for (int i = 0; i < 2; i++) {
		g.waits[i].waiter.nonce = 50;
		g.waits[i].attempt.snapshot.row_token = 100 + i;
	}
	g.lock->n_parts = 1;
	(void)dbl_group_take(&g, NULL);
}

static void join_twice(void)
{
	begin();
	dbl_notifier_add(&locks, &g.waiter, 50);
	(void)dbl_group_join(&g, NULL);
}

static int play_a_negative_ticket(struct dbl_request *request)
{
	const struct dbl_value row = dbl_int(-7);

	return request->op == DBL_OP_enqueue ? request->row(request->ctx, &row) : 0;
}

static void join_with_a_negative_ticket(void)
{
	begin();
	play = play_a_negative_ticket;
	(void)dbl_group_join(&g, NULL);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static struct dbl_edge edges[2] = {
	{.name = "a", .nonce = 1, .to = 2, .since = 9},
	{.name = "b", .nonce = 2, .to = 1, .since = 5},
};

static void tell_of_a_ring_that_is_open(void)
{
	struct dbl_cycle cycle = {.edge = {&edges[0]}, .n = 1};

	(void)dbl_cycle_tell(&cycle, NULL);
}

static const struct death deaths[] = {
	{"dbl_group_begin", "specs[i].name) < 0", want_one_name_twice},
	{"dbl_group_take", "g->waiter.nonce != 0", take_before_it_is_in_queue},
	{"dbl_group_hand_in", "lock->n_parts == 0", take_into_a_handle_that_has_some},
	{"dbl_group_join", "g->waiter.nonce == 0", join_twice},
	{"dbl_group_join", "rc || j.ticket > 0", join_with_a_negative_ticket},
	{"dbl_cycle_tell", "->to == cycle->edge[0]->nonce", tell_of_a_ring_that_is_open},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
