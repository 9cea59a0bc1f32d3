/* SPDX-License-Identifier: MIT */
/* A barrier: all in, all out, or all are told. */
#include "db/lock/recipes/latch.h"

/* Three parties, each with a client of its own. */
struct trio {
	struct scene scene;
	struct party p[3];
};

static int set_up(void **state)
{
	struct trio *t = calloc(1, sizeof(*t));

	t->scene.client = client_new(0);
	t->scene.raw = raw_open(NULL);
	raw_exec(t->scene.raw, "DELETE FROM dblock_latch");
	for (int i = 0; i < 3; i++)
		t->p[i] = (struct party)PARTY(client_new(0), 3);
	*state = t;
	return 0;
}

/* Each has left by now. */
static int tear_down(void **state)
{
	struct trio *t = *state;

	for (int i = 0; i < 3; i++)
		dblock_close(t->p[i].client, NULL);
	dblock_close(t->scene.client, NULL);
	raw_close(t->scene.raw);
	free(t);
	return 0;
}

static void start(struct trio *t, int first, int n, int (*what)(void *, struct dblock_error *))
{
	for (int i = first; i < first + n; i++)
		party_start(&t->p[i], what);
}

static void all_end(struct trio *t, int first, int n, int outcome)
{
	for (int i = first; i < first + n; i++)
		party_ends(&t->p[i], outcome);
}

static void all_enter(struct trio *t)
{
	start(t, 0, 3, party_enters);
	all_end(t, 0, 3, DBLOCK_OK);
}

static void all_leave(struct trio *t)
{
	start(t, 0, 3, party_leaves);
	all_end(t, 0, 3, DBLOCK_OK);
}

/* Nothing of it is left. */
static void nobody_is_there(struct trio *t)
{
	until_there_are(t->scene.raw, "barrier:x", 0, "%");
}

/* ---- rounds ------------------------------------------------------------------------------------ */

/* Naive: one barrier; the first is out, and in again, before the last is in. */
static void all_are_in_and_then_all_are_out(void **state)
{
	struct trio *t = *state;

	for (int round = 0; round < 3; round++) {
		start(t, 0, 2, party_enters);
		until_arrived(t->scene.raw, 2);
		assert_false(t->p[0].call.done || t->p[1].call.done);
		start(t, 2, 1, party_enters);
		all_end(t, 0, 3, DBLOCK_OK);
		start(t, 0, 2, party_leaves);
		until_arrived(t->scene.raw, 2);
		assert_false(t->p[0].call.done || t->p[1].call.done);
		start(t, 2, 1, party_leaves);
		all_end(t, 0, 3, DBLOCK_OK);
	}
	nobody_is_there(t);
}

static void a_thread_may_be_several_parties(void **state)
{
	struct trio *t = *state;
	struct party alone = PARTY(t->scene.client, 1), other = PARTY(t->scene.client, 2);
	struct dblock_error err = {0};

	expect(OK, party_enters(&alone, &err));
	expect(OK, party_leaves(&alone, &err));
	alone.n = 2;
	party_start(&alone, party_enters);
	party_start(&other, party_enters);
	party_ends(&alone, DBLOCK_OK);
	party_ends(&other, DBLOCK_OK);
	party_start(&alone, party_leaves);
	party_start(&other, party_leaves);
	party_ends(&alone, DBLOCK_OK);
	party_ends(&other, DBLOCK_OK);
	nobody_is_there(t);
}

/* Naive: it is the fourth, and in. */
static void one_more_waits_for_the_next_round(void **state)
{
	struct trio *t = *state;
	struct party late = PARTY(t->scene.client, 3);
	int64_t until = clock_ms() + PLENTY_MS;

	all_enter(t);
	party_start(&late, party_enters);
	while (raw_int(t->scene.raw, "SELECT count(*) FROM dblock_queue WHERE name = 'barrier:x'") <
	       4)
		assert_true(clock_ms() < until);
	all_leave(t);
	assert_false(late.call.done);
	until_arrived(t->scene.raw, 1);
	start(t, 0, 2, party_enters);
	all_end(t, 0, 2, DBLOCK_OK);
	party_ends(&late, DBLOCK_OK);
	party_start(&late, party_leaves);
	start(t, 0, 2, party_leaves);
	all_end(t, 0, 2, DBLOCK_OK);
	party_ends(&late, DBLOCK_OK);
}

