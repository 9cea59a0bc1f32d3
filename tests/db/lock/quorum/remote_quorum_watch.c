/* SPDX-License-Identifier: MIT */
/* One lock over three databases: a holder is over at a member when it has been watched there for its ttl, not when
 * the member's clock says so; and that does not take longer than at one database. */
#include "db/lock/quorum/cluster.h"

enum { TTL_MS = 3000, LONG_TTL_MS = 290000, TIMES = 5 };

/* It has no proxies in its way. */
static struct dblock_client *direct_client(int64_t ttl_ms)
{
	struct dblock_client_options options = cluster_options(ttl_ms);
	const char *urls[MEMBERS];
	struct dblock_error err = {0};
	struct dblock_client *client;

	for (int i = 0; i < MEMBERS; i++)
		urls[i] = cluster.direct[i];
	expect(OK, dblock_quorum_open(urls, MEMBERS, &options, &client, &err));
	return client;
}

static struct dblock_lock *takes_all(struct dblock_client *client, const char *name)
{
	struct dblock_lock *lock = take(client, name);

	wait_until(votes(name) == MEMBERS);
	return lock;
}

/* For who looks at it an hour has passed since the last heartbeat of any session at that member; as if its clock
 * had been set ahead just after it. */
static void an_hour_passes_at(int i)
{
	raw_exec(cluster.raw[i], "UPDATE dblock_session SET expires = expires - 3600000000");
}

/* The clocks of all members are set ahead at one time. Naive: each member's word is taken that the holder's session
 * is over, and there are two holders. */
static void clocks_that_are_set_bury_nobody(void **state)
{
	struct dblock_client *one = cluster_client(LONG_TTL_MS),
			     *other = cluster_client(LONG_TTL_MS);
	struct dblock_lock *lock = takes_all(one, "x"), *none;
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < MEMBERS; i++)
		an_hour_passes_at(i);
	expect(BUSY, dblock_try(other, "x", NULL, &none, &err));
	expect(BUSY, dblock_try(other, "x", NULL, &none, &err));
	assert_int_equal(votes("x"), MEMBERS);
	assert_true(dblock_valid(lock, 1));
	give(lock);
	dblock_close(other, NULL);
	dblock_close(one, NULL);
}

/* How long the next one waits for the lock of a holder that goes silent while he does. */
static int64_t wait_for_the_dead(int64_t ttl_ms)
{
	struct dblock_client *one = cluster_client(TTL_MS), *other = direct_client(ttl_ms);
	struct dblock_lock *lock = takes_all(one, "x");
	struct dblock_error err = {0};
	struct waiting w;
	int64_t since;

	waiting_start(&w, other, "x");
	wait_until(in_line(NULL) == 1);
	sleep_ms(TTL_MS); /* the holder's heartbeats are not those that were seen at first */
	since = clock_ms();
	for (int i = 0; i < MEMBERS; i++)
		proxy_set(cluster.proxy[i], PROXY_SILENT);
	give(waiting_join(&w));
	since = clock_ms() - since;
	for (int i = 0; i < MEMBERS; i++)
		proxy_set(cluster.proxy[i], PROXY_PASS);
	(void)dblock_release(lock, &err);
	dblock_close(one, NULL);
	dblock_close(other, NULL);
	return since;
}

/* Naive: the members in whose line he does not wait are watched only from the end of his wait on, for a ttl more. (A
 * machine that is slow once in a while is no proof of that.) */
static void waits_for_one_ttl(int64_t ttl_ms)
{
	int64_t took = INT64_MAX;

	for (int i = 0; i < TIMES && took > TTL_MS * 3 / 2; i++)
		took = wait_for_the_dead(ttl_ms);
	if (took > TTL_MS * 3 / 2)
		fail_msg("%lld ms", (long long)took);
}

static void all_members_are_watched_at_one_time(void **state)
{
	(void)state;
	waits_for_one_ttl(TTL_MS);
}

/* Naive: it is looked so often within the ttl of who waits, which may be a hundred times as long. */
static void the_holders_ttl_says_how_often(void **state)
{
	(void)state;
	waits_for_one_ttl(LONG_TTL_MS);
}

/* Naive: each call watches anew. Then a vote of a dead holder stays at a member for good, where nobody waits, or holds
 * a lock, for as long as a ttl. */
static void who_tries_again_and_again_has_watched(void **state)
{
	struct dblock_client *one = cluster_client(TTL_MS), *other = direct_client(TTL_MS);
	struct dblock_lock *dead = takes_all(one, "x"), *lock = NULL;
	struct dblock_error err = {0};
	int64_t since = clock_ms();

	(void)state;
	for (int i = 0; i < MEMBERS; i++)
		proxy_set(cluster.proxy[i], PROXY_SILENT);
	wait_until(dblock_try(other, "x", NULL, &lock, &err) == DBLOCK_OK);
	assert_true(clock_ms() - since >= TTL_MS * 2 / 3);
	assert_false(dblock_valid(dead, 0));
	give(lock);
	for (int i = 0; i < MEMBERS; i++)
		proxy_set(cluster.proxy[i], PROXY_PASS);
	(void)dblock_release(dead, &err);
	dblock_close(one, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(clocks_that_are_set_bury_nobody),
		CLUSTER_CASE(all_members_are_watched_at_one_time),
		CLUSTER_CASE(the_holders_ttl_says_how_often),
		CLUSTER_CASE(who_tries_again_and_again_has_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
