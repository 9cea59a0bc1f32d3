/* SPDX-License-Identifier: MIT */
/* What looks like a deadlock and is none, or none any more: nobody gives up. */
#include "db/lock/wait/party.h"
#include "support/steps.h"

enum { LOOKS = 4 };

#define ALONE(n)                                                                                   \
	{                                                                                          \
		.name = (n)                                                                        \
	}
#define PERMITS(n, p, c)                                                                           \
	{                                                                                          \
		.name = (n), .mode = DBLOCK_PERMITS, .permits = (p), .capacity = (c)               \
	}

/* Two parties to a cycle. The second is younger; its client is spied on. */
struct pair {
	struct spy *spy;
	struct dblock_client *client, *spied;
	struct raw *raw;
	struct party older, younger;
};

static const struct role holds_b = {.holds = {ALONE("b")}, .wants = ALONE("a")};
static const struct role holds_a = {.holds = {ALONE("a")}, .wants = ALONE("b"), .deadlock_ms = -1};

/* The spy's hook reads this. */
static struct pair *here;
static _Atomic int looks;

static int set_up(void **state)
{
	struct pair *s = calloc(1, sizeof(*s));

	s->client = client_new(0);
	s->spy = spy_new();
	s->spied = spy_client(s->spy, 0);
	s->raw = raw_open(NULL);
	*state = here = s;
	looks = 0;
	return 0;
}

static int tear_down(void **state)
{
	struct pair *s = *state;

	raw_close(s->raw);
	dblock_close(s->spied, NULL);
	dblock_close(s->client, NULL);
	spy_free(s->spy);
	free(s);
	return 0;
}

/* Each party wants what the other has. */
static void meet(struct pair *s, const struct role *older, const struct role *younger)
{
	party_start(&s->older, older, s->client);
	party_start(&s->younger, younger, s->spied);
	party_go(&s->older, s->raw);
	party_go(&s->younger, s->raw);
}

/* The younger one has looked, looked again, and waits on. */
static void looks_in_vain(struct pair *s)
{
	int before = s->spy->runs_of[DBL_OP_cycle];

	until_true(s->spy->runs_of[DBL_OP_cycle] >= before + LOOKS || s->younger.done);
	if (s->younger.done)
		fail_msg("it ended: %s", s->younger.err.message);
}

/* The older one is canceled, and lets go. */
static void part(struct pair *s)
{
	looks_in_vain(s);
	s->older.stop = true;
	party_ends(&s->older, CANCELED);
	party_ends(&s->younger, OK);
}

/* Naive: the holder is taken for one that waits. */
static void a_holder_that_does_something(void **state)
{
	struct pair *s = *state;
	struct dblock_lock *lock = take(s->client, "a");

	party_start(&s->younger, &holds_b, s->spied);
	party_go(&s->younger, s->raw);
	looks_in_vain(s);
	give(lock);
	party_ends(&s->younger, OK);
}

/* Naive: a wait for any of two names waits for both, so one of them in a ring is enough. */
static void any_of_two_where_one_will_be_free(void **state)
{
	static const struct role any = {.holds = {ALONE("b")},
					.wants = {.name = "a", .and = "c", .any = true}};
	struct pair *s = *state;
	struct dblock_lock *lock = take(s->client, "c");

	meet(s, &holds_a, &any);
	looks_in_vain(s);
	give(lock);
	party_ends(&s->younger, OK);
	party_ends(&s->older, OK);
}

/* Naive: a wait that is driven by steps is taken for one that keeps its thread. */
static void a_wait_in_an_event_loop(void **state)
{
	struct pair *s = *state;
	struct dblock_lock *lock = take(s->client, "a");
	struct dblock_wait *wait;

	party_start(&s->younger, &holds_b, s->spied);
	wait = wait_in_queue(s->client, "b");
	party_go(&s->younger, s->raw);
	looks_in_vain(s);
	dblock_wait_end(wait);
	give(lock);
	party_ends(&s->younger, OK);
}

/* Naive: a lease, which ends by itself, counts as an edge. */
static void leases(void **state)
{
	const struct role waits = {.holds = {ALONE("a")},
				   .wants = {.name = "b", .lease_ms = PLENTY_MS}};
	const struct role holds = {.holds = {{.name = "a", .lease_ms = PLENTY_MS}},
				   .wants = ALONE("b"),
				   .deadlock_ms = -1};
	const struct role shares = {
		.holds = {{.name = "a", .mode = DBLOCK_SHARED, .lease_ms = PLENTY_MS}},
		.wants = ALONE("b"),
		.deadlock_ms = -1};
	struct pair *s = *state;

	meet(s, &waits, &holds_b);
	part(s);
	meet(s, &holds, &holds_b);
	part(s);
	meet(s, &shares, &holds_b);
	part(s);
}

/* Naive: what an owner holds counts as held by the thread that took it. */
static void owners_that_are_no_threads(void **state)
{
	static const struct role waits = {.holds = {ALONE("a")},
					  .wants = {.name = "b", .owner = 7}};
	static const struct role holds = {
		.holds = {{.name = "a", .owner = 7}}, .wants = ALONE("b"), .deadlock_ms = -1};
	struct pair *s = *state;

	meet(s, &waits, &holds_b);
	part(s);
	meet(s, &holds, &holds_b);
	part(s);
}

