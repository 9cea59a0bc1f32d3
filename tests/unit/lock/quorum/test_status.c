/* SPDX-License-Identifier: MIT */
/* Who votes with whom, and for whom, of what members say of themselves; and that all are asked at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "lock/quorum/status.h"

enum { N = 5 };

static struct dbl_seen seen[N];
static struct dbl_sight sight;

/* All vote, in one cluster, and nobody has the lock. */
static int set_up(void **state)
{
	(void)state;
	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < N; i++) {
		struct dbl_membership *is = &seen[i].is;

		strcpy(is->cluster, "five");
		strcpy(is->identity, "i");
		strcpy(is->roster, "h0 h1 h2 h3 h4");
		snprintf(is->history, sizeof(is->history), "h%d", i);
		snprintf(is->newest, sizeof(is->newest), "h%d", i);
		is->epoch = 1;
		is->members = N;
		is->number = i + 1;
		is->state = DBL_MEMBER_VOTES;
	}
	return 0;
}

static void judge(void)
{
	dbl_quorum_judge(seen, N, &sight);
}

static void is(int i, enum dblock_member_state state, const char *why)
{
	assert_int_equal(seen[i].state, state);
	if (!strstr(seen[i].why.message, why))
		fail_msg("not '%s': %s", why, seen[i].why.message);
}

/* ---- who votes ------------------------------------------------------------------------------- */

static void all_vote(void **state)
{
	(void)state;
	judge();
	assert_int_equal(sight.majority, 3);
	assert_int_equal(sight.answering, N);
	assert_int_equal(sight.voting, N);
	assert_string_equal(sight.cluster->cluster, "five");
	assert_null(sight.holder);
}

static void why_one_does_not(void **state)
{
	(void)state;
	seen[0].rc = DBLOCK_E_UNAVAILABLE;
	strcpy(seen[0].why.message, "it is gone");
	seen[1].is.cluster[0] = '\0';
	strcpy(seen[2].is.newest, "another");
	seen[3].is.state = DBL_MEMBER_NEW;
	seen[4].is.state = DBL_MEMBER_CLOSED;
	judge();
	is(0, DBLOCK_MEMBER_UNKNOWN, "it is gone");
	is(1, DBLOCK_MEMBER_NONE, "no member of a cluster");
	is(2, DBLOCK_MEMBER_COPY, "was restored, or failed over");
	is(3, DBLOCK_MEMBER_NEW, "not complete");
	is(4, DBLOCK_MEMBER_CLOSED, "being replaced");
	assert_int_equal(sight.answering, 4);
	assert_int_equal(sight.voting, 0);
	/* What is closed still says what it is of. */
	assert_string_equal(sight.cluster->cluster, "five");
	seen[4].is.state = DBL_MEMBER_NEW;
	judge();
	assert_null(sight.cluster);
}

/* Naive: the first one says what the cluster is. */
static void most_say_what_the_cluster_is(void **state)
{
	(void)state;
	strcpy(seen[0].is.identity, "other");
	strcpy(seen[0].is.cluster, "other");
	judge();
	is(0, DBLOCK_MEMBER_OTHER, "'other'");
	assert_int_equal(sight.voting, 4);
	assert_string_equal(sight.cluster->cluster, "five");
}

/* The second was replaced, which the third has not heard of. Naive: what most say, or what each says of itself. */
static void the_newest_word_counts(void **state)
{
	(void)state;
	seen[4].is.epoch = 2;
	strcpy(seen[4].is.roster, "h0 new h2 h3 h4");
	judge();
	is(1, DBLOCK_MEMBER_REPLACED, "another database is in its place");
	is(2, DBLOCK_MEMBER_VOTES, "");
	assert_int_equal(sight.cluster->epoch, 2);
	assert_int_equal(sight.voting, 4);
	/* That it will be is said before that it is. */
	seen[0].is.epoch = 2;
	seen[0].is.state = DBL_MEMBER_CLOSED;
	strcpy(seen[0].is.roster, "h0 new h2 -h9 h4");
	judge();
	is(0, DBLOCK_MEMBER_CLOSED, "being replaced");
	is(1, DBLOCK_MEMBER_REPLACED, "another database is in its place");
	is(3, DBLOCK_MEMBER_REPLACED, "another database is being put in its place");
	assert_int_equal(sight.voting, 2);
}

/* Naive: those count that were given. */
static void one_that_is_given_twice_votes_once(void **state)
{
	(void)state;
	seen[3].is = seen[1].is;
	judge();
	is(1, DBLOCK_MEMBER_VOTES, "");
	is(3, DBLOCK_MEMBER_OTHER, "as URL 2 is");
	assert_int_equal(sight.voting, 4);
}

