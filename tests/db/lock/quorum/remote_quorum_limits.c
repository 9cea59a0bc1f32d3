/* SPDX-License-Identifier: MIT */
/* One lock over three databases: what goes wrong at one member is not the others' trouble, nor does it take
 * long. */
#include "api/client.h"
#include "db/lock/quorum/cluster.h"
#include "lock/handle/loss.h"
#include "lock/lock.h"
#include "lock/quorum/member.h"
#include "lock/quorum/membership.h"
#include "lock/quorum/vote.h"

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
	int at = 0;

	(void)state;
	options.timeout_ms = SLOWLY_MS(4000);
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &other, &err));
	waiting_start(&w, other, "x");
	wait_until(in_line(&at) == 1);
	proxy_set(cluster.proxy[at], PROXY_SILENT);
	(void)dblock_release(lock, NULL);
	lock = waiting_join(&w);
	assert_true(dblock_valid(lock, 0));
	(void)dblock_release(lock, NULL);
	proxy_set(cluster.proxy[at], PROXY_PASS);
	dblock_close(one, NULL);
	dblock_close(other, NULL);
}

/* Members vote for somebody else: the votes are his who has one client of each. */
struct votes {
	struct dblock_client *alone[MEMBERS];
	struct dblock_lock *part[MEMBERS];
};

static void all_are_taken(struct votes *v)
{
	struct dblock_client_options options = cluster_options(0);
	struct dbl_acquire_spec spec = {.name = "quorum\x1fx"};
	struct dblock_error err = {0};

	for (int i = 0; i < MEMBERS; i++) {
		expect(OK, dblock_open(cluster.direct[i], &options, &v->alone[i], &err));
		expect(OK, dbl_lock_try(v->alone[i]->locks, &spec, &v->part[i], &err));
	}
}

/* Waits in a member's line, which is returned, and gets that vote, but none of the others. A wait that is over before
 * it comes there, on a slow machine, begins anew. */
static int becomes_first_in_line(struct waiting *w, struct votes *v)
{
	int64_t token;
	int at = -1;

	do {
		w->done = false;
		assert_int_equal(pthread_create(&w->thread, NULL, waiting_body, w), 0);
		wait_until(in_line(&at) == 1 || w->done);
		if (at < 0)
			pthread_join(w->thread, NULL);
	} while (at < 0);
	token = member_int(at, "token", "x");
	give(v->part[at]);
	wait_until(member_int(at, "token", "x") > token);
	return at;
}

/* First in the line of one member, and the others vote for somebody else. Naive: he asks them for timeout_ms, whatever
 * his caller said. */
static void who_is_first_in_line_heeds_its_caller(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct waiting brief = {.client = client, .name = "x", .wait_ms = 6000};
	struct waiting shut = {.client = client, .name = "x"};
	struct dblock_error err = {0};
	struct votes v;
	int64_t began;
	int at;

	(void)state;
	all_are_taken(&v);
	at = becomes_first_in_line(&brief, &v);
	began = clock_ms();
	wait_until(brief.done);
	pthread_join(brief.thread, NULL);
	assert_true(clock_ms() - began < PLENTY_MS / 2);
	assert_int_equal(brief.rc, DBLOCK_TIMEOUT);
	wait_until(votes("x") == MEMBERS - 1);
	expect(OK,
	       dbl_lock_try(v.alone[at]->locks, &(struct dbl_acquire_spec){.name = "quorum\x1fx"},
			    &v.part[at], &err));
	(void)becomes_first_in_line(&shut, &v);
	began = clock_ms();
	dblock_shutdown(client);
	wait_until(shut.done);
	pthread_join(shut.thread, NULL);
	assert_true(clock_ms() - began < PLENTY_MS / 2);
	assert_int_equal(shut.rc, DBLOCK_CANCELED);
	dblock_close(client, NULL);
	for (int i = 0; i < MEMBERS; i++)
		dblock_close(v.alone[i], NULL);
}

/* One holds it by members 2 and 3, as member 1 does not answer him; who waits reaches all. Naive: he waits at member
 * 1, has its vote at once, and keeps it from the holder, who loses the lock with the next member that goes down. */
