/* SPDX-License-Identifier: MIT */
/* A member is replaced, and not all who are given are what they seem, or what they were: databases that were replaced,
 * replacements that were begun and not gone on with, others that were not there. */
#include "db/lock/quorum/given.h"
#include "support/call.h"

enum { SHORT_MS = 1500, LEASE_MS = 5000 };

static void make(int databases, int members, int64_t max_ttl_ms)
{
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_quorum_options options = cluster_of(max_ttl_ms);
	struct dblock_error err = {0};

	cluster_make(databases);
	expect(OK,
	       dblock_quorum_init(cluster.urls, (size_t)members, "c", &options, &clients, &err));
}

static int set_up(void **state)
{
	(void)state;
	make(5, MEMBERS, SHORT_MS);
	return 0;
}

static int set_up_five(void **state)
{
	(void)state;
	make(DATABASES, 5, SHORT_MS);
	return 0;
}

static int set_up_for_leases(void **state)
{
	(void)state;
	make(4, MEMBERS, LEASE_MS);
	return 0;
}

#define CASE(f)      cmocka_unit_test_setup_teardown(f, set_up, cluster_tear_down)

#define CASE_FIVE(f) cmocka_unit_test_setup_teardown(f, set_up_five, cluster_tear_down)

/* ---- who takes part -------------------------------------------------------------------------- */

/* A slow machine may fail for another reason first. */
static bool is_refused_by_3(void)
{
	struct dblock_error err = {0};

	assert_true(replace(2, three(0, 4, 2), &err) < 0);
	return strstr(err.message, "member 3") != NULL;
}

/* Whoever replaces 2 still has the old URL of 3. Naive: it counts as one of the others, only 1 is told, and who has 2
 * and the new 3 goes on beside who has 1 and the new 2. */
static void one_that_was_replaced_is_no_other(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	expect(OK, replace(3, three(0, 1, 3), &err));
	wait_until(is_refused_by_3());
	assert_false(votes_as_member(4));
	expect(OK, replace(2, three(0, 4, 3), &err));
	assert_true(votes_as_member(4));
}

/* 4 was closed for a newcomer that was lost, and was not there when another one was taken. Naive: it votes no more, and
 * doing it again, as its clients are told to, changes nothing. */
static void one_that_was_closed_for_another_newcomer_votes_again(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	break_off(5, five(0, 1, 2, 3, 5), 0, "quorum_reopen");
	proxy_set(cluster.proxy[3], PROXY_TEAR);
	expect(OK, replace(5, five(0, 1, 2, 3, 6), &err));
	assert_false(votes_as_member(3));
	proxy_set(cluster.proxy[3], PROXY_PASS);
	expect(OK, replace(5, five(0, 1, 2, 3, 6), &err));
	for (int i = 0; i < 4; i++)
		assert_true(votes_as_member(i));
	assert_true(votes_as_member(6));
}

/* 1 was opened for a newcomer, and was not there when another one was taken: in one epoch it says who is in the fifth
 * place, and the others say otherwise. Naive: that is complete; who hears of the epoch by 1 counts neither. */
static void one_that_was_opened_for_another_newcomer_is_told(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	break_off(5, five(0, 1, 2, 3, 5), 1, "quorum_reopen");
	proxy_set(cluster.proxy[0], PROXY_TEAR);
	expect(OK, replace(5, five(0, 1, 2, 3, 6), &err));
	proxy_set(cluster.proxy[0], PROXY_PASS);
	expect(OK, replace(5, five(0, 1, 2, 3, 6), &err));
	for (int i = 0; i < 4; i++)
		assert_int_equal(
			raw_int(cluster.raw[i],
				"SELECT count(*) FROM dblock_quorum WHERE state = 1 AND roster = "
				"'%s'",
				raw_text(cluster.raw[6], "SELECT roster FROM dblock_quorum")),
			1);
}

static void another_one_is_replaced(void *arg, int64_t ms)
{
	struct dblock_error err = {0};

	(void)arg;
	(void)ms;
	proxy_set(cluster.proxy[1], PROXY_PASS);
	proxy_set(cluster.proxy[0], PROXY_TEAR);
	proxy_set_at(cluster.proxy[1], "quorum_close", PROXY_TEAR);
	(void)replace(4, five(5, 1, 2, 3, 4), &err);
	assert_false(votes_as_member(5));
	proxy_set(cluster.proxy[1], PROXY_TEAR);
}

/* Two newcomers for the first place. For one of them 2 was opened, and no other: it may not vote yet, whoever else
 * goes on with that. Naive: it is opened as any other one, before these; and the second newcomer is, too. */
static void one_newcomer_votes(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	break_off(1, five(5, 1, 2, 3, 4), 2, "quorum_reopen");
	assert_true(votes_as_member(1));
	proxy_set(cluster.proxy[1], PROXY_TEAR);
	(void)replace_told(1, five(6, 1, 2, 3, 4), another_one_is_replaced, NULL, &err);
	proxy_set(cluster.proxy[1], PROXY_PASS);
	proxy_set(cluster.proxy[0], PROXY_PASS);
	assert_false(votes_as_member(5) && votes_as_member(6));
}

static int takes_its_own_place(void *arg, struct dblock_error *err)
{
	(void)arg;
	return replace(2, three(0, 1, 2), err);
}

static void is_as(int database, int state, const char *roster)
{
	raw_exec(cluster.raw[database], "UPDATE dblock_quorum SET state = %d, roster = '%s'", state,
		 roster);
}

