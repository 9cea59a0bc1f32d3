/* SPDX-License-Identifier: MIT */
/* Rate limits: what is allowed and refused, what can be seen of it, and what a clock that was set makes of it. */
#include "db/lock/rate/rate.h"

static void a_burst_and_no_more(void **state)
{
	struct scene *s = *state;
	struct dblock_rate_state r = DBLOCK_RATE_STATE_INIT;
	struct dblock_error err = {0};

	for (int i = 1; i <= 3; i++) {
		expect(OK, take_of(s->client, 3, 1, 0, &r, &err));
		assert_int_equal(r.left, 3 - i);
		assert_int_equal(r.wait_us, 0);
		assert_int_equal(r.retry_us, 0);
		assert_about(r.full_us, i * HOUR_US);
	}
	expect(BUSY, take_of(s->client, 3, 1, 0, &r, &err));
	message_has("'r': the rate of 1 in 3600 s is used up; the turn of this call is in 3");
	assert_int_equal(r.left, 0);
	assert_about(r.retry_us, HOUR_US);
	assert_about(r.full_us, 3 * HOUR_US);
	/* Another name has its own. */
	expect(OK, dblock_rate_take(s->client, "other", 1, 1, 1, NULL, NULL, &err));
}

static void all_or_none(void **state)
{
	struct scene *s = *state;
	struct dblock_rate_state r = DBLOCK_RATE_STATE_INIT;
	struct dblock_error err = {0};

	expect(OK, take_of(s->client, 5, 3, 0, NULL, &err));
	expect(BUSY, take_of(s->client, 5, 3, 0, &r, &err));
	assert_int_equal(r.left, 2);
	assert_about(r.retry_us, HOUR_US);
	expect(OK, take_of(s->client, 5, 2, 0, &r, &err));
	assert_int_equal(r.left, 0);
	expect(BUSY, take_of(s->client, 5, 5, 0, &r, &err));
	assert_about(r.retry_us, 5 * HOUR_US);
}

static void what_has_passed_comes_free(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	expect(OK, take_of(s->client, 3, 3, 0, NULL, &err));
	set_back(s, -HOUR_US); /* an hour has passed */
	expect(OK, take_one(s->client, 3, &err));
	expect(BUSY, take_one(s->client, 3, &err));
	/* However long nobody comes, there is one burst. */
	set_back(s, -1000 * HOUR_US);
	expect(OK, take_of(s->client, 3, 3, 0, NULL, &err));
	expect(BUSY, take_one(s->client, 3, &err));
	/* Even if the clock was at its end. */
	raw_exec(s->raw, "UPDATE dblock_rate SET taken_at = -4611686018427387904");
	expect(OK, take_of(s->client, 3, 3, 0, NULL, &err));
	expect(BUSY, take_one(s->client, 3, &err));
}

/* Naive: the arrival time that is in the future is believed, and nobody gets any for an hour; or the bucket is full. */
static void a_clock_that_is_set_back_neither_fills_nor_blocks(void **state)
{
	struct scene *s = *state;
	struct dblock_rate_state r = DBLOCK_RATE_STATE_INIT;
	struct dblock_error err = {0};

	expect(OK, take_of(s->client, 3, 2, 0, NULL, &err));
	set_back(s, 24 * HOUR_US);
	expect(OK, take_of(s->client, 3, 1, 0, &r, &err)); /* what was left is left */
	assert_int_equal(r.left, 0);
	set_back(s, 24 * HOUR_US);
	expect(BUSY, take_of(s->client, 3, 1, 0, &r, &err));
	assert_about(r.retry_us, HOUR_US);
	/* And by this clock it runs down. */
	set_back(s, -HOUR_US);
	expect(OK, take_one(s->client, 3, &err));
	expect(BUSY, take_one(s->client, 3, &err));
}

static void a_refusal_writes_nothing(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	int64_t level, taken_at;

	expect(OK, take_one(s->client, 1, &err));
	level = column(s, "level");
	taken_at = column(s, "taken_at");
	for (int i = 0; i < 5; i++)
		expect(BUSY, take_one(s->client, 1, &err));
	expect(TIMEOUT, take_of(s->client, 1, 1, 1000, NULL, &err));
	assert_true(column(s, "level") == level);
	assert_true(column(s, "taken_at") == taken_at);
	/* Not even a row that is locked, which on PostgreSQL is a write, too. */
	if (on_backend("postgresql"))
		assert_int_equal(column(s, "xmax::text::bigint"), 0);
}

