/* SPDX-License-Identifier: MIT */
/* Home fails over between the comparison of its history and the abort, to a server that has not got the decision. */
#include "db/global/left.h"

static struct two *scene;

/* The recovery looks at the clock between the two. */
static int64_t fail_over(void *ctx)
{
	struct two *t = scene;

	(void)ctx;
	scene = NULL;
	if (t) {
		raw_exec(t->raw,
			 "INSERT INTO h_history (n, id, facts, since) SELECT max(n) + 1, "
			 "'0123456789abcdef0123456789abcdef', max(facts), 1 FROM h_history");
		raw_exec(t->raw, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
				 "datname = current_database() AND pid <> pg_backend_pid()");
	}
	return dbl_wall(dbl_env_system());
}

/* Naive: the abort is written by another connection, and stands in the new home: each recovery obeys it, though the old
 * one may have decided to commit. */
static void it_is_in_doubt(void **state)
{
	struct two *t = *state;
	struct dblock_recover_options options = DBLOCK_RECOVER_OPTIONS_INIT;
	struct dbl_env env = *dbl_env_system();
	struct dblock_error err = {0};
	struct dblock_client *clients[2];

	env.wall = fail_over;
	clients[0] = two_client("h_", &env, PLENTY_MS);
	clients[1] = t->others;
	begin(t);
	prepare(t);
	die(t);
	options.grace_ms = 1;
	scene = t;
	(void)dblock_recover(clients, 2, &options, two_told, t, &err);
	assert_null(scene);
	assert_int_equal(raw_int(t->raw, "SELECT count(*) FROM h_decision"), 0);
	wait_until(two_recover(t, &err) == 0);
	assert_int_equal(t->outcome, DBLOCK_RECOVERED_IN_DOUBT);
	assert_int_equal(two_prepared(t), 1);
	raw_exec(t->raw, "DELETE FROM h_history WHERE id = '0123456789abcdef0123456789abcdef'");
	wait_until(is_recovered(t) && two_prepared(t) == 0);
	dblock_close(clients[0], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_in_doubt, set_up, tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
