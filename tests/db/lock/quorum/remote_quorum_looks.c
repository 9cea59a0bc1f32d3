/* SPDX-License-Identifier: MIT */
/* One lock over three databases: what the looks of who waits in line at one of them cost others, and him. */
#include "api/quorum.h"
#include "db/lock/quorum/cluster.h"
#include "lock/quorum/own.h"

enum { TTL_MS = 3000, LOOKS = 4, BRIEF_MS = 500 };

static struct dblock_client *open_spied(struct spy *spy, const char *const urls[], int64_t ttl_ms,
					int64_t timeout_ms)
{
	struct dblock_client_options options = cluster_options(ttl_ms);
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.timeout_ms = timeout_ms;
	EXPECT_OPEN(dbl_client_quorum_open(urls, MEMBERS, &options, &spy->env, &client, &err));
	return client;
}

static struct dblock_client *spied_client(struct spy *spy, int64_t ttl_ms, int64_t timeout_ms)
{
	return open_spied(spy, cluster.urls, ttl_ms, timeout_ms);
}

/* It has no proxies in its way. */
static struct dblock_client *direct_client(struct spy *spy, int64_t timeout_ms)
{
	const char *urls[MEMBERS];

	for (int i = 0; i < MEMBERS; i++)
		urls[i] = cluster.direct[i];
	return open_spied(spy, urls, SLOWLY_MS(TTL_MS), timeout_ms);
}

/* He waits in a line, and has looked at the others so often since. */
static void looks_from_the_line(struct spy *spy, struct dblock_client *client, struct waiting *w)
{
	int looks;

	waiting_start(w, client, "x");
	wait_until(in_line(NULL) == 1);
	looks = spy->runs_of[DBL_OP_look];
	wait_until(spy->runs_of[DBL_OP_look] >= looks + LOOKS);
}

/* Naive: as the one in whose line he stood was not looked at meanwhile, it is as soon as no vote is wanted; and the
 * call waits for that. */
static void who_waits_no_more_looks_no_more(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *one = cluster_client(0), *other;
	struct dblock_lock *lock = take(one, "x"), *got;
	struct waiting w;
	int looks;

	(void)state;
	other = spied_client(spy, SLOWLY_MS(TTL_MS), PLENTY_MS);
	looks_from_the_line(spy, other, &w);
	give(lock);
	got = waiting_join(&w);
	wait_until(votes("x") == MEMBERS);
	looks = spy->runs_of[DBL_OP_look];
	give(got);
	dblock_close(other, NULL); /* it waits for its workers */
	assert_int_equal(spy->runs_of[DBL_OP_look], looks);
	dblock_close(one, NULL);
	spy_free(spy);
}

static bool is_slow(struct dblock_client *client, int i)
{
	struct dbl_quorum *q = dbl_quorum_of(client->locks);
	bool slow;

	dbl_lock(&q->home.mutex);
	slow = q->members[i].slow;
	dbl_unlock(&q->home.mutex);
	return slow;
}

/* Naive: a look at a member that is not open, which asks nobody, counts as its answer, and it is waited for again. */
static void who_has_never_answered_stays_slow(void **state)
{
	enum { DOWN = 2 };
	struct spy *spy = spy_new();
	struct dblock_client *one = cluster_client(0), *other;
	struct dblock_lock *lock = take(one, "x");
	struct waiting w;
	int64_t until;

	(void)state;
	proxy_set(cluster.proxy[DOWN], PROXY_SILENT);
	other = spied_client(spy, SLOWLY_MS(TTL_MS), SLOWLY_MS(BRIEF_MS));
	waiting_start(&w, other, "x");
	wait_until(is_slow(other, DOWN));
	until = clock_ms() + 2 * SLOWLY_MS(TTL_MS);
	while (clock_ms() < until) {
		assert_true(is_slow(other, DOWN));
		sleep_ms(1);
	}
	dblock_shutdown(other);
	wait_until(w.done);
	pthread_join(w.thread, NULL);
	proxy_set(cluster.proxy[DOWN], PROXY_PASS);
	dblock_close(other, NULL);
	give(lock);
	dblock_close(one, NULL);
	spy_free(spy);
}

/* The holder has lost the member in whose line the other one stands, and goes on with the two others. Naive: these
 * are asked each 20 ms, for as long as a request may take, by each who comes to the head of that line: 410 times here. */
static void who_is_first_in_line_asks_less_and_less(void **state)
{
	enum { ROUNDS_MS = 5000, MANY = 250 };
	struct spy *spy = spy_new();
	struct dblock_client *one = cluster_client(SLOWLY_MS(TTL_MS)),
			     *other = direct_client(spy, ROUNDS_MS);
	struct dblock_lock *lock = take(one, "x");
	struct waiting w;
	int at = 0, asked;

	(void)state;
	wait_until(votes("x") == MEMBERS);
	waiting_start(&w, other, "x");
	wait_until(in_line(&at) == 1);
	asked = spy->runs_of[DBL_OP_quorum_vote];
	proxy_set(cluster.proxy[at], PROXY_SILENT);
	wait_until(spy->runs_of[DBL_OP_quorum_vote] > asked);
	sleep_ms(ROUNDS_MS);
	asked = spy->runs_of[DBL_OP_quorum_vote] - asked;
	proxy_set(cluster.proxy[at], PROXY_PASS);
	give(lock);
	give(waiting_join(&w));
	if (asked > MANY)
		fail_msg("%d times", asked);
	dblock_close(other, NULL);
	dblock_close(one, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(who_waits_no_more_looks_no_more),
		CLUSTER_CASE(who_has_never_answered_stays_slow),
		CLUSTER_CASE(who_is_first_in_line_asks_less_and_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
