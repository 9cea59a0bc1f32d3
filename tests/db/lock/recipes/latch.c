/* SPDX-License-Identifier: MIT */
/* A latch: who counts, and once; who waits, and is told. */
#include "db/lock/recipes/latch.h"

/* ---- counting ---------------------------------------------------------------------------------- */

static void whoever_is_first_makes_it(void **state)
{
	struct scene *s = *state;
	struct dblock_client *b = client_new(0);
	struct dblock_error err = {0};
	struct dblock_latch latch = DBLOCK_LATCH_INIT, one = latch_new(s->client, 3);

	assert_int_equal(latch_down(b, 1), 2);
	latch = latch_new(b, 3);
	assert_int_equal(latch.count, 2);
	assert_int_equal(latch.of, 3);
	assert_int_equal(latch.generation, one.generation);
	expect(E_INVALID, dblock_latch_create(b, "x", 4, &latch, &err));
	assert_non_null(strstr(err.message, "3"));
	assert_non_null(strstr(err.message, "4"));
	dblock_close(b, NULL);
}

static void it_goes_to_0_and_not_below(void **state)
{
	struct scene *s = *state;

	latch_new(s->client, 3);
	assert_int_equal(latch_down(s->client, 2), 1);
	assert_int_equal(latch_down(s->client, 2), 0);
	assert_int_equal(latch_down(s->client, 1), 0);
	assert_int_equal(latch_now(s->client).count, 0);
}

static void what_is_not_there_is_stale(void **state)
{
	struct scene *s = *state;
	struct dblock_latch latch = DBLOCK_LATCH_INIT;
	struct dblock_error err = {0};

	expect(STALE, dblock_latch_count_down(s->client, "x", 1, NULL, NULL, &err));
	expect(STALE, dblock_latch_wait(s->client, "x", NULL, &err));
	expect(STALE, dblock_latch_reset(s->client, "x", 1, NULL, &err));
	expect(STALE, dblock_latch_show(s->client, "x", &latch, &err));
}

/* ---- a reply is lost --------------------------------------------------------------------------- */

/* Naive: the statement is sent again, and counts again. */
static void what_is_sent_again_counts_once(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *b = spy_client(spy, 0);

	latch_new(s->client, 100);
	for (int n = 1;; n++) {
		int64_t before = latch_now(s->client).count;

		spy_hit_nth(spy, n, SPY_LOST_AFTER);
		assert_int_equal(latch_down(b, 1), before - 1);
		assert_int_equal(latch_now(s->client).count, before - 1);
		if (!spy_has_hit(spy))
			break;
		assert_true(n < 20);
	}
	spy_hit_nth(spy, 10000, SPY_PASS);
	dblock_close(b, NULL);
	spy_free(spy);
}

static enum spy_fate downs_late(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_latch_down)
		return SPY_PASS;
	spy->fate = NULL; /* the second one passes */
	return SPY_LATE;
}

/* The first copy arrives when the second has counted, and others have. Naive: the row remembers the last request. */
static void what_arrives_late_counts_once(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *b = spy_client(spy, 0);

	latch_new(s->client, 100);
	spy->fate = downs_late;
	assert_int_equal(latch_down(b, 1), 99);
	for (int i = 0; i < 5; i++)
		latch_down(s->client, 1);
	assert_int_equal(spy_deliver(spy), 0);
	assert_int_equal(latch_now(s->client).count, 94);
	dblock_close(b, NULL);
	spy_free(spy);
}

/* Nor does it count in the next generation. */
static void what_arrives_after_a_reset_counts_never(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *b = spy_client(spy, 0);

	latch_new(s->client, 3);
	spy->fate = downs_late;
	assert_int_equal(latch_down(b, 1), 2);
	latch_reset(s->client, 0);
	assert_int_equal(spy_deliver(spy), 0);
	assert_int_equal(latch_now(s->client).count, 3);
	dblock_close(b, NULL);
	spy_free(spy);
}

static void a_request_of_ones_own_counts_once(void **state)
{
	struct scene *s = *state;
	struct dblock_count_down_options options = DBLOCK_COUNT_DOWN_OPTIONS_INIT;
	struct dblock_error err = {0};
	int64_t left;

	latch_new(s->client, 9);
	for (int i = 0; i < 3; i++) {
		options.request = 7;
		expect(OK, dblock_latch_count_down(s->client, "x", 1, &options, &left, &err));
		options.request = 77; /* another one, of which it is a part */
		expect(OK, dblock_latch_count_down(s->client, "x", 1, &options, &left, &err));
		assert_int_equal(left, 7);
	}
	latch_reset(s->client, 0);
	expect(OK, dblock_latch_count_down(s->client, "x", 1, &options, &left, &err));
	assert_int_equal(left, 8);
}

static struct scene *reset_by;

static enum spy_fate reset_before(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_latch_down) {
		spy->fate = NULL;
		latch_reset(reset_by->client, 0);
	}
	return SPY_PASS;
}

/* Naive: it counts in the generation that it finds. */
static void who_is_overtaken_by_a_reset_is_told(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *b = spy_client(spy, 0);
	struct dblock_error err = {0};

	reset_by = *state;
	latch_new(reset_by->client, 3);
	spy->fate = reset_before;
	expect(STALE, dblock_latch_count_down(b, "x", 1, NULL, NULL, &err));
	assert_int_equal(latch_now(b).count, 3);
	dblock_close(b, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LATCH_TEST(whoever_is_first_makes_it),
		LATCH_TEST(it_goes_to_0_and_not_below),
		LATCH_TEST(what_is_not_there_is_stale),
		LATCH_TEST(what_is_sent_again_counts_once),
		LATCH_TEST(what_arrives_late_counts_once),
		LATCH_TEST(what_arrives_after_a_reset_counts_never),
		LATCH_TEST(a_request_of_ones_own_counts_once),
		LATCH_TEST(who_is_overtaken_by_a_reset_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
