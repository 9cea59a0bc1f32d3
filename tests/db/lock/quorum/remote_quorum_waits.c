/* SPDX-License-Identifier: MIT */
/* Nobody waits for longer than he needs to, and nothing is lost, where one member is behind: with a vote that nobody
 * gives back, with a line of its own, or with an answer. */
#include "api/quorum.h"
#include "db/lock/quorum/cluster.h"
#include "lock/quorum/member.h"
#include "support/call.h"

enum { TTL_MS = 2000, LEASE_MS = 290000, BURST = 4, TRIES = 10 };

static bool is_held_at(int i)
{
	return raw_int(cluster.raw[i], "SELECT count(*) FROM dblock_lock WHERE name = 'quorum\x1f"
				       "x' AND expires IS NOT NULL") == 1;
}

static struct dblock_lock *take_lease(struct dblock_client *client)
{
	struct dblock_acquire_options leased = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	leased.lease_ms = LEASE_MS;
	expect(OK, dblock_try(client, "x", &leased, &lock, &err));
	return lock;
}

static bool any_is_slow(struct dblock_client *client)
{
	struct dbl_quorum *q = dbl_quorum_of(client->locks);
	bool slow = false;

	dbl_lock(&q->home.mutex);
	for (unsigned i = 0; i < q->n; i++)
		slow = slow || q->members[i].slow;
	dbl_unlock(&q->home.mutex);
	return slow;
}

/* ---- votes that nobody gives back ------------------------------------------------------------ */

/* A member is slow, and knows a larger token. Naive: its vote stays for as long as the lease was to last, though that
 * was released by its token. */
