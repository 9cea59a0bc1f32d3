/* SPDX-License-Identifier: MIT */
/* A lease is held at one and the same token on a majority: whoever has the token, and nothing else, may extend and release
 * it. */
#include "db/lock/quorum/cluster.h"
#include "lock/quorum/own.h"

enum { LEASE_MS = 200000 };

static struct dblock_lock *take_lease(struct dblock_client *client)
{
	struct dblock_acquire_options leased = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	leased.lease_ms = LEASE_MS;
	expect(OK, dblock_try(client, "x", &leased, &lock, &err));
	return lock;
}

static bool all_hold(void)
{
	int n = 0;

	for (int i = 0; i < MEMBERS; i++)
		n += member_int(i, "expires IS NOT NULL", "x") == 1;
	return n == MEMBERS;
}

static bool is_at_rest(const struct dbl_quorum_lock *l)
{
	bool busy;

	dbl_lock(&l->quorum->home.mutex);
	busy = dbl_voters_are_busy(l);
	dbl_unlock(&l->quorum->home.mutex);
	return !busy;
}

/* One has lost its vote, and that of another is at another token, as if it could not be raised. Naive: a majority votes for
 * the lease, which by its token one member knows. */
static void a_vote_at_another_token_does_not_count(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dblock_lock *lock = take_lease(client);
	struct dbl_quorum_lock *l = dbl_quorum_lock_of(lock);
	struct dblock_error err = {0};

	(void)state;
	wait_until(all_hold() && is_at_rest(l));
	dbl_lock(&l->quorum->home.mutex);
	l->voters[2].token--;
	l->raise = 0;
	dbl_unlock(&l->quorum->home.mutex);
	raw_exec(cluster.raw[0],
		 "UPDATE dblock_lock SET nonce = 0, session = NULL, lease = NULL, expires = NULL");
	expect(LOST, dblock_extend(lock, LEASE_MS, &err));
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(a_vote_at_another_token_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
