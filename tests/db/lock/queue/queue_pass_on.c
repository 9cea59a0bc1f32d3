/* SPDX-License-Identifier: MIT */
/* The usual case of a hand-over, pass_on, and of joining, join_behind: they do what hand_over and
 * join would do, or nothing. */
#include "db/lock/queue/queue_races_kit.h"

#include "driver/value.h"

static bool passes_on(struct scene *s)
{
	return puppet_passes_on(s->holder, "x", row_of(s->raw, "served")).done;
}

/* Nothing was done, and hand_over does it: the lock goes to that one. */
static void falls_back(struct scene *s, struct puppet *to)
{
	struct puppet_winner winner;

	assert_false(passes_on(s));
	assert_true(row_of(s->raw, "nonce") == s->holder->nonce);
	winner = puppet_hands_over(s->holder, "x");
	assert_true(winner.done);
	assert_true(winner.holder == (to ? to->place : 0));
}

static void a_line_of_two(struct scene *s)
{
	assert_true(puppet_takes(s->holder, "x"));
	puppet_queues(s->waiter, "x");
	puppet_queues(s->next, "x");
}

static void it_goes_to_the_first(void **state)
{
	struct scene *s = *state;

	a_line_of_two(s);
	assert_true(passes_on(s));
	assert_true(s->holder->answers[0] > s->holder->token);
	has_it(s, s->waiter);
	assert_true(row_of(s->raw, "token") == s->holder->answers[0]);
	assert_true(row_of(s->raw, "served") == s->waiter->ticket);
	assert_int_equal(row_of(s->raw, "queued"), 1);
	/* A second copy does nothing. */
	assert_false(passes_on(s));
	has_it(s, s->waiter);
}

static void if_nobody_waits(void **state)
{
	struct scene *s = *state;

	assert_true(puppet_takes(s->holder, "x"));
	falls_back(s, NULL);
}

/* It goes to the next one; PostgreSQL leaves that to hand_over. */
static void if_the_first_is_dead_or_looks_so(void **state)
{
	static const char *const how[] = {"expires = {boot} - 1000000", "dead = true"};
	struct scene *s = *state;

	for (int i = 0; i < 2; i++) {
		a_line_of_two(s);
		raw_exec(s->raw, "UPDATE dblock_session SET %s WHERE id = '%s'", how[i],
			 s->waiter->id);
		if (!passes_on(s))
			falls_back(s, s->next);
		has_it(s, s->next);
		clear_up(s);
	}
}

/* It is shared, or for several names: nobody is granted that here. */
static void if_the_first_does_not_want_it_alone(void **state)
{
	static const char *const otherwise[] = {"mode = 1", "names = 2"};
	struct scene *s = *state;

	for (int i = 0; i < 2; i++) {
		a_line_of_two(s);
		raw_exec(s->raw, "UPDATE dblock_queue SET %s WHERE ticket = %lld", otherwise[i],
			 (long long)s->waiter->ticket);
		falls_back(s, NULL);
		clear_up(s);
	}
}

static void if_the_grant_is_to_rest(void **state)
{
	struct scene *s = *state;

	a_line_of_two(s);
	raw_exec(s->raw,
		 "UPDATE dblock_lock SET keep_until = {boot} + 1000000000 WHERE name = 'x'");
	assert_false(passes_on(s));
	assert_false(puppet_hands_over(s->holder, "x").done);
}

static void if_the_lease_is_over(void **state)
{
	struct scene *s = *state;

	a_line_of_two(s);
	raw_exec(s->raw, "UPDATE dblock_lock SET session = NULL, expires = {boot} - 1 "
			 "WHERE name = 'x'");
	assert_false(passes_on(s));
	assert_false(puppet_hands_over(s->holder, "x").done);
}

/* The grant came by another ticket than that. */
static void if_others_were_served(void **state)
{
	struct scene *s = *state;
	int64_t served;

	a_line_of_two(s);
	served = row_of(s->raw, "served");
	assert_false(puppet_passes_on(s->holder, "x", served - 1).done);
	assert_false(puppet_passes_on(s->holder, "x", served + 1).done);
	assert_true(row_of(s->raw, "nonce") == s->holder->nonce);
}