static void another_n_is_refused(void **state)
{
	struct trio *t = *state;
	struct party other = PARTY(t->scene.client, 4);
	struct dblock_error err = {0};

	start(t, 0, 1, party_enters);
	until_arrived(t->scene.raw, 1);
	expect(E_INVALID, party_enters(&other, &err));
	assert_null(other.barrier);
	message_has("3");
	message_has("4");
	start(t, 1, 2, party_enters);
	all_end(t, 0, 3, DBLOCK_OK);
	all_leave(t);
	other.n = 1; /* nobody is there: it is what it is from now on */
	expect(OK, party_enters(&other, &err));
	expect(OK, party_leaves(&other, &err));
}

/* ---- who gives up ------------------------------------------------------------------------------ */

/* Naive: it only leaves, and those who wait do so for a party that does not come. */
static void who_gives_up_breaks_it(void **state)
{
	struct trio *t = *state;

	start(t, 0, 1, party_enters);
	until_arrived(t->scene.raw, 1);
	t->p[1].options.wait_ms = 20;
	start(t, 1, 1, party_enters);
	all_end(t, 1, 1, DBLOCK_TIMEOUT);
	all_end(t, 0, 1, DBLOCK_BROKEN);
	assert_non_null(strstr(t->p[0].call.err.message, "its time was over"));
	t->p[1].options.wait_ms = 0;
	nobody_is_there(t);
	all_enter(t); /* it needs no repair */
	t->p[1].stop = true;
	start(t, 0, 2, party_leaves);
	all_end(t, 0, 1, DBLOCK_BROKEN);
	all_end(t, 1, 1, DBLOCK_CANCELED);
	start(t, 2, 1, party_leaves);
	all_end(t, 2, 1, DBLOCK_BROKEN);
	nobody_is_there(t);
}

/* To go without waiting. */
static void who_does_not_wait_for_the_others_breaks_it(void **state)
{
	struct trio *t = *state;

	all_enter(t);
	t->p[0].options.wait_ms = DBLOCK_NO_WAIT;
	start(t, 0, 1, party_leaves);
	all_end(t, 0, 1, DBLOCK_BUSY);
	start(t, 1, 2, party_leaves);
	all_end(t, 1, 2, DBLOCK_BROKEN);
	nobody_is_there(t);
}

/* Who waits in line has come to no round yet, so nobody waits for it. */
static void a_wait_in_line_breaks_nothing(void **state)
{
	struct trio *t = *state;
	struct party late = PARTY(t->scene.client, 3);
	struct dblock_error err = {0};

	all_enter(t);
	late.options.wait_ms = 50;
	expect(TIMEOUT, party_enters(&late, &err));
	all_leave(t);
}

/* ---- in the middle ------------------------------------------------------------------------------ */

static struct trio *the_trio;
static struct spy *the_spy;

/* Clients whose statements a test sees before they are sent. */
static void spy_on(struct trio *t, int first, int n)
{
	the_trio = t;
	the_spy = spy_new();
	for (int i = first; i < first + n; i++) {
		dblock_close(t->p[i].client, NULL);
		t->p[i].client = spy_client(the_spy, 0);
	}
}

/* Before the spy is gone. */
static void spy_off(struct trio *t, int first, int n)
{
	the_spy->fate = NULL;
	for (int i = first; i < first + n; i++) {
		dblock_close(t->p[i].client, NULL);
		t->p[i].client = client_new(0);
	}
	spy_free(the_spy);
}

static _Atomic int moves;

/* The first says that it gives up; before that arrives the last one comes, and has counted all three. What it, and
 * whoever has counted them, says then comes after that. */
static enum spy_fate give_up_before_all(struct spy *spy, enum dbl_op op)
{
	int64_t until = clock_ms() + PLENTY_MS;

	(void)spy;
	if (op != DBL_OP_latch_move)
		return SPY_PASS;
	if (++moves == 1) {
		party_start(&the_trio->p[2], party_enters);
		while (moves < 2 && clock_ms() < until)
			sleep_ms(2);
	} else {
		while (!the_trio->p[0].call.done && clock_ms() < until)
			sleep_ms(2);
	}
	return SPY_PASS;
}

