/* SPDX-License-Identifier: MIT */
/* dblock_quorum_status(): what each member is, whom it votes for, and what a majority of them says. */
#include <unistd.h>

#include "db/lock/quorum/cluster.h"

/* What was told of each, as far as it outlives the callback. */
struct told {
	int n;
	enum dblock_member_state state[MEMBERS];
	int64_t number[MEMBERS], code[MEMBERS], token[MEMBERS], waiting[MEMBERS];
	bool named[MEMBERS];
	char why[MEMBERS][512];
};

static int found(void *arg, const struct dblock_quorum_member *m)
{
	struct told *told = arg;
	int i = told->n++;

	assert_int_equal(m->size, sizeof(*m));
	assert_int_equal(m->given, i + 1);
	told->state[i] = m->state;
	told->number[i] = m->number;
	told->code[i] = m->code;
	told->named[i] = m->holder != NULL;
	told->token[i] = m->holder ? m->holder->token : 0;
	told->waiting[i] = m->holder ? m->holder->waiting : 0;
	snprintf(told->why[i], sizeof(told->why[i]), "%s", m->why);
	if (m->holder)
		assert_string_equal(m->holder->name, "x");
	return 0;
}

static struct told look(const char *const urls[], const char *name,
			struct dblock_quorum_state *state)
{
	struct dblock_client_options options = cluster_options(0);
	struct told told = {.n = 0};
	struct dblock_error err = {0};

	/* Who is silent is waited for so long. */
	options.timeout_ms = SLOWLY_MS(1000);
	*state = (struct dblock_quorum_state)DBLOCK_QUORUM_STATE_INIT;
	expect(OK, dblock_quorum_status(urls, MEMBERS, name, &options, found, &told, state, &err));
	assert_int_equal(told.n, MEMBERS);
	return told;
}

