/* SPDX-License-Identifier: MIT */
/* The usual case of a hand-over, pass_on, and of joining, join_behind: they do what hand_over and
 * join would do, or nothing. */
#include "db/lock/queue/queue_races_kit.h"

#include "driver/value.h"

/* Passes the lock on, as who knows the row as it was by then. Rows changed: 1 or 0. */
static int64_t passes_on_as_of(struct puppet *from, int64_t served, int64_t version)
{
	return puppet_run(from, DBL_OP_pass_on,
			  DBL_ARGS_OF(dbl_text("x"), dbl_int(from->token), dbl_int(from->nonce),
				      dbl_int(served), dbl_int(version)));
}

static int64_t passes_on(struct scene *s, struct puppet *from)
{
	return passes_on_as_of(from, row_of(s->raw, "served"), row_of(s->raw, "queue_version"));
}

/* Nothing was done, and hand_over does it: the lock goes to that one. */
static void falls_back(struct scene *s, struct puppet *to)
{
	struct puppet_winner winner;

	assert_int_equal(passes_on(s, s->holder), 0);
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
	assert_int_equal(passes_on(s, s->holder), 1);
	assert_true(s->holder->answers[0] > s->holder->token);
	has_it(s, s->waiter);
	assert_true(row_of(s->raw, "token") == s->holder->answers[0]);
	assert_true(row_of(s->raw, "served") == s->waiter->ticket);
	assert_int_equal(row_of(s->raw, "queued::int"), 1);
	/* A second copy does nothing. */
	assert_int_equal(passes_on(s, s->holder), 0);
	has_it(s, s->waiter);
}

static void if_nobody_waits(void **state)
{
	struct scene *s = *state;

	assert_true(puppet_takes(s->holder, "x"));
	falls_back(s, NULL);
}

static void if_the_first_looks_dead(void **state)
{
	struct scene *s = *state;

	a_line_of_two(s);
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {now} - 1000000 WHERE id = '%s'",
		 s->waiter->id);
	falls_back(s, s->next);
}

static void if_the_first_is_dead(void **state)
{
	struct scene *s = *state;

	a_line_of_two(s);
	raw_exec(s->raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'", s->waiter->id);
	falls_back(s, s->next);
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
	raw_exec(s->raw, "UPDATE dblock_lock SET keep_until = {now} + 1000000000 WHERE name = 'x'");
	assert_int_equal(passes_on(s, s->holder), 0);
	assert_false(puppet_hands_over(s->holder, "x").done);
}

static void if_the_lease_is_over(void **state)
{
	struct scene *s = *state;

	a_line_of_two(s);
	raw_exec(s->raw, "UPDATE dblock_lock SET session = NULL, expires = {now} - 1 "
			 "WHERE name = 'x'");
	assert_int_equal(passes_on(s, s->holder), 0);
	assert_false(puppet_hands_over(s->holder, "x").done);
}

/* The grant came by another ticket than that. */
static void if_others_were_served(void **state)
{
	struct scene *s = *state;
	int64_t served;

	a_line_of_two(s);
	served = row_of(s->raw, "served");
	assert_int_equal(passes_on_as_of(s->holder, served - 1, row_of(s->raw, "queue_version")),
			 0);
	assert_int_equal(passes_on_as_of(s->holder, served + 1, row_of(s->raw, "queue_version")),
			 0);
	assert_true(row_of(s->raw, "nonce") == s->holder->nonce);
}

/* Who joins makes no difference, who leaves does. */
static void if_somebody_has_left(void **state)
{
	struct scene *s = *state;
	int64_t served, version;

	assert_true(puppet_takes(s->holder, "x"));
	served = row_of(s->raw, "served");
	version = row_of(s->raw, "queue_version");
	puppet_queues(s->waiter, "x");
	puppet_queues(s->next, "x");
	puppet_announce(s->next, "x"); /* that somebody has left */
	assert_int_equal(passes_on_as_of(s->holder, served, version), 0);
	assert_int_equal(passes_on_as_of(s->holder, served, version + 1), 1);
	has_it(s, s->waiter);
}

/* ---- a race ---------------------------------------------------------------------------------- */

struct passing {
	struct scene *s;
	int64_t served, version, changed;
};

static int run_passing(void *arg, struct dblock_error *err)
{
	struct passing *p = arg;

	(void)err;
	p->changed = passes_on_as_of(p->s->holder, p->served, p->version);
	return 0;
}

/* The first was read, and leaves before the lock's row is written. */
static bool leaves_behind_the_snapshot(struct scene *s)
{
	struct passing p = {.s = s};
	struct call call;

	a_line_of_two(s);
	p.served = row_of(s->raw, "served");
	p.version = row_of(s->raw, "queue_version");
	puppet_begin(s->waiter);
	puppet_announce(s->waiter, "x");
	puppet_dequeue(s->waiter, "x");
	call_start(&call, run_passing, &p);
	while (!call.done && rows_waited_for(s->raw) < 1)
		;
	puppet_commit(s->waiter);
	call_end(&call);
	assert_true(row_of(s->raw, "nonce") != s->waiter->place);
	return p.changed == 0;
}

/* Naive: without queue_version a place that nobody has any more gets the lock. */
static void no_ghost_has_it(void **state)
{
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

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
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
		CASE(if_the_first_looks_dead),
		CASE(if_the_first_is_dead),
		CASE(if_the_first_does_not_want_it_alone),
		CASE(if_the_grant_is_to_rest),
		CASE(if_the_lease_is_over),
		CASE(if_others_were_served),
		CASE(if_somebody_has_left),
		CASE(no_ghost_has_it),
		CASE(behind_two_it_joins),
		CASE(behind_one_it_does_not),
		CASE(the_dead_do_not_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
