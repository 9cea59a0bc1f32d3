/* SPDX-License-Identifier: MIT */
/* Giving back, extending and breaking, with each driver call in turn going wrong in each way. */
#include "db/faults/strike_kit.h"
#include "support/call.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

/* ---- by handle ------------------------------------------------------------------------------ */

static int call_release(struct stage *s, struct dblock_error *err)
{
	struct dblock_lock *lock = s->lock;

	s->lock = NULL; /* the handle ends with any outcome */
	return dblock_release(lock, err);
}

static void check_released(struct stage *s, int rc)
{
	if (rc == DBLOCK_OK)
		is_free(s->calm, "x");
}

PLAY(release, .prepare = with_lock, .call = call_release, .check = check_released, .least = 2,
     .within_ms = TIMEOUT_MS, .may = {FAILURES})

PLAY(release_a_lease, .prepare = with_lease, .call = call_release, .check = check_released,
     .least = 2, .within_ms = TIMEOUT_MS, .may = {FAILURES})

static void with_lock_twice(struct stage *s)
{
	struct dblock_error err = {0};

	with_lock(s);
	expect(OK, dblock_try(s->client, "x", NULL, &s->lock, &err));
}

/* The first release asks nobody, and the lock stays held. */
static int call_release_twice(struct stage *s, struct dblock_error *err)
{
	int rc = dblock_release(s->lock, err);

	assert_int_equal(rc, DBLOCK_OK);
	assert_false(strike_struck(s->strike));
	assert_true(dblock_valid(s->lock, 0));
	return call_release(s, err);
}

PLAY(release_twice, .prepare = with_lock_twice, .call = call_release_twice, .check = check_released,
     .least = 2, .within_ms = TIMEOUT_MS, .may = {FAILURES})

enum { LEASE_MS = 2 * DAY_MS };

static int call_extend(struct stage *s, struct dblock_error *err)
{
	return dblock_extend(s->lock, LEASE_MS, err);
}

/* The handle never says more than the row does. */
static void check_extended(struct stage *s, int rc)
{
	assert_true(dblock_valid(s->lock, DAY_MS / 2));
	assert_true(dblock_remaining_ms(s->lock) <= show(s->calm, "x").h.left_ms);
	if (rc == DBLOCK_OK)
		assert_true(show(s->calm, "x").h.left_ms > LEASE_MS - PLENTY_MS);
	strike_let_go(s->strike);
	assert_true(dblock_remaining_ms(s->lock) <= show(s->calm, "x").h.left_ms);
}

PLAY(extend, .prepare = with_lease, .call = call_extend, .check = check_extended, .least = 3,
     .within_ms = TIMEOUT_MS, .may = {FAILURES})

static int call_shorten(struct stage *s, struct dblock_error *err)
{
	return dblock_extend(s->lock, DAY_MS / 3, err);
}

static void check_shortened(struct stage *s, int rc)
{
	(void)rc;
	assert_true(dblock_valid(s->lock, 0));
	assert_true(dblock_remaining_ms(s->lock) <= show(s->calm, "x").h.left_ms);
	strike_let_go(s->strike);
	assert_true(dblock_remaining_ms(s->lock) <= show(s->calm, "x").h.left_ms);
}

PLAY(shorten, .prepare = with_lease, .call = call_shorten, .check = check_shortened, .least = 3,
     .within_ms = TIMEOUT_MS, .may = {FAILURES})

/* ---- by token ------------------------------------------------------------------------------- */

static void with_their_lease(struct stage *s)
{
	with_client(s);
	s->theirs = take_lease(s->calm, "x");
}

/* If our call succeeded, their lock is free, and they are told that it is lost. */
static void check_taken_from_them(struct stage *s, int rc)
{
	struct dblock_error err = {0};
	int theirs;

	if (rc == DBLOCK_OK)
		is_free(s->calm, "x");
	theirs = dblock_release(s->theirs, &err);
	assert_true(theirs == DBLOCK_OK || theirs == DBLOCK_LOST);
	if (rc == DBLOCK_OK)
		assert_int_equal(theirs, DBLOCK_LOST);
	/* A copy of the statement that comes late does not touch the next grant. */
	s->theirs = take(s->calm, "x");
	strike_let_go(s->strike);
	busy(s->client, "x");
	give(s->theirs);
	s->theirs = NULL;
}

/* The lease is as if its process were another, which is gone. */
static void with_nobodys_lease(struct stage *s)
{
	with_their_lease(s);
	raw_exec(s->raw, "UPDATE dblock_lock SET host = 'gone' WHERE name = 'x'");
}

