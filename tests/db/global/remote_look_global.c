/* SPDX-License-Identifier: MIT */
/* A transaction over two databases that was left: looking at it. */
#include "db/global/seen.h"

static void who_looks_changes_nothing(void **state)
{
	struct two *t = *state;
	struct dblock_recover_options grace = plain;
	struct dblock_error err = {0};
	struct seen seen;
	char id[17];

	begin_and_prepare(t, id);
	grace.look = true;
	grace.grace_ms = PLENTY_MS;
	expect(OK, recover(t, grace, &seen, &err));
	assert_int_equal(seen.outcome, DBLOCK_RECOVERED_NOT_YET);
	seen = look(t);
	assert_int_equal(seen.outcome, DBLOCK_RECOVERED_ROLLED_BACK);
	assert_int_equal(seen.home, HOME);
	assert_int_equal(seen.branches, 1);
	assert_int_equal(seen.state[1], DBLOCK_BRANCH_PREPARED);
	assert_int_equal(seen.client[1], HOME); /* which lists those of all */
	/* Nothing was written, and it can still be committed. */
	assert_int_equal(two_count(t, "h_decision"), 0);
	decide(t, id, 1, 1);
	seen = look(t);
	assert_int_equal(seen.outcome, DBLOCK_RECOVERED_COMMITTED);
	assert_int_equal(two_prepared(t), 1);
	die(t);
	wait_until(is_recovered(t) && two_prepared(t) == 0);
}

/* The first of two branches is committed, and then nobody comes. */
static void each_branch_is_told_of(void **state)
{
	struct two *t = *state;
	struct dblock_tx *second;
	struct dblock_error err = {0};
	struct seen seen;
	char id[17];

	begin(t);
	second = tx_open(t->homes); /* another branch in another database */
	expect(OK, dblock_global_join(t->global, second, &err));
	snprintf(id, sizeof(id), "%s", dblock_global_id(t->global));
	for (int i = 0; i < 2; i++)
		expect(OK, dbl_branch_prepare(&t->global->branches[i], &err));
	decide(t, id, 1, 3);
	expect(OK, dbl_branch_commit(&t->global->branches[0], &err));
	seen = look(t);
	assert_int_equal(seen.branches, 3);
	assert_int_equal(seen.state[1], DBLOCK_BRANCH_COMMITTED);
	assert_int_equal(seen.client[1], OTHER);
	assert_int_equal(seen.state[2], DBLOCK_BRANCH_PREPARED);
	assert_int_equal(seen.state[3], DBLOCK_BRANCH_UNSEEN);
	assert_int_equal(seen.client[3], -1);
	raw_exec(t->raw, "UPDATE h_decision SET parts = 2");
	dbl_db_give_up(second->db);
	die(t);
	dblock_tx_close(second);
	wait_until(is_recovered(t) && two_count(t, "h_decision") == 0);
	assert_int_equal(two_count(t, "dblock_branch") + two_count(t, "h_branch"), 0);
}

static void only_the_one_that_is_asked_for(void **state)
{
	struct two *t = *state;
	struct dblock_recover_options how = plain;
	struct dblock_error err = {0};
	struct seen seen;
	char id[17];

	begin_and_prepare(t, id);
	die(t);
	how.id = "0123456789abcdef";
	expect(OK, recover(t, how, &seen, &err));
	assert_int_equal(seen.told, 0);
	assert_int_equal(two_prepared(t), 1);
	how.id = id;
	wait_until(recover(t, how, &seen, &err) == 0 && two_prepared(t) == 0);
	two_is_over(t, false);
}

/* Naive: a home that is not given is a doubt at once; on MySQL those of all programs on the server would be. */
static void what_others_have_begun_goes_on(void **state)
{
	struct two *t = *state;
	struct dblock_client *const others[] = {t->others};
	struct dblock_recover_options how = plain;
	struct dblock_error err = {0};
	struct seen seen = {.told = 0};
	char id[17];

	begin_and_prepare(t, id);
	how.grace_ms = PLENTY_MS;
	expect(OK, dblock_recover(others, 1, &how, see, &seen, &err));
	assert_int_equal(seen.outcome, DBLOCK_RECOVERED_NOT_YET);
	assert_non_null(strstr(seen.text, "may go on"));
	how.grace_ms = 1;
	expect(OK, dblock_recover(others, 1, &how, see, &seen, &err));
	assert_int_equal(seen.outcome, DBLOCK_RECOVERED_IN_DOUBT);
	die(t);
	wait_until(is_recovered(t) && two_prepared(t) == 0);
}

static void bad_input(void **state)
{
	static const struct {
		struct dblock_recover_options how;
		const char *why;
	} cases[] = {
		{{.id = "x"}, "id is 'x'"},
		{{.id = "0123456789ABCDEF"}, "id is '0123456789ABCDEF'"},
		{{.verdict = DBLOCK_VERDICT_COMMIT}, "give its id"},
		{{.id = "0123456789abcdef", .verdict = DBLOCK_VERDICT_COMMIT, .look = true},
		 "look"},
		{{.id = "0123456789abcdef", .verdict = (enum dblock_verdict)3}, "verdict is 3"},
		{{.without_home = true}, "without_home"},
	};
	struct two *t = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dblock_recover_options how = cases[i].how;
		struct dblock_error err = {0};
		struct seen seen;

		how.size = sizeof(how);
		expect(E_INVALID, recover(t, how, &seen, &err));
		assert_non_null(strstr(err.message, cases[i].why));
	}
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(who_looks_changes_nothing),
		CASE(each_branch_is_told_of),
		CASE(only_the_one_that_is_asked_for),
		CASE(what_others_have_begun_goes_on),
		CASE(bad_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