static void who_waits_does_so_where_it_is_held(void **state)
{
	struct dblock_client *one = cluster_client(0), *other;
	const char *direct[] = {cluster.direct[0], cluster.direct[1], cluster.direct[2]};
	struct dblock_client_options options = cluster_options(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct waiting w;
	int at = 0;

	(void)state;
	expect(OK, dblock_quorum_open(direct, MEMBERS, &options, &other, &err));
	proxy_set(cluster.proxy[0], PROXY_SILENT);
	lock = take(one, "x");
	waiting_start(&w, other, "x");
	wait_until(in_line(&at) == 1);
	assert_int_not_equal(at, 0);
	proxy_set(cluster.proxy[0], PROXY_PASS);
	wait_until(votes("x") == MEMBERS);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	give(waiting_join(&w));
	dblock_close(one, NULL);
	dblock_close(other, NULL);
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
	struct dblock_client *client = cluster_client(SLOWLY_MS(TTL_MS));
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
	options.timeout_ms = SLOWLY_MS(4000);
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

/* A vote of that member for somebody else, by a lease. */
static struct dblock_lock *votes_for_another(struct dblock_client *alone)
{
	struct dbl_acquire_spec spec = {.name = "quorum\x1fx",
					.lease = 290 * 1000000LL,
					.owner = {.kind = DBL_OWNER_WAIT, .id = 1}};
	struct dbl_watch watch = {.any = false};
	struct dbl_membership is;
	struct dblock_error err = {0};
	struct dblock_lock *part;
	struct dbl_ballot ballot;

	expect(OK, dbl_membership_verify(alone->locks->link, dbl_locks_deadline(alone->locks), &is,
					 &err));
	ballot = (struct dbl_ballot){.token = 1, .identity = is.identity, .epoch = is.epoch};
	expect(OK, dbl_vote_ask(alone->locks, &spec, &ballot, &watch, &part, &err));
	return part;
}

static struct dblock_client *member_alone(int i)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_error err = {0};
	struct dblock_client *alone;

	expect(OK, dblock_open(cluster.urls[i], &options, &alone, &err));
	return alone;
}

/* One member votes for somebody who will never have a majority. Naive: what the first member says is the end of it,
 * as long as that lease lasts. */
static void a_stale_vote_is_not_a_veto(void **state)
{
	struct dblock_client *alone = member_alone(0), *client = cluster_client(1500);
	struct dblock_lock *part = votes_for_another(alone), *lock;
	struct dblock_error err = {0};

	(void)state;
	(void)dblock_release(take(client, "x"), &err);
	expect(OK, dblock_acquire(client, "x", NULL, &lock, &err));
	assert_true(dblock_token(lock) > 1);
	(void)dblock_release(lock, &err);
	give(part);
	dblock_close(alone, NULL);
	dblock_close(client, NULL);
}

/* Who was first in the line of the second member has a majority with the third. Naive: the first one, which votes
 * for somebody else, keeps him from it; two such keep each other waiting. (Seen with ten that contend.) */
static void who_was_first_in_a_line_needs_a_majority(void **state)
{
	struct dblock_client *client = cluster_client(0), *alone[MEMBERS];
	struct dblock_lock *parts[MEMBERS];
	struct waiting w;
	int at = 0;

	(void)state;
	for (int i = 0; i < MEMBERS; i++)
		alone[i] = member_alone(i);
	parts[1] = votes_for_another(alone[1]);
	parts[2] = votes_for_another(alone[2]);
	waiting_start(&w, client, "x");
	wait_until(in_line(&at) == 1);
	assert_int_not_equal(at, 0);
	parts[0] = votes_for_another(alone[0]);
	give(parts[MEMBERS - at]);
	give(parts[at]);
	give(waiting_join(&w));
	give(parts[0]);
	for (int i = 0; i < MEMBERS; i++)
		dblock_close(alone[i], NULL);
	dblock_close(client, NULL);
}

/* The third one opens only while the client is being closed, when a lease has ended that is left. Naive: that is seen,
 * and has the others told, whose workers have gone. (What that does is seen with a sanitizer only.) */
static void one_opens_while_the_client_is_closed(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.lease_ms = 200;
	proxy_set(cluster.proxy[2], PROXY_SLOW);
	client = cluster_client(0);
	/* It may be over before the answer has come. */
	wait_until(dblock_try(client, "x", &options, &lock, &err) == DBLOCK_OK);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(a_line_that_is_silent_is_left),
		CLUSTER_CASE(who_waits_does_so_where_it_is_held),
		CLUSTER_CASE(who_is_first_in_line_heeds_its_caller),
		CLUSTER_CASE(what_was_not_asked_was_not_answered),
		CLUSTER_CASE(a_vote_whose_end_was_not_heard_is_asked_for_again),
		CLUSTER_CASE(leases_end_while_the_client_is_closed),
		CLUSTER_CASE(one_opens_while_the_client_is_closed),
		CLUSTER_CASE(a_stale_vote_is_not_a_veto),
		CLUSTER_CASE(who_was_first_in_a_line_needs_a_majority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
