/* SPDX-License-Identifier: MIT */
/* A grant is taken away while a message is on its way: a heartbeat's answer, or the grant itself;
 * or the holder's session has no row. */
#include "support/call.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/waiting.h"

enum { TTL_MS = 200000, LONGEST_MS = 500000 };

struct scene {
	struct spy *of_a, *of_b;
	struct dblock_client *a, *b; /* the holder; the breaker */
	struct raw *raw;
	struct call breaks, tries;
	struct dblock_lock *lock;
	int64_t waited_ms; /* by the breaker, by its clock */
	_Atomic int lost;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->of_a = spy_new();
	s->of_b = spy_new();
	s->a = spy_client(s->of_a, TTL_MS);
	/* Its clock may be put forward while a statement is under way. */
	s->b = spy_client_with(s->of_b, LONGEST_MS, 2 * LONGEST_MS);
	s->raw = raw_open(NULL);
	/* Earlier tests leave rows of sessions that are over. */
	raw_exec(s->raw, "DELETE FROM dblock_revocation");
	*state = s;
	return 0;
}

/* Ends a call of a case that failed. */
static void end(struct call *call)
{
	if (call->run && !call->done)
		(void)call_end(call);
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	s->of_a->fate = s->of_b->fate = NULL;
	spy_let_go(s->of_a);
	s->of_a->frozen_at = s->of_b->frozen_at = 0;
	dblock_shutdown(s->b);
	end(&s->breaks);
	end(&s->tries);
	raw_close(s->raw);
	dblock_close(s->a, NULL);
	dblock_close(s->b, NULL);
	spy_free(s->of_a);
	spy_free(s->of_b);
	free(s);
	return 0;
}

static int break_it(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;
	int64_t begun = dbl_now(&s->of_b->env);
	int rc = dblock_break(s->b, "x", NULL, err);

	s->waited_ms = (dbl_now(&s->of_b->env) - begun) / 1000;
	return rc;
}

/* The grant is taken away, and the breaker waits. */
static void begin_break(struct scene *s)
{
	call_start(&s->breaks, break_it, s);
	wait_until(s->of_b->runs_of[DBL_OP_revoked] > 0);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation"), 1);
}

/* The lock is free so long after it was taken away, and not earlier: the last two seconds are real
 * time. */
static void is_over_after(struct scene *s, int64_t ms)
{
	busy(s->b, "x");
	s->of_b->skew += dbl_ms(ms - 2000);
	assert_int_equal(call_end(&s->breaks), DBLOCK_OK);
	assert_true(s->waited_ms >= ms);
}

/* ---- a heartbeat's answer -------------------------------------------------------------------- */

static enum spy_fate nothing_arrives(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	(void)op;
	return SPY_LOST_BEFORE;
}

static enum spy_fate one_beat_is_long_answered(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_heartbeat)
		return SPY_PASS;
	spy->fate = nothing_arrives;
	return SPY_HELD;
}

/* One heartbeat is over, so that the next one finds nothing new about its connection. */
static void has_beaten(struct scene *s)
{
	for (int n = 1; n <= 2; n++) {
		spy_reset(s->of_a);
		dbl_session_hurry(s->a->locks->session);
		wait_until(s->of_a->runs_of[DBL_OP_heartbeat] > 0);
	}
}

/* The heartbeat was sent before the grant was taken away, and its answer arrives half a ttl after
 * that. Naive: the deadline is counted from the answer, or from when the database wrote the
 * heartbeat. */
static void an_answer_that_is_late_puts_nothing_off(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_error err = {0};

	has_beaten(s);
	spy_freeze(s->of_a);
	s->of_a->fate = one_beat_is_long_answered;
	dbl_session_hurry(s->a->locks->session);
	wait_until(s->of_a->held);
	begin_break(s);
	s->of_a->skew = dbl_ms(TTL_MS / 2);
	spy_reset(s->of_a);
	spy_let_go(s->of_a);
	/* The client has read the answer once the next heartbeat is sent. */
	wait_until(s->of_a->runs_of[DBL_OP_heartbeat] > 0);
	assert_true(dblock_valid(lock, 0));
	is_over_after(s, TTL_MS);
	s->of_a->skew = dbl_ms(TTL_MS);
	assert_false(dblock_valid(lock, 0));
	is_free(s->b, "x");
	s->of_a->fate = NULL;
	expect(LOST, dblock_release(lock, &err));
}

