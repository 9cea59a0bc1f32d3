/* SPDX-License-Identifier: MIT */
/* Taking locks, with each driver call in turn going wrong in each way. */
#include "db/faults/strike_kit.h"
#include "support/puppet.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

static void check_acquired(struct stage *s, int rc)
{
	if (rc == DBLOCK_OK) {
		assert_non_null(s->lock);
		assert_true(dblock_valid(s->lock, 0));
		assert_int_equal(show(s->calm, "x").h.token, dblock_token(s->lock));
		busy(s->calm, "x");
	} else {
		assert_null(s->lock);
	}
}

static int call_try(struct stage *s, struct dblock_error *err)
{
	return dblock_try(s->client, "x", NULL, &s->lock, err);
}

PLAY(try, .prepare = with_client, .call = call_try, .check = check_acquired, .least = 2,
     .within_ms = TIMEOUT_MS, .may = {FAILURES})

/* Naive: the request that was lost takes the time of a try, which is over then, though nobody is in its way. */
static int call_try_shared(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.mode = DBLOCK_SHARED;
	return dblock_try(s->client, "x", &how, &s->lock, err);
}

PLAY(try_shared, .prepare = with_client, .call = call_try_shared, .check = check_acquired,
     .least = 2, .may = {DBLOCK_BUSY, FAILURES})

static int call_lease(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.lease_ms = DAY_MS;
	how.wait_ms = 1;
	how.value = "a value";
	return dblock_acquire(s->client, "x", &how, &s->lock, err);
}

PLAY(acquire_a_lease, .prepare = with_client, .call = call_lease, .check = check_acquired,
     .least = 2, .within_ms = TIMEOUT_MS, .brief = true, .may = {FAILURES})

/* ---- a name that is held -------------------------------------------------------------------- */

static void with_busy(struct stage *s)
{
	with_client(s);
	s->theirs = take(s->calm, "x");
	s->asked = 0;
}

/* The holder's callback is asked while the call waits, and gives the lock back. */
static int give_theirs(void *arg)
{
	struct stage *s = arg;

	if (++s->asked == 2) {
		give(s->theirs);
		s->theirs = NULL;
	}
	return 0;
}

static int call_wait(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.wait_ms = 2 * TIMEOUT_MS; /* what goes wrong for ever does not end it before */
	how.canceled = give_theirs;
	how.canceled_arg = s;
	return dblock_acquire(s->client, "x", &how, &s->lock, err);
}

/* The call may have failed before the holder was asked. */
static void check_waited(struct stage *s, int rc)
{
	if (s->theirs) {
		assert_int_not_equal(rc, DBLOCK_OK);
		assert_true(dblock_valid(s->theirs, 0));
		give(s->theirs);
		s->theirs = NULL;
	}
	check_acquired(s, rc);
}

/* Time goes on while this thread sleeps, whether or not another one has come to give back what was granted
 * without an answer: where all goes wrong, on a busy machine, the wait may be over first. */
PLAY(wait_for_a_holder, .prepare = with_busy, .call = call_wait, .check = check_waited, .least = 6,
     .large = true, .may = {DBLOCK_TIMEOUT, FAILURES})

static void check_still_theirs(struct stage *s, int rc)
{
	assert_int_not_equal(rc, DBLOCK_OK);
	assert_null(s->lock);
	assert_true(dblock_valid(s->theirs, 0));
	give(s->theirs);
}

/* After a loss the lock is as busy as before. */
static int call_try_busy(struct stage *s, struct dblock_error *err)
{
	int rc = call_try(s, err);

	if (is_single_loss(s))
		assert_int_equal(rc, DBLOCK_BUSY);
	return rc;
}

PLAY(try_what_is_busy, .prepare = with_busy, .call = call_try_busy, .check = check_still_theirs,
     .least = 5, .within_ms = TIMEOUT_MS, .frail = true, .may = {DBLOCK_BUSY, FAILURES})

/* ---- a dead one's --------------------------------------------------------------------------- */

/* The holder sends no heartbeats any more: the waiter watches it for its ttl, declares it dead, and
 * takes the lock. */
static void with_dying_holder(struct stage *s)
{
	s->own = puppet_new(strike_calm(s->strike), 300);
	assert_true(puppet_takes(s->own, "x"));
	with_client(s);
	s->asked = 0;
}

static int never(void *arg)
{
	((struct stage *)arg)->asked++;
	return 0;
}

static int call_outlive(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.wait_ms = 2 * TIMEOUT_MS; /* what goes wrong for ever does not end it before */
	how.canceled = never;
	how.canceled_arg = s;
	return dblock_acquire(s->client, "x", &how, &s->lock, err);
}

static void check_outlived(struct stage *s, int rc)
{
	struct puppet *puppet = s->own;

	if (rc == DBLOCK_OK) {
		check_acquired(s, rc);
		assert_false(puppet_beats(puppet));
		assert_true(dblock_token(s->lock) > puppet->token);
	} else {
		assert_null(s->lock);
	}
	puppet_free(puppet);
}

/* TIMEOUT: its sleeps are so long while all goes wrong that its time can be over when nobody has the lock
 * any more, and before it is taken. */
PLAY(wait_for_a_dying_one, .prepare = with_dying_holder, .call = call_outlive,
     .check = check_outlived, .least = 10, .large = true, .may = {DBLOCK_TIMEOUT, FAILURES})

/* ---- re-entry ------------------------------------------------------------------------------- */

/* The call asks nobody, so nothing can go wrong. */
static int call_reenter(struct stage *s, struct dblock_error *err)
{
	struct dblock_lock *again;
	int rc = dblock_try(s->client, "x", NULL, &again, err);

	assert_int_equal(rc, DBLOCK_OK);
	assert_ptr_equal(again, s->lock);
	rc = dblock_release(again, err);
	assert_int_equal(strike_disarm(s->strike), 0);
	assert_true(dblock_valid(s->lock, 0));
	return rc;
}

PLAY(reentry, .prepare = with_lock, .call = call_reenter, .check = check_acquired)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(try),
		SCENE(try_shared),
		SCENE(acquire_a_lease),
		SCENE(wait_for_a_holder),
		SCENE(try_what_is_busy),
		SCENE(wait_for_a_dying_one),
		SCENE(reentry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
