/* SPDX-License-Identifier: MIT */
/* Members that were restored from a backup, or come from one: they do not vote until they are replaced. */
#include "db/lock/quorum/cluster.h"

static int open_it(struct dblock_error *err)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_client *client;
	int rc = dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, err);

	dblock_close(client, NULL);
	return rc;
}

/* Naive: a forgetful member votes. */
static void a_copy_does_not_vote(void **state)
{
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	client = cluster_client(0);
	give(take(client, "x"));
	wait_until(votes("x") == 0); /* the release returns with the majority */
	proxy_set(cluster.proxy[1], PROXY_TEAR);
	becomes_a_copy(1);
	proxy_cut(
		cluster.proxy
			[1]); /* as whoever restores a database has to end what is connected to it */
	lock = take(client, "x");
	proxy_set(cluster.proxy[1], PROXY_PASS);
	for (int i = 0; i < 5; i++) {
		give(lock);
		lock = take(client, "x");
		wait_until(votes("x") <
			   MEMBERS); /* what it may have granted is given back, not counted */
	}
	give(lock);
	dblock_close(client, NULL);
	/* That is one of the minority that may fail. It takes two of them for an error. */
	expect(OK, open_it(&err));
	becomes_a_copy(2);
	expect(E_INVALID, open_it(&err));
	assert_non_null(strstr(err.message, "it was member "));
	assert_non_null(strstr(err.message, "dblock quorum replace"));
}

/* A copy is one of a minority that may fail. Naive: who waits for another one, which is away for a moment, is told that
 * his argument is wrong. */
static void a_copy_ends_no_wait(void **state)
{
	struct dblock_acquire_options brief = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client_options options = cluster_options(0);
	struct dblock_client *client;
	struct dblock_lock *lock;
	int rc;

	(void)state;
	options.timeout_ms = SLOWLY_MS(1000);
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	proxy_set(cluster.proxy[1], PROXY_TEAR);
	give(take(client, "x"));
	becomes_a_copy(1);
	proxy_cut(cluster.proxy[1]);
	proxy_set(cluster.proxy[1], PROXY_PASS);
	proxy_set(cluster.proxy[2], PROXY_TEAR);
	brief.wait_ms = options.timeout_ms;
	for (int i = 0; i < 3; i++) {
		rc = dblock_acquire(client, "x", &brief, &lock, &err);
		assert_true(rc == DBLOCK_E_NO_ANSWER || rc == DBLOCK_E_UNAVAILABLE);
	}
	proxy_set(cluster.proxy[2], PROXY_PASS);
	brief.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, "x", &brief, &lock, &err));
	give(lock);
	dblock_close(client, NULL);
}

/* What was a copy may be a member again a moment later: somebody has put it right. Naive: it is not asked for a second,
 * and as another one is a copy, too, its old answer ends the call. */
static void two_copies_are_asked_anew(void **state)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	options.timeout_ms =
		SLOWLY_MS(1000); /* a connection that is torn is tried again until then */
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	for (int i = 1; i < MEMBERS; i++) {
		proxy_set(cluster.proxy[i], PROXY_TEAR);
		becomes_a_copy(i);
		proxy_cut(cluster.proxy[i]);
	}
	assert_true(dblock_try(client, "x", NULL, &lock, &err) < 0);
	for (int i = 1; i < MEMBERS; i++)
		proxy_set(cluster.proxy[i], PROXY_PASS);
	wait_until(dblock_try(client, "x", NULL, &lock, &err) == DBLOCK_E_INVALID);
	raw_exec(cluster.raw[1], "DELETE FROM dblock_history WHERE id = 'copy'");
	expect(OK, dblock_try(client, "x", NULL, &lock, &err));
	give(lock);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(a_copy_does_not_vote),
		CLUSTER_CASE(a_copy_ends_no_wait),
		CLUSTER_CASE(two_copies_are_asked_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
