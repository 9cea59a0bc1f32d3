/* SPDX-License-Identifier: MIT */
/* A break of a name's holder, whoever it is, while the lock goes from hand to hand. Naive: it looks
 * who holds the lock, and then says that this one does not hold it. (A holder who gives the lock
 * back once told has been broken.) */
#include "support/spy.h"

static struct dblock_client *other;
static struct dblock_lock *theirs;
static int hands;

/* The hook comes after the break has looked, and before the holder is told. */
static enum spy_fate change_hands(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op == DBL_OP_revoke && hands-- > 0) {
		give(theirs);
		theirs = take(other, "x");
	}
	return SPY_PASS;
}

static void whoever_holds_it_by_then(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_error err = {0};

	(void)state;
	other = client_new(0);
	theirs = take(other, "x");
	hands = 3;
	spy->fate = change_hands;
	expect(OK, break_by_force(client, "x", 0, 0, &err));
	is_free(client, "x");
	expect(LOST, dblock_release(theirs, &err));
	expect(STALE, break_by_force(client, "x", 0, 0, &err));
	dblock_close(other, NULL);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* The hook comes after the grant is marked as taken away, which a client tells itself at once, and
 * before the grant is ended. */
static enum spy_fate end_and_take(struct spy *spy, enum dbl_op op)
{
	struct dblock_error err = {0};

	(void)spy;
	if (op == DBL_OP_break && hands-- > 0) {
		expect(OK, break_by_force(other, "x", 0, 0, &err));
		theirs = take(other, "x");
	}
	return SPY_PASS;
}

/* Naive: it says that the holder it told did not hold the lock, and ends the next one's grant. */
static void its_own_that_is_over_before_it_is_ended(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_lock *own = take(client, "x");
	struct dblock_error err = {0};

	(void)state;
	other = client_new(0);
	hands = 1;
	spy->fate = end_and_take;
	expect(OK, break_by_force(client, "x", 0, 0, &err));
	expect(LOST, dblock_release(own, &err));
	assert_true(dblock_valid(theirs, 0));
	give(theirs);
	dblock_close(other, NULL);
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_holds_it_by_then),
		cmocka_unit_test(its_own_that_is_over_before_it_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
