/* SPDX-License-Identifier: MIT */
/* Rates, with each driver call in turn going wrong in each way: what is allowed has been counted, and once. */
#include <dblock/rate.h>

#include "db/faults/strike_kit.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

/* One comes free in this time; by real time a play takes a small part of it. */
enum { EVERY_S = 40 };

static void with_rate(struct stage *s)
{
	raw_exec(s->raw, "DELETE FROM dblock_rate");
	with_client(s);
	s->asked = 0;
}

static int take_of(struct dblock_client *client, int64_t burst, int64_t wait_ms,
		   int (*canceled)(void *), void *arg, struct dblock_error *err)
{
	struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;

	options.period_ms = EVERY_S * 1000;
	options.wait_ms = wait_ms;
	options.canceled = canceled;
	options.canceled_arg = arg;
	return dblock_rate_take(client, "r", 1, burst, 1, &options, NULL, err);
}

static void with_used_up(struct stage *s)
{
	struct dblock_error err = {0};

	with_rate(s);
	expect(OK, take_of(s->calm, 1, 0, NULL, NULL, &err));
}

/* How many are counted: what runs down meanwhile is a part of one. */
static int64_t counted(struct stage *s)
{
	int64_t level = raw_int(s->raw, "SELECT level FROM dblock_rate WHERE name = 'r'");

	return level > 0 ? 1 + (level - 1) / (EVERY_S * 1000000000LL) : 0;
}

static void check_counted(struct stage *s, int64_t least, int64_t most)
{
	assert_in_range(counted(s), least, most);
	/* Another copy that comes late is known by its nonce. */
	strike_let_go(s->strike);
	assert_in_range(counted(s), least, most);
}

static int call_take(struct stage *s, struct dblock_error *err)
{
	return take_of(s->client, 2, 0, NULL, NULL, err);
}

static void check_take(struct stage *s, int rc)
{
	check_counted(s, rc == DBLOCK_OK, 1);
}

PLAY(take, .prepare = with_rate, .call = call_take, .check = check_take, .least = 3,
     .within_ms = 2 * TIMEOUT_MS, .may = {FAILURES})

static int call_refused(struct stage *s, struct dblock_error *err)
{
	struct dblock_error heard = {0};
	int rc = take_of(s->client, 1, 0, NULL, NULL, &heard);

	if (rc == DBLOCK_BUSY)
		return 0;
	*err = heard;
	return rc ? rc : DBLOCK_E_BUG;
}

static void check_refused(struct stage *s, int rc)
{
	(void)rc;
	check_counted(s, 1, 1);
}

PLAY(refused, .prepare = with_used_up, .call = call_refused, .check = check_refused, .least = 4,
     .within_ms = 2 * TIMEOUT_MS, .may = {FAILURES})

static int call_wait(struct stage *s, struct dblock_error *err)
{
	int64_t begun = strike_now_us(s->strike);
	int rc = take_of(s->client, 1, DBLOCK_FOREVER, NULL, NULL, err);

	/* It has waited for its turn, whatever was lost; the first one comes while this was set up. */
	if (rc == DBLOCK_OK)
		assert_true(strike_now_us(s->strike) - begun > dbl_ms(EVERY_S * 1000 / 2));
	return rc;
}

static void check_wait(struct stage *s, int rc)
{
	check_counted(s, 1 + (rc == DBLOCK_OK), 2);
}

PLAY(wait, .prepare = with_used_up, .call = call_wait, .check = check_wait, .least = 3,
     .large = true, .kinds = ~(KIND(STUBBORN) | KIND(DOWN) | KIND(DARK)), .may = {FAILURES})

static int is_booked(void *arg)
{
	return counted(arg) > 1;
}

static int call_cancel(struct stage *s, struct dblock_error *err)
{
	struct dblock_error heard = {0};
	int rc = take_of(s->client, 1, DBLOCK_FOREVER, is_booked, s, &heard);

	if (rc == DBLOCK_CANCELED)
		return 0;
	*err = heard;
	return rc ? rc : DBLOCK_E_BUG;
}

/* What cannot be given back is lost. */
static void check_cancel(struct stage *s, int rc)
{
	(void)rc;
	check_counted(s, 1, strike_struck(s->strike) ? 2 : 1);
}

PLAY(cancel, .prepare = with_used_up, .call = call_cancel, .check = check_cancel, .least = 4,
     .kinds = ~(KIND(STUBBORN) | KIND(DOWN) | KIND(DARK)), .may = {FAILURES})

static int call_reset(struct stage *s, struct dblock_error *err)
{
	return dblock_rate_reset(s->client, "r", err);
}

static void check_reset(struct stage *s, int rc)
{
	check_counted(s, 0, rc == DBLOCK_OK ? 0 : 1);
}

PLAY(reset, .prepare = with_used_up, .call = call_reset, .check = check_reset, .least = 2,
     .within_ms = 2 * TIMEOUT_MS, .may = {FAILURES, DBLOCK_STALE})

static int note(void *arg, const struct dblock_rate_bucket *b)
{
	struct stage *s = arg;

	assert_string_equal(b->name, "r");
	s->asked++;
	return 0;
}

static int call_list(struct stage *s, struct dblock_error *err)
{
	return dblock_rate_list(s->client, note, s, err);
}

static void check_list(struct stage *s, int rc)
{
	assert_int_equal(s->asked, rc == DBLOCK_OK ? 1 : 0);
}

PLAY(list, .prepare = with_used_up, .call = call_list, .check = check_list, .least = 3,
     .within_ms = 2 * TIMEOUT_MS, .kinds = KINDS_OF_READS, .may = {FAILURES})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(take), SCENE(refused), SCENE(wait), SCENE(cancel), SCENE(reset), SCENE(list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
