/* SPDX-License-Identifier: MIT */
/* A hand-over, or a release, meets a call that joins the queue, in every order that the database
 * allows. */
#include "db/lock/queue/queue_races_kit.h"

#include "driver/value.h"
#include "support/machine.h"

/* The hand-over's snapshot has no waiter; by the time that it gets the row, there is one. */
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

/* Naive: without queue_version the hand-over frees the lock, and the waiter has to find that
 * itself. */
static void a_hand_over_misses_nobody_who_joins(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, joins_behind_the_snapshot);
}

/* The hand-over's snapshot has one waiter, and by the time that it gets the row, there are two: the
 * first gets the lock, and the next release has to find the second. */
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
	/* The fast statement of a release fails, as it checks whether there is a queue. */
	assert_int_equal(puppet_run(s->next, DBL_OP_release,
				    DBL_ARGS_OF(dbl_text("x"), dbl_int(s->next->token),
						dbl_int(s->next->nonce))),
			 0);
	assert_true(puppet_hands_over(s->next, "x").done);
	has_it(s, s->waiter);
	return true;
}

/* Naive: each call that joins makes a hand-over read anew; or the hand-over writes, by what it has
 * read, that nobody else waits. */
static void who_joins_holds_up_nobody(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, joins_behind_the_first);
}

/* The library plays the same: the fast statement waits for the row, finds a queue, and the release
 * goes the slow way. */
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

/* Naive: a release that does not check whether somebody waits. */
static void a_release_misses_nobody_who_joins(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, joins_under_a_release);
}

/* The waiter's row is there, and is not announced: the release sees no queue, and frees the lock.
 * On databases that join and announce in one statement, the lock is free just before it. */
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

/* Returns how long the waiter took; one statement more or less does not show. */
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
	dblock_close(client, NULL);
	spy_free(spy);
	return took;
}

/* Naive: a waiter that has announced itself waits to be woken before it looks. That takes most of a
 * second: one play of several is quicker, on any machine. */
static void who_has_not_announced_finds_it_free(void **state)
{
	int64_t took = PLENTY_MS;

	if (on_backend("sqlite"))
		return; /* joining is one transaction there */
	for (int i = 0; i < TRIES && took >= 500; i++)
		took = release_between(*state, false);
	assert_true(took < 500);
}

/* The same race with a queue: the hand-over reads the waiter's row, announced or not. */
static void who_has_not_announced_is_handed_it(void **state)
{
	struct scene *s = *state;

	if (on_backend("sqlite"))
		return;
	release_between(s, true);
	assert_int_equal(in_queue(s->raw), 0);
}

/* A wait that takes all steps that are due at once. */
struct stepping {
	struct machine *wait;
	struct dblock_lock *lock;
};

static int step_on(void *arg, struct dblock_error *err)
{
	struct stepping *stepping = arg;
	int rc = DBLOCK_WAITING;

	while (rc == DBLOCK_WAITING && machine_is_due_within(stepping->wait, 0))
		rc = machine_step(stepping->wait, &stepping->lock, err);
	return rc;
}

/* A transaction that is not committed yet frees the lock, and the call that joins waits for the
 * row. */
static bool is_freed_under_a_join(struct scene *s)
{
	struct stepping stepping = {.wait = NULL};
	struct call call;
	bool met;
	int rc;

	assert_true(puppet_takes(s->holder, "x"));
	stepping.wait = machine_new(s->client, "x");
	machine_waits(stepping.wait); /* its acquire is refused */
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
	machine_free(stepping.wait);
	return met;
}

/* Naive: the call sees the lock as it was when its statement began, held; and sleeps for a second.
 */
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
