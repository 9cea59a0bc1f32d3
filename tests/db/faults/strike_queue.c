/* SPDX-License-Identifier: MIT */
/* Joining a queue, leaving it, and a hand-over to it, with each driver call in turn going wrong in
 * each way. */
#include "db/faults/strike_kit.h"
#include "support/puppet.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

/* ---- in vain --------------------------------------------------------------------------------- */

static void with_busy(struct stage *s)
{
	with_client(s);
	s->theirs = take(s->calm, "x");
	s->asked = 0;
}

static int cancel_at_third(void *arg)
{
	return ++((struct stage *)arg)->asked == 3;
}

static int call_wait_in_vain(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.canceled = cancel_at_third;
	how.canceled_arg = s;
	return dblock_acquire(s->client, "x", &how, &s->lock, err);
}

/* After a loss the call goes on waiting. */
static int call_wait_until_canceled(struct stage *s, struct dblock_error *err)
{
	int rc = call_wait_in_vain(s, err);

	if (is_single_loss(s))
		assert_int_equal(rc, DBLOCK_CANCELED);
	return rc;
}

static void check_still_theirs(struct stage *s, int rc)
{
	assert_int_not_equal(rc, DBLOCK_OK);
	assert_null(s->lock);
	assert_true(dblock_valid(s->theirs, 0));
	give(s->theirs);
	s->theirs = NULL;
}

/* No live session has a place in a queue. Dead sessions may have some, which are never granted. */
static void nobody_is_in_queue(struct stage *s)
{
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue w JOIN dblock_session c"
					 " ON c.id = w.session WHERE NOT c.dead"),
			 0);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
}

PLAY(wait_in_vain, .prepare = with_busy, .call = call_wait_until_canceled,
     .check = check_still_theirs, .clear = nobody_is_in_queue, .least = 10, .frail = true,
     .kinds = KIND(LOST) | KIND(REPLY_LOST) | KIND(DOWN) | KIND(LATE) | KIND(STRAY_POOLED),
     .may = {DBLOCK_CANCELED, FAILURES})

/* ---- a puppet in the queue ------------------------------------------------------------------ */

static void with_puppet_in_queue(struct stage *s)
{
	with_lock(s);
	s->own = puppet_new(strike_calm(s->strike), DAY_MS);
	puppet_queues(s->own, "x");
}

static int call_release(struct stage *s, struct dblock_error *err)
{
	struct dblock_lock *lock = s->lock;

	s->lock = NULL; /* the handle ends with any outcome */
	return dblock_release(lock, err);
}

/* The waiter leaves, and gives back what it has, or gets while it goes. */
static void puppet_leaves(struct stage *s)
{
	puppet_dequeue(s->own, "x");
	puppet_announce(s->own, "x");
	(void)puppet_gives_back(s->own, "x");
}

static bool puppet_has_it(struct stage *s)
{
	return raw_int(s->raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'") ==
	       ((struct puppet *)s->own)->place;
}

static void check_handed_over(struct stage *s, int rc)
{
	if (rc == DBLOCK_OK)
		assert_true(puppet_has_it(s));
	/* A copy that comes late does not take it away again. */
	if (puppet_has_it(s)) {
		strike_let_go(s->strike);
		assert_true(puppet_has_it(s));
	}
	puppet_leaves(s);
}

static void clear_puppet(struct stage *s)
{
	puppet_free(s->own);
	nobody_is_in_queue(s);
}

PLAY(release_to_a_line, .prepare = with_puppet_in_queue, .call = call_release,
     .check = check_handed_over, .clear = clear_puppet, .least = 4, .within_ms = TIMEOUT_MS,
     .kinds = KIND(LOST) | KIND(REPLY_LOST) | KIND(HALF) | KIND(STUBBORN) | KIND(DARK) |
	      KIND(LATE) | KIND(STRAY_POOLED),
     .may = {FAILURES})

static void with_free_and_a_queue(struct stage *s)
{
	with_client(s);
	s->own = puppet_new(strike_calm(s->strike), DAY_MS);
	is_free(s->calm, "x");
	puppet_queues(s->own, "x");
}

static int call_try(struct stage *s, struct dblock_error *err)
{
	int rc = dblock_try(s->client, "x", NULL, &s->lock, err);

	if (is_single_loss(s))
		assert_int_equal(rc, DBLOCK_BUSY);
	return rc;
}

/* Nobody gets the lock but the one in the queue. */
static void check_served(struct stage *s, int rc)
{
	assert_int_not_equal(rc, DBLOCK_OK);
	assert_null(s->lock);
	if (rc == DBLOCK_BUSY)
		assert_true(puppet_has_it(s));
	puppet_leaves(s);
}

PLAY(try_with_a_queue, .prepare = with_free_and_a_queue, .call = call_try, .check = check_served,
     .clear = clear_puppet, .least = 5, .within_ms = TIMEOUT_MS, .frail = true,
     .kinds = KIND(LOST) | KIND(REPLY_LOST) | KIND(HALF) | KIND(STRAY),
     .may = {DBLOCK_BUSY, FAILURES})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(wait_in_vain),
		SCENE(release_to_a_line),
		SCENE(try_with_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