/* Naive: the row is moved from what was read, and not from that generation: the others are in without the first. */
static void nobody_is_in_without_who_gave_up_just_before(void **state)
{
	struct trio *t = *state;

	spy_on(t, 0, 3);
	start(t, 0, 2, party_enters);
	until_arrived(t->scene.raw, 2);
	moves = 0;
	the_spy->fate = give_up_before_all;
	t->p[0].stop = true;
	all_end(t, 0, 1, DBLOCK_CANCELED);
	all_end(t, 1, 2, DBLOCK_BROKEN);
	spy_off(t, 0, 3);
	nobody_is_there(t);
}

static enum spy_fate wait_before_moving(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_latch_move) {
		spy->fate = NULL;
		party_start(&the_trio->p[2], party_enters);
		party_ends(&the_trio->p[2], DBLOCK_OK);
		party_ends(&the_trio->p[1], DBLOCK_OK);
	}
	return SPY_PASS;
}

/* It gives up, and before it says so the last one comes: all are in. Naive: the others are in, and it is not. */
static void who_gives_up_too_late_is_in(void **state)
{
	struct trio *t = *state;

	spy_on(t, 0, 1);
	start(t, 1, 1, party_enters);
	until_arrived(t->scene.raw, 1);
	start(t, 0, 1, party_enters);
	until_arrived(t->scene.raw, 2);
	the_spy->fate = wait_before_moving;
	t->p[0].stop = true;
	all_end(t, 0, 1, DBLOCK_OK);
	t->p[0].stop = false;
	all_leave(t);
	spy_off(t, 0, 1);
}

/* ---- lost replies ------------------------------------------------------------------------------- */

/* Each statement of the last party in turn. */
static void a_reply_that_is_lost_changes_nothing(void **state)
{
	struct trio *t = *state;
	bool more = true;

	spy_on(t, 2, 1);
	for (int n = 1; more; n++) {
		start(t, 0, 2, party_enters);
		until_arrived(t->scene.raw, 2);
		spy_hit_nth(the_spy, n, SPY_LOST_AFTER);
		start(t, 2, 1, party_enters);
		all_end(t, 0, 3, DBLOCK_OK);
		start(t, 0, 2, party_leaves);
		until_arrived(t->scene.raw, 2);
		start(t, 2, 1, party_leaves);
		all_end(t, 0, 3, DBLOCK_OK);
		more = spy_has_hit(the_spy);
		assert_true(n < 100);
	}
	spy_off(t, 2, 1);
	nobody_is_there(t);
}

static enum spy_fate move_late(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_latch_move)
		return SPY_PASS;
	spy->fate = NULL;
	return SPY_LATE;
}

/* "All are in" arrives when the next ones gather. */
static void what_arrives_late_moves_nothing(void **state)
{
	struct trio *t = *state;

	spy_on(t, 2, 1);
	start(t, 0, 2, party_enters);
	until_arrived(t->scene.raw, 2);
	the_spy->fate = move_late;
	start(t, 2, 1, party_enters);
	all_end(t, 0, 3, DBLOCK_OK);
	all_leave(t);
	start(t, 0, 1, party_enters);
	until_arrived(t->scene.raw, 1);
	assert_int_equal(spy_deliver(the_spy), 0);
	start(t, 1, 2, party_enters);
	all_end(t, 0, 3, DBLOCK_OK);
	all_leave(t);
	spy_off(t, 2, 1);
}

static enum spy_fate never_rings(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_bell_sleepers ? SPY_LOST_BEFORE : SPY_PASS;
}

/* The last one has died, say, right after it had said that all are in. */
static void who_is_not_woken_sees_it_soon(void **state)
{
	struct trio *t = *state;

	start(t, 0, 2, party_enters);
	until_arrived(t->scene.raw, 2);
	the_trio = t;
	the_spy = spy_new();
	dblock_close(t->p[2].client, NULL);
	t->p[2].client = spy_client_with(the_spy, 0, 50);
	the_spy->fate = never_rings;
	start(t, 2, 1, party_enters);
	all_end(t, 0, 3, DBLOCK_OK);
	the_spy->fate = NULL;
	all_leave(t);
	spy_off(t, 2, 1);
}

/* ---- who has gone ------------------------------------------------------------------------------- */

