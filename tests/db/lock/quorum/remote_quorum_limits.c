/* SPDX-License-Identifier: MIT */
/* One lock over three databases: what goes wrong at one member is not the others' trouble, nor does it take
 * long. */
#include "db/lock/quorum/cluster.h"
#include "lock/handle/loss.h"
#include "lock/lock.h"
#include "lock/quorum/own.h"

enum { TTL_MS = 3000 };

static struct dblock_lock *takes_all(struct dblock_client *client, const char *name)
{
	struct dblock_lock *lock = take(client, name);

	wait_until(votes(name) == MEMBERS);
	return lock;
}

/* The member in whose line one waits goes silent; the other two are a majority. Naive: one waits there. */
static void a_line_that_is_silent_is_left(void **state)
{
	struct dblock_client *one = cluster_client(TTL_MS), *other;
	struct dblock_client_options options = cluster_options(TTL_MS);
	struct dblock_lock *lock = takes_all(one, "x");
	struct dblock_error err = {0};
	struct waiting w;

	(void)state;
	options.timeout_ms = 4000;
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &other, &err));
	waiting_start(&w, other, "x");
	wait_until(raw_int(cluster.raw[0],
			   "SELECT count(*) FROM dblock_queue WHERE token IS NULL") == 1);
	proxy_set(cluster.proxy[0], PROXY_SILENT);
	(void)dblock_release(lock, NULL);
	lock = waiting_join(&w);
	assert_true(dblock_valid(lock, 0));
	(void)dblock_release(lock, NULL);
	proxy_set(cluster.proxy[0], PROXY_PASS);
	dblock_close(one, NULL);
	dblock_close(other, NULL);
}

/* Members 2 and 3 vote for somebody else, for long. */
static void two_are_taken(struct dblock_client *alone[2])
{
	struct dblock_client_options options = cluster_options(0);
	struct dbl_acquire_spec spec = {.name = "quorum\x1fx"};
	struct dblock_error err = {0};
	struct dblock_lock *part;

	for (int i = 0; i < 2; i++) {
		expect(OK, dblock_open(cluster.direct[i + 1], &options, &alone[i], &err));
		expect(OK, dbl_lock_try(alone[i]->locks, &spec, &part, &err));
	}
}

/* First in the line of one member, and the others vote for somebody else. Naive: as it stands in line it asks them for
 * timeout_ms, whatever its caller said. */
static void who_is_first_in_line_heeds_its_caller(void **state)
{
	struct dblock_client *alone[2], *client = cluster_client(0);
	struct dblock_acquire_options brief = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t began;
	struct waiting w;

	(void)state;
	two_are_taken(alone);
	began = clock_ms();
	brief.wait_ms = 200;
	expect(TIMEOUT, dblock_acquire(client, "x", &brief, &lock, &err));
	assert_true(clock_ms() - began < PLENTY_MS / 2);
	began = clock_ms();
	waiting_start(&w, client, "x");
	wait_until(member_int(0, "token", "x") > 0);
	sleep_ms(200); /* likely it asks the others by now */
	dblock_shutdown(client);
	wait_until(w.done);
	pthread_join(w.thread, NULL);
	assert_int_equal(w.rc, DBLOCK_CANCELED);
	assert_true(clock_ms() - began < PLENTY_MS / 2);
	dblock_close(client, NULL);
	for (int i = 0; i < 2; i++)
		dblock_close(alone[i], NULL);
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
		CLUSTER_CASE(a_line_that_is_silent_is_left),
		CLUSTER_CASE(who_is_first_in_line_heeds_its_caller),
		CLUSTER_CASE(what_was_not_asked_was_not_answered),
		CLUSTER_CASE(a_vote_whose_end_was_not_heard_is_asked_for_again),
		CLUSTER_CASE(leases_end_while_the_client_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