/* ---- the grant ------------------------------------------------------------------------------- */

static enum spy_fate the_grant_is_on_its_way(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_acquire)
		return SPY_PASS;
	spy->fate = NULL;
	return SPY_HELD;
}

static void lost(void *arg, struct dblock_lock *lock)
{
	struct scene *s = arg;

	(void)lock;
	s->lost++;
}

static int try_it(void *arg, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct scene *s = arg;

	how.lost = lost;
	how.lost_arg = s;
	return dblock_try(s->a, "x", &how, &s->lock, err);
}

static void begin_try(struct scene *s)
{
	s->of_a->fate = the_grant_is_on_its_way;
	call_start(&s->tries, try_it, s);
	wait_until(s->of_a->held);
}

/* A heartbeat reads that the grant is taken away before any handle has it. */
static void is_told_before(struct scene *s)
{
	dbl_session_hurry(s->a->locks->session);
	wait_until(s->of_a->runs_of[DBL_OP_revocation_told] > 0 ||
		   s->of_a->runs_of[DBL_OP_revocation_delete] > 0);
}

static void comes_and_is_lost(struct scene *s)
{
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	struct dblock_error err = {0};

	spy_let_go(s->of_a);
	assert_int_equal(call_end(&s->tries), DBLOCK_OK);
	assert_false(dblock_valid(s->lock, 0));
	assert_int_equal(dblock_loss_of(s->lock, &loss), DBLOCK_LOST);
	assert_int_equal(loss.cause, DBLOCK_LOSS_BROKEN);
	wait_until(s->lost == 1);
	expect(LOST, dblock_release(s->lock, &err));
	message_has("it was broken by host ");
}

/* Naive: the loss is told to the handles that exist, and forgotten. */
static void a_grant_on_its_way(void **state)
{
	struct scene *s = *state;

	begin_try(s);
	begin_break(s);
	is_told_before(s);
	comes_and_is_lost(s);
	assert_int_equal(call_end(&s->breaks), DBLOCK_OK);
	is_free(s->b, "x");
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation") == 0);
}

/* The grant is over when it arrives. Naive: a loss that is over is forgotten at once. */
static void a_grant_on_its_way_that_is_over(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *next;

	begin_try(s);
	expect(OK, break_by_force(s->b, "x", 0, 0, &err));
	next = take(s->b, "x");
	is_told_before(s);
	comes_and_is_lost(s);
	give(next);
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation") == 0);
}

/* ---- the session ----------------------------------------------------------------------------- */

/* Nobody can tell for how long the client believes in the lock. Naive: without a session the ttl
 * counts as 0, or as the breaker's. */
static void a_session_that_is_not_there(void **state)
{
	struct scene *s = *state;
	struct dblock_client *shorter = client_new(TTL_MS / 2);
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_error err = {0};

	spy_freeze(s->of_a);
	s->of_a->fate = nothing_arrives;
	raw_exec(s->raw, "DELETE FROM dblock_session "
			 "WHERE id = (SELECT session FROM dblock_lock WHERE name = 'x')");
	begin_break(s);
	is_over_after(s, LONGEST_MS);
	s->of_a->skew = dbl_ms(LONGEST_MS);
	assert_false(dblock_valid(lock, 0));
	is_free(shorter, "x");
	s->of_a->fate = NULL;
	expect(LOST, dblock_release(lock, &err));
	dblock_close(shorter, NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_answer_that_is_late_puts_nothing_off),
		CASE(a_grant_on_its_way),
		CASE(a_grant_on_its_way_that_is_over),
		CASE(a_session_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