static int call_release_token(struct stage *s, struct dblock_error *err)
{
	return dblock_release_token(s->client, "x", dblock_token(s->theirs), err);
}

PLAY(release_by_token, .prepare = with_nobodys_lease, .call = call_release_token,
     .check = check_taken_from_them, .least = 4, .within_ms = 2 * TIMEOUT_MS, .may = {FAILURES})

/* The holder, who lets go when he is told, or else at the end. */
struct holder {
	struct dblock_lock *lock;
	int64_t token;
	_Atomic bool enough;
	struct call call;
};

static int hold_until_told(void *arg, struct dblock_error *err)
{
	struct holder *holder = arg;

	while (dblock_valid(holder->lock, 0) && !holder->enough)
		sleep_ms(1);
	return dblock_release(holder->lock, err);
}

static void with_their_holder(struct stage *s)
{
	struct holder *holder = calloc(1, sizeof(*holder));

	with_their_lease(s);
	holder->lock = s->theirs;
	holder->token = dblock_token(s->theirs);
	call_start(&holder->call, hold_until_told, holder);
	s->theirs = NULL;
	s->own = holder;
}

static int call_release_theirs(struct stage *s, struct dblock_error *err)
{
	const struct holder *holder = s->own;

	return dblock_release_token(s->client, "x", holder->token, err);
}

static void check_told(struct stage *s, int rc)
{
	struct holder *holder = s->own;
	int theirs;

	holder->enough = true;
	theirs = call_end(&holder->call);
	assert_true(theirs == DBLOCK_LOST || (theirs == DBLOCK_OK && rc));
	is_free(s->calm, "x");
	strike_let_go(s->strike);
	free(holder);
	s->own = NULL;
}

PLAY(release_theirs_by_token, .prepare = with_their_holder, .call = call_release_theirs,
     .check = check_told, .least = 4, .within_ms = 2 * TIMEOUT_MS,
     .may = {DBLOCK_TIMEOUT, FAILURES})

static int call_extend_token(struct stage *s, struct dblock_error *err)
{
	return dblock_extend_token(s->client, "x", dblock_token(s->theirs), LEASE_MS, err);
}

static void check_extended_theirs(struct stage *s, int rc)
{
	if (rc == DBLOCK_OK)
		assert_true(show(s->calm, "x").h.left_ms > LEASE_MS - PLENTY_MS);
	busy(s->client, "x");
	give(s->theirs);
	s->theirs = NULL;
	strike_let_go(s->strike);
	is_free(s->calm, "x");
}

PLAY(extend_by_token, .prepare = with_their_lease, .call = call_extend_token,
     .check = check_extended_theirs, .least = 3, .within_ms = TIMEOUT_MS, .may = {FAILURES})

/* This token is another grant's, which somebody released before: the call returns STALE, and
 * touches nothing. */
static int call_release_stale(struct stage *s, struct dblock_error *err)
{
	return dblock_release_token(s->client, "x", dblock_token(s->theirs) - 1, err);
}

static void check_untouched(struct stage *s, int rc)
{
	assert_int_not_equal(rc, DBLOCK_OK);
	strike_let_go(s->strike);
	busy(s->client, "x");
	assert_true(dblock_valid(s->theirs, 0));
	give(s->theirs);
	s->theirs = NULL;
}

PLAY(release_what_is_stale, .prepare = with_their_lease, .call = call_release_stale,
     .check = check_untouched, .least = 2, .within_ms = 2 * TIMEOUT_MS, .frail = true,
     .may = {DBLOCK_STALE, FAILURES})

/* The break does not wait for anybody who has the row, or the file, locked, as a heartbeat may. */
static int call_break_token(struct stage *s, struct dblock_error *err)
{
	return break_by_force(s->client, "x", dblock_token(s->theirs), 0, err);
}

PLAY(break_a_token, .prepare = with_their_lease, .call = call_break_token,
     .check = check_taken_from_them, .least = 3, .may = {DBLOCK_BUSY, FAILURES})

static int call_break(struct stage *s, struct dblock_error *err)
{
	return break_by_force(s->client, "x", 0, 0, err);
}

PLAY(break_whoever, .prepare = with_their_lease, .call = call_break, .check = check_taken_from_them,
     .least = 6, .may = {DBLOCK_BUSY, FAILURES})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(release),
		SCENE(release_a_lease),
		SCENE(release_twice),
		SCENE(extend),
		SCENE(shorten),
		SCENE(release_by_token),
		SCENE(extend_by_token),
		SCENE(release_what_is_stale),
		SCENE(break_a_token),
		SCENE(break_whoever),
		SCENE(release_theirs_by_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
