/* SPDX-License-Identifier: MIT */
/* A transaction over two databases that was left: looking at it, and deciding it where its home cannot. */
#include "db/global/left.h"
#include "support/proxy.h"

enum { HOME, OTHER };

struct seen {
	enum dblock_recovered outcome;
	int told, branches;
	int64_t home, client[4];
	enum dblock_branch_state state[4]; /* from 1 */
	char text[200];
};

static int see_branch(void *arg, const struct dblock_branch *branch)
{
	struct seen *seen = arg;

	assert_int_equal(branch->size, sizeof(*branch));
	assert_int_equal(branch->number, ++seen->branches);
	seen->state[branch->number] = branch->state;
	seen->client[branch->number] = branch->client;
	return 0;
}

static int see(void *arg, const struct dblock_recovery *found)
{
	struct seen *seen = arg;

	*seen = (struct seen){
		.outcome = found->outcome, .told = seen->told + 1, .home = found->home};
	snprintf(seen->text, sizeof(seen->text), "%s", found->text);
	return 0;
}

static const struct dblock_recover_options plain = {.size = sizeof(plain), .grace_ms = 1};

static int recover(struct two *t, struct dblock_recover_options how, struct seen *seen,
		   struct dblock_error *err)
{
	struct dblock_client *const clients[] = {t->homes, t->others};

	*seen = (struct seen){.told = 0};
	how.branch = see_branch;
	return dblock_recover(clients, 2, &how, see, seen, err);
}

static struct seen look(struct two *t)
{
	struct dblock_recover_options how = plain;
	struct dblock_error err = {0};
	struct seen seen;

	how.look = true;
	expect(OK, recover(t, how, &seen, &err));
	return seen;
}

static struct dblock_recover_options verdict(enum dblock_verdict what, const char *id)
{
	struct dblock_recover_options how = plain;

	how.verdict = what;
	how.id = id;
	return how;
}

static void begin_and_prepare(struct two *t, char id[17])
{
	begin(t);
	prepare(t);
	snprintf(id, 17, "%s", dblock_global_id(t->global));
}

static void decide(const struct two *t, const char *id, int state, int parts)
{
	raw_exec(t->raw,
		 "INSERT INTO h_decision (id, state, parts, history, since) VALUES ('%s', %d, %d, "
		 "'x', 1)",
		 id, state, parts);
}

static void home_is_restored(const struct two *t)
{
	raw_exec(t->raw, "INSERT INTO h_history (n, id, facts, since) SELECT max(n) + 1, "
			 "'0123456789abcdef0123456789abcdef', max(facts), 1 FROM h_history");
}

static void home_is_as_it_was(const struct two *t)
{
	raw_exec(t->raw, "DELETE FROM h_history WHERE id = '0123456789abcdef0123456789abcdef'");
}

/* ---- looking --------------------------------------------------------------------------------- */

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

/* ---- deciding -------------------------------------------------------------------------------- */

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

/* ---- what is wrong with it ------------------------------------------------------------------- */

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
		CASE(a_home_that_knows_is_not_overruled),
		CASE(a_home_that_forgot_is_decided_for),
		CASE(a_home_that_forgot_may_roll_back),
		CASE(a_home_that_is_gone),
		CASE(a_home_that_cannot_be_reached),
		CASE(marks_of_what_is_forgotten_go),
		CASE(bad_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