static void bury(struct trio *t, int i)
{
	struct dblock_error err = {0};
	char id[DBLOCK_SESSION_ID_SIZE];

	expect(OK, dblock_session_id(t->p[i].client, id, &err));
	raw_exec(t->scene.raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'", id);
}

/* A party whose session somebody has declared dead, as it was stopped for too long. Naive: those who are left wait for
 * ever; or the two that come fill its place, and it is in with them, as a fourth. */
static void who_was_taken_for_dead_is_lost_and_the_others_told(void **state)
{
	struct trio *t = *state;

	start(t, 0, 2, party_enters);
	until_arrived(t->scene.raw, 2);
	bury(t, 0);
	all_end(t, 1, 1, DBLOCK_BROKEN);
	start(t, 1, 2, party_enters);
	until_arrived(t->scene.raw, 2);
	(void)call_end(&t->p[0].call);
	assert_true(t->p[0].call.rc == DBLOCK_LOST || t->p[0].call.rc == DBLOCK_BROKEN);
	start(t, 0, 1, party_enters);
	all_end(t, 0, 3, DBLOCK_OK);
	all_leave(t);
}

/* Inside. */
static void who_dies_inside_is_seen(void **state)
{
	struct trio *t = *state;
	struct dblock_error err = {0};
	int rc;

	all_enter(t);
	start(t, 1, 1, party_leaves);
	until_arrived(t->scene.raw, 1);
	bury(t, 0);
	all_end(t, 1, 1, DBLOCK_BROKEN);
	start(t, 2, 1, party_leaves);
	all_end(t, 2, 1, DBLOCK_BROKEN);
	rc = party_leaves(&t->p[0], &err);
	assert_true(rc == DBLOCK_LOST || rc == DBLOCK_BROKEN);
}

/* It has a place that came free, as one inside has died, before any of the others has seen that. Naive: it is one of
 * those inside. */
static void whose_place_came_free_by_a_death_says_so(void **state)
{
	struct trio *t = *state;
	struct party late = PARTY(t->scene.client, 3);
	struct dblock_error err = {0};

	all_enter(t);
	bury(t, 0);
	party_start(&late, party_enters);
	until_arrived(t->scene.raw, 1);
	assert_false(late.call.done);
	start(t, 1, 2, party_leaves);
	all_end(t, 1, 2, DBLOCK_BROKEN);
	(void)party_leaves(&t->p[0], &err);
	start(t, 1, 2, party_enters);
	all_end(t, 1, 2, DBLOCK_OK);
	party_ends(&late, DBLOCK_OK);
	party_start(&late, party_leaves);
	start(t, 1, 2, party_leaves);
	all_end(t, 1, 2, DBLOCK_OK);
	party_ends(&late, DBLOCK_OK);
}

/* The row, deleted by hand, say, begins anew; who stood at the old one is told. */
static void a_row_that_is_gone_is_made_again(void **state)
{
	struct trio *t = *state;

	start(t, 0, 2, party_enters);
	until_arrived(t->scene.raw, 2);
	raw_exec(t->scene.raw, "DELETE FROM dblock_latch");
	all_end(t, 0, 2, DBLOCK_BROKEN);
	all_enter(t);
	all_leave(t);
}

#define BARRIER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BARRIER_TEST(all_are_in_and_then_all_are_out),
		BARRIER_TEST(a_thread_may_be_several_parties),
		BARRIER_TEST(one_more_waits_for_the_next_round),
		BARRIER_TEST(another_n_is_refused),
		BARRIER_TEST(who_gives_up_breaks_it),
		BARRIER_TEST(who_does_not_wait_for_the_others_breaks_it),
		BARRIER_TEST(a_wait_in_line_breaks_nothing),
		BARRIER_TEST(nobody_is_in_without_who_gave_up_just_before),
		BARRIER_TEST(who_gives_up_too_late_is_in),
		BARRIER_TEST(a_reply_that_is_lost_changes_nothing),
		BARRIER_TEST(what_arrives_late_moves_nothing),
		BARRIER_TEST(who_is_not_woken_sees_it_soon),
		BARRIER_TEST(who_was_taken_for_dead_is_lost_and_the_others_told),
		BARRIER_TEST(who_dies_inside_is_seen),
		BARRIER_TEST(whose_place_came_free_by_a_death_says_so),
		BARRIER_TEST(a_row_that_is_gone_is_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
