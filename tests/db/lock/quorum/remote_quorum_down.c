/* SPDX-License-Identifier: MIT */
/* One lock over three databases, of which some do not answer. */
#include "db/lock/quorum/cluster.h"

enum { TTL_MS = 3000 };

static struct dblock_client *brief_client(int64_t ttl_ms)
{
	struct dblock_client_options options = cluster_options(ttl_ms);
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.timeout_ms = 4000; /* for who has to fail */
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	return client;
}

/* Takes it as soon as a majority answers, on whatever machine. */
static struct dblock_lock *gets(struct dblock_client *client, const char *name)
{
	struct dblock_acquire_options patient = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	patient.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, name, &patient, &lock, &err));
	return lock;
}

/* Whichever it is, and however it is down as the client is opened. */
static void one_of_three_is_not_missed(void **state)
{
	(void)state;
	for (int down = 0; down < MEMBERS; down++) {
		struct dblock_client *client;
		int64_t token = 0;

		proxy_set(cluster.proxy[down], PROXY_SILENT);
		client = brief_client(0);
		for (int i = 0; i < 5; i++) {
			struct dblock_lock *lock = gets(client, "x");

			assert_true(dblock_token(lock) > token);
			token = dblock_token(lock);
			give(lock);
		}
		proxy_set(cluster.proxy[down], PROXY_PASS);
		dblock_close(client, NULL);
	}
}

/* Naive: a client counts the members that it can reach. */
static void one_of_three_is_not_enough(void **state)
{
	struct dblock_client *client = brief_client(0), *none;
	struct dblock_client_options options = cluster_options(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	(void)state;
	proxy_set(cluster.proxy[0], PROXY_SILENT);
	proxy_set(cluster.proxy[2], PROXY_SILENT);
	rc = dblock_try(client, "x", NULL, &lock, &err);
	if (rc != DBLOCK_E_NO_ANSWER && rc != DBLOCK_E_UNAVAILABLE)
		fail_msg("%d: %s", rc, err.message);
	assert_non_null(strstr(err.message, "2 are needed"));
	assert_null(lock);
	options.timeout_ms = 300;
	rc = dblock_quorum_open(cluster.urls, MEMBERS, &options, &none, &err);
	assert_true(rc == DBLOCK_E_NO_ANSWER || rc == DBLOCK_E_UNAVAILABLE);
	assert_non_null(strstr(err.message, "member"));
	proxy_set(cluster.proxy[0], PROXY_PASS);
	proxy_set(cluster.proxy[2], PROXY_PASS);
	give(gets(client, "x"));
	dblock_close(client, NULL);
}

/* For longer than a request may take, so that none of those is under way when they answer again. Naive: who has not
 * answered is not waited for until it has, and what nobody waits for is not asked. */
static void after_a_long_silence_they_are_asked_again(void **state)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	options.timeout_ms = 500;
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	for (int i = 0; i < MEMBERS; i++)
		proxy_set(cluster.proxy[i], PROXY_SILENT);
	assert_true(dblock_try(client, "x", NULL, &lock, &err) < 0);
	sleep_ms(3 * options.timeout_ms);
	assert_true(dblock_try(client, "x", NULL, &lock, &err) < 0);
	sleep_ms(3 * options.timeout_ms);
	for (int i = 0; i < MEMBERS; i++)
		proxy_set(cluster.proxy[i], PROXY_PASS);
	give(gets(client, "x"));
	dblock_close(client, NULL);
}

/* Each majority has a member that knows the newest token. Who comes afresh has seen none, so the members answer with
 * different ones. Naive: the largest of these is taken for that of the lock, though only one member knows it. */
static void tokens_grow_from_majority_to_majority(void **state)
{
	int64_t token = 0;

	(void)state;
	for (int i = 0; i < 3 * MEMBERS; i++) {
		int down = i % MEMBERS;
		struct dblock_client *client;
		struct dblock_lock *lock;

		proxy_set(cluster.proxy[down], PROXY_TEAR);
		client = brief_client(0);
		lock = gets(client, "x");
		if (dblock_token(lock) <= token)
			fail_msg("%lld after %lld", (long long)dblock_token(lock),
				 (long long)token);
		token = dblock_token(lock);
		(void)dblock_release(lock, NULL);
		proxy_set(cluster.proxy[down], PROXY_PASS);
		dblock_close(client, NULL);
	}
}

static _Atomic int n_lost;

static void is_lost(void *arg, struct dblock_lock *lock)
{
	(void)arg;
	assert_false(dblock_valid(lock, 0));
	n_lost++;
}

static struct dblock_lock *takes(struct dblock_client *client)
{
	struct dblock_acquire_options told = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	n_lost = 0;
	told.wait_ms = PLENTY_MS;
	told.lost = is_lost;
	expect(OK, dblock_acquire(client, "x", &told, &lock, &err));
	return lock;
}

/* Naive: a vote that was lost is not asked for again, and a second one that is lost hours later ends it. */
static void a_member_that_comes_back_votes_again(void **state)
{
	struct dblock_client *client = brief_client(TTL_MS);
	struct dblock_lock *lock = takes(client);

	(void)state;
	for (int down = 0; down < MEMBERS; down++) {
		wait_until(votes("x") == MEMBERS);
		proxy_set(cluster.proxy[down], PROXY_SILENT);
		sleep_ms(TTL_MS);
		proxy_set(cluster.proxy[down], PROXY_PASS);
	}
	wait_until(votes("x") == MEMBERS);
	assert_int_equal(n_lost, 0);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	dblock_close(client, NULL);
}

