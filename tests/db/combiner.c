/* SPDX-License-Identifier: MIT */
/*
 * Requests that meet at a client's connection go together: one statement (on SQLite one
 * transaction), one commit; and to each its own outcome, whatever goes wrong.
 */
#include "support/gate.h"
#include "support/raw.h"

/* How often a crowd may miss each other before that is a finding. */
enum { ROUNDS = 50 };

struct one {
	struct dblock_client *client;
	char name[32];
	struct dblock_lock *lock;
	int rc;
	struct dblock_error err;
};

static struct one ones[CROWD];

static struct dblock_client *crowd_client(struct spy *spy)
{
	struct dblock_client *client = spy_client(spy, 0);

	for (int i = 0; i < CROWD; i++) {
		ones[i] = (struct one){.client = client};
		snprintf(ones[i].name, sizeof(ones[i].name), "\"n\\,{%02d}'", i);
		is_free(client, ones[i].name);
	}
	return client;
}

static void *try_it(void *arg)
{
	struct one *one = arg;

	one->rc = dblock_try(one->client, one->name, NULL, &one->lock, &one->err);
	return NULL;
}

static void *release_it(void *arg)
{
	struct one *one = arg;

	one->rc = dblock_release(one->lock, &one->err);
	return NULL;
}

static int64_t held_rows(struct raw *raw)
{
	return raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE nonce <> 0");
}

static bool all_got(int rc)
{
	for (int i = 0; i < CROWD; i++) {
		if (ones[i].rc != rc)
			return false;
	}
	return true;
}

/* All that a crowd of one operation sends, if it met: one that goes first, and the others. */
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
	dblock_close(client);
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
	dblock_close(client);
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
	dblock_close(client);
	dblock_close(other);
	spy_free(spy);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static enum spy_fate fate_of_first;
static _Atomic int unlucky;

/* The first that acquires, of whatever number; on a file a transaction is lost by its statement. */
static enum spy_fate hit_first(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_batch && op != DBL_OP_acquire)
		return SPY_PASS;
	return unlucky-- > 0 ? fate_of_first : SPY_PASS;
}

/* Whatever becomes of the statement and its reply: who says that he has it has it, and he alone. */
static void loses(enum spy_fate fate)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);
	int got = 0;

	gate_fate = hit_first;
	fate_of_first = fate;
	unlucky = 1;
	gate_crowd(client, spy, try_it, ones, sizeof(ones[0]));
	assert_true(unlucky <= 0);
	for (int i = 0; i < CROWD; i++) {
		if (ones[i].rc)
			fail_msg("%s", ones[i].err.message);
		assert_true(dblock_valid(ones[i].lock, 0));
		got++;
	}
	assert_int_equal(held_rows(raw), got);
	for (int i = 0; i < CROWD; i++)
		give(ones[i].lock);
	assert_int_equal(held_rows(raw), 0);
	raw_close(raw);
	dblock_close(client);
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
	dblock_close(client);
	spy_free(spy);
}

/* Below the API, which would not let such a thing through: a text that is too long. */
struct raw_one {
	struct dblock_client *client;
	char name[32], value[2048];
	int64_t nonce, token;
	int rc;
};

static int take_token(void *token, const struct dbl_value *row)
{
	*(int64_t *)token = row[0].i;
	return 0;
}

static void *acquire_raw(void *arg)
{
	struct raw_one *one = arg;
	struct dbl_locks *locks = one->client->locks;
	struct dbl_life *life;
	struct dblock_error err = {0};
	int64_t deadline = dbl_now(locks->env) + PLENTY_MS * INT64_C(1000);

	one->rc = dbl_session_life(locks->session, deadline, &life, &err);
	if (one->rc)
		return NULL;
	one->nonce = dbl_random_id(locks->env);
	struct dbl_value args[] = {dbl_text(one->name), dbl_int(one->nonce), dbl_text(life->id),
				   dbl_text("host"),    dbl_int(1),          dbl_int(1),
				   dbl_null(),          dbl_null(),          dbl_text(one->value),
				   dbl_int(0),          dbl_int(0)};
	struct dbl_request request = {.op = DBL_OP_acquire,
				      .args = args,
				      .row = take_token,
				      .ctx = &one->token,
				      .deadline = deadline};
	one->rc = dbl_link_run(locks->link, &request, &err);
	dbl_life_drop(life);
	return NULL;
}

static void a_bad_one_spoils_nobody(void **state)
{
	static struct raw_one raw_ones[CROWD];
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);

	(void)state;
	gate_fate = NULL;
	for (int i = 0; i < CROWD; i++) {
		raw_ones[i] = (struct raw_one){.client = client, .token = -1};
		memcpy(raw_ones[i].name, ones[i].name, sizeof(ones[i].name));
		memset(raw_ones[i].value, 'v', i == 4 ? sizeof(raw_ones[i].value) - 1 : 3);
	}
	gate_crowd(client, spy, acquire_raw, raw_ones, sizeof(raw_ones[0]));
	for (int i = 0; i < CROWD; i++) {
		assert_true(i == 4 ? raw_ones[i].rc < 0 : raw_ones[i].rc == 0);
		assert_true(i == 4 ? raw_ones[i].token == -1 : raw_ones[i].token > 0);
	}
	assert_int_equal(held_rows(raw), CROWD - 1);
	raw_exec(raw, "UPDATE dblock_lock SET nonce = 0, session = NULL");
	raw_close(raw);
	dblock_close(client);
	spy_free(spy);
}

/* Somebody's open transaction has one of the rows: the others do not wait for that. */
static void a_locked_row_stops_nobody(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);

	(void)state;
	if (on_backend("sqlite"))
		skip(); /* there it is the whole file that is locked */
	gate_fate = NULL;
	snprintf(ones[4].name, sizeof(ones[4].name), "locked");
	is_free(client, "locked");
	raw_lock_row(raw, "locked");
	gate_crowd(client, spy, try_it, ones, sizeof(ones[0]));
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(ones[i].rc, i == 4 ? DBLOCK_BUSY : DBLOCK_OK);
	raw_exec(raw, "COMMIT");
	raw_close(raw);
	dblock_close(client);
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
		cmocka_unit_test(a_bad_one_spoils_nobody),
		cmocka_unit_test(a_locked_row_stops_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
