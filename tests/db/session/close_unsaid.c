/* SPDX-License-Identifier: MIT */
/* A close that the database does not hear of: what the client held is free all the same, to who is on its
 * machine, and not only after its ttl (of a day). */
#include "support/spy.h"

/* Naive: the client's mark is removed with it, and nobody has a proof of its end. */
static enum spy_fate lose_the_end(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_release || op == DBL_OP_hand_over || op == DBL_OP_session_close ||
			       op == DBL_OP_session_delete
		       ? SPY_LOST_BEFORE
		       : SPY_PASS;
}

static void its_locks_are_free_here(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, 0, 1000), *other = client_new(0);

	(void)state;
	(void)take(client, "x");
	busy(other, "x");
	spy->fate = lose_the_end;
	dblock_close(client, NULL);
	give(take(other, "x"));
	dblock_close(other, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(its_locks_are_free_here)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