static void who_has_it_at_which_token(void **state)
{
	struct dblock_client *client = cluster_client(0), *other = cluster_client(0);
	struct dblock_quorum_state s;
	struct dblock_lock *lock;
	struct waiting w;
	struct told told = look(cluster.urls, "x", &s);

	(void)state;
	assert_string_equal(s.cluster, "three");
	assert_int_equal(s.epoch, 1);
	assert_int_equal(s.max_ttl_ms, 300000);
	assert_int_equal(s.majority, 2);
	assert_int_equal(s.voting, MEMBERS);
	assert_int_equal(s.granted, 0);
	assert_false(told.named[0]);
	lock = take(client, "x");
	wait_until(votes("x") == MEMBERS);
	waiting_start(&w, other, "x");
	wait_until(in_line(NULL) == 1);
	told = look(cluster.urls, "x", &s);
	assert_int_equal(s.granted, MEMBERS);
	assert_int_equal(s.token, dblock_token(lock));
	assert_int_equal(s.pid, getpid());
	assert_int_equal(s.waiting, 1);
	assert_int_equal(told.waiting[0] + told.waiting[1] + told.waiting[2], 1);
	give(lock);
	lock = waiting_join(&w);
	give(lock);
	wait_until(votes("x") == 0);
	told = look(cluster.urls, "x", &s);
	assert_int_equal(s.granted, 0);
	assert_int_equal(s.token, 0);
	assert_int_equal(s.waiting, 0);
	assert_true(told.named[0] && told.token[0] > 0);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

/* Naive: the call ends at the first that does not answer, or its vote counts as it was. */
static void who_is_silent_or_gone(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_quorum_state s;
	struct told told;

	(void)state;
	wait_until(votes("x") == MEMBERS);
	proxy_refuse(cluster.proxy[0], true);
	told = look(cluster.urls, "x", &s);
	assert_int_equal(told.state[0], DBLOCK_MEMBER_UNKNOWN);
	assert_int_equal(told.code[0], DBLOCK_E_UNAVAILABLE);
	assert_true(told.why[0][0] != '\0');
	assert_int_equal(told.state[1], DBLOCK_MEMBER_VOTES);
	assert_int_equal(s.answering, 2);
	assert_int_equal(s.granted, 2);
	assert_int_equal(s.token, dblock_token(lock));
	proxy_set(cluster.proxy[2], PROXY_SILENT);
	told = look(cluster.urls, "x", &s);
	assert_int_equal(told.state[2], DBLOCK_MEMBER_UNKNOWN);
	assert_int_equal(s.voting, 1);
	assert_int_equal(s.granted, 1);
	assert_int_equal(s.token, 0);
	proxy_refuse(cluster.proxy[0], false);
	proxy_set(cluster.proxy[2], PROXY_PASS);
	dblock_close(client, NULL);
}

static void who_does_not_vote(void **state)
{
	const char *swapped[] = {cluster.urls[1], cluster.urls[0], cluster.urls[2]};
	const char *twice[] = {cluster.urls[0], cluster.urls[1], cluster.direct[0]};
	struct dblock_quorum_state s;
	struct told told = look(swapped, NULL, &s);

	(void)state;
	assert_int_equal(s.voting, MEMBERS);
	assert_int_equal(told.number[0], 2);
	assert_int_equal(told.number[1], 1);
	told = look(twice, NULL, &s);
	assert_int_equal(s.voting, 2);
	assert_int_equal(told.state[2], DBLOCK_MEMBER_OTHER);
	raw_exec(cluster.raw[0], "DELETE FROM dblock_quorum");
	raw_exec(cluster.raw[1], "UPDATE dblock_quorum SET state = 0");
	raw_exec(cluster.raw[2], "UPDATE dblock_quorum SET epoch = 2");
	told = look(cluster.urls, NULL, &s);
	assert_int_equal(told.state[0], DBLOCK_MEMBER_NONE);
	assert_int_equal(told.state[1], DBLOCK_MEMBER_NEW);
	assert_int_equal(s.voting, 1);
	assert_int_equal(s.epoch, 2);
}

/* It runs on another server than the one that its history began on. Naive: that shows only once a client that
 * may write has begun another history; or looking begins it. */
static void a_copy_is_seen_and_nothing_is_written(void **state)
{
	struct dblock_quorum_state s;
	struct told told;

	(void)state;
	raw_exec(cluster.raw[1], "UPDATE dblock_history SET facts = 'elsewhere'");
	told = look(cluster.urls, NULL, &s);
	assert_int_equal(told.state[1], DBLOCK_MEMBER_COPY);
	assert_int_equal(s.voting, 2);
	assert_int_equal(raw_int(cluster.raw[1], "SELECT count(*) FROM dblock_history"), 1);
}

static int set_up_spare(void **state)
{
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_quorum_options options = cluster_of(DBLOCK_TTL_MIN_MS);
	struct dblock_error err = {0};

	(void)state;
	cluster_make(MEMBERS + 1);
	expect(OK, dblock_quorum_init(cluster.urls, MEMBERS, "three", &options, &clients, &err));
	return 0;
}

/* While the second member was down the third one was replaced. Naive: the second, which knows of nothing, votes
 * with the third; or one under an older epoch votes no more. */
static void a_member_is_replaced(void **state)
{
	const char *urls[] = {cluster.urls[0], cluster.urls[1], cluster.urls[3]};
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_error err = {0};
	struct dblock_quorum_state s;
	struct told told;

	(void)state;
	expect(OK, cluster_replace(urls, MEMBERS, 3, &clients, &err));
	raw_exec(cluster.raw[1], "UPDATE dblock_quorum SET epoch = 1, roster = '%s'",
		 raw_text(cluster.raw[2], "SELECT roster FROM dblock_quorum"));
	told = look(urls, NULL, &s);
	assert_int_equal(s.voting, MEMBERS);
	assert_int_equal(s.epoch, 2);
	assert_int_equal(s.max_ttl_ms, DBLOCK_TTL_MIN_MS);
	told = look(cluster.urls, NULL, &s);
	assert_int_equal(told.state[1], DBLOCK_MEMBER_VOTES);
	assert_int_equal(told.state[2], DBLOCK_MEMBER_REPLACED);
	assert_int_equal(s.voting, 2);
}

static int ends(void *arg, const struct dblock_quorum_member *m)
{
	(void)m;
	++*(int *)arg;
	return 41;
}

static void what_is_wrong_with_a_call(void **state)
{
	struct dblock_client_options relaxed = cluster_options(0);
	struct dblock_error err = {0};
	char longest[DBLOCK_NAME_MAX + 1] = "";
	int calls = 0;

	(void)state;
	memset(longest, 'x', DBLOCK_NAME_MAX);
	relaxed.durability = DBLOCK_RELAXED;
	expect(E_INVALID,
	       dblock_quorum_status(cluster.urls, 2, NULL, NULL, NULL, NULL, NULL, &err));
	assert_non_null(strstr(err.message, "2 members"));
	expect(E_INVALID,
	       dblock_quorum_status(cluster.urls, MEMBERS, NULL, &relaxed, NULL, NULL, NULL, &err));
	expect(E_INVALID,
	       dblock_quorum_status(cluster.urls, MEMBERS, "", NULL, NULL, NULL, NULL, &err));
	expect(E_INVALID,
	       dblock_quorum_status(cluster.urls, MEMBERS, longest, NULL, NULL, NULL, NULL, &err));
	assert_non_null(strstr(err.message, "248"));
	assert_int_equal(
		dblock_quorum_status(cluster.urls, MEMBERS, NULL, NULL, ends, &calls, NULL, &err),
		41);
	assert_int_equal(calls, 1);
	expect(OK, dblock_quorum_status(cluster.urls, MEMBERS, NULL, NULL, NULL, NULL, NULL, &err));
}

static void a_state_is_told_as_far_as_there_is_room(void **state)
{
	struct dblock_quorum_state s = DBLOCK_QUORUM_STATE_INIT;
	struct dblock_error err = {0};

	(void)state;
	s.voting = 77;
	s.size = offsetof(struct dblock_quorum_state, voting);
	expect(OK, dblock_quorum_status(cluster.urls, MEMBERS, NULL, NULL, NULL, NULL, &s, &err));
	assert_int_equal(s.answering, MEMBERS);
	assert_int_equal(s.voting, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {CLUSTER_CASE(who_has_it_at_which_token),
					   CLUSTER_CASE(who_is_silent_or_gone),
					   CLUSTER_CASE(who_does_not_vote),
					   CLUSTER_CASE(a_copy_is_seen_and_nothing_is_written),
					   CLUSTER_CASE(what_is_wrong_with_a_call),
					   cmocka_unit_test_setup_teardown(a_member_is_replaced,
									   set_up_spare,
									   cluster_tear_down),
					   CLUSTER_CASE(a_state_is_told_as_far_as_there_is_room)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
