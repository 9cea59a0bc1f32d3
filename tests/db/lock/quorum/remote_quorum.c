/* SPDX-License-Identifier: MIT */
/* One lock over three databases: what any lock does. */
#include "db/lock/quorum/cluster.h"
#include "lock/quorum/own.h"
#include "support/call.h"

/* The ttl is longer than anybody is silent, on whatever machine. */
enum { TIMEOUT_MS = 1000, LONG_TTL_MS = 290000 };

static void one_holder_and_tokens_that_grow(void **state)
{
	struct dblock_client *one = cluster_client(0), *other = cluster_client(0);
	struct dblock_error err = {0};
	int64_t token = 0;

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct dblock_lock *lock = take(i % 2 ? one : other, "x"), *not ;

		assert_true(dblock_token(lock) > token);
		token = dblock_token(lock);
		assert_true(dblock_valid(lock, 0));
		assert_string_equal(dblock_name(lock), "x");
		expect(BUSY, dblock_try(i % 2 ? other : one, "x", NULL, &not, &err));
		assert_non_null(strstr(err.message, "'x'"));
		give(lock);
		wait_until(votes("x") == 0);
	}
	dblock_close(one, NULL);
	dblock_close(other, NULL);
}

static void its_thread_enters_again(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dblock_lock *lock = take(client, "x"), *again = take(client, "x"),
			   *other = take(client, "y");

	(void)state;
	assert_ptr_equal(lock, again);
	assert_ptr_not_equal(lock, other);
	give(again);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	wait_until(votes("x") == 0);
	give(other);
	dblock_close(client, NULL);
}

static void who_waits_gets_it_in_line(void **state)
{
	struct dblock_client *clients[3];
	struct dblock_lock *lock;
	struct waiting w[2];
	int64_t token;

	(void)state;
	for (int i = 0; i < 3; i++)
		clients[i] = cluster_client(0);
	lock = take(clients[2], "x");
	token = dblock_token(lock);
	for (int i = 0; i < 2; i++) {
		waiting_start(&w[i], clients[i], "x");
		wait_until(in_line(NULL) == i + 1);
	}
	give(lock);
	wait_until(w[0].done || w[1].done);
	for (int i = 0, first = w[0].done ? 0 : 1; i < 2; i++) {
		lock = waiting_join(&w[i ? 1 - first : first]);
		assert_true(dblock_token(lock) > token);
		token = dblock_token(lock);
		wait_until(votes("x") == MEMBERS);
		give(lock);
	}
	for (int i = 0; i < 3; i++)
		dblock_close(clients[i], NULL);
}

static void a_wait_ends_by_its_time(void **state)
{
	struct dblock_client *one = cluster_client(0), *other = cluster_client(0);
	struct dblock_acquire_options brief = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock = take(one, "x"), *not ;
	struct dblock_error err = {0};

	(void)state;
	brief.wait_ms = 50;
	expect(TIMEOUT, dblock_acquire(other, "x", &brief, &not, &err));
	assert_null(not );
	assert_non_null(strstr(err.message, "'x'"));
	give(lock);
	wait_until(in_line(NULL) == 0);
	give(take(other, "x"));
	dblock_close(one, NULL);
	dblock_close(other, NULL);
}

/* A client of one member alone cannot block the cluster's names, nor the other way round. */
static void names_are_their_own(void **state)
{
	struct dblock_client *client = cluster_client(0), *alone;
	struct dblock_client_options options = cluster_options(0);
	struct dblock_lock *lock = take(client, "x"), *not ;
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_open(cluster.urls[0], &options, &alone, &err));
	give(take(alone, "x"));
	expect(E_INVALID, dblock_try(alone, "quorum\x1fx", NULL, &not, &err));
	give(lock);
	dblock_close(client, NULL);
	dblock_close(alone, NULL);
}

static void a_lease_is_extended(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dblock_acquire_options leased = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	leased.lease_ms = 60000;
	expect(OK, dblock_acquire(client, "x", &leased, &lock, &err));
	assert_true(dblock_remaining_ms(lock) <= 60000);
	expect(OK, dblock_extend(lock, 200000, &err));
	assert_true(dblock_remaining_ms(lock) > 100000);
	expect(E_INVALID, dblock_extend(lock, 400000, &err));
	assert_non_null(strstr(err.message, "max_ttl"));
	give(lock);
	leased.lease_ms = 400000;
	expect(E_INVALID, dblock_acquire(client, "x", &leased, &lock, &err));
	dblock_close(client, NULL);
}

static int is_tired(void *arg)
{
	return *(_Atomic bool *)arg;
}

struct tired {
	struct dblock_client *client;
	_Atomic bool tired;
};

static int waits(void *arg, struct dblock_error *err)
{
	struct tired *t = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;

	options.canceled = is_tired;
	options.canceled_arg = &t->tired;
	return dblock_acquire(t->client, "x", &options, &lock, err);
}

