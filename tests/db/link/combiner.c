/* SPDX-License-Identifier: MIT */
/*
 * Requests that meet at a client's connection go together: in one statement (on SQLite one
 * transaction) and one commit. Each gets its own outcome, whatever goes wrong.
 */
#include "db/link/combiner_kit.h"

/* A crowd may miss each other so often before the test fails. */
enum { ROUNDS = 50 };

/* Tells whether a crowd of one operation met: one request goes first, and the others together. */
static bool went_together(const struct spy *spy, enum dbl_op op)
{
	if (on_backend("sqlite"))
		return spy->execs == 2 && spy->runs_of[op] == CROWD;
	return spy->runs_of[DBL_OP_batch] == (on_backend("mysql") ? 2 : 1) && spy->runs_of[op] == 0;
}

static void who_meet_go_together(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);
	bool acquired = false, released = false;

	(void)state;
	gate_fate = NULL;
	for (int round = 0; round < ROUNDS && !(acquired && released); round++) {
		gate_crowd(client, spy, try_it, ones, sizeof(ones[0]));
		assert_true(all_got(DBLOCK_OK));
		assert_int_equal(held_rows(raw), CROWD);
		acquired = acquired || went_together(spy, DBL_OP_acquire);
		for (int i = 0; i < CROWD; i++)
			assert_int_equal(raw_int(raw,
						 "SELECT token FROM dblock_lock WHERE name = "
						 "'\"n\\%s,{%02d}'''",
						 on_backend("mysql") ? "\\" : "", i),
					 dblock_token(ones[i].lock));
		gate_crowd(client, spy, release_it, ones, sizeof(ones[0]));
		assert_true(all_got(DBLOCK_OK));
		assert_int_equal(held_rows(raw), 0);
		released = released || went_together(spy, DBL_OP_release);
	}
	assert_true(acquired && released);
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void one_name_is_given_once(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	int got = 0;

	(void)state;
	gate_fate = NULL;
	for (int i = 0; i < CROWD; i++)
		snprintf(ones[i].name, sizeof(ones[i].name), "x");
	is_free(client, "x");
	gate_crowd(client, spy, try_it, ones, sizeof(ones[0]));
	for (int i = 0; i < CROWD; i++) {
		got += ones[i].rc == DBLOCK_OK;
		assert_true(ones[i].rc == DBLOCK_OK || ones[i].rc == DBLOCK_BUSY);
		if (ones[i].rc == DBLOCK_OK)
			give(ones[i].lock);
	}
	assert_int_equal(got, 1);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void who_is_busy_and_who_is_unknown_know_it(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy), *other = client_new(0);
	struct dblock_lock *theirs = take(other, ones[3].name);

	(void)state;
	gate_fate = NULL;
	snprintf(ones[5].name, sizeof(ones[5].name), "nobody has ever used it");
	gate_crowd(client, spy, try_it, ones, sizeof(ones[0]));
	for (int i = 0; i < CROWD; i++) {
		assert_int_equal(ones[i].rc, i == 3 ? DBLOCK_BUSY : DBLOCK_OK);
		if (i != 3)
			busy(other, ones[i].name);
	}
	give(theirs);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static enum spy_fate fate_of_first;
static _Atomic int unlucky;

/* Strikes the first statement that acquires, for whatever number; on SQLite a transaction is lost
 * by its statement. */
static enum spy_fate hit_first(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_batch && op != DBL_OP_acquire)
		return SPY_PASS;
	return unlucky-- > 0 ? fate_of_first : SPY_PASS;
}

/* Whatever becomes of the statement and its reply, the threads that are told that they hold a lock
 * hold it, and nobody else does. */
static void loses(enum spy_fate fate)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);

	gate_fate = hit_first;
	fate_of_first = fate;
	unlucky = 1;
	gate_crowd(client, spy, try_it, ones, sizeof(ones[0]));
	assert_true(unlucky <= 0);
	assert_true(all_got(DBLOCK_OK));
	assert_int_equal(held_rows(raw), CROWD);
	for (int i = 0; i < CROWD; i++) {
		assert_true(dblock_valid(ones[i].lock, 0));
		give(ones[i].lock);
	}
	assert_int_equal(held_rows(raw), 0);
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void a_lost_reply_is_settled_by_each(void **state)
{
	(void)state;
	loses(SPY_LOST_AFTER);
}

static void so_is_a_lost_request(void **state)
{
	(void)state;
	loses(SPY_LOST_BEFORE);
}

static void a_lost_release_is_sent_again(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);

	(void)state;
	for (int i = 0; i < CROWD; i++)
		ones[i].lock = take(client, ones[i].name);
	gate_fate = hit_first;
	fate_of_first = SPY_LOST_AFTER;
	unlucky = 1;
	gate_crowd(client, spy, release_it, ones, sizeof(ones[0]));
	assert_true(all_got(DBLOCK_OK));
	assert_int_equal(held_rows(raw), 0);
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_meet_go_together),
		cmocka_unit_test(one_name_is_given_once),
		cmocka_unit_test(who_is_busy_and_who_is_unknown_know_it),
		cmocka_unit_test(a_lost_reply_is_settled_by_each),
		cmocka_unit_test(so_is_a_lost_request),
		cmocka_unit_test(a_lost_release_is_sent_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
