/* SPDX-License-Identifier: MIT */
/* A transaction over two databases that was left: deciding it where its home cannot; and marks that are left. */
#include "db/global/seen.h"
#include "support/proxy.h"

static void refused(struct two *t, struct dblock_recover_options how, const char *why)
{
	struct dblock_error err = {0};
	struct seen seen;

	expect(E_INVALID, recover(t, how, &seen, &err));
	assert_non_null(strstr(err.message, why));
	assert_int_equal(seen.told, 0);
	assert_int_equal(two_prepared(t), 1);
}

/* Naive: who gives a verdict is believed. */
static void a_home_that_knows_is_not_overruled(void **state)
{
	struct two *t = *state;
	char id[17];

	begin_and_prepare(t, id);
	die(t);
	/* Whoever began it may have been told that it was rolled back. */
	refused(t, verdict(DBLOCK_VERDICT_COMMIT, id), "forgotten nothing");
	assert_int_equal(two_count(t, "h_decision"), 0);
	decide(t, id, 2, 0);
	refused(t, verdict(DBLOCK_VERDICT_COMMIT, id), "rolled back");
	raw_exec(t->raw, "UPDATE h_decision SET state = 1, parts = 1");
	refused(t, verdict(DBLOCK_VERDICT_ROLL_BACK, id), "committed");
	raw_exec(t->raw, "DELETE FROM h_decision");
	wait_until(is_recovered(t) && two_prepared(t) == 0);
	two_is_over(t, false);
}

static void follow(struct two *t, enum dblock_verdict what, const char *id)
{
	struct dblock_recover_options how = verdict(what, id);
	struct dblock_error err = {0};
	struct seen seen;

	wait_until(recover(t, how, &seen, &err) == 0 && two_prepared(t) == 0);
	assert_int_equal(seen.outcome, what == DBLOCK_VERDICT_COMMIT
					       ? DBLOCK_RECOVERED_COMMITTED
					       : DBLOCK_RECOVERED_ROLLED_BACK);
}

/* And the verdict stands: no recovery asks again, and what is done is forgotten. */
static void a_home_that_forgot_is_decided_for(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};
	char id[17];

	begin_and_prepare(t, id);
	die(t);
	home_is_restored(t);
	expect(OK, two_recover(t, &err));
	assert_int_equal(t->outcome, DBLOCK_RECOVERED_IN_DOUBT);
	follow(t, DBLOCK_VERDICT_COMMIT, id);
	assert_int_equal(two_count(t, "stock"), 1);
	assert_int_equal(two_count(t, "orders"), 0); /* its own part is lost */
	expect(OK, two_recover(t, &err));
	assert_int_equal(t->told, 0);
	assert_int_equal(two_count(t, "h_decision") + two_count(t, "dblock_branch"), 0);
	home_is_as_it_was(t);
}

static void a_home_that_forgot_may_roll_back(void **state)
{
	struct two *t = *state;
	char id[17];

	begin_and_prepare(t, id);
	die(t);
	home_is_restored(t);
	follow(t, DBLOCK_VERDICT_ROLL_BACK, id);
	assert_int_equal(two_count(t, "stock"), 0);
	assert_int_equal(raw_int(t->raw, "SELECT state FROM h_decision WHERE id = '%s'", id), 2);
	home_is_as_it_was(t);
}

static void a_home_that_is_gone(void **state)
{
	struct two *t = *state;
	struct dblock_client *const others[] = {t->others};
	struct dblock_recover_options how;
	struct dblock_error err = {0};
	struct seen seen = {.told = 0};
	char id[17];

	begin_and_prepare(t, id);
	die(t);
	how = verdict(DBLOCK_VERDICT_ROLL_BACK, id);
	expect(E_INVALID, dblock_recover(others, 1, &how, see, &seen, &err));
	assert_non_null(strstr(err.message, "may know"));
	assert_int_equal(two_prepared(t), 1);
	how.without_home = true;
	wait_until(dblock_recover(others, 1, &how, see, &seen, &err) == 0 && two_prepared(t) == 0);
	assert_int_equal(seen.home, -1);
	two_is_over(t, false);
}

/* Naive: a home that does not answer is one that is not given, and a person is told to decide. */
static void a_home_that_cannot_be_reached(void **state)
{
	struct two *t = *state;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_recover_options how = plain;
	struct dblock_client *clients[] = {NULL, t->others};
	struct proxy *proxy = proxy_new();
	struct dblock_error err = {0};
	struct seen seen = {.told = 0};
	char id[17];
	int rc;

	options.prefix = "h_";
	options.timeout_ms = SLOWLY_MS(2000);
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	expect(OK, dblock_open(proxy_url(proxy), &options, &clients[0], &err));
	begin_and_prepare(t, id);
	die(t);
	proxy_set(proxy, PROXY_TEAR);
	rc = dblock_recover(clients, 2, &how, see, &seen, &err);
	assert_true(rc == DBLOCK_E_UNAVAILABLE || rc == DBLOCK_E_NO_ANSWER);
	assert_int_equal(seen.outcome, DBLOCK_RECOVERED_NOT_YET);
	assert_int_equal(two_prepared(t), 1);
	dblock_close(clients[0], NULL);
	proxy_free(proxy);
	wait_until(is_recovered(t) && two_prepared(t) == 0);
	two_is_over(t, false);
}

/* ---- marks that are left --------------------------------------------------------------------- */

/* Who ended it died when he had forgotten the decision, and not yet the mark. */
static void marks_of_what_is_forgotten_go(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};
	char id[17];

	begin_and_prepare(t, id);
	decide(t, id, 1, 1);
	expect(OK, dbl_branch_commit(&t->global->branches[0], &err));
	/* Naive: that it is committed is forgotten while others may have to know. */
	raw_exec(t->raw, "UPDATE h_decision SET parts = 2");
	expect(OK, two_recover(t, &err));
	assert_int_equal(two_count(t, "dblock_branch"), 1);
	raw_exec(t->raw, "DELETE FROM h_decision");
	/* Naive: that the decision is not there says that all is done. */
	home_is_restored(t);
	expect(OK, two_recover(t, &err));
	assert_int_equal(two_count(t, "dblock_branch"), 1);
	home_is_as_it_was(t);
	/* A recovery that had listed it before has come since. */
	decide(t, id, 2, 0);
	expect(OK, two_recover(t, &err));
	assert_int_equal(two_count(t, "dblock_branch"), 0);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(a_home_that_knows_is_not_overruled), CASE(a_home_that_forgot_is_decided_for),
		CASE(a_home_that_forgot_may_roll_back),   CASE(a_home_that_is_gone),
		CASE(a_home_that_cannot_be_reached),      CASE(marks_of_what_is_forgotten_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