static void all_members_are_to_be_given(void **state)
{
	(void)state;
	for (int i = 0; i < N; i++)
		seen[i].is.members = 7;
	judge();
	is(0, DBLOCK_MEMBER_OTHER, "has 7 members, and 5 were given");
	assert_int_equal(sight.voting, 0);
}

/* ---- and for whom ---------------------------------------------------------------------------- */

static void vote(int i, const char *host, int64_t token)
{
	seen[i].host = host;
	seen[i].pid = 7;
	seen[i].token = token;
}

static void granted(const char *host, unsigned votes, int64_t token)
{
	judge();
	assert_string_equal(sight.holder->host, host);
	assert_int_equal(sight.granted, votes);
	assert_int_equal(sight.token, token);
}

static void a_minority_grants_nothing(void **state)
{
	(void)state;
	vote(0, "a", 4);
	vote(2, "a", 4);
	granted("a", 2, 0);
	/* Another one has more, of whom the first member does not know. */
	for (int i = 2; i < N; i++)
		vote(i, "b", 5);
	granted("b", 3, 5);
	/* One process is not another on its host. */
	seen[4].pid = 8;
	granted("b", 2, 0);
}

/* Naive: the largest, or the smallest, or what most have. */
static void the_token_is_that_which_completes_a_majority(void **state)
{
	static const int64_t tokens[N] = {9, 4, 7, 8, 7};

	(void)state;
	for (int i = 0; i < N; i++)
		vote(i, "a", tokens[i]);
	granted("a", 5, 7);
	/* Of 4, 7, 8 a majority has 4 at least, and none has 8 yet. */
	seen[0].host = seen[4].host = NULL;
	granted("a", 3, 0);
	seen[1].token = seen[2].token = 8;
	granted("a", 3, 8);
}

static void a_lease_is_held_at_the_largest(void **state)
{
	(void)state;
	for (int i = 0; i < N; i++) {
		vote(i, "a", i < 2 ? 4 : 7);
		seen[i].is_lease = true;
	}
	granted("a", 5, 7);
	seen[2].token = 4;
	granted("a", 5, 0);
}

/* Naive: what it tells counts, though it may have forgotten who has its vote; or only of who votes, though one that
 * is closed takes nothing back. */
static void whose_grants_count(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		vote(i, "a", 4);
	for (int i = 0; i < N; i++) {
		seen[i].is.state = DBL_MEMBER_CLOSED;
		strcpy(seen[i].is.roster, "h0 h1 h2 h3 -h9");
	}
	granted("a", 3, 4);
	assert_int_equal(sight.voting, 0);
	assert_int_equal(sight.telling, 4);
	for (int i = 0; i < N; i++)
		strcpy(seen[i].is.roster, "h0 -h9 h2 h3 h4");
	granted("a", 2, 0);
	set_up(NULL);
	for (int i = 0; i < 3; i++)
		vote(i, "a", 4);
	strcpy(seen[1].is.newest, "another");
	granted("a", 2, 0);
	assert_int_equal(sight.telling, 4);
}

/* ---- all at once ----------------------------------------------------------------------------- */

static struct dbl_mutex mutex;
static struct dbl_cond all_are_here;
static unsigned here;

/* Ends when all members are being looked at. Naive, one after another: never. */
static void wait_for_the_others(void *ctx, unsigned i)
{
	bool *looked = ctx;

	looked[i] = true;
	dbl_lock(&mutex);
	if (++here == N)
		dbl_cond_wake(&all_are_here);
	while (here < N)
		dbl_cond_wait(&all_are_here, &mutex, dbl_env_system(), DBL_NEVER);
	dbl_unlock(&mutex);
}

static void none_waits_for_another(void **state)
{
	bool looked[N] = {false};

	(void)state;
	assert_int_equal(dbl_mutex_init(&mutex), 0);
	assert_int_equal(dbl_cond_init(&all_are_here), 0);
	dbl_quorum_look(dbl_env_system(), N, wait_for_the_others, looked);
	for (int i = 0; i < N; i++)
		assert_true(looked[i]);
	dbl_cond_fini(&all_are_here);
	dbl_mutex_fini(&mutex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_vote, set_up),
		cmocka_unit_test_setup(why_one_does_not, set_up),
		cmocka_unit_test_setup(most_say_what_the_cluster_is, set_up),
		cmocka_unit_test_setup(the_newest_word_counts, set_up),
		cmocka_unit_test_setup(one_that_is_given_twice_votes_once, set_up),
		cmocka_unit_test_setup(all_members_are_to_be_given, set_up),
		cmocka_unit_test_setup(a_minority_grants_nothing, set_up),
		cmocka_unit_test_setup(the_token_is_that_which_completes_a_majority, set_up),
		cmocka_unit_test_setup(a_lease_is_held_at_the_largest, set_up),
		cmocka_unit_test_setup(whose_grants_count, set_up),
		cmocka_unit_test(none_waits_for_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
