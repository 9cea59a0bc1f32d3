/* SPDX-License-Identifier: MIT */
/* A call that joins a queue in which others wait leaves the lock's row alone, which a hand-over
 * would have to wait for; and it is not forgotten for that. */
#include "support/machine.h"
#include "support/queue.h"
#include "support/spy.h"

enum { OTHERS = 2 };

struct scene {
	struct spy *spy;
	struct dblock_client *client;
	struct puppet *holder, *others[OTHERS];
	struct raw *raw, *fence;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->spy = spy_new();
	s->client = spy_client(s->spy, 0);
	s->raw = raw_open(NULL);
	s->fence = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	is_free(s->client, "x");
	s->holder = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	assert_true(puppet_takes(s->holder, "x"));
	for (int i = 0; i < OTHERS; i++) {
		s->others[i] = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
		puppet_queues(s->others[i], "x");
	}
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	raw_close(s->fence);
	puppet_free(s->holder);
	for (int i = 0; i < OTHERS; i++)
		puppet_free(s->others[i]);
	dblock_close(s->client, NULL);
	spy_free(s->spy);
	free(s);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Begins a wait whose acquire has been refused: its next step is to join. */
static struct machine *about_to_join(struct scene *s)
{
	struct machine *wait = machine_new(s->client, "x");

	machine_waits(wait);
	spy_reset(s->spy);
	return wait;
}

static void passes_on(struct puppet *from, struct puppet *to)
{
	struct puppet_winner winner = puppet_hands_over(from, "x");

	assert_true(winner.done);
	assert_true(winner.holder == to->place);
	to->token = winner.token;
	to->nonce = to->place;
}

/* Hands the lock to all that are before it, and then to it. */
static void gets_its_turn(struct scene *s, struct machine *wait)
{
	passes_on(s->holder, s->others[0]);
	passes_on(s->others[0], s->others[1]);
	assert_true(puppet_hands_over(s->others[1], "x").done);
	give(machine_gets(wait));
}

/* Naive: each call that joins writes the lock's row. */
static void behind_others_the_row_is_left_alone(void **state)
{
	struct scene *s = *state;
	struct machine *wait = about_to_join(s);
	int64_t version = row_of(s->raw, "queue_version");

	raw_lock_row(s->fence, "x");
	machine_waits(wait);
	assert_int_equal(s->spy->runs_of[DBL_OP_join], 1);
	assert_int_equal(in_queue(s->raw), OTHERS + 1);
	assert_int_equal(row_of(s->raw, "queue_version"), version);
	raw_exec(s->fence, "COMMIT");
	gets_its_turn(s, wait);
}

static void joins_and_says_so(struct scene *s)
{
	struct machine *wait = about_to_join(s);
	int64_t version = row_of(s->raw, "queue_version");

	machine_waits(wait);
	assert_int_equal(s->spy->runs_of[DBL_OP_join], 1);
	assert_true(row_of(s->raw, "queue_version") > version);
	assert_int_equal(row_of(s->raw, "queued::int"), 1);
	machine_free(wait);
}

/* A hand-over that is under way may know of one waiter only, and write that nobody else waits. */
static void behind_one_it_is_said(void **state)
{
	struct scene *s = *state;

	puppet_dequeue(s->others[0], "x");
	joins_and_says_so(s);
}

/* A hand-over finds none of them alive. */
static void behind_the_dead_it_is_said(void **state)
{
	struct scene *s = *state;
	struct puppet *dead = s->others[0];

	assert_true(puppet_is_dead(dead, dead->beat, dead->ttl));
	joins_and_says_so(s);
}

/* The holder could release the lock by the fast statement, which checks `queued`. */
static void where_it_is_not_known_it_is_said(void **state)
{
	struct scene *s = *state;

	raw_exec(s->raw, "UPDATE dblock_lock SET queued = false WHERE name = 'x'");
	joins_and_says_so(s);
}

/* Both others were gone when a hand-over looked, and this one had not joined yet. Naive: nobody
 * writes `queued` any more. */
static void who_is_forgotten_says_so(void **state)
{
	struct scene *s = *state;
	struct machine *wait = about_to_join(s);
	int steps = 0;

	machine_waits(wait);
	raw_exec(s->raw, "UPDATE dblock_lock SET queued = false WHERE name = 'x'");
	while (row_of(s->raw, "queued::int") == 0) {
		assert_true(++steps < 6 && machine_is_due_within(wait, PLENTY_MS));
		machine_waits(wait);
	}
	gets_its_turn(s, wait);
}

/* A client that has stood behind two others hands the lock to one of the two that wait by then. Then
 * it wants it again. */
static struct machine *about_to_join_a_crowd(struct scene *s)
{
	struct machine *wait = about_to_join(s);
	struct dblock_lock *lock;

