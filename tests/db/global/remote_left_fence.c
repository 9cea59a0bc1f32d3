/* SPDX-License-Identifier: MIT */
/* The branch that has the lock's fence is prepared, and its commit does not get there: the lock is the recovery's until
 * that has finished it. */
#include "db/global/left.h"
#include "support/strike.h"

static struct strike *strike;
static struct dblock_lock *lock;

static int begin_with_fence(void **state)
{
	struct two *t;

	set_up(state);
	t = *state;
	strike = strike_new();
	t->other = two_client(NULL, strike_env(strike), PLENTY_MS);
	return 0;
}

static void play(struct two *t, int k)
{
	struct dblock_error err = {0};

	lock = take(t->other, "article");
	begin(t);
	expect(OK, dblock_fence(t->there, lock, &err));
	strike_arm(strike, STRIKE_LOST, k);
	assert_true(dblock_global_commit(t->global, &err) <= 0);
	(void)strike_disarm(strike);
}

/* Each database has its own number of calls before that. */
static void commit_is_lost(struct two *t)
{
	struct dblock_error err = {0};

	for (int k = 1;; k++) {
		play(t, k);
		if (strcmp(strike_what(strike), "exec branch_commit") == 0)
			break;
		assert_true(k < 100);
		two_end(t);
		wait_until(is_recovered(t) && two_prepared(t) == 0);
		(void)dblock_release(lock, &err);
	}
	assert_int_equal(dblock_global_unfinished(t->global), 1);
}

/* Naive: the release waits for the row until its time is over, and nobody knows then whether it is free. */
static void it_is_fenced_until_the_recovery(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	commit_is_lost(t);
	two_end(t);
	expect(FENCED, dblock_release(lock, &err));
	message_has("dblock_recover()");
	wait_until(is_recovered(t) && two_prepared(t) == 0);
	assert_true(dblock_valid(lock, 0));
	expect(OK, dblock_release(lock, &err));
	two_is_over(t, true);
	dblock_close(t->other, NULL);
}

/* Naive: it is closed after the timeout, which is an hour's here. */
static void a_client_that_is_closed_does_not_wait(void **state)
{
	struct two *t = *state;

	commit_is_lost(t);
	two_end(t);
	dblock_close(t->other, NULL);
	assert_int_equal(two_prepared(t), 1);
	wait_until(is_recovered(t) && two_prepared(t) == 0);
	two_is_over(t, true);
}

static int end(void **state)
{
	strike_free(strike);
	return tear_down(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_fenced_until_the_recovery, begin_with_fence,
						end),
		cmocka_unit_test_setup_teardown(a_client_that_is_closed_does_not_wait,
						begin_with_fence, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