/* Ends by the caller's will, and by a shutdown of the client. */
static void a_wait_is_ended(void **state)
{
	struct dblock_client *one = cluster_client(0);
	struct dblock_lock *lock = take(one, "x");
	struct tired t = {.client = cluster_client(0)};
	struct dblock_error err = {0};
	struct call call;

	(void)state;
	for (int shuts = 0; shuts < 2; shuts++) {
		t.tired = false;
		call_start(&call, waits, &t);
		wait_until(in_line(NULL) == 1);
		if (shuts)
			dblock_shutdown(t.client);
		else
			t.tired = true;
		assert_int_equal(call_end(&call), DBLOCK_CANCELED);
		wait_until(in_line(NULL) == 0);
	}
	expect(CANCELED, waits(&t, &err));
	give(lock);
	wait_until(votes("x") == 0);
	dblock_close(one, NULL);
	dblock_close(t.client, NULL);
}

/* Under the mutex: the member's worker acts on its vote. */
static bool is_busy(struct dbl_quorum_lock *l, int i)
{
	bool busy;

	dbl_lock(&l->quorum->home.mutex);
	busy = l->voters[i].busy;
	dbl_unlock(&l->quorum->home.mutex);
	return busy;
}

/* As it may be under way when the lock is had: that vote is below the others, and of a lease, as else none is raised any
 * more. True: its worker has asked, and had no answer. On a slow machine it may not have begun before that was a lease
 * no more, and does nothing. */
static bool is_asked_to_raise(struct dbl_quorum_lock *l, int i, struct dblock_lock **part)
{
	int64_t began = clock_ms();

	dbl_lock(&l->quorum->home.mutex);
	*part = l->voters[i].part;
	l->spec.lease = 1;
	l->raise = l->base.grant.token;
	l->voters[i].token = l->raise - 1;
	dbl_voters_stir(l);
	dbl_unlock(&l->quorum->home.mutex);
	sleep_ms(20);
	dbl_lock(&l->quorum->home.mutex);
	l->spec.lease = 0;
	dbl_unlock(&l->quorum->home.mutex);
	wait_until(!is_busy(l, i));
	return clock_ms() - began >= SLOWLY_MS(TIMEOUT_MS);
}

/* A member is asked to raise its vote, and while it does not answer the others are a majority. The holder is told how
 * long the lock is his, by that vote too. Naive: since it may or may not be raised, it is given back before that; and
 * then somebody else has it and another one that is over. */
static void a_vote_that_counts_is_not_given_back(void **state)
{
	struct dblock_client_options options = cluster_options(LONG_TTL_MS);
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock, *part;
	struct dbl_quorum_lock *l;
	int64_t left;

	(void)state;
	options.timeout_ms = SLOWLY_MS(TIMEOUT_MS);
	expect(OK, dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	lock = take(client, "x");
	l = dbl_quorum_lock_of(lock);
	wait_until(votes("x") == MEMBERS && !is_busy(l, 1));
	proxy_set(cluster.proxy[1], PROXY_SILENT);
	wait_until(is_asked_to_raise(l, 1, &part));
	dbl_lock(&l->quorum->home.mutex);
	left = l->voters[1].part == part ? dbl_voter_left(&l->voters[1]) : 0;
	dbl_unlock(&l->quorum->home.mutex);
	assert_true(left > 0);
	proxy_set(cluster.proxy[1], PROXY_PASS);
	(void)dblock_release(lock, &err);
	wait_until(votes("x") == 0);
	dblock_close(client, NULL);
}

/* What a client that is closed had is free. */
static void closing_gives_back(void **state)
{
	struct dblock_client *one = cluster_client(0), *other = cluster_client(0);

	(void)state;
	take(one, "x");
	dblock_close(one, NULL);
	assert_int_equal(votes("x"), 0);
	give(take(other, "x"));
	dblock_close(other, NULL);
}

/* Naive: a name that members cannot know is cut, and is then another one's. */
static void a_name_is_too_long_by_token_too(void **state)
{
	struct dblock_client *client = cluster_client(0);
	struct dblock_error err = {0};
	char name[250];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	expect(E_INVALID, dblock_release_token(client, name, 1, &err));
	assert_non_null(strstr(err.message, "248"));
	expect(E_INVALID, dblock_extend_token(client, name, 1, 1000, &err));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(one_holder_and_tokens_that_grow),
		CLUSTER_CASE(its_thread_enters_again),
		CLUSTER_CASE(who_waits_gets_it_in_line),
		CLUSTER_CASE(a_wait_ends_by_its_time),
		CLUSTER_CASE(names_are_their_own),
		CLUSTER_CASE(a_lease_is_extended),
		CLUSTER_CASE(a_wait_is_ended),
		CLUSTER_CASE(a_vote_that_counts_is_not_given_back),
		CLUSTER_CASE(closing_gives_back),
		CLUSTER_CASE(a_name_is_too_long_by_token_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
