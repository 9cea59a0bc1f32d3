/* SPDX-License-Identifier: MIT */
/* Rate limits: what is allowed, refused, booked and given back, and what a clock that was set makes of it. */
#include <dblock/rate.h>

#include <limits.h>

#include "support/call.h"
#include "support/scene.h"
#include "support/spy.h"
#include "support/waiting.h"

#define HOUR_MS 3600000LL
#define HOUR_US (HOUR_MS * 1000)

/* One an hour: so slow that nothing comes free during a test. */
static int take_of(struct dblock_client *client, int64_t burst, int64_t n, int64_t wait_ms,
		   struct dblock_rate_state *state, struct dblock_error *err)
{
	struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;

	options.period_ms = HOUR_MS;
	options.wait_ms = wait_ms;
	return dblock_rate_take(client, "r", 1, burst, n, &options, state, err);
}

static int take_one(struct dblock_client *client, int64_t burst, struct dblock_error *err)
{
	return take_of(client, burst, 1, 0, NULL, err);
}

static int set_up(void **state)
{
	struct scene *s;

	scene_set_up(state);
	s = *state;
	raw_exec(s->raw, "DELETE FROM dblock_rate");
	return 0;
}

/* As if the clock had been set back by that. */
static void set_back(struct scene *s, int64_t us)
{
	raw_exec(s->raw, "UPDATE dblock_rate SET taken_at = taken_at + %lld", (long long)us);
}

static int64_t column(struct scene *s, const char *name)
{
	return raw_int(s->raw, "SELECT %s FROM dblock_rate WHERE name = 'r'", name);
}

#define assert_about(us, expected)                                                                 \
	do {                                                                                       \
		assert_true((us) <= (expected));                                                   \
		assert_true((us) > (expected)-PLENTY_MS * 1000);                                   \
	} while (0)

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

/* ---- waiting --------------------------------------------------------------------------------- */

struct asks {
	struct dblock_client *client;
	int64_t rate, wait_ms;
	_Atomic int stop;
	struct dblock_rate_state state;
	int64_t took_ms;
};

static int is_stopped(void *arg)
{
	return ((struct asks *)arg)->stop;
}

static int ask(void *arg, struct dblock_error *err)
{
	struct asks *a = arg;
	struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;
	int64_t begun = clock_ms();
	int rc;

	options.period_ms = HOUR_MS;
	options.wait_ms = a->wait_ms;
	options.canceled = is_stopped;
	options.canceled_arg = a;
	a->state = (struct dblock_rate_state)DBLOCK_RATE_STATE_INIT;
	rc = dblock_rate_take(a->client, "r", a->rate, 1, 1, &options, &a->state, err);
	a->took_ms = clock_ms() - begun;
	return rc;
}

/* Ten a second. Naive: each asks again until it is lucky, and the others starve. */
static void turns_are_booked_and_waited_for(void **state)
{
	struct scene *s = *state;
	struct asks first = {.client = s->client, .rate = 36000, .wait_ms = DBLOCK_FOREVER};
	struct dblock_error err = {0};

	expect(OK, ask(&first, &err));
	assert_int_equal(first.state.wait_us, 0);
	raw_exec(s->raw, "UPDATE dblock_rate SET level = 700000000"); /* six others wait */
	expect(OK, ask(&first, &err));
	assert_true(first.state.wait_us <= 700000);
	assert_true(first.took_ms >= first.state.wait_us / 1000);
	if (first.state.wait_us > 0)
		assert_int_equal(first.state.left, 0);
	/* Somebody who comes now does not get past who waits. */
	raw_exec(s->raw, "UPDATE dblock_rate SET level = 700000000, taken_at = {now}");
	expect(BUSY, dblock_rate_take(s->client, "r", 10, 1, 1, NULL, NULL, &err));
}

/* Naive: it sleeps for wait_ms, and then says that it was in vain. */
static void a_turn_that_is_too_far_away_is_refused_at_once(void **state)
{
	struct scene *s = *state;
	struct asks a = {.client = s->client, .rate = 1, .wait_ms = HOUR_MS / 2};
	struct dblock_error err = {0};
	int64_t level;

	expect(OK, ask(&a, &err));
	level = column(s, "level");
	expect(TIMEOUT, ask(&a, &err));
	message_has("the turn of this call is in");
	assert_about(a.state.retry_us, HOUR_US);
	assert_true(a.took_ms < PLENTY_MS);
	assert_true(column(s, "level") == level);
}