/* The counter is one of time: each caller's own numbers count. */
static void callers_with_other_numbers_share_the_time(void **state)
{
	struct scene *s = *state;
	struct dblock_rate_options hourly = DBLOCK_RATE_OPTIONS_INIT;
	struct dblock_rate_state r = DBLOCK_RATE_STATE_INIT;
	struct dblock_error err = {0};

	hourly.period_ms = HOUR_MS;
	expect(OK, dblock_rate_take(s->client, "r", 2, 4, 2, &hourly, NULL, &err)); /* an hour's */
	expect(BUSY, dblock_rate_take(s->client, "r", 1, 1, 1, &hourly, &r, &err));
	assert_about(r.retry_us, HOUR_US);
	expect(OK, dblock_rate_take(s->client, "r", 1, 2, 1, &hourly, &r, &err));
	assert_int_equal(r.left, 0);
	expect(BUSY, dblock_rate_take(s->client, "r", 2, 4, 1, &hourly, &r, &err));
	assert_about(r.retry_us, HOUR_US / 2);
}

/* ---- looking, forgetting --------------------------------------------------------------------- */

struct found {
	char text[4096];
};

static int note(void *arg, const struct dblock_rate_bucket *b)
{
	char *at = (char *)arg + strlen(arg);

	snprintf(at, 512, "%s %lld/%lld burst %lld left %lld booked %lld\n", b->name,
		 (long long)b->rate, (long long)b->period_ms, (long long)b->burst,
		 (long long)b->left, (long long)b->booked);
	return 0;
}

static void what_is_used_can_be_seen(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct found found = {""};

	expect(OK, take_of(s->client, 3, 2, 0, NULL, &err));
	expect(OK, dblock_rate_take(s->client, "q", 10, 5, 5, NULL, NULL, &err));
	raw_exec(s->raw, "UPDATE dblock_rate SET level = 3600000000000000 WHERE name = 'q'");
	expect(OK, dblock_rate_list(s->client, note, &found, &err));
	assert_non_null(strstr(found.text, "q 10/1000 burst 5 left 0 booked 3"));
	assert_non_null(strstr(found.text, "\nr 1/3600000 burst 3 left 1 booked 0\n"));
}

static int count(void *arg, const struct dblock_rate_bucket *b)
{
	(void)b;
	return ++*(int *)arg == 203 ? 77 : 0;
}

static void a_list_has_all_pages(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	int n = 0;

	for (int i = 0; i < 202; i++)
		raw_exec(s->raw, "INSERT INTO dblock_rate VALUES ('%03d', 0, {now}, 1, 1, 1, 1)",
			 i);
	expect(OK, dblock_rate_list(s->client, count, &n, &err));
	assert_int_equal(n, 202);
	raw_exec(s->raw, "INSERT INTO dblock_rate VALUES ('x', 0, {now}, 1, 1, 1, 1)");
	n = 0;
	assert_int_equal(dblock_rate_list(s->client, count, &n, &err), 77);
}

static void what_is_reset_is_whole(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	expect(STALE, dblock_rate_reset(s->client, "r", &err));
	expect(OK, take_of(s->client, 3, 3, 0, NULL, &err));
	expect(OK, dblock_rate_reset(s->client, "r", &err));
	expect(OK, take_of(s->client, 3, 3, 0, NULL, &err));
}

static int64_t reap(struct scene *s, int64_t after_ms)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.purge_after_ms = after_ms;
	options.max_time_ms = -1;
	expect(OK, dblock_reap(s->client, &options, &reaped, &err));
	return reaped.names_purged;
}

/* Naive: by age alone; then one that is used up is whole again. */
static void the_reaper_forgets_what_is_whole_and_old(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	for (int i = 0; i < 450; i++)
		raw_exec(s->raw,
			 "INSERT INTO dblock_rate VALUES ('%03d', 0, {now} - 20000000, 1, 1, 1, 1)",
			 i);
	expect(OK, take_of(s->client, 3, 3, 0, NULL, &err));
	raw_exec(s->raw, "INSERT INTO dblock_rate VALUES ('new', 0, {now}, 1, 1, 1, 1)");
	set_back(s, -2 * HOUR_US);
	raw_exec(s->raw, "UPDATE dblock_rate SET taken_at = {now} WHERE name = 'new'");
	assert_int_equal(reap(s, HOUR_MS), 450);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_rate"), 2);
	expect(OK, take_of(s->client, 3, 2, 0, NULL, &err));
	expect(BUSY, take_one(s->client, 3, &err));
	set_back(s, -4 * HOUR_US);
	assert_int_equal(reap(s, HOUR_MS), 2);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, scene_tear_down)
	const struct CMUnitTest tests[] = {
		CASE(a_burst_and_no_more),
		CASE(all_or_none),
		CASE(what_has_passed_comes_free),
		CASE(a_clock_that_is_set_back_neither_fills_nor_blocks),
		CASE(a_refusal_writes_nothing),
		CASE(callers_with_other_numbers_share_the_time),
		CASE(what_is_used_can_be_seen),
		CASE(a_list_has_all_pages),
		CASE(what_is_reset_is_whole),
		CASE(the_reaper_forgets_what_is_whole_and_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
