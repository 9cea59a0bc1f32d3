/* SPDX-License-Identifier: MIT */
/* A barrier: all in, all out, or all are told. */
#include "db/lock/recipes/trio.h"

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