/* Naive: each holder of permits is an edge. Another holder's permits would do as well. */
static void permits_that_others_may_give_back(void **state)
{
	static const struct role one = {
		.holds = {PERMITS("s", 1, 3)}, .wants = ALONE("b"), .deadlock_ms = -1};
	static const struct role two = {.holds = {ALONE("b")}, .wants = PERMITS("s", 2, 3)};
	struct dblock_acquire_options o = options_of(&one.holds[0]);
	struct dblock_error err = {0};
	struct pair *s = *state;
	struct dblock_lock *others;

	expect(OK, dblock_try(s->client, "s", &o, &others, &err));
	meet(s, &one, &two);
	looks_in_vain(s);
	give(others);
	party_ends(&s->younger, OK);
	party_ends(&s->older, OK);
}

/* Naive: the database says that this thread holds what another thread of its client holds, and is
 * believed. The kernel may have given a thread's number to another one. */
static void a_thread_of_the_same_number(void **state)
{
	static const struct role has_nothing = {.wants = ALONE("a")};
	struct pair *s = *state;
	struct dblock_lock *lock = take(s->spied, "b");

	party_start(&s->younger, &has_nothing, s->spied);
	party_start(&s->older, &holds_a, s->client);
	raw_exec(s->raw, "UPDATE dblock_lock SET thread = %ld WHERE name = 'b'", s->younger.tid);
	party_go(&s->older, s->raw);
	party_go(&s->younger, s->raw);
	looks_in_vain(s);
	give(lock);
	party_ends(&s->older, OK);
	party_ends(&s->younger, OK);
}

/* Naive: the waiter waits for a holder that sends no heartbeat any more, and not for the end of its
 * session. */
static void a_session_that_looks_dead(void **state)
{
	struct pair *s = *state;
	char id[33];

	party_start(&s->older, &holds_a, s->client);
	party_start(&s->younger, &holds_b, s->spied);
	party_go(&s->older, s->raw);
	snprintf(id, sizeof(id), "%s",
		 raw_text(s->raw, "SELECT session FROM dblock_lock WHERE name = 'a'"));
	raw_exec(s->raw, "UPDATE dblock_session SET expires = 1 WHERE id = '%s'", id);
	party_go(&s->younger, s->raw);
	part(s);
}

/* Naive: another party gives up if the youngest does nothing. */
static void the_youngest_never_looks(void **state)
{
	struct pair *s = *state;

	party_start(&s->younger, &holds_b, s->spied);
	party_start(&s->older, &holds_a, s->client);
	party_go(&s->younger, s->raw); /* is the older one, for once */
	party_go(&s->older, s->raw);
	part(s);
}

/* ---- comes apart between the two looks ------------------------------------------------------- */

/* Before the second look the other one has left the queue; it keeps what it holds. */
static enum spy_fate others_leave_before_the_second(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_cycle || ++looks != 2)
		return SPY_PASS;
	here->older.keep = here->older.stop = true;
	while (!here->older.done)
		sleep_ms(2);
	return SPY_PASS;
}

/* Naive: the first look that finds a cycle is believed. */
static void a_ring_that_comes_apart(void **state)
{
	struct pair *s = *state;

	s->spy->fate = others_leave_before_the_second;
	meet(s, &holds_a, &holds_b);
	until_true(looks >= 2 + LOOKS || s->younger.done);
	assert_false(s->younger.done);
	party_ends(&s->older, CANCELED);
	party_ends(&s->younger, OK);
}

/* ---- what goes wrong meanwhile --------------------------------------------------------------- */

enum { TIMEOUT_MS = 1500, LOST_MS = 2000 };

static _Atomic int64_t lost_since;

/* The looks fail for longer than one request is tried again. */
static enum spy_fate looks_are_lost_at_first(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_cycle)
		return SPY_PASS;
	if (looks++ == 0)
		lost_since = clock_ms();
	if (clock_ms() - lost_since > LOST_MS)
		return SPY_PASS;
	sleep_ms(20);
	return looks % 2 ? SPY_LOST_BEFORE : SPY_LOST_AFTER;
}

/* Naive: a failed look ends the wait, or the looking. */
static void looks_whose_answers_are_lost(void **state)
{
	struct pair *s = *state;

	dblock_close(s->spied, NULL);
	s->spied = spy_client_with(s->spy, 0, TIMEOUT_MS);
	s->spy->fate = looks_are_lost_at_first;
	meet(s, &holds_a, &holds_b);
	party_ends(&s->younger, DEADLOCK);
	party_ends(&s->older, OK);
	assert_true(clock_ms() - lost_since > LOST_MS);
}

/* The youngest has decided to leave, and is then granted what it wants. */
static enum spy_fate others_give_way_as_it_leaves(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_dequeue || looks++)
		return SPY_PASS;
	here->older.stop = true;
	while (!here->older.over)
		sleep_ms(2);
	return SPY_PASS;
}

/* Naive: the new grant stays there, and nobody has it. */
static void granted_as_it_gives_up(void **state)
{
	struct pair *s = *state;

	s->spy->fate = others_give_way_as_it_leaves;
	meet(s, &holds_a, &holds_b);
	party_ends(&s->younger, DEADLOCK);
	party_ends(&s->older, CANCELED);
	assert_int_equal(looks, 1);
	is_free_soon(s->client, "a");
	is_free_soon(s->client, "b");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_holder_that_does_something), CASE(any_of_two_where_one_will_be_free),
		CASE(a_wait_in_an_event_loop),      CASE(leases),
		CASE(owners_that_are_no_threads),   CASE(permits_that_others_may_give_back),
		CASE(a_thread_of_the_same_number),  CASE(a_session_that_looks_dead),
		CASE(the_youngest_never_looks),     CASE(a_ring_that_comes_apart),
		CASE(looks_whose_answers_are_lost), CASE(granted_as_it_gives_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
