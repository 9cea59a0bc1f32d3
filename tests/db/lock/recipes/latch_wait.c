/* SPDX-License-Identifier: MIT */
/* Who waits for a latch, and its next generation. */
#include "db/lock/recipes/latch.h"

static struct scene *reset_by;

/* ---- waiting ----------------------------------------------------------------------------------- */

static void who_waits_is_woken_by_the_last(void **state)
{
	struct scene *s = *state;
	struct party a = PARTY(client_new(0), 0), b = PARTY(a.client, 0);

	latch_new(s->client, 2);
	party_start(&a, party_waits);
	party_start(&b, party_waits);
	until_there_are(s->raw, "latch:x", 2, "%");
	latch_down(s->client, 1);
	assert_false(a.call.done || b.call.done);
	latch_down(s->client, 1);
	party_ends(&a, DBLOCK_OK);
	party_ends(&b, DBLOCK_OK);
	assert_int_equal(dblock_latch_wait(a.client, "x", &a.waiting, NULL), DBLOCK_OK);
	dblock_close(a.client, NULL);
}

static enum spy_fate never_rings(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_bell_sleepers ? SPY_LOST_BEFORE : SPY_PASS;
}

/* The last one has died, say, before it could wake anybody. */
static void who_is_not_woken_sees_it_soon(void **state)
{
	struct scene *s = *state;
	struct party a = PARTY(client_new(0), 0);
	struct spy *spy = spy_new();
	struct dblock_client *b = spy_client_with(spy, 0, 50);

	latch_new(s->client, 1);
	party_start(&a, party_waits);
	until_there_are(s->raw, "latch:x", 1, "%");
	spy->fate = never_rings;
	latch_down(b, 1);
	party_ends(&a, DBLOCK_OK);
	spy->fate = NULL;
	dblock_close(a.client, NULL);
	dblock_close(b, NULL);
	spy_free(spy);
}

/* Naive: the count is above 0 again, or at 0 again, and it goes on waiting, or is through. */
static void who_waits_is_told_of_a_reset(void **state)
{
	struct scene *s = *state;
	struct party a = PARTY(client_new(0), 0);

	latch_new(s->client, 2);
	party_start(&a, party_waits);
	until_there_are(s->raw, "latch:x", 1, "%");
	latch_reset(s->client, 1);
	latch_down(s->client, 1);
	party_ends(&a, DBLOCK_BROKEN);
	assert_non_null(strstr(a.call.err.message, "has reset it"));
	dblock_close(a.client, NULL);
}

/* It stood still from before it came to 0 until after the reset. */
static void who_slept_over_both_is_through(void **state)
{
	struct scene *s = *state;
	struct party a = PARTY(s->client, 0);
	struct dblock_error err = {0};

	a.waiting.generation = latch_new(s->client, 1).generation;
	latch_down(s->client, 1);
	latch_reset(s->client, 5);
	expect(OK, party_waits(&a, &err));
	latch_reset(s->client, 5);
	expect(OK, party_waits(&a, &err));
	latch_down(s->client, 5);
	expect(BROKEN, party_waits(&a, &err)); /* nobody knows any more */
}

static void a_wait_ends_by_time_or_will(void **state)
{
	struct scene *s = *state;
	struct party a = PARTY(s->client, 0);
	struct dblock_error err = {0};

	latch_new(s->client, 2);
	a.waiting.wait_ms = 20;
	expect(TIMEOUT, party_waits(&a, &err));
	assert_non_null(strstr(err.message, "2 of 2"));
	a.waiting.wait_ms = DBLOCK_NO_WAIT;
	expect(BUSY, party_waits(&a, &err));
	a.waiting.wait_ms = 0;
	a.waiting.canceled = is_stopped;
	a.waiting.canceled_arg = &a;
	party_start(&a, party_waits);
	until_there_are(s->raw, "latch:x", 1, "%");
	a.stop = true;
	party_ends(&a, DBLOCK_CANCELED);
}

/* ---- the next generation ----------------------------------------------------------------------- */

static enum spy_fate reset_first(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_latch_move) {
		spy->fate = NULL;
		latch_reset(reset_by->client, 5);
	}
	return SPY_PASS;
}

/* Naive: what was counted since the first reset is forgotten. */
static void of_two_resets_at_once_one_does_it(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *b = spy_client(spy, 0);
	struct dblock_error err = {0};

	reset_by = *state;
	latch_new(reset_by->client, 3);
	spy->fate = reset_first;
	expect(STALE, dblock_latch_reset(b, "x", 4, NULL, &err));
	assert_int_equal(latch_now(b).of, 5);
	dblock_close(b, NULL);
	spy_free(spy);
}

static void a_reset_whose_reply_is_lost_is_one(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *b = spy_client(spy, 0);
	int64_t before = latch_new(s->client, 3).generation;

	spy_hit_nth(spy, 2, SPY_LOST_AFTER);
	latch_reset(b, 4);
	assert_true(spy_has_hit(spy));
	assert_int_equal(latch_now(s->client).generation, before + 2);
	assert_int_equal(latch_now(s->client).count, 4);
	dblock_close(b, NULL);
	spy_free(spy);
}

/* The reaper forgets what nobody uses; the next one of that name has other generations. */
static void it_is_forgotten_when_nobody_uses_it(void **state)
{
	struct scene *s = *state;
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct party a = PARTY(client_new(0), 0);
	struct dblock_latch latch = latch_new(s->client, 1);
	struct dblock_error err = {0};

	options.purge_after_ms = 3600000;
	expect(OK, dblock_reap(s->client, &options, NULL, &err));
	assert_int_equal(latch_now(s->client).generation, latch.generation);
	raw_exec(s->raw, "UPDATE dblock_latch SET since = since - 3600000000");
	party_start(&a, party_waits);
	until_there_are(s->raw, "latch:x", 1, "%");
	expect(OK, dblock_reap(s->client, &options, NULL, &err));
	assert_int_equal(latch_now(s->client).generation, latch.generation);
	latch_down(s->client, 1);
	party_ends(&a, DBLOCK_OK);
	raw_exec(s->raw, "UPDATE dblock_latch SET since = since - 3600000000");
	expect(OK, dblock_reap(s->client, &options, NULL, &err));
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_latch"), 0);
	assert_true(latch_new(s->client, 1).generation > latch.generation + 2);
	dblock_close(a.client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LATCH_TEST(who_waits_is_woken_by_the_last),
		LATCH_TEST(who_is_not_woken_sees_it_soon),
		LATCH_TEST(who_waits_is_told_of_a_reset),
		LATCH_TEST(who_slept_over_both_is_through),
		LATCH_TEST(a_wait_ends_by_time_or_will),
		LATCH_TEST(of_two_resets_at_once_one_does_it),
		LATCH_TEST(a_reset_whose_reply_is_lost_is_one),
		LATCH_TEST(it_is_forgotten_when_nobody_uses_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
