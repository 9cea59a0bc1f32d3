/* SPDX-License-Identifier: MIT */
/* What a client of a cluster counts: its caller's calls, each once, and nothing of what members do for them; of these
 * their connections. */
#include "api/stats.h"
#include "db/lock/quorum/cluster.h"
#include "support/call.h"

enum { TTL_MS = 3000, LEASE_MS = 200000 };

/* ---- counters -------------------------------------------------------------------------------- */

static int64_t losses_of(const struct dblock_stats *s)
{
	int64_t sum = 0;

	for (int i = 0; i < DBLOCK_LOSS_CAUSES; i++)
		sum += s->losses[i];
	return sum;
}

static int64_t lost_by(const struct dblock_client *client, enum dblock_loss_cause cause)
{
	return stats_of(client).losses[cause];
}

/* Naive: each member counts, too. */
static void each_call_is_counted_once(void **state)
{
	struct dblock_acquire_options soon = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *one = cluster_client(0), *other = cluster_client(0);
	struct dblock_lock *lock = take(one, "x"), *again, *not ;
	struct dblock_error err = {0};
	struct dblock_stats s;

	(void)state;
	soon.wait_ms = 50;
	expect(OK, dblock_acquire(one, "x", NULL, &again, &err));
	give(again);
	expect(BUSY, dblock_try(other, "x", NULL, &not, &err));
	expect(TIMEOUT, dblock_acquire(other, "x", &soon, &not, &err));
	s = stats_of(one);
	assert_int_equal(s.acquired, 1);
	assert_int_equal(s.reentered, 1);
	assert_int_equal(acquires_of(&s), 2);
	assert_int_equal(s.released, 0);
	has_times(&s.wait, 1);
	has_times(&s.hold, 0);
	s = stats_of(other);
	assert_int_equal(s.busy, 1);
	assert_int_equal(s.timed_out, 1);
	assert_int_equal(acquires_of(&s), 2);
	has_times(&s.wait, 0);
	give(lock);
	s = stats_of(one);
	assert_int_equal(s.released, 1);
	assert_int_equal(losses_of(&s), 0);
	has_times(&s.hold, 1);
	dblock_shutdown(other);
	expect(CANCELED, dblock_acquire(other, "x", NULL, &not, &err));
	assert_int_equal(stats_of(other).canceled, 1);
	dblock_close(one, NULL);
	dblock_close(other, NULL);
}

/* What cannot be asked is no acquire. */
static void misuse_is_not_counted(void **state)
{
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = cluster_client(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_stats s;

	(void)state;
	shared.mode = DBLOCK_SHARED;
	expect(E_INVALID, dblock_try(client, "", NULL, &lock, &err));
	expect(E_INVALID, dblock_try(client, "x", &shared, &lock, &err));
	s = stats_of(client);
	assert_int_equal(acquires_of(&s), 0);
	dblock_close(client, NULL);
}

/* Who waits in line asks members more than once. */
static void a_wait_is_one_acquire(void **state)
{
	struct dblock_client *one = cluster_client(0), *other = cluster_client(0);
	struct dblock_lock *lock = take(one, "x");
	struct dblock_stats s;
	struct waiting w;

	(void)state;
	waiting_start(&w, other, "x");
	wait_until(in_line(NULL) == 1);
	sleep_ms(20);
	give(lock);
	give(waiting_join(&w));
	s = stats_of(other);
	assert_int_equal(s.acquired, 1);
	assert_int_equal(acquires_of(&s), 1);
	has_times(&s.wait, 1);
	assert_true(s.wait.sum_us >= 20000);
	assert_int_equal(s.released, 1);
	dblock_close(one, NULL);
	dblock_close(other, NULL);
}

/* All members' connections, statements and sessions. */
static void members_connections_are_counted(void **state)
{
	struct dblock_client *client = cluster_client(TTL_MS);
	struct dblock_stats s;
	int64_t statements;

	(void)state;
	wait_until(stats_of(client).sessions == MEMBERS);
	s = stats_of(client);
	assert_true(s.connects >= MEMBERS);
	statements = s.statements;
	give(take(client, "x"));
	assert_true(stats_of(client).statements >= statements + 2 * (MEMBERS / 2 + 1));
	wait_until(stats_of(client).heartbeats >= MEMBERS);
	assert_int_equal(stats_of(client).acquired, 1);
	dblock_close(client, NULL);
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* What its holder was told, when he was told. */
static _Atomic int told;

static int cause_of(const struct dblock_lock *lock)
{
	struct dblock_loss loss = DBLOCK_LOSS_INIT;

	if (dblock_loss_of(lock, &loss) != DBLOCK_LOST || !*loss.text || !loss.at_us)
		return -1;
	return (int)loss.cause;
}

static void note_cause(void *arg, struct dblock_lock *lock)
{
	(void)arg;
	atomic_store(&told, cause_of(lock));
}

/* lease_ms 0: none. */
static struct dblock_lock *take_to_lose(struct dblock_client *client, int64_t lease_ms)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.lease_ms = lease_ms;
	how.lost = note_cause;
	atomic_store(&told, DBLOCK_LOSS_NONE);
	expect(OK, dblock_acquire(client, "x", &how, &lock, &err));
	return lock;
}

/* It was counted when it was lost, and is not again when it is released; and each who asks is told the same cause. */
static void is_lost_once(struct dblock_client *client, struct dblock_lock *lock,
			 enum dblock_loss_cause cause)
{
	struct dblock_error err = {0};
	struct dblock_stats s;

	wait_until(lost_by(client, cause) == 1);
	wait_until(atomic_load(&told) != DBLOCK_LOSS_NONE);
	assert_int_equal(atomic_load(&told), cause);
	assert_int_equal(cause_of(lock), cause);
	assert_int_equal(stats_of(client).released, 0);
	expect(LOST, dblock_release(lock, &err));
	s = stats_of(client);
	assert_int_equal(losses_of(&s), 1);
	assert_int_equal(s.released, 1);
	dblock_close(client, NULL);
}

static void a_lease_that_is_over(void **state)
{
	struct dblock_client *client = cluster_client(0);

	(void)state;
	is_lost_once(client, take_to_lose(client, SLOWLY_MS(2000)), DBLOCK_LOSS_LEASE);
}

static void a_lease_that_another_one_ends(void **state)
{
	struct dblock_client *client = cluster_client(0), *other = cluster_client(0);
	struct dblock_lock *lock = take_to_lose(client, LEASE_MS);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_release_token(other, "x", dblock_token(lock), &err));
	is_lost_once(client, lock, DBLOCK_LOSS_RELEASED);
	dblock_close(other, NULL);
}

static void a_majority_that_is_silent(void **state)
{
	struct dblock_client_options options = cluster_options(TTL_MS);
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	options.timeout_ms = 4000;
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	lock = take_to_lose(client, 0);
	proxy_set(cluster.proxy[0], PROXY_SILENT);
	proxy_set(cluster.proxy[2], PROXY_SILENT);
	is_lost_once(client, lock, DBLOCK_LOSS_UNREACHABLE);
	proxy_set(cluster.proxy[0], PROXY_PASS);
	proxy_set(cluster.proxy[2], PROXY_PASS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(each_call_is_counted_once),
		CLUSTER_CASE(misuse_is_not_counted),
		CLUSTER_CASE(a_wait_is_one_acquire),
		CLUSTER_CASE(members_connections_are_counted),
		CLUSTER_CASE(a_lease_that_is_over),
		CLUSTER_CASE(a_lease_that_another_one_ends),
		CLUSTER_CASE(a_majority_that_is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