static void two_that_are_down_lose_it(void **state)
{
	struct dblock_client *client = brief_client(TTL_MS);
	struct dblock_lock *lock = takes(client);
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	struct dblock_error err = {0};

	(void)state;
	proxy_set(cluster.proxy[1], PROXY_SILENT);
	proxy_set(cluster.proxy[2], PROXY_SILENT);
	wait_until(n_lost == 1);
	assert_int_equal(dblock_loss_of(lock, &loss), DBLOCK_LOST);
	assert_int_equal(loss.cause, DBLOCK_LOSS_UNREACHABLE);
	proxy_set(cluster.proxy[1], PROXY_PASS);
	proxy_set(cluster.proxy[2], PROXY_PASS);
	expect(LOST, dblock_release(lock, &err));
	give(gets(client, "x"));
	assert_int_equal(n_lost, 1);
	dblock_close(client, NULL);
}

/* Naive: who is slow is not waited for, and so all that is asked of it is taken back before it is sent. */
static void two_that_were_down_are_asked_again(void **state)
{
	struct dblock_client *client = brief_client(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	(void)state;
	give(gets(client, "x"));
	proxy_set(cluster.proxy[1], PROXY_SILENT);
	proxy_set(cluster.proxy[2], PROXY_SILENT);
	/* Until what was asked of them has failed, and nothing is asked any more. */
	for (int i = 0; i < 6; i++) {
		rc = dblock_try(client, "x", NULL, &lock, &err);
		assert_true(rc < 0);
		sleep_ms(500);
	}
	proxy_set(cluster.proxy[1], PROXY_PASS);
	proxy_set(cluster.proxy[2], PROXY_PASS);
	give(gets(client, "x"));
	dblock_close(client, NULL);
}

static _Atomic bool keeps_busy, is_busy;

static void is_lost_and_takes_long(void *arg, struct dblock_lock *lock)
{
	(void)arg;
	(void)lock;
	is_busy = true;
	while (keeps_busy)
		sleep_ms(2);
}

static struct dblock_lock *takes_told(struct dblock_client *client, const char *name,
				      void (*lost)(void *, struct dblock_lock *))
{
	struct dblock_acquire_options told = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	told.wait_ms = PLENTY_MS;
	told.lost = lost;
	expect(OK, dblock_acquire(client, name, &told, &lock, &err));
	return lock;
}

/* A vote that was asked for before the majority was over comes after that, while the thread that tells of losses is
 * kept busy. Naive: it completes a majority, and the lock is held again, though others may have had it. */
static void what_is_lost_stays_lost(void **state)
{
	struct dblock_client *client = brief_client(TTL_MS);
	struct dblock_lock *lock = takes_told(client, "x", NULL), *other;
	struct dblock_error err = {0};

	(void)state;
	keeps_busy = true;
	is_busy = false;
	other = takes_told(client, "y", is_lost_and_takes_long);
	wait_until(votes("x") == MEMBERS && votes("y") == MEMBERS);
	proxy_set(cluster.proxy[2], PROXY_SILENT);
	sleep_ms(2 * TTL_MS); /* that vote is lost, and asked for in vain */
	proxy_set(cluster.proxy[1], PROXY_SILENT);
	wait_until(is_busy);
	wait_until(!dblock_valid(lock, 0));
	proxy_set(cluster.proxy[2], PROXY_PASS);
	proxy_set(cluster.proxy[1], PROXY_PASS);
	for (int i = 0; i < 500; i++) {
		assert_false(dblock_valid(lock, 0));
		sleep_ms(10);
	}
	keeps_busy = false;
	expect(LOST, dblock_release(lock, &err));
	expect(LOST, dblock_release(other, &err));
	dblock_close(client, NULL);
}

/* The answer to one statement at one member is lost, once. What was granted there is given back, or counts; nothing of
 * it stays. */
static void an_answer_that_is_lost(void **state)
{
	static const char *const ops[] = {"quorum_vote", "quorum_raise", "release"};
	struct dblock_client *one = brief_client(TTL_MS), *other = brief_client(TTL_MS);
	int64_t token = 0;

	(void)state;
	for (int i = 0; i < 3 * MEMBERS; i++) {
		struct proxy *proxy = cluster.proxy[i % MEMBERS];
		struct dblock_lock *lock = gets(one, "x");
		struct waiting w;

		proxy_set_at(proxy, ops[i / MEMBERS], PROXY_LOSE);
		waiting_start(&w, other, "x"); /* by the line, so votes are confirmed */
		sleep_ms(50);
		(void)dblock_release(lock, NULL);
		lock = waiting_join(&w);
		assert_true(dblock_token(lock) > token);
		token = dblock_token(lock);
		(void)dblock_release(lock, NULL);
		proxy_set(proxy, PROXY_PASS);
		wait_until(votes("x") == 0);
	}
	dblock_close(one, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(one_of_three_is_not_missed),
		CLUSTER_CASE(one_of_three_is_not_enough),
		CLUSTER_CASE(after_a_long_silence_they_are_asked_again),
		CLUSTER_CASE(tokens_grow_from_majority_to_majority),
		CLUSTER_CASE(a_member_that_comes_back_votes_again),
		CLUSTER_CASE(two_that_are_down_lose_it),
		CLUSTER_CASE(two_that_were_down_are_asked_again),
		CLUSTER_CASE(what_is_lost_stays_lost),
		CLUSTER_CASE(an_answer_that_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