/* 2 is to take its own place, and has read that it is closed for a new 3, and before that, that 1 is not. Naive: it forgets
 * what it was, and then cannot close 1; nor can 3 be replaced, which needs it. */
static void one_that_is_needed_stays_until_the_others_are_closed(void **state)
{
	struct dblock_error err = {0};
	struct call call;
	char marked[200];

	(void)state;
	break_off(3, three(0, 1, 3), 1, "quorum_close");
	snprintf(marked, sizeof(marked), "%s",
		 raw_text(cluster.raw[0], "SELECT roster FROM dblock_quorum"));
	is_as(0, 1, raw_text(cluster.raw[1], "SELECT roster FROM dblock_quorum"));
	is_as(1, 2, marked);
	proxy_set_at(cluster.proxy[0], "quorum_close", PROXY_HOLD);
	call_start(&call, takes_its_own_place, NULL);
	proxy_wait_hit(cluster.proxy[0]);
	is_as(0, 2, marked);
	proxy_deliver(cluster.proxy[0]);
	proxy_set(cluster.proxy[0], PROXY_PASS);
	assert_true(call_end(&call) < 0);
	expect(OK, replace(3, three(0, 1, 3), &err));
	assert_true(votes_as_member(0) && votes_as_member(1) && votes_as_member(3));
}

/* ---- who is told ----------------------------------------------------------------------------- */

static void loses_it(void *lock, int64_t ms)
{
	(void)ms;
	wait_until(!dblock_valid(lock, 0));
}

/* The new 3 has told that it comes, and no other: so that was not gone on with. Naive: that 2 is replaced, in the
 * same epoch, is no news. */
static void another_one_is_replaced_than_was_begun_with(void **state)
{
	struct dblock_client *client;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	break_off(3, three(0, 1, 3), 0, "quorum_close");
	client = client_of(three(0, 1, 3), SHORT_MS);
	lock = take(client, "x");
	expect(OK, replace_told(2, three(0, 4, 2), loses_it, lock, &err));
	(void)dblock_release(lock, NULL);
	dblock_close(client, NULL);
}

struct waits {
	struct dblock_client *client;
	struct dblock_lock *lock;
};

static int waits_for_x(void *arg, struct dblock_error *err)
{
	struct waits *w = arg;

	return dblock_acquire(w->client, "x", NULL, &w->lock, err);
}

/* 1 was replaced, which cannot be mended by waiting; that 3 is still closed can. Naive: the first one's word counts. */
static void who_waits_goes_on_waiting(void **state)
{
	struct waits w;
	struct call call;
	struct dblock_error err = {0};

	(void)state;
	break_off(1, three(3, 1, 2), 2, "quorum_reopen");
	w.client = client_of(three(0, 1, 2), SHORT_MS);
	call_start(&call, waits_for_x, &w);
	sleep_ms(500);
	expect(OK, replace(1, three(3, 1, 2), &err));
	assert_int_equal(call_end(&call), DBLOCK_OK);
	give(w.lock);
	dblock_close(w.client, NULL);
}

/* ---- a lease that is extended meanwhile ------------------------------------------------------- */

struct extension {
	struct dblock_client *client;
	int64_t token, expires;
};

static int extends(void *arg, struct dblock_error *err)
{
	struct extension *x = arg;

	return dblock_extend_token(x->client, "x", x->token, LEASE_MS, err);
}

/* 3 has extended it, and does not know that it is replaced; then 1 tells. */
static void extend_meanwhile(void *arg, int64_t ms)
{
	struct extension *x = arg;
	struct raw *raw = raw_open_url(cluster.direct[0], NULL);
	struct call call;

	(void)ms;
	if (on_backend("postgresql")) {
		raw_exec(raw, "BEGIN");
		raw_exec(raw, "LOCK TABLE dblock_quorum");
	} else {
		raw_exec(raw, "LOCK TABLES dblock_quorum WRITE");
	}
	call_start(&call, extends, x);
	wait_until(member_int(2, "expires", "x") > x->expires);
	sleep_ms(200);
	raw_close(raw);
	assert_int_not_equal(call_end(&call), DBLOCK_OK);
}

/* It is held on 1 and 3. Naive: it is extended there, beyond the time at which 2 and the new 3 vote for another. */
static void a_lease_is_not_extended_at_one_that_was_replaced(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client;
	struct extension x;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.lease_ms = LEASE_MS;
	x.client = client_of(three(0, 1, 2), SHORT_MS);
	proxy_set(cluster.proxy[1], PROXY_TEAR);
	client = client_of(three(0, 1, 2), SHORT_MS);
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	x.token = dblock_token(lock);
	dblock_close(client, NULL);
	proxy_set(cluster.proxy[1], PROXY_PASS);
	x.expires = member_int(2, "expires", "x");
	expect(OK, replace_told(3, three(0, 1, 3), extend_meanwhile, &x, &err));
	dblock_close(x.client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(one_that_was_replaced_is_no_other),
		CASE_FIVE(one_that_was_closed_for_another_newcomer_votes_again),
		CASE_FIVE(one_that_was_opened_for_another_newcomer_is_told),
		CASE_FIVE(one_newcomer_votes),
		CASE(one_that_is_needed_stays_until_the_others_are_closed),
		CASE(another_one_is_replaced_than_was_begun_with),
		CASE(who_waits_goes_on_waiting),
		cmocka_unit_test_setup_teardown(a_lease_is_not_extended_at_one_that_was_replaced,
						set_up_for_leases, cluster_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
