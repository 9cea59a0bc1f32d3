/* SPDX-License-Identifier: MIT */
/* Requests whose connection was lost arrive when nobody waits for their reply any more: none of
 * them may touch what has been granted since. */
#include "api/client.h"
#include "session/internal.h"
#include "support/spy.h"

enum { LONG_MS = 600000 };

static struct dblock_lock *lease(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = LONG_MS;
	options.at_least_ms = 1;
	expect(OK, dblock_acquire(client, "x", &options, &lock, &err));
	return lock;
}

struct late {
	struct spy *spy;
	struct dblock_client *client, *other;
};

static int set_up(void **state)
{
	struct late *l = calloc(1, sizeof(*l));

	l->spy = spy_new();
	l->client = spy_client(l->spy, LONG_MS);
	l->other = client_new(0);
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	struct late *l = *state;

	is_free(l->other, "x");
	l->spy->fate = NULL;
	dblock_close(l->client, NULL);
	dblock_close(l->other, NULL);
	spy_free(l->spy);
	free(l);
	return 0;
}

/* The next statement is held up on its way. */
static void hold_up_next(struct late *l)
{
	spy_hit_nth(l->spy, 1, SPY_LATE);
}

/* Sends an acquire whose first copy is held up. Its cleanup has been tried once, in vain; the test
 * decides when it is tried again, by its clock: a pause of 100 ms may be over at any time. */
static void acquire_held_up(struct late *l)
{
	struct dbl_session *session = l->client->locks->session;
	int64_t until = clock_ms() + PLENTY_MS;
	bool looked = false;

	spy_freeze(l->spy);
	hold_up_next(l);
	give(take(l->client, "x"));
	while (!looked && clock_ms() < until) {
		sleep_ms(2);
		dbl_lock(&session->mutex);
		looked = session->cleanups && session->errands_at != DBL_NEVER &&
			 session->errands_at > dbl_now(session->env);
		dbl_unlock(&session->mutex);
	}
	assert_true(looked);
}

/* A heartbeat, which is due by now, frees the lock. */
static void comes_free(struct late *l)
{
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_lock *lock;
	int rc;

	while ((rc = dblock_try(l->other, "x", NULL, &lock, NULL)) == DBLOCK_BUSY &&
	       clock_ms() < until)
		sleep_ms(20);
	assert_int_equal(rc, DBLOCK_OK);
	give(lock);
}

/* The grant comes when nobody waits for it any more: a heartbeat gives it back. */
static void an_acquire_that_arrives_late(void **state)
{
	struct late *l = *state;

	is_free(l->client, "x");
	acquire_held_up(l);
	assert_true(l->spy->runs_of[DBL_OP_give_back] >= 2);
	assert_true(spy_deliver(l->spy) > 0);
	busy(l->other, "x");
	l->spy->skew = LONG_MS * 400LL; /* a heartbeat is due: a third of the ttl is over */
	comes_free(l);
}

/* If somebody else has the lock, the late acquire does nothing. */
static void an_acquire_that_arrives_too_late(void **state)
{
	struct late *l = *state;
	struct dblock_lock *lock;

	is_free(l->client, "x");
	hold_up_next(l);
	give(take(l->client, "x"));
	lock = take(l->other, "x");
	assert_int_equal(spy_deliver(l->spy), 0);
	assert_int_equal(show(l->other, "x").h.token, dblock_token(lock));
	give(lock);
}

enum { TTL_MS = 50 * 60000, BEAT_MS = TTL_MS / 3 };

/* The process seems stopped for five minutes while a heartbeat gives back a grant that has not
 * arrived. */
static enum spy_fate stopped_while_giving_back(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_give_back && spy->skew >= dbl_ms(BEAT_MS)) {
		spy->fate = NULL;
		spy->skew += dbl_ms(LONG_MS / 2);
	}
	return SPY_PASS;
}

/* Returns when the held up statement has been carried out. */
static void wait_until_stopped(struct late *l)
{
	struct dbl_locks *locks = l->client->locks;
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};

	l->spy->fate = stopped_while_giving_back;
	l->spy->skew += dbl_ms(BEAT_MS);
	while (l->spy->fate && clock_ms() < until)
		sleep_ms(5);
	assert_null(l->spy->fate);
	expect(OK, dbl_link_connect(locks->session->link, dbl_locks_deadline(locks), &err));
}

/* Naive: the cleanup is forgotten once no late copy can arrive any more, by the clock after the
 * statement. A copy that arrives behind the statement, and before that time, stays held. */
static void an_acquire_that_arrives_while_we_are_stopped(void **state)
{
	struct late *l = *state;

	dblock_close(l->client, NULL);
	l->client = spy_client_with(l->spy, TTL_MS, LONG_MS);
	acquire_held_up(l);
	wait_until_stopped(l);
	assert_true(spy_deliver(l->spy) > 0);
	busy(l->other, "x");
	l->spy->skew += dbl_ms(BEAT_MS);
	comes_free(l);
}

static void a_release_that_arrives_late(void **state)
{
	struct late *l = *state;
	struct dblock_lock *lock = take(l->client, "x");

	hold_up_next(l);
	give(lock);
	lock = take(l->other, "x");
	assert_int_equal(spy_deliver(l->spy), 0);
	busy(l->client, "x");
	give(lock);
}

static void a_break_that_arrives_late(void **state)
{
	struct late *l = *state;
	struct dblock_lock *lock = take(l->other, "x");
	struct dblock_error err = {0};
	int64_t token = dblock_token(lock);

	hold_up_next(l);
	expect(OK, break_by_force(l->client, "x", token, 0, &err));
	expect(LOST, dblock_release(lock, &err));
	lock = take(l->other, "x");
	assert_int_equal(spy_deliver(l->spy), 0);
	busy(l->client, "x");
	give(lock);
}

static void an_extend_that_arrives_late(void **state)
{
	struct late *l = *state;
	struct dblock_lock *lock = lease(l->client);
	struct dblock_error err = {0};

	hold_up_next(l);
	expect(OK, dblock_extend(lock, LONG_MS, &err));
	sleep_ms(2);
	give(lock);
	assert_int_equal(spy_deliver(l->spy), 0);
	is_free(l->other, "x");
}

/* ---- an extend whose fate stays unknown ------------------------------------------------------ */

static enum spy_fate lose_every_extend(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_extend ? SPY_LOST_AFTER : SPY_PASS;
}

/* The extend may have brought the end closer: the holder must not believe in a later end than the
 * row has. Naive: the old end counts until an answer says otherwise. */
static void a_lost_extend_that_brought_the_end_closer(void **state)
{
	struct late *l = *state;
	struct dblock_client *client = spy_client_with(l->spy, 0, SLOWLY_MS(500));
	struct dblock_lock *lock = lease(client);
	struct dblock_error err = {0};

	l->spy->fate = lose_every_extend;
	expect(E_UNSURE, dblock_extend(lock, LONG_MS / 10, &err));
	assert_true(dblock_remaining_ms(lock) <= show(l->other, "x").h.left_ms);
	give(lock);
	dblock_close(client, NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_acquire_that_arrives_late),
		CASE(an_acquire_that_arrives_too_late),
		CASE(an_acquire_that_arrives_while_we_are_stopped),
		CASE(a_release_that_arrives_late),
		CASE(a_break_that_arrives_late),
		CASE(an_extend_that_arrives_late),
		CASE(a_lost_extend_that_brought_the_end_closer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
