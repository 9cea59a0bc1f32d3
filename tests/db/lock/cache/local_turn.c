/* SPDX-License-Identifier: MIT */
/* `turn`, the statement that asks for more turns of a grant: what it changes, when it changes
 * nothing, and what its answer does. */
#include "lock/cache/own.h"
#include "lock/core/value.h"
#include "lock/lock.h"
#include "support/local.h"

enum { SECOND_US = 1000000 };

/* The columns of a grant's row. */
struct row {
	int64_t token, nonce, thread;
};

static struct row row_of(struct raw *raw)
{
	return (struct row){
		.token = raw_int(raw, "SELECT token FROM dblock_lock WHERE name = 'x'"),
		.nonce = raw_int(raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"),
		.thread = raw_int(raw, "SELECT thread FROM dblock_lock WHERE name = 'x'"),
	};
}

/* Runs `turn`, and returns whether it has changed anything. */
static bool turn(struct dblock_client *client, struct row row, int64_t then, bool alone)
{
	struct dblock_error err = {0};
	struct dbl_value args[] = {dbl_text("x"), dbl_int(row.nonce), dbl_int(row.token),
				   dbl_int(then), dbl_int(0),         dbl_int(alone)};
	struct dbl_request request = {.op = DBL_OP_turn,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(client->locks)};

	expect(OK, dbl_link_run(client->locks->link, &request, &err));
	return request.changed > 0;
}

static bool is_as_it_was(struct raw *raw, struct row was)
{
	struct row is = row_of(raw);

	return is.token == was.token && is.nonce == was.nonce && is.thread == was.thread;
}

static void only_that_grant_is_raised(void **state)
{
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = take(client, "x");
	struct row row = row_of(raw), other = row;
	int64_t then = row.token + 64;

	(void)state;
	other.nonce++;
	assert_false(turn(client, other, then, true));
	other = row;
	other.token--;
	assert_false(turn(client, other, then, true));
	assert_true(is_as_it_was(raw, row));
	assert_true(row.thread != 0);
	assert_true(turn(client, row, then, true));
	assert_int_equal(row_of(raw).token, then);
	assert_int_equal(row_of(raw).thread, 0);
	/* A second copy of the statement finds it done. */
	assert_true(turn(client, row, then, true));
	assert_int_equal(row_of(raw).token, then);
	dbl_grant_release(client->locks, "x", then, NULL);
	/* A released row is known by its null session, even if the nonce were left. */
	raw_exec(raw, "UPDATE dblock_lock SET nonce = %lld WHERE name = 'x'", (long long)row.nonce);
	assert_false(turn(client, (struct row){then, row.nonce, 0}, then + 64, true));
	assert_int_equal(row_of(raw).token, then);
	raw_exec(raw, "UPDATE dblock_lock SET nonce = 0 WHERE name = 'x'");
	(void)dblock_release(lock, NULL);
	raw_close(raw);
	dblock_close(client, NULL);
}

/* A turn that names its thread is given even if others wait: only `alone` asks for an empty queue.
 */
static void who_waits_is_passed_by_only_where_that_is_meant(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = take(a, "x");
	struct row row = row_of(raw);
	struct waiting w;

	(void)state;
	waiting_start(&w, b, "x");
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x' AND queued") ==
		   1);
	assert_false(turn(a, row, row.token + 64, true));
	assert_true(is_as_it_was(raw, row));
	assert_true(turn(a, row, row.token, false));
	give(lock);
	give(waiting_join(&w));
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The token stays below what is granted a second later, even if this row is lost. */
static void a_token_is_at_most_a_second_ahead(void **state)
{
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = take(client, "x");
	struct row row = row_of(raw);

	(void)state;
	assert_false(turn(client, row, row.token + 3600LL * SECOND_US, true));
	assert_true(is_as_it_was(raw, row));
	/* The turn writes a new time of acquisition, for those who look. */
	raw_exec(raw, "UPDATE dblock_lock SET acquired = 0 WHERE name = 'x'");
	assert_true(turn(client, row, row.token, true));
	assert_true(raw_int(raw, "SELECT acquired FROM dblock_lock WHERE name = 'x'") > 0);
	give(lock);
	raw_close(raw);
	dblock_close(client, NULL);
}

/* ---- its answer ------------------------------------------------------------------------------ */

static struct {
	struct dblock_client *client;
	struct waiting waiting;
	struct raw *raw;
	_Atomic int copies;
} comer;

/* The first copy is carried out, and its answer lost. Before the second comes, somebody else joins
 * the queue, so that the second changes nothing. */
static enum spy_fate somebody_comes_between(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_turn)
		return SPY_PASS;
	if (++comer.copies == 1)
		return SPY_LOST_AFTER;
	if (comer.copies == 2) {
		waiting_start(&comer.waiting, comer.client, "x");
		wait_until(raw_int(comer.raw, "SELECT count(*) FROM dblock_lock "
					      "WHERE name = 'x' AND queued") == 1);
	}
	return SPY_PASS;
}