static void a_vote_beyond_a_lease(void **state)
{
	struct dblock_client *client = cluster_client(0), *other = cluster_client(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	give(take(client, "x"));
	wait_until(votes("x") == 0);
	raw_exec(cluster.raw[0], "UPDATE dblock_lock SET token = token + 1000");
	proxy_set(cluster.proxy[0], PROXY_SLOW);
	lock = take_lease(client);
	token = dblock_token(lock);
	dblock_close(client, NULL);
	proxy_set(cluster.proxy[0], PROXY_PASS);
	expect(OK, dblock_release_token(other, "x", token, &err));
	wait_until(!is_held_at(0) && !is_held_at(1) && !is_held_at(2));
	dblock_close(other, NULL);
}

static void free_at(int i)
{
	raw_exec(cluster.raw[i],
		 "UPDATE dblock_lock SET nonce = 0, session = NULL, lease = NULL, expires = NULL");
}

/* The holder is told by the first member that frees it, and gives back the other votes before that call has got there.
 * Naive: STALE, though it has just been freed. What has been free before, or others have had since, is stale. */
static void a_lease_that_is_freed_at_once(void **state)
{
	struct dblock_client *client = cluster_client(0), *other = cluster_client(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock = take_lease(client);
	int64_t token = dblock_token(lock);

	(void)state;
	wait_until(is_held_at(0) && is_held_at(1) && is_held_at(2));
	dblock_close(client, NULL);
	free_at(1);
	free_at(2);
	expect(OK, dblock_release_token(other, "x", token, &err));
	assert_false(is_held_at(0));
	expect(STALE, dblock_release_token(other, "x", token, &err));
	client = cluster_client(0);
	token = dblock_token(take_lease(client));
	wait_until(is_held_at(0) && is_held_at(1) && is_held_at(2));
	dblock_close(client, NULL);
	free_at(1);
	free_at(2);
	raw_exec(cluster.raw[1], "UPDATE dblock_lock SET token = token + 1");
	raw_exec(cluster.raw[2], "UPDATE dblock_lock SET token = token + 1");
	expect(STALE, dblock_release_token(other, "x", token, &err));
	dblock_close(other, NULL);
}

/* A lease was released, but its first member votes for it still. Naive: who stands in line there while another one has the
 * other two votes stands until that lease is over. */
static void a_line_that_nobody_frees(void **state)
{
	struct dblock_client *holder = cluster_client(0);
	struct dblock_client *waiter = cluster_client(SLOWLY_MS(TTL_MS));
	struct dblock_lock *lock = take_lease(holder);
	struct waiting w;

	(void)state;
	wait_until(is_held_at(0) && is_held_at(1) && is_held_at(2));
	dblock_close(holder, NULL);
	holder = cluster_client(0);
	for (int i = 1; i < MEMBERS; i++)
		raw_exec(cluster.raw[i], "DELETE FROM dblock_lock");
	lock = take(holder, "x");
	assert_true(is_held_at(0));
	waiting_start(&w, waiter, "x");
	wait_until(in_line(NULL) ==
		   1); /* there, unless this machine is so slow that the member is */
	sleep_ms(SLOWLY_MS(TTL_MS) / 2);
	give(lock);
	give(waiting_join(&w));
	assert_true(is_held_at(0));
	dblock_close(holder, NULL);
	dblock_close(waiter, NULL);
}

/* ---- two lines ------------------------------------------------------------------------------- */

/* Two wait in the lines of two members, the third is down. Naive: each gets one vote when it is free, and keeps it for
 * as long as a request may take. */
static void two_who_are_first_in_two_lines(void **state)
{
	const char *const direct[MEMBERS] = {cluster.direct[0], cluster.direct[1], cluster.urls[2]};
	struct dblock_client_options options = cluster_options(0);
	struct dblock_client *near, *far = cluster_client(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct waiting first, second;
	int64_t since;
	int at = -1;

	(void)state;
	expect(OK, dblock_quorum_open(direct, MEMBERS, &options, &near, &err));
	proxy_set(cluster.proxy[2], PROXY_TEAR);
	lock = take(near, "x");
	proxy_set(cluster.proxy[0], PROXY_TEAR); /* for a moment, for one of them */
	waiting_start(&second, far, "x");
	wait_until(in_line(&at) == 1 && at == 1);
	proxy_set(cluster.proxy[0], PROXY_PASS);
	waiting_start(&first, near, "x");
	wait_until(in_line(NULL) == 2);
	give(lock);
	since = clock_ms();
	wait_until(first.done || second.done);
	assert_true(clock_ms() - since < PLENTY_MS / 2);
	give(waiting_join(first.done ? &first : &second));
	give(waiting_join(first.done ? &second : &first));
	dblock_close(near, NULL);
	dblock_close(far, NULL);
}

/* ---- members that count as silent ------------------------------------------------------------ */

/* Naive: whoever did not do what he was asked for counts as one that does not answer. */
static void who_refuses_has_answered(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock = take(client, "x");

	(void)state;
	wait_until(votes("x") == MEMBERS && !any_is_slow(client));
	expect(E_INVALID, dblock_extend(lock, 1000, &err));
	assert_non_null(strstr(err.message, "has no lease of its own"));
	assert_false(any_is_slow(client));
	give(lock);
	wait_until(votes("x") == 0);
	for (int i = 0; i < MEMBERS; i++) {
		raw_exec(cluster.raw[i], "BEGIN");
		raw_exec(cluster.raw[i], "SELECT name FROM dblock_lock FOR UPDATE");
	}
	expect(BUSY, dblock_try(client, "x", NULL, &lock, &err));
	wait_until(!any_is_slow(client));
	for (int i = 0; i < MEMBERS; i++)
		raw_exec(cluster.raw[i], "COMMIT");
	give(take(client, "x"));
	dblock_close(client, NULL);
}

struct burst {
	struct dblock_client *client;
	int number;
};

static int tries_again_and_again(void *arg, struct dblock_error *err)
{
	const struct burst *burst = arg;
	struct dblock_lock *lock;
	char name[20];
	int rc = 0;

	snprintf(name, sizeof(name), "burst %d", burst->number);
	for (int i = 0; i < TRIES && rc == 0; i++) {
		rc = dblock_try(burst->client, name, NULL, &lock, err);
		if (rc == 0)
			rc = dblock_release(lock, err);
	}
	return rc;
}

/* All members were slow, and are not any more. Naive: one of several calls asks them, and the others fail at once. */
static void all_who_were_slow_are_asked(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dbl_quorum *q = dbl_quorum_of(client->locks);
	struct burst bursts[BURST];
	struct call calls[BURST];

	(void)state;
	for (int again = 0; again < 5; again++) {
		dbl_lock(&q->home.mutex);
		for (unsigned i = 0; i < q->n; i++)
			q->members[i].slow = true;
		dbl_unlock(&q->home.mutex);
		for (int i = 0; i < BURST; i++) {
			bursts[i] = (struct burst){.client = client, .number = i};
			call_start(&calls[i], tries_again_and_again, &bursts[i]);
		}
		for (int i = 0; i < BURST; i++)
			call_is_ok(&calls[i]);
	}
	dblock_close(client, NULL);
}

/* Naive: he waits for as long as a request may take. */
static void who_wants_to_be_back_soon(void **state)
{
	struct dblock_acquire_options brief = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client_options options = cluster_options(0);
	struct dblock_client *client;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t since;

	(void)state;
	options.timeout_ms = SLOWLY_MS(20000);
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	proxy_set(cluster.proxy[1], PROXY_SILENT);
	proxy_set(cluster.proxy[2], PROXY_SILENT);
	brief.wait_ms = 200;
	since = clock_ms();
	expect(E_NO_ANSWER, dblock_acquire(client, "x", &brief, &lock, &err));
	assert_true(clock_ms() - since < options.timeout_ms / 2);
	assert_non_null(strstr(err.message, "member 2: "));
	assert_non_null(strstr(err.message, "; member 3: "));
	for (int i = 1; i < MEMBERS; i++) {
		proxy_set(cluster.proxy[i], PROXY_PASS);
		proxy_cut(cluster.proxy[i]);
	}
	dblock_close(client, NULL);
}

/* A member goes down. Naive: whoever closes his client tries for as long as a request may take to give back what he has
 * there, and then to end his session. */
static void a_client_of_one_that_is_down_is_closed(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dblock_lock *lock = take(client, "x");
	int64_t since;

	(void)state;
	wait_until(votes("x") == MEMBERS);
	proxy_set(cluster.proxy[1], PROXY_TEAR);
	give(lock);
	since = clock_ms();
	dblock_close(client, NULL);
	assert_true(clock_ms() - since < PLENTY_MS / 2);
	assert_int_equal(votes("x"), 1);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static _Atomic bool may_end;
static _Atomic int n_told;

static void takes_its_time(void *arg, struct dblock_lock *lock)
{
	(void)arg;
	(void)lock;
	atomic_fetch_add(&n_told, 1);
	while (!atomic_load(&may_end))
		sleep_ms(5);
}

/* Naive: while a callback runs nobody looks at members, so that their votes end. */
static void a_callback_that_takes_its_time(void **state)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_quorum_options brief = cluster_of(SLOWLY_MS(TTL_MS));
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *leased, *kept;

	(void)state;
	cluster_make_databases();
	expect(OK, dblock_quorum_init(cluster.urls, MEMBERS, "brief", &brief, &options, &err));
	client = cluster_client(0);
	how.lost = takes_its_time;
	how.lease_ms = SLOWLY_MS(200);
	kept = take(client, "kept");
	expect(OK, dblock_acquire(client, "leased", &how, &leased, &err));
	wait_until(atomic_load(&n_told) == 1);
	sleep_ms(2 * SLOWLY_MS(TTL_MS));
	assert_true(dblock_valid(kept, 0));
	atomic_store(&may_end, true);
	expect(LOST, dblock_release(leased, &err));
	give(kept);
	dblock_close(client, NULL);
}

static int make_nothing(void **state)
{
	(void)state;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(a_vote_beyond_a_lease),
		CLUSTER_CASE(a_lease_that_is_freed_at_once),
		CLUSTER_CASE(a_line_that_nobody_frees),
		CLUSTER_CASE(two_who_are_first_in_two_lines),
		CLUSTER_CASE(who_refuses_has_answered),
		CLUSTER_CASE(all_who_were_slow_are_asked),
		CLUSTER_CASE(who_wants_to_be_back_soon),
		CLUSTER_CASE(a_client_of_one_that_is_down_is_closed),
		cmocka_unit_test_setup_teardown(a_callback_that_takes_its_time, make_nothing,
						cluster_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
