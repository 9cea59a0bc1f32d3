/* SPDX-License-Identifier: MIT */
/* Rate limits: turns that are booked and canceled; replies that are lost, rows that are locked, what is wrong. */
#include "db/lock/rate/rate.h"
#include "support/call.h"
#include "support/spy.h"
#include "support/waiting.h"

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

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, scene_tear_down)
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