/* ---- a race ---------------------------------------------------------------------------------- */

/* A hand-over that has read the first in the line, and waits for the lock's row, which that one has. */
static bool waits_behind(struct scene *s, struct hand_over *h)
{
	*h = (struct hand_over){.usual = true, .served = row_of(s->raw, "served")};
	puppet_begin(s->waiter);
	puppet_announce(s->waiter, "x");
	puppet_dequeue(s->waiter, "x");
	hand_over_start(h, s->holder);
	return is_waited_for(s, h, 1);
}

/* The first was read, and leaves before the lock's row is written. */
static bool leaves_behind_the_snapshot(struct scene *s)
{
	struct hand_over h;
	bool met;

	a_line_of_two(s);
	met = waits_behind(s, &h);
	puppet_commit(s->waiter);
	met = hand_over_end(&h) && met;
	assert_true(row_of(s->raw, "nonce") != s->waiter->place);
	return met && !h.winner.done;
}

/* Naive: without queue_version a place that nobody has any more gets the lock. */
static void no_ghost_has_it(void **state)
{
	if (!on_backend("sqlite"))
		play(*state, leaves_behind_the_snapshot);
}

/* ---- to join --------------------------------------------------------------------------------- */

static int64_t joins_behind(struct puppet *p, int64_t beat)
{
	return puppet_run(p, DBL_OP_join_behind,
			  DBL_ARGS_OF(dbl_text("x"), dbl_int(7), dbl_text(p->id), dbl_int(1),
				      dbl_null(), dbl_null(), dbl_null(), dbl_text(""), dbl_int(1),
				      dbl_int(beat)));
}

static void behind_two_it_joins(void **state)
{
	struct scene *s = *state;
	int64_t version;

	a_line_of_two(s);
	version = row_of(s->raw, "queue_version");
	assert_int_equal(joins_behind(s->holder, s->holder->beat), 1);
	assert_true(s->holder->answers[0] > s->next->ticket);
	assert_int_equal(rows_in_queue(s->raw), 3);
	assert_true(row_of(s->raw, "queue_version") == version);
}

static void does_not_join(struct scene *s, int64_t beat, int rows)
{
	assert_int_equal(joins_behind(s->holder, beat), 0);
	assert_int_equal(rows_in_queue(s->raw), rows);
}

/* There one statement cannot look and insert: see join_behind.sql. */
static bool joins_blindly(void)
{
	return on_backend("mysql");
}

/* One of the two has been served, or holds the lock by its row, or upgrades. */
static void behind_one_it_does_not(void **state)
{
	static const char *const others[] = {
		"UPDATE dblock_lock SET served = (SELECT min(ticket) FROM dblock_queue)",
		"UPDATE dblock_queue SET token = 1 WHERE ticket = (SELECT max(ticket) FROM "
		"dblock_queue)",
		"UPDATE dblock_queue SET upgrades = 1",
		"UPDATE dblock_lock SET queued = false",
	};
	struct scene *s = *state;

	for (size_t i = 0; !joins_blindly() && i < sizeof(others) / sizeof(others[0]); i++) {
		a_line_of_two(s);
		raw_exec(s->raw, "%s", others[i]);
		does_not_join(s, s->holder->beat, 2);
		raw_exec(s->raw, "UPDATE dblock_lock SET served = 0");
		clear_up(s);
	}
}

static void the_dead_do_not_join(void **state)
{
	struct scene *s = *state;

	if (joins_blindly())
		return;
	a_line_of_two(s);
	does_not_join(s, s->holder->beat + 1, 2); /* the database is an older copy */
	raw_exec(s->raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'", s->holder->id);
	does_not_join(s, s->holder->beat, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(it_goes_to_the_first),
		CASE(if_nobody_waits),
		CASE(if_the_first_is_dead_or_looks_so),
		CASE(if_the_first_does_not_want_it_alone),
		CASE(if_the_grant_is_to_rest),
		CASE(if_the_lease_is_over),
		CASE(if_others_were_served),
		CASE(no_ghost_has_it),
		CASE(behind_two_it_joins),
		CASE(behind_one_it_does_not),
		CASE(the_dead_do_not_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