static void who_cancels_gives_his_turn_back(void **state)
{
	struct scene *s = *state;
	struct asks a = {.client = s->client, .rate = 1, .wait_ms = DBLOCK_FOREVER};
	struct dblock_error err = {0};
	struct call call;
	int64_t level;

	expect(OK, ask(&a, &err));
	level = column(s, "level");
	call_start(&call, ask, &a);
	wait_until(column(s, "level") > level);
	a.stop = 1;
	call_end(&call);
	err = call.err;
	expect(CANCELED, call.rc);
	message_has("the wait was canceled");
	assert_about(column(s, "level") / 1000, HOUR_US);
}

/* His turn given back, the next one to book would come at the time of the one behind him. */
static void a_turn_that_others_stand_behind_is_lost(void **state)
{
	struct scene *s = *state;
	struct asks a = {.client = s->client, .rate = 1, .wait_ms = DBLOCK_FOREVER}, b = a;
	struct dblock_error err = {0};
	struct call first, second;

	expect(OK, take_one(s->client, 1, &err));
	call_start(&first, ask, &a);
	wait_until(column(s, "level") > HOUR_US * 1000);
	call_start(&second, ask, &b);
	wait_until(column(s, "level") > HOUR_US * 2000);
	a.stop = 1;
	assert_int_equal(call_end(&first), DBLOCK_CANCELED);
	assert_true(column(s, "level") > HOUR_US * 2000);
	b.stop = 1;
	assert_int_equal(call_end(&second), DBLOCK_CANCELED);
	assert_true(column(s, "level") <= HOUR_US * 2000);
}

static void a_shutdown_ends_the_wait(void **state)
{
	struct scene *s = *state;
	struct dblock_client *other = client_new(0);
	struct asks a = {.client = other, .rate = 1, .wait_ms = DBLOCK_FOREVER};
	struct dblock_error err = {0};
	struct call call;

	expect(OK, take_one(s->client, 1, &err));
	call_start(&call, ask, &a);
	wait_until(column(s, "level") > HOUR_US * 1000);
	dblock_shutdown(other);
	assert_int_equal(call_end(&call), DBLOCK_CANCELED);
	dblock_close(other, NULL);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static enum spy_fate lose_first_take(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_rate_take)
		return SPY_PASS;
	spy->fate = NULL;
	return SPY_LOST_AFTER;
}

/* Naive: it counts twice, or nobody knows. */
static void a_lost_reply_counts_once(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_error err = {0};

	spy->fate = lose_first_take;
	expect(OK, take_one(client, 2, &err));
	assert_about(column(s, "level") / 1000, HOUR_US);
	expect(OK, take_one(client, 2, &err));
	expect(BUSY, take_one(client, 2, &err));
	dblock_close(client, NULL);
	spy_free(spy);
}

static void round_trips(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, take_one(client, 3, &err));
	spy_reset(spy);
	expect(OK, take_one(client, 3, &err));
	spy_assert_runs(spy, on_backend("sqlite") ? 2 : 1);
	expect(OK, take_one(client, 3, &err));
	spy_reset(spy);
	expect(BUSY, take_one(client, 3, &err));
	spy_assert_runs(spy, 2);
	dblock_close(client, NULL);
	spy_free(spy);
}

static int take_briefly(void *client, struct dblock_error *err)
{
	return take_one(client, 9, err);
}

/* Somebody's transaction has the row locked. */
static void a_row_that_is_locked_is_waited_for_and_not_for_ever(void **state)
{
	struct scene *s = *state;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *brief;
	struct dblock_error err = {0};
	struct call call;

	options.timeout_ms = SLOWLY_MS(3000);
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	brief = client_with(&options);
	expect(OK, take_one(brief, 9, &err));
	raw_exec(s->raw, on_backend("sqlite") ? "BEGIN IMMEDIATE" : "BEGIN");
	raw_exec(s->raw, "UPDATE dblock_rate SET burst = burst + 1 WHERE name = 'r'");
	expect(E_BLOCKED, take_one(brief, 9, &err));
	call_start(&call, take_briefly, s->client);
	sleep_ms(50);
	assert_false(call.done);
	raw_exec(s->raw, "COMMIT");
	call_is_ok(&call);
	assert_about(column(s, "level") / 1000, 2 * HOUR_US);
	dblock_close(brief, NULL);
}