/* Naive: the lock is released by the token that its row had before, is not found, and stays held
 * for ever. */
static void a_lost_answer_is_not_a_refusal(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_error err = {0};
	struct waiting first, next;
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	client->locks->cache->local_turns = 64;
	comer.client = client_new(0);
	comer.raw = raw_open(NULL);
	waiting_start(&first, client, "x");
	lock = waiting_join(&first);
	waits_in_memory(&next, client, "x");
	spy->fate = somebody_comes_between;
	token = dblock_token(lock);
	expect(E_UNSURE, dblock_release(lock, &err));
	assert_int_equal(comer.copies, 2);
	spy->fate = NULL;
	lock = waiting_join(&comer.waiting);
	assert_true(dblock_token(lock) > token + 64);
	assert_false(next.done);
	give(lock);
	give(waiting_join(&next));
	raw_close(comer.raw);
	dblock_close(comer.client, NULL);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* ---- a holder that has lost it, and does not know -------------------------------------------- */

static enum spy_fate without_heartbeats(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_heartbeat ? SPY_LOST_BEFORE : SPY_PASS;
}

/* Takes x, on a thread of its own, so that turns may follow. */
static struct dblock_lock *taken_with_turns(struct dblock_client *client)
{
	struct waiting first;

	client->locks->cache->local_turns = 64;
	waiting_start(&first, client, "x");
	return waiting_join(&first);
}

/* Naive: the next thread waits in memory for the thread that has lost the lock, which may be at
 * work for hours. */
static void nobody_waits_for_what_is_over(void **state)
{
	enum { TTL_MS = 20000 };
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, TTL_MS);
	struct dblock_error err = {0};
	struct waiting next;
	struct dblock_lock *lost, *lock;

	(void)state;
	lost = taken_with_turns(client);
	spy_freeze(spy);
	spy->fate = without_heartbeats;
	spy->skew += (int64_t)(TTL_MS + 1000) * 1000;
	assert_false(dblock_valid(lost, 0));
	spy_reset(spy);
	waiting_start(&next, client, "x");
	wait_until(spy->runs_of[DBL_OP_acquire] + spy->runs_of[DBL_OP_look] > 0);
	assert_int_equal(in_memory(client, "x"), 0);
	spy->fate = NULL;
	spy->frozen_at = 0;
	lock = waiting_join(&next);
	expect(LOST, dblock_release(lost, &err));
	assert_true(dblock_valid(lock, 0));
	give(lock);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* Naive: the lost grant is passed on, and the next thread believes that it has the lock. */
static void what_is_over_is_not_passed_on(void **state)
{
	enum { TTL_MS = 20000 };
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, TTL_MS);
	struct dblock_error err = {0};
	struct waiting next;
	struct dblock_lock *lost, *lock;
	int64_t token;

	(void)state;
	lost = taken_with_turns(client);
	token = dblock_token(lost);
	waits_in_memory(&next, client, "x");
	spy_freeze(spy);
	spy->fate = without_heartbeats;
	spy->skew += (int64_t)(TTL_MS + 1000) * 1000;
	expect(LOST, dblock_release(lost, &err));
	spy->fate = NULL;
	spy->frozen_at = 0;
	lock = waiting_join(&next);
	assert_true(dblock_valid(lock, 0));
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_that_grant_is_raised),
		cmocka_unit_test(who_waits_is_passed_by_only_where_that_is_meant),
		cmocka_unit_test(a_token_is_at_most_a_second_ahead),
		cmocka_unit_test(a_lost_answer_is_not_a_refusal),
		cmocka_unit_test(nobody_waits_for_what_is_over),
		cmocka_unit_test(what_is_over_is_not_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
