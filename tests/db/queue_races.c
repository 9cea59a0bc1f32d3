/* SPDX-License-Identifier: MIT */
/*
 * A hand-over meets who joins the line, or leaves it, in every order that the database allows. Each
 * case names the naive form that it is meant to catch.
 *
 * Where an open transaction has the lock's row, the hand-over reads the line, waits for the row,
 * and is carried out on a row that belongs to another line. On SQLite there is one writer at a
 * time, and it reads when it writes: what needs two of them is not played there.
 */
#include "support/line.h"

enum { TRIES = 20 };

struct scene {
	struct dblock_client *client, *other;
	struct puppet *holder, *waiter, *next;
	struct raw *raw, *fence;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->client = client_new(0);
	s->other = client_new(0);
	s->holder = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->waiter = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->next = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->raw = raw_open(NULL);
	s->fence = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_waiter"); /* the puppets' of before */
	is_free(s->client, "x");
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	raw_close(s->fence);
	puppet_free(s->holder);
	puppet_free(s->waiter);
	puppet_free(s->next);
	dblock_close(s->client);
	dblock_close(s->other);
	free(s);
	return 0;
}

/* ---- a hand-over on a thread of its own ---------------------------------------------------------
 */

struct hand_over {
	struct puppet *puppet;
	struct puppet_winner winner;
	struct call call;
};

static int run_hand_over(void *arg, struct dblock_error *err)
{
	struct hand_over *h = arg;

	(void)err;
	h->winner = puppet_hands_over(h->puppet, "x");
	return h->winner.rc;
}

static void hand_over_start(struct hand_over *h, struct puppet *puppet)
{
	h->puppet = puppet;
	call_start(&h->call, run_hand_over, h);
}

/* Until so many statements wait for the row; false: the hand-over has given up by then, as it does
 * after 250 ms or 1 s, and the scene shows nothing. */
static bool is_waited_for(struct scene *s, const struct hand_over *h, int n)
{
	while (!h->call.done && rows_waited_for(s->raw) < n)
		;
	return !h->call.done;
}

static bool hand_over_end(struct hand_over *h)
{
	call_end(&h->call);
	assert_true(h->call.rc == 0 || h->call.rc == DBLOCK_E_LOCKED);
	return h->call.rc == 0;
}

static void has_it(struct scene *s, const struct puppet *p)
{
	assert_true(row_of(s->raw, "nonce") == p->place);
}

/* Back to the beginning. */
static void clear_up(struct scene *s)
{
	raw_exec(s->raw, "DELETE FROM dblock_waiter");
	raw_exec(s->raw, "UPDATE dblock_lock SET session = NULL, expires = NULL, nonce = 0,"
			 " queued = false WHERE name = 'x'");
	is_free(s->other, "x");
}

/* A play may come to nothing, because the machine was slow; not each time. */
static void play(struct scene *s, bool (*scene)(struct scene *))
{
	bool shown = false;

	for (int i = 0; i < TRIES && !shown; i++) {
		shown = scene(s);
		clear_up(s);
	}
	assert_true(shown);
}

/* ---- who joins ----------------------------------------------------------------------------------
 */

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

/* The same, played by the library: the fast statement waits for the row, finds a line, and goes the
 * slow way. */
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

/* Its row is there, and it has not said so: the release sees no line, and frees the lock. */
static struct dblock_lock *held;
static struct raw *looks_on;

static enum spy_fate release_before_announce(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op == DBL_OP_announce && held) {
		assert_int_equal(in_line(looks_on), 1);
		give(held);
		held = NULL;
	}
	return SPY_PASS;
}

/* Returns how long the waiter took, of which one statement more or less is not to be seen. */
static int64_t release_between(struct scene *s, bool under_a_line)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t begun = clock_ms(), took;

	looks_on = s->raw;
	held = take(s->other, "x");
	if (under_a_line)
		puppet_announce(s->holder, "x");
	spy->fate = release_before_announce;
	expect(OK, dblock_acquire(client, "x", NULL, &lock, &err));
	took = clock_ms() - begun;
	assert_null(held);
	assert_int_equal(spy->runs_of[DBL_OP_enqueue], 1);
	/* Or none, if it was rung. */
	assert_true(spy->runs_of[DBL_OP_look] <= 1);
	spy->fate = NULL;
	give(lock);
	dblock_close(client);
	spy_free(spy);
	return took;
}

/* Naive: who has announced waits for the bell before it looks. That costs most of a second: one
 * play of a few is quicker, on any machine. */
static void who_has_not_announced_finds_it_free(void **state)
{
	int64_t took = PLENTY_MS;

	for (int i = 0; i < TRIES && took >= 500; i++)
		took = release_between(*state, false);
	assert_true(took < 500);
}

/* The same, where there is a line: the hand-over reads its row, said or not. */
static void who_has_not_announced_is_handed_it(void **state)
{
	struct scene *s = *state;

	release_between(s, true);
	assert_int_equal(in_line(s->raw), 0);
}

