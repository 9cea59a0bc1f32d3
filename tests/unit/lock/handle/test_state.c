/* SPDX-License-Identifier: MIT */
/* Tests the table of a grant's states: each move that it has, and that it has no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lock/handle/lock.h"

enum { STATES = DBL_DONE + 1 };

static const struct dbl_target uncounted;

/* Written by hand from the drawing in lock/handle/state.h. */
static const bool may[STATES][STATES] = {
	[DBL_ASKED] = {[DBL_HELD] = true, [DBL_DONE] = true},
	[DBL_HELD] = {[DBL_LOST] = true, [DBL_DONE] = true},
	[DBL_LOST] = {[DBL_DONE] = true},
};

/* Brings a grant to this state by the shortest way. */
static void bring_to(struct dblock_lock *lock, enum dbl_grant_state state)
{
	dbl_grant_begin(lock);
	if (state == DBL_HELD || state == DBL_LOST)
		assert_int_equal(dbl_grant_hold(lock, NULL), 0);
	if (state != DBL_ASKED && state != DBL_HELD)
		assert_true(dbl_grant_try(lock, state));
	assert_int_equal(dbl_sm_now(&lock->state), state);
}

static void only_the_moves_of_the_drawing(void **unused)
{
	struct dbl_locks locks = {.target = &uncounted};

	(void)unused;
	for (int from = 0; from < STATES; from++) {
		for (int to = 0; to < STATES; to++) {
			struct dblock_lock lock = {.locks = &locks,
						   .grant = {.token = 1,
							     .nonce = 1,
							     .has_lease = true,
							     .lease.deadline = 1},
						   .count = 1};

			bring_to(&lock, from);
			assert_int_equal(dbl_grant_try(&lock, to), may[from][to]);
			assert_int_equal(dbl_sm_now(&lock.state), may[from][to] ? to : from);
		}
	}
}

static int64_t fixed_now(void *now)
{
	return *(int64_t *)now;
}

/* A validity that is over makes the grant LOST, and nothing brings it back. */
static void a_term_that_is_over_is_a_loss_for_good(void **unused)
{
	int64_t now = 1000;
	struct dbl_env env = {.ctx = &now, .now = fixed_now};
	struct dbl_locks locks = {.env = &env, .target = &uncounted};
	struct dblock_lock lock = {.locks = &locks,
				   .grant = {.token = 1, .nonce = 1, .has_lease = true}};

	(void)unused;
	dbl_grant_begin(&lock);
	dbl_validity_begin(&lock.grant.lease, 2000);
	assert_int_equal(dbl_grant_left(&lock), 0); /* not yet granted */
	assert_int_equal(dbl_grant_hold(&lock, NULL), 0);
	assert_int_equal(dbl_grant_left(&lock), 1000);
	now = 2000;
	assert_int_equal(dbl_grant_left(&lock), 0);
	assert_int_equal(dbl_sm_now(&lock.state), DBL_LOST);
	assert_false(dbl_validity_renew(&lock.grant.lease, 1500, 9000));
	now = 1500;
	assert_int_equal(dbl_grant_left(&lock), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_moves_of_the_drawing),
		cmocka_unit_test(a_term_that_is_over_is_a_loss_for_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
