/* SPDX-License-Identifier: MIT */
/* A transaction that could not be ended goes with its connection: no later statement gets into it.
 */
#include "driver/value.h"
#include "link/link.h"
#include "support/fault.h"

/* The body uses up all the time there is, so that not even a ROLLBACK can be sent. */
static int dawdle(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct dbl_value floor = dbl_int(1);
	const int64_t *deadline = ctx;
	struct dbl_request raise = {
		.op = DBL_OP_purge_floor, .args = DBL_ARG(floor), .deadline = *deadline};
	int rc = dbl_db_run(db, &raise, err);

	dbl_sleep_until(dbl_env_system(), *deadline);
	return rc ? rc : dbl_fail(err, DBLOCK_E_NO_ANSWER, "no time left, in a test");
}

static void what_follows_a_late_transaction_is_committed(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t deadline = dbl_now(dbl_env_system()) + 300000;

	(void)state;
	expect(E_NO_ANSWER,
	       dbl_link_transaction(a->locks->link, dawdle, &deadline, deadline, &err));
	lock = take(a, "x");
	assert_int_equal(show(b, "x").h.token, dblock_token(lock));
	give(lock);
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_follows_a_late_transaction_is_committed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