/* ---- who leaves ---------------------------------------------------------------------------------
 */

/* A line of one or of two, and a hand-over that has read it and waits for the lock's row. */
static bool hand_over_waits(struct scene *s, struct hand_over *h)
{
	raw_lock_row(s->fence, "x");
	hand_over_start(h, s->holder);
	return is_waited_for(s, h, 1);
}

/* First out of the table, then the hand-over: which grants it to a ghost. */
static bool leaves_before_the_row_is_had(struct scene *s)
{
	struct hand_over h = {.puppet = NULL};
	struct waiting w = {.lock = NULL};
	bool met;
	int rc;

	assert_true(puppet_takes(s->holder, "x"));
	waiting_join(&w, s->client, s->raw);
	puppet_queues(s->next, "x");
	met = hand_over_waits(s, &h);
	w.cancel = true;
	/* Its own announcement waits for the row as well, behind the hand-over. */
	while (met && rows_in_line(s->raw) > 1 && rows_waited_for(s->raw) < 2)
		sleep_ms(1);
	raw_exec(s->fence, "COMMIT");
	met = hand_over_end(&h) && met;
	rc = call_end(&w.call);
	assert_int_equal(rc, DBLOCK_CANCELED);
	if (met && !h.winner.done)
		assert_true(puppet_hands_over(s->holder, "x").done);
	until_true(!met || row_of(s->raw, "nonce") == s->next->place);
	until_true(rows_in_line(s->raw) == 1);
	return met;
}

/* Naive: who leaves deletes its row, and that is all: the lock stays with it for ever. */
static void no_ghost_has_it_with_others_in_line(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, leaves_before_the_row_is_had);
}

static bool last_leaves_before_the_row_is_had(struct scene *s)
{
	struct hand_over h = {.puppet = NULL};
	struct waiting w = {.lock = NULL};
	bool met;

	assert_true(puppet_takes(s->holder, "x"));
	waiting_join(&w, s->client, s->raw);
	met = hand_over_waits(s, &h);
	w.cancel = true;
	while (met && rows_in_line(s->raw) > 0 && rows_waited_for(s->raw) < 2)
		sleep_ms(1);
	raw_exec(s->fence, "COMMIT");
	met = hand_over_end(&h) && met;
	assert_int_equal(call_end(&w.call), DBLOCK_CANCELED);
	if (met && !h.winner.done)
		assert_true(puppet_hands_over(s->holder, "x").done);
	until_true(!met || row_of(s->raw, "nonce") == 0);
	return met;
}

static void no_ghost_has_it_after_the_last(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, last_leaves_before_the_row_is_had);
}

/* It has left and said so, all in one: then what the hand-over has read is known to be old. */
static bool leaves_behind_the_snapshot(struct scene *s)
{
	struct hand_over h = {.puppet = NULL};
	bool met;

	assert_true(puppet_takes(s->holder, "x"));
	puppet_queues(s->waiter, "x");
	puppet_queues(s->next, "x");
	puppet_begin(s->waiter);
	puppet_dequeue(s->waiter, "x");
	puppet_announce(s->waiter, "x");
	hand_over_start(&h, s->holder);
	met = is_waited_for(s, &h, 1);
	puppet_commit(s->waiter);
	if (!hand_over_end(&h) || !met)
		return false;
	/* From here on nobody can grant it anything. */
	assert_false(puppet_gives_back(s->waiter, "x"));
	if (!h.winner.done)
		assert_true(puppet_hands_over(s->holder, "x").done);
	has_it(s, s->next);
	return true;
}

/* Naive: without queue_version the lock goes to who has left and looked for the last time. */
static void what_was_read_before_somebody_left_is_old(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, leaves_behind_the_snapshot);
}

/* Handed over after it has left the table, and before it has said so: step by step, everywhere. */
static void a_grant_that_nobody_wants_is_passed_on(void **state)
{
	struct scene *s = *state;
	struct waiting w = {.lock = NULL};

	assert_true(puppet_takes(s->holder, "x"));
	waiting_join(&w, s->client, s->raw);
	puppet_queues(s->next, "x");
	/* A puppet rings nobody: it is granted, and does not know it. */
	assert_true(puppet_hands_over(s->holder, "x").done);
	w.cancel = true;
	if (call_end(&w.call) == 0)
		give(w.lock);
	until_true(row_of(s->raw, "nonce") == s->next->place);
	until_true(rows_in_line(s->raw) == 1);
	clear_up(s);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_hand_over_misses_nobody_who_joins),
		CASE(a_release_misses_nobody_who_joins),
		CASE(who_has_not_announced_finds_it_free),
		CASE(who_has_not_announced_is_handed_it),
		CASE(no_ghost_has_it_with_others_in_line),
		CASE(no_ghost_has_it_after_the_last),
		CASE(what_was_read_before_somebody_left_is_old),
		CASE(a_grant_that_nobody_wants_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