/* Naive: on SQLite the time is that from before it had the write lock; so what came since counts twice. */
static void who_has_waited_for_the_row_does_not_bring_an_old_time(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct call call;
	int64_t taken_at;

	expect(OK, take_one(s->client, 9, &err));
	raw_exec(s->raw, on_backend("sqlite") ? "BEGIN IMMEDIATE" : "BEGIN");
	raw_exec(s->raw, "UPDATE dblock_rate SET burst = burst + 1 WHERE name = 'r'");
	call_start(&call, take_briefly, s->client);
	sleep_ms(100);
	raw_exec(s->raw, "UPDATE dblock_rate SET taken_at = {now} WHERE name = 'r'");
	taken_at = column(s, "taken_at");
	raw_exec(s->raw, "COMMIT");
	call_is_ok(&call);
	assert_true(column(s, "taken_at") >= taken_at);
}

static void what_is_wrong_is_refused(void **state)
{
	struct scene *s = *state;
	struct dblock_rate_options o = DBLOCK_RATE_OPTIONS_INIT;
	struct dblock_rate_state none = {.size = 3};
	struct dblock_error err = {0};

#define WRONG(said, name, rate, burst, n)                                                          \
	do {                                                                                       \
		expect(E_INVALID,                                                                  \
		       dblock_rate_take(s->client, name, rate, burst, n, &o, NULL, &err));         \
		message_has(said);                                                                 \
	} while (0)
	WRONG("rate is 0; it must be between 1 and 1000000000", "r", 0, 1, 1);
	WRONG("rate is", "r", DBLOCK_RATE_MAX + 1, 1, 1);
	WRONG("burst is 0", "r", 1, 0, 1);
	WRONG("burst is", "r", DBLOCK_RATE_MAX, DBLOCK_RATE_MAX + 1, 1);
	WRONG("n is 0", "r", 1, 1, 0);
	WRONG("n is 3; it must be between 1 and 2", "r", 1, 2, 3);
	WRONG("name", "", 1, 1, 1);
	WRONG("burst is 1000000000: at 1 in 1000 ms that many take longer than", "r", 1,
	      DBLOCK_RATE_MAX, 1);
	WRONG("rate is", "r", INT64_MAX, INT64_MAX, INT64_MAX);
	o.period_ms = -1;
	WRONG("period_ms is -1", "r", 1, 1, 1);
	o.period_ms = DBLOCK_RATE_PERIOD_MAX_MS + 1;
	WRONG("period_ms is", "r", 1, 1, 1);
	o.period_ms = 1;
	WRONG("rate is 1000001; it must be between 1 and 1000000", "r", 1000001, 1, 1);
	o.wait_ms = -3;
	WRONG("wait_ms is -3", "r", 1, 1, 1);
	o.wait_ms = 0;
	expect(E_INVALID, dblock_rate_take(NULL, "r", 1, 1, 1, &o, NULL, &err));
	expect(E_INVALID, dblock_rate_take(s->client, "r", 1, 1, 1, &o, &none, &err));
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_rate"), 0);
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
		CASE(turns_are_booked_and_waited_for),
		CASE(a_turn_that_is_too_far_away_is_refused_at_once),
		CASE(who_cancels_gives_his_turn_back),
		CASE(a_turn_that_others_stand_behind_is_lost),
		CASE(a_shutdown_ends_the_wait),
		CASE(a_lost_reply_counts_once),
		CASE(round_trips),
		CASE(a_row_that_is_locked_is_waited_for_and_not_for_ever),
		CASE(who_has_waited_for_the_row_does_not_bring_an_old_time),
		CASE(what_is_wrong_is_refused),
		CASE(what_is_used_can_be_seen),
		CASE(a_list_has_all_pages),
		CASE(what_is_reset_is_whole),
		CASE(the_reaper_forgets_what_is_whole_and_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
