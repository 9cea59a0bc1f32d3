/* SPDX-License-Identifier: MIT */
/* The cost of a hand-over from client to client when all want the lock again at once: statements,
 * each one round trip, counted at the driver. */
#include "support/spy.h"
#include "support/steps.h"

enum { CLIENTS = 4, ROUNDS = 12, PLAYS = 20 };

struct scene {
	struct spy *spy;
	struct dblock_client *clients[CLIENTS];
	struct dblock_wait *waits[CLIENTS]; /* in the queue; NULL: this one holds the lock */
	struct dblock_lock *lock;
	int holder;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->spy = spy_new();
	for (int i = 0; i < CLIENTS; i++)
		s->clients[i] = spy_client(s->spy, 0);
	is_free(s->clients[0], "x");
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	for (int i = 0; i < CLIENTS; i++)
		dblock_close(s->clients[i], NULL);
	spy_free(s->spy);
	free(s);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void begin(struct scene *s, int n)
{
	s->lock = take(s->clients[0], "x");
	s->holder = 0;
	for (int i = 1; i < n; i++)
		s->waits[i] = wait_in_queue(s->clients[i], "x");
}

/* The holder gives the lock to the next one, and wants it again. */
static void play(struct scene *s, int n, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		int before = s->holder;

		give(s->lock);
		s->holder = (before + 1) % n;
		s->lock = wait_gets(s->waits[s->holder]);
		s->waits[before] = wait_in_queue(s->clients[before], "x");
	}
}

static void end(struct scene *s, int n)
{
	give(s->lock);
	for (int i = 1; i < n; i++)
		give(wait_gets(s->waits[(s->holder + i) % n]));
}

/* Some statements are not counted: those that clear away behind the clients, ten times a second,
 * and those by which channels try whether they can be heard. */
static int runs_of(const struct spy *spy)
{
	return spy->runs - spy->runs_of[DBL_OP_dequeue_served] - spy->runs_of[DBL_OP_ring] -
	       spy->runs_of[DBL_OP_doorbell] - spy->runs_of[DBL_OP_granted];
}

/* Statements of one who joins: SQLite writes two tables by two, in one transaction; MySQL joins by two
 * and looks. Behind two others it is one. */
static int of_joins(int behind)
{
	return behind + (ROUNDS - behind) * (on_backend("mysql")    ? 3
					     : on_backend("sqlite") ? 2
								    : 1);
}

/* A round is one join and one hand-over, which on MySQL is a read and a write. */
static int of_rounds(const struct spy *spy)
{
	return of_joins(spy->runs_of[DBL_OP_join_behind]) + ROUNDS * (on_backend("mysql") ? 2 : 1);
}

/* Two others wait. On MySQL that is known for a moment only, and may be too old by then. */
static bool is_behind(const struct spy *spy, int n)
{
	int behind = spy->runs_of[DBL_OP_join_behind];

	if (n <= 3)
		return behind == 0;
	return on_backend("mysql") ? behind > 0 : behind == ROUNDS;
}

static void tell(const struct spy *spy)
{
	for (int op = 0; op < DBL_OP_COUNT; op++) {
		if (spy->runs_of[op])
			print_message("%s: %d\n", dbl_ops[op].name, spy->runs_of[op]);
	}
}

static bool is_exact(const struct spy *spy, int n)
{
	return runs_of(spy) == of_rounds(spy) && spy->runs_of[DBL_OP_acquire] == 0 &&
	       is_behind(spy, n);
}

static void rounds_of(struct scene *s, int n)
{
	struct spy *spy = s->spy;

	begin(s, n);
	play(s, n, 2 * n); /* each client prepares what it needs */
	/* What is known of a hand-over is soon too old on a busy machine, so several plays are
	 * tried. */
	for (int i = 0; i < PLAYS && !(i > 0 && is_exact(spy, n)); i++) {
		spy_reset(spy);
		play(s, n, ROUNDS);
	}
	if (!is_exact(spy, n))
		tell(spy);
	/* A client that has just handed the lock over knows that it is not free, */
	assert_int_equal(spy->runs_of[DBL_OP_acquire], 0);
	/* and that the next one has it, however many wait. */
	assert_int_equal(spy->runs_of[DBL_OP_line], 0);
	assert_int_equal(runs_of(spy), of_rounds(spy));
	assert_int_equal(spy->runs_of[DBL_OP_hand_over], 0);
	assert_true(is_behind(spy, n));
	end(s, n);
}

static void two_that_take_turns(void **state)
{
	rounds_of(*state, 2);
}

static void several_that_take_turns(void **state)
{
	rounds_of(*state, CLIENTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(two_that_take_turns),
		CASE(several_that_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
