/* SPDX-License-Identifier: MIT */
/* A hand-over, or a release, meets who joins the queue, in every order that the database allows. */
#include "db/lock/queue/queue_races_kit.h"

#include "driver/value.h"
#include "support/steps.h"

/* The snapshot has no waiter; by the time that it gets the row, there is one. */
static bool joins_behind_the_snapshot(struct scene *s)
{
	struct hand_over h = {.puppet = NULL};
	bool met;

	assert_true(puppet_takes(s->holder, "x"));
	puppet_announce(s->holder, "x");
	puppet_begin(s->waiter);
	puppet_queues(s->waiter, "x");
	hand_over_start(&h, s->holder);
	met = is_waited_for(s, &h, 1);
	puppet_commit(s->waiter);
	if (!hand_over_end(&h) || !met)
		return false;
	if (!h.winner.done) {
		assert_true(row_of(s->raw, "nonce") == s->holder->nonce);
		h.winner = puppet_hands_over(s->holder, "x");
	}
	assert_true(h.winner.done);
	assert_true(h.winner.holder == s->waiter->place);
	assert_true(h.winner.token > s->holder->token);
	return true;
}

/* Naive: without queue_version it frees the lock, and the waiter has to find out for itself. */
static void a_hand_over_misses_nobody_who_joins(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, joins_behind_the_snapshot);
}

/* The snapshot has one, and by the time that it gets the row, there are two: the first one gets it,
 * and the release that follows is to find the second one. */
static bool joins_behind_the_first(struct scene *s)
{
	struct hand_over h = {.puppet = NULL};
	bool met;

	assert_true(puppet_takes(s->holder, "x"));
	puppet_queues(s->next, "x");
	puppet_begin(s->waiter);
	puppet_queues(s->waiter, "x");
	hand_over_start(&h, s->holder);
	met = is_waited_for(s, &h, 1);
	puppet_commit(s->waiter);
	if (!hand_over_end(&h) || !met)
		return false;
	assert_true(h.winner.done);
	assert_true(h.winner.holder == s->next->place);
	s->next->token = h.winner.token;
	s->next->nonce = s->next->place;
	/* The release cannot go by the fast statement, which asks whether there is a queue. */
	assert_int_equal(puppet_run(s->next, DBL_OP_release,
				    DBL_ARGS_OF(dbl_text("x"), dbl_int(s->next->token),
						dbl_int(s->next->nonce))),
			 0);
	assert_true(puppet_hands_over(s->next, "x").done);
	has_it(s, s->waiter);
	return true;
}

/* Naive: whoever joins makes each hand-over read anew; or it says by what it has read that nobody
 * else waits. */
static void who_joins_holds_up_nobody(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, joins_behind_the_first);
}

/* The same, played by the library: the fast statement waits for the row, finds a queue, and goes
 * the slow way. */
static int run_release(void *lock, struct dblock_error *err)
{
	return dblock_release(lock, err);
}

static bool joins_under_a_release(struct scene *s)
{
	struct dblock_lock *lock = take(s->client, "x");
	struct call call;
	bool met;

	puppet_begin(s->waiter);
	puppet_queues(s->waiter, "x");
	call_start(&call, run_release, lock);
	while (!(met = rows_waited_for(s->raw) > 0) && !call.done)
		;
	puppet_commit(s->waiter);
	assert_int_equal(call_end(&call), 0);
	has_it(s, s->waiter);
	return met;
}

/* Naive: a release that does not ask whether somebody waits. */
static void a_release_misses_nobody_who_joins(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, joins_under_a_release);
}

/* Its row is there, and it has not said so: the release sees no queue, and frees the lock. Where it
 * joins and says so in one, it is free just before that. */
static struct dblock_lock *held;
static struct raw *looks_on;

static enum spy_fate release_before_announce(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if ((op == DBL_OP_announce || op == DBL_OP_join) && held) {
		assert_int_equal(in_queue(looks_on), op == DBL_OP_announce);
		give(held);
		held = NULL;
	}
	return SPY_PASS;
}

/* Returns how long the waiter took, of which one statement more or less is not to be seen. */
static int64_t release_between(struct scene *s, bool under_a_queue)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t begun = clock_ms(), took;

	looks_on = s->raw;
	held = take(s->other, "x");
	if (under_a_queue)
		puppet_announce(s->holder, "x");
	spy->fate = release_before_announce;
	expect(OK, dblock_acquire(client, "x", NULL, &lock, &err));
	took = clock_ms() - begun;
	assert_null(held);
	assert_int_equal(spy_joins(spy), 1);
	/* It sends none if it was woken. */
	assert_true(spy->runs_of[DBL_OP_look] <= 1);
	spy->fate = NULL;
	give(lock);
	dblock_close(client);
	spy_free(spy);
	return took;
}

/* Naive: who has announced waits to be woken before it looks. That costs most of a second: one play
 * of a few is quicker, on any machine. */
static void who_has_not_announced_finds_it_free(void **state)
{
	int64_t took = PLENTY_MS;

	if (on_backend("sqlite"))
		return; /* all of it is one transaction */
	for (int i = 0; i < TRIES && took >= 500; i++)
		took = release_between(*state, false);
	assert_true(took < 500);
}

/* The same, where there is a queue: the hand-over reads its row, said or not. */
static void who_has_not_announced_is_handed_it(void **state)
{
	struct scene *s = *state;

	if (on_backend("sqlite"))
		return;
	release_between(s, true);
	assert_int_equal(in_queue(s->raw), 0);
}

/* It steps as long as there is something to do at once. */
struct stepping {
	struct dblock_wait *wait;
	struct dblock_lock *lock;
};

static int step_on(void *arg, struct dblock_error *err)
{
	struct stepping *stepping = arg;
	int rc = DBLOCK_WAITING;

	while (rc == DBLOCK_WAITING && is_due(stepping->wait))
		rc = dblock_acquire_step(stepping->wait, &stepping->lock, err);
	return rc;
}

/* It is freed by somebody who has not committed yet, and who joins waits for the row. */
static bool is_freed_under_a_join(struct scene *s)
{
	struct stepping stepping = {.wait = NULL};
	struct call call;
	bool met;
	int rc;

	assert_true(puppet_takes(s->holder, "x"));
	stepping.wait = wait_begin(s->client, "x");
	step_waits(stepping.wait); /* it was refused */
	puppet_begin(s->holder);
	s->holder->place = s->holder->nonce;
	assert_true(puppet_gives_back(s->holder, "x"));
	call_start(&call, step_on, &stepping);
	while (!(met = rows_waited_for(s->raw) > 0) && !call.done)
		;
	puppet_commit(s->holder);
	rc = call_end(&call);
	if (met)
		assert_int_equal(rc, DBLOCK_OK);
	if (rc == DBLOCK_OK)
		give(stepping.lock);
	dblock_acquire_end(stepping.wait);
	return met;
}

/* Naive: it sees the lock as it was when its statement began, held; and sleeps for a second. */
static void who_joins_sees_it_as_it_is(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, is_freed_under_a_join);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_hand_over_misses_nobody_who_joins),
		CASE(who_joins_holds_up_nobody),
		CASE(a_release_misses_nobody_who_joins),
		CASE(who_has_not_announced_finds_it_free),
		CASE(who_has_not_announced_is_handed_it),
		CASE(who_joins_sees_it_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