	machine_waits(wait);
	assert_int_equal(s->spy->runs_of[DBL_OP_join], 1);
	passes_on(s->holder, s->others[0]);
	passes_on(s->others[0], s->others[1]);
	assert_true(puppet_hands_over(s->others[1], "x").done);
	lock = machine_gets(wait);
	puppet_queues(s->holder, "x");
	puppet_queues(s->others[0], "x");
	puppet_queues(s->others[1], "x");
	give(lock);
	assert_int_equal(s->spy->runs_of[DBL_OP_pass_on], 1);
	assert_true(row_of(s->raw, "nonce") == s->holder->place);
	spy_reset(s->spy);
	return machine_new(s->client, "x");
}

/* It does not look, so it does so soon. */
static void behind_a_crowd_it_joins_unseen(void **state)
{
	struct scene *s = *state;
	struct machine *wait = about_to_join_a_crowd(s);

	machine_get_in_queue(wait);
	assert_int_equal(s->spy->runs_of[DBL_OP_join_behind], 1);
	assert_int_equal(s->spy->runs_of[DBL_OP_join] + s->spy->runs_of[DBL_OP_look], 0);
	assert_int_equal(in_queue(s->raw), OTHERS + 1);
	assert_true(wait->wait.next < dbl_now(s->client->locks->env) + dbl_ms(100));
	/* Naive: those behind it could have the lock together with others, and are not told. */
	machine_free(wait);
	assert_int_equal(s->spy->runs_of[DBL_OP_look], 1);
}

/* There is no crowd any more: it joins as anybody does, and does not try again the next time. */
static void behind_fewer_it_joins_as_ever(void **state)
{
	struct scene *s = *state;
	struct machine *wait = about_to_join_a_crowd(s);

	puppet_dequeue(s->others[0], "x");
	for (int i = 0; i < 2; i++) {
		machine_get_in_queue(wait);
		assert_int_equal(s->spy->runs_of[DBL_OP_join_behind], 1 - i);
		assert_int_equal(s->spy->runs_of[DBL_OP_join], 1);
		machine_free(wait);
		spy_reset(s->spy);
		wait = machine_new(s->client, "x");
	}
	machine_free(wait);
}

/* Those before it have gone, and nobody has seen it: the lock is free, and says that nobody waits.
 * Naive: it waits to be told. */
static void behind_nobody_it_takes_the_lock(void **state)
{
	struct scene *s = *state;
	struct machine *wait = about_to_join_a_crowd(s);

	machine_get_in_queue(wait);
	puppet_dequeue(s->others[0], "x");
	puppet_dequeue(s->others[1], "x");
	raw_exec(s->raw, "UPDATE dblock_lock SET session = NULL, nonce = 0, queued = false "
			 "WHERE name = 'x'");
	give(machine_gets(wait));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(behind_others_the_row_is_left_alone),
		CASE(behind_one_it_is_said),
		CASE(behind_the_dead_it_is_said),
		CASE(where_it_is_not_known_it_is_said),
		CASE(who_is_forgotten_says_so),
		CASE(behind_a_crowd_it_joins_unseen),
		CASE(behind_fewer_it_joins_as_ever),
		CASE(behind_nobody_it_takes_the_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
