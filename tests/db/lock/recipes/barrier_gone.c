/* SPDX-License-Identifier: MIT */
/* A barrier whose statements are lost or late, and whose parties die. */
#include "db/lock/recipes/trio.h"

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
	struct spy *spy[2];

	for (int i = 0; i < 2; i++) {
		dblock_close(t->p[i].client, NULL);
		spy[i] = spy_new();
		t->p[i].client = spy_client(spy[i], 0);
	}
	start(t, 0, 2, party_enters);
	/* Each waits by now: who has arrived, and finds no row before that, makes another one. */
	for (int i = 0; i < 2; i++)
		while (!spy[i]->runs_of[DBL_OP_barrier_look])
			sleep_ms(2);
	until_arrived(t->scene.raw, 2);
	raw_exec(t->scene.raw, "DELETE FROM dblock_latch");
	all_end(t, 0, 2, DBLOCK_BROKEN);
	for (int i = 0; i < 2; i++) {
		dblock_close(t->p[i].client, NULL);
		spy_free(spy[i]);
		t->p[i].client = client_new(0);
	}
	all_enter(t);
	all_leave(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
