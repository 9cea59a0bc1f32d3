/* SPDX-License-Identifier: MIT */
/* A transaction over two databases: committed in both, or in none, whoever dies in between. */
#include "db/global/left.h"

static void both_are_committed(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	begin(t);
	assert_int_equal(strlen(dblock_global_id(t->global)), 16);
	expect(OK, dblock_global_commit(t->global, &err));
	assert_int_equal(dblock_global_unfinished(t->global), 0);
	two_is_over(t, true);
	expect(E_INVALID, dblock_global_commit(t->global, &err));
}

static void both_are_rolled_back(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	begin(t);
	expect(OK, dblock_global_rollback(t->global, &err));
	two_is_over(t, false);
	two_end(t);
	begin(t);
	two_end(t); /* closed without an end */
	two_is_over(t, false);
}

/* The branch cannot be prepared. Naive: home is committed. */
static void one_that_cannot_ends_all(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	begin(t);
	raw_exec(t->raw, "ALTER TABLE dblock_branch RENAME TO away");
	expect(E_SCHEMA, dblock_global_commit(t->global, &err));
	assert_non_null(strstr(err.message, "branch 1"));
	raw_exec(t->raw, "ALTER TABLE away RENAME TO dblock_branch");
	two_is_over(t, false);
}

static void so_many_branches_and_no_more(void **state)
{
	struct two *t = *state;
	struct dblock_tx *more[DBLOCK_BRANCHES];
	struct dblock_error err = {0};

	begin(t);
	for (int i = 1; i < DBLOCK_BRANCHES; i++) {
		more[i] = tx_open(t->others);
		expect(OK, dblock_global_join(t->global, more[i], &err));
	}
	more[0] = tx_open(t->others);
	expect(E_INVALID, dblock_global_join(t->global, more[0], &err));
	assert_non_null(strstr(err.message, "16 branches"));
	expect(OK, dblock_global_commit(t->global, &err));
	two_is_over(t, true);
	for (int i = 0; i < DBLOCK_BRANCHES; i++)
		dblock_tx_close(more[i]);
}

/* A part is not ended by itself. */
static void a_part_is_not_ended_alone(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	begin(t);
	expect(E_INVALID, dblock_tx_commit(t->there, &err));
	expect(E_INVALID, dblock_tx_rollback(t->at_home, &err));
	expect(E_INVALID, dblock_global_join(t->global, t->there, &err));
	expect(OK, dblock_global_commit(t->global, &err));
	expect(OK, dblock_tx_begin(t->there, NULL, &err));
	expect(OK, dblock_tx_rollback(t->there, &err));
}

/* ---- who dies -------------------------------------------------------------------------------- */

static void nothing_was_decided(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	begin(t);
	prepare(t);
	die(t);
	assert_int_equal(two_prepared(t), 1);
	wait_until(is_recovered(t));
	assert_int_equal(t->outcome, DBLOCK_RECOVERED_ROLLED_BACK);
	two_is_over(t, false);
	expect(OK, two_recover(t, &err));
	assert_int_equal(t->told, 0);
}

/* Naive: the recovery rolls back without writing that, and home is committed afterwards. */
static void who_was_only_slow_commits_no_more(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	begin(t);
	prepare(t);
	dbl_db_give_up(t->there->db);
	dblock_tx_close(t->there); /* its connection is lost, */
	t->there = NULL;
	wait_until(is_recovered(t));
	assert_int_equal(t->outcome, DBLOCK_RECOVERED_ROLLED_BACK);
	t->global->xid.n = 0; /* and that is not noticed */
	t->global->branches[0].state = DBL_BRANCH_OVER;
	expect(E_CONFLICT, dblock_global_commit(t->global, &err));
	message_has("a recovery has rolled it back");
	two_is_over(t, false);
}

/* The decision stands, and nobody is left who knows. */
static void what_was_decided_is_done(void **state)
{
	struct two *t = *state;
	char id[17];

	begin(t);
	prepare(t);
	snprintf(id, sizeof(id), "%s", dblock_global_id(t->global));
	raw_exec(t->raw,
		 "INSERT INTO h_decision (id, state, parts, history, since) VALUES ('%s', 1, 1, "
		 "'x', 1)",
		 id);
	die(t);
	wait_until(is_recovered(t) && two_prepared(t) == 0);
	assert_int_equal(two_count(t, "stock"), 1);
	wait_until(is_recovered(t) && two_count(t, "h_decision") == 0);
	assert_int_equal(two_count(t, "dblock_branch"), 0);
}

/* It is going on. Naive: it is aborted by each recovery that comes by. */
static void what_goes_on_is_left_alone(void **state)
{
	struct two *t = *state;
	struct dblock_client *const clients[] = {t->homes, t->others};
	struct dblock_error err = {0};

	begin(t);
	prepare(t);
	expect(OK, dblock_recover(clients, 2, NULL, two_told, t, &err));
	assert_int_equal(t->outcome, DBLOCK_RECOVERED_NOT_YET);
	assert_int_equal(two_prepared(t), 1);
	die(t);
	wait_until(is_recovered(t));
}

/* Naive: no row there, so it is rolled back; but the decision may have been lost. */
static void a_home_that_forgot_is_not_believed(void **state)
{
	struct two *t = *state;
	struct dblock_client *const others[] = {t->others};
	struct dblock_recover_options options = DBLOCK_RECOVER_OPTIONS_INIT;
	struct dblock_error err = {0};

	begin(t);
	prepare(t);
	die(t);
	options.grace_ms = 1;
	expect(OK, dblock_recover(others, 1, &options, two_told, t, &err));
	assert_int_equal(t->outcome, DBLOCK_RECOVERED_IN_DOUBT);
	raw_exec(t->raw, "INSERT INTO h_history (n, id, facts, since) SELECT max(n) + 1, "
			 "'0123456789abcdef0123456789abcdef', max(facts), 1 FROM h_history");
	expect(OK, two_recover(t, &err));
	assert_int_equal(t->outcome, DBLOCK_RECOVERED_IN_DOUBT);
	assert_int_equal(two_prepared(t), 1);
	raw_exec(t->raw, "DELETE FROM h_history WHERE id = '0123456789abcdef0123456789abcdef'");
	wait_until(is_recovered(t));
	two_is_over(t, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_are_committed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(both_are_rolled_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_cannot_ends_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(so_many_branches_and_no_more, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_part_is_not_ended_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_was_decided, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_was_only_slow_commits_no_more, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_was_decided_is_done, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_goes_on_is_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_home_that_forgot_is_not_believed, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
