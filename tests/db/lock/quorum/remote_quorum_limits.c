/* SPDX-License-Identifier: MIT */
/* One lock over three databases: what goes wrong at one member is not the others' trouble, nor does it take
 * long. */
#include "db/lock/quorum/cluster.h"
#include "lock/handle/loss.h"
#include "lock/quorum/own.h"

enum { TTL_MS = 3000 };

static struct dblock_lock *takes_all(struct dblock_client *client, const char *name)
{
	struct dblock_lock *lock = take(client, name);

	wait_until(votes(name) == MEMBERS);
	return lock;
}

static void has_nothing_to_do(struct dbl_voter *v)
{
	struct dbl_quorum *q = v->lock->quorum;

	v->busy = true;
	v->lock->refs++;
	dbl_member_begin(v->member);
	dbl_workers_add(v->member->workers, &v->job);
	while (v->busy)
		dbl_cond_wait(&v->lock->news, &q->home.mutex, q->home.env, DBL_NEVER);
}

/* Requests to a member that is dead wait for their turn, and when it has come nobody wants them any more. Naive: then
 * they pass as answered, and the dead member is waited for again. */
static void what_was_not_asked_was_not_answered(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dblock_lock *lock = takes_all(client, "x");
	struct dbl_voter *v = &((struct dbl_quorum_lock *)lock)->voters[2];

	(void)state;
	dbl_lock(&lock->locks->mutex);
	has_nothing_to_do(v);
	assert_false(dbl_member_is_slow(v->member));
	v->member->slow = true;
	has_nothing_to_do(v);
	assert_true(dbl_member_is_slow(v->member));
	dbl_unlock(&lock->locks->mutex);
	give(lock);
	dblock_close(client, NULL);
}

/* A vote's end may be told before the vote is noted. Naive: it stays there, over, and is never asked for again. */
static void a_vote_whose_end_was_not_heard_is_asked_for_again(void **state)
{
	struct dblock_client *client = cluster_client(TTL_MS);
	struct dblock_lock *lock = takes_all(client, "x");
	struct dbl_voter *v = &((struct dbl_quorum_lock *)lock)->voters[2];
	int64_t token = member_int(2, "token", "x");

	(void)state;
	dbl_lock(&lock->locks->mutex);
	v->part->lost = NULL;
	assert_true(dbl_grant_lose(v->part, DBLOCK_LOSS_UNKNOWN));
	dbl_unlock(&lock->locks->mutex);
	wait_until(member_int(2, "token", "x") > token && votes("x") == MEMBERS);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	dblock_close(client, NULL);
}

/* Closing takes a while at a member that is silent, and meanwhile the leases at the others end. */
static void leases_end_while_the_client_is_closed(void **state)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_acquire_options leased = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	options.timeout_ms = 4000;
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	leased.lease_ms = 2000;
	leased.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, "x", &leased, &lock, &err));
	wait_until(raw_int(cluster.raw[2], "SELECT count(*) FROM dblock_lock WHERE lease > 0") ==
		   1);
	proxy_set(cluster.proxy[0], PROXY_SILENT);
	dblock_close(client, NULL);
	proxy_set(cluster.proxy[0], PROXY_PASS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(what_was_not_asked_was_not_answered),
		CLUSTER_CASE(a_vote_whose_end_was_not_heard_is_asked_for_again),
		CLUSTER_CASE(leases_end_while_the_client_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
