/* SPDX-License-Identifier: MIT */
/* Tests upgrades in a queue: which of two has to give up, and that none is its own rival. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dblock/lock.h>

#include "lock/queue/grant_policy.h"

enum { ROWS = 4 };

struct scene {
	struct dbl_queue queue;
	struct dbl_row rows[ROWS];
};

static void add(struct scene *s, struct dbl_row row)
{
	row.weight = row.names = 1;
	row.session_found = true;
	row.session_left = 1000;
	row.lease_left = DBL_UNKNOWN;
	s->rows[s->queue.n++] = row;
	s->queue.rows = s->rows;
	s->queue.found = true;
}

static void holds(struct scene *s, int64_t nonce, int64_t mode)
{
	add(s,
	    (struct dbl_row){.ticket = nonce, .nonce = nonce, .token = 100 + nonce, .mode = mode});
}

static void upgrades(struct scene *s, int64_t nonce, int64_t of)
{
	add(s, (struct dbl_row){
		       .ticket = nonce, .nonce = nonce, .upgrades = of, .mode = DBLOCK_EXCLUSIVE});
}

static void the_second_one_gives_up(void **state)
{
	struct scene s = {.queue = {.n = 0}};

	(void)state;
	holds(&s, 1, DBLOCK_SHARED);
	holds(&s, 2, DBLOCK_SHARED);
	upgrades(&s, 11, 1);
	upgrades(&s, 12, 2);
	assert_false(dbl_queue_other_upgrade(&s.queue, 11, 1));
	assert_true(dbl_queue_other_upgrade(&s.queue, 12, 2));
}

/* An upgrade left by an earlier call is no rival; a naive check would make it its own. */
static void what_it_left_itself_is_no_rival(void **state)
{
	struct scene s = {.queue = {.n = 0}};

	(void)state;
	holds(&s, 1, DBLOCK_SHARED);
	holds(&s, 2, DBLOCK_SHARED);
	upgrades(&s, 11, 1);
	assert_false(dbl_queue_other_upgrade(&s.queue, INT64_MAX, 1));
	assert_true(dbl_queue_other_upgrade(&s.queue, INT64_MAX, 2));
}

/* These upgrades' grants have been given back, or their sessions are dead. */
static void what_is_over_is_no_rival(void **state)
{
	struct scene s = {.queue = {.n = 0}};

	(void)state;
	holds(&s, 1, DBLOCK_SHARED);
	upgrades(&s, 12, 2);
	upgrades(&s, 13, 1);
	s.rows[2].session_dead = true;
	assert_false(dbl_queue_other_upgrade(&s.queue, INT64_MAX, 3));
}

static void it_waits_for_the_other_holder(void **state)
{
	struct scene s = {.queue = {.n = 0}};
	struct dbl_decision decision;

	(void)state;
	holds(&s, 1, DBLOCK_SHARED);
	holds(&s, 2, DBLOCK_SHARED);
	upgrades(&s, 11, 1);
	dbl_policy_decide(&s.queue, &decision);
	assert_int_equal(decision.what, DBL_DECIDE_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_one_gives_up),
		cmocka_unit_test(what_it_left_itself_is_no_rival),
		cmocka_unit_test(what_is_over_is_no_rival),
		cmocka_unit_test(it_waits_for_the_other_holder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
