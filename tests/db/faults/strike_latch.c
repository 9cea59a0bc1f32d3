/* SPDX-License-Identifier: MIT */
/* Latches and barriers, with each driver call in turn going wrong in each way: nothing counts twice, and no place at a
 * barrier stays taken. */
#include <dblock/barrier.h>
#include <dblock/latch.h>

#include "db/faults/strike_kit.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

/* ---- a latch ------------------------------------------------------------------------------------ */

static void with_latch(struct stage *s)
{
	struct dblock_error err = {0};

	raw_exec(s->raw, "DELETE FROM dblock_latch");
	expect(OK, dblock_latch_create(s->calm, "x", 5, NULL, &err));
	with_client(s);
}

static void without_latch(struct stage *s)
{
	raw_exec(s->raw, "DELETE FROM dblock_latch");
	with_client(s);
}

static struct dblock_latch seen(struct stage *s)
{
	struct dblock_latch latch = DBLOCK_LATCH_INIT;
	struct dblock_error err = {0};

	expect(OK, dblock_latch_show(s->calm, "x", &latch, &err));
	return latch;
}

static int call_create(struct stage *s, struct dblock_error *err)
{
	return dblock_latch_create(s->client, "x", 5, NULL, err);
}

static void check_created(struct stage *s, int rc)
{
	if (rc == DBLOCK_OK)
		assert_int_equal(seen(s).count, 5);
}

PLAY(create, .prepare = without_latch, .call = call_create, .check = check_created, .least = 2,
     .may = {FAILURES})

static int call_down(struct stage *s, struct dblock_error *err)
{
	int64_t left = 0;
	int rc = dblock_latch_count_down(s->client, "x", 2, NULL, &left, err);

	assert_true(rc || left == 3);
	return rc;
}

/* Once, however often the request arrives. */
static void check_down(struct stage *s, int rc)
{
	int64_t count;

	strike_let_go(s->strike);
	count = seen(s).count;
	assert_true(count == 3 || (rc && count == 5));
}

PLAY(count_down, .prepare = with_latch, .call = call_down, .check = check_down, .least = 3,
     .may = {FAILURES})

static int call_last(struct stage *s, struct dblock_error *err)
{
	return dblock_latch_count_down(s->client, "x", 5, NULL, NULL, err);
}

static void check_last(struct stage *s, int rc)
{
	strike_let_go(s->strike);
	assert_true(seen(s).count == 0 || rc);
}

PLAY(count_down_to_0, .prepare = with_latch, .call = call_last, .check = check_last, .least = 4,
     .may = {FAILURES})

static int call_reset(struct stage *s, struct dblock_error *err)
{
	return dblock_latch_reset(s->client, "x", 7, NULL, err);
}

static void check_reset(struct stage *s, int rc)
{
	strike_let_go(s->strike);
	assert_true(seen(s).count == 7 || (rc && seen(s).count == 5));
}

PLAY(reset, .prepare = with_latch, .call = call_reset, .check = check_reset, .least = 4,
     .may = {FAILURES})

static int ask(void *arg)
{
	struct stage *s = arg;
	struct dblock_error err = {0};

	if (++s->asked == 2)
		expect(OK, dblock_latch_count_down(s->calm, "x", 5, NULL, NULL, &err));
	return 0;
}

static void with_wait(struct stage *s)
{
	with_latch(s);
	s->asked = 0;
}

/* It is counted down meanwhile. */
static int call_wait(struct stage *s, struct dblock_error *err)
{
	struct dblock_latch_wait_options options = DBLOCK_LATCH_WAIT_OPTIONS_INIT;

	options.wait_ms = 10 * TIMEOUT_MS;
	options.canceled = ask;
	options.canceled_arg = s;
	return dblock_latch_wait(s->client, "x", &options, err);
}

PLAY(wait, .prepare = with_wait, .call = call_wait, .least = 4, .large = true,
     .may = {DBLOCK_TIMEOUT, FAILURES})

/* ---- a barrier ---------------------------------------------------------------------------------- */

static void without_barrier(struct stage *s)
{
	raw_exec(s->raw, "DELETE FROM dblock_latch");
	s->own = NULL;
	with_client(s);
}

static int call_enter(struct stage *s, struct dblock_error *err)
{
	struct dblock_barrier *barrier;
	struct dblock_barrier_options options = DBLOCK_BARRIER_OPTIONS_INIT;
	int rc;

	options.wait_ms = 10 * TIMEOUT_MS;
	rc = dblock_barrier_enter(s->client, "x", 1, &options, &barrier, err);
	assert_true((rc == 0) == (barrier != NULL));
	s->own = barrier;
	return rc;
}

static int call_both(struct stage *s, struct dblock_error *err)
{
	struct dblock_barrier_options options = DBLOCK_BARRIER_OPTIONS_INIT;
	int rc = call_enter(s, err);

	options.wait_ms = 10 * TIMEOUT_MS;
	return rc ? rc : dblock_barrier_leave(s->own, &options, err);
}

/* Another party, of another barrier of that name, has its place at the latest when the struck client is gone. */
static void check_place(struct stage *s, int rc)
{
	struct dblock_error err = {0};
	struct dblock_barrier *barrier;

	(void)rc;
	strike_let_go(s->strike);
	dblock_close(s->client, NULL);
	s->client = NULL;
	expect(OK, dblock_barrier_enter(s->calm, "x", 1, NULL, &barrier, &err));
	expect(OK, dblock_barrier_leave(barrier, NULL, &err));
}

PLAY(enter_and_leave, .prepare = without_barrier, .call = call_both, .check = check_place,
     .least = 12, .huge = true, .may = {DBLOCK_LOST, DBLOCK_BROKEN, DBLOCK_TIMEOUT, FAILURES})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(create), SCENE(count_down), SCENE(count_down_to_0),
		SCENE(reset),  SCENE(wait),       SCENE(enter_and_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
