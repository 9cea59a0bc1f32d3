/* SPDX-License-Identifier: MIT */
/* Requests to let go, counted in statements: what they cost, and cost those who are not asked; lost
 * answers, and copies that come late. */
#include "db/lock/admin/request_kit.h"

static void costs(struct spy *spy, int runs)
{
	spy_assert_runs(spy, runs);
	assert_int_equal(spy->opens, 0);
	spy_reset(spy);
}

/* ---- what it costs -------------------------------------------------------------------------- */

/* A callback alone costs nothing; a request costs one look, and one statement to forget it. */
static void statements_of_a_holder(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock;

	give(take_listening(s, s->holder, "x"));
	spy_reset(s->spy);
	lock = take_listening(s, s->holder, "x");
	costs(s->spy, 1);
	give(lock);
	costs(s->spy, 1);

	lock = take_listening(s, s->holder, "x");
	spy_reset(s->spy);
	ask(s->other, "x");
	wait_until(s->told == 1);
	assert_int_equal(s->spy->runs_of[DBL_OP_requested], 1);
	costs(s->spy, 1);
	ask(s->other, "x");
	give(lock);
	wait_until(standing(s) == 0);
	assert_int_equal(s->spy->runs_of[DBL_OP_release], 1);
	assert_int_equal(s->spy->runs_of[DBL_OP_requested], 1);
	assert_int_equal(s->spy->runs_of[DBL_OP_request_delete], 1);
	costs(s->spy, 3);
}

static void statements_of_who_asks(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->other, "x");
	struct dblock_error err = {0};

	ask(s->holder, "x");
	spy_reset(s->spy);
	ask(s->holder, "x");
	costs(s->spy, 2);
	give(lock);
	expect(STALE, dblock_request_release(s->holder, "x", "why", &err));
	costs(s->spy, 1);
}

/* The client's heartbeats are frequent; the others of its statements since the last reset are
 * these. */
static int others_than_heartbeats(const struct spy *spy)
{
	int n = 0;

	for (enum dbl_op op = 0; op < DBL_OP_COUNT; op++) {
		if (op != DBL_OP_heartbeat)
			n += spy->runs_of[op];
	}
	return n;
}

/* Returns true if it has sent so many heartbeats, and nothing else. */
static bool only_beats(struct spy *spy, int times)
{
	spy_reset(spy);
	wait_until(spy->runs_of[DBL_OP_heartbeat] >= times);
	return others_than_heartbeats(spy) == 0;
}

static bool asks_only_while_it_stands(struct scene *s, struct spy *spy, struct dblock_lock *lock)
{
	wait_until(spy->runs_of[DBL_OP_requested] >= 2);
	(void)dblock_release(lock, NULL);
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_request WHERE name = 'x'") == 0);
	/* A statement that is under way now has ended by the second heartbeat from here. */
	(void)only_beats(spy, 2);
	return only_beats(spy, 3);
}

static bool beats_with_one_statement(struct scene *s, int64_t ttl_ms)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, ttl_ms);
	struct dblock_lock *lock = NULL, *stranger = take(s->other, "y");
	bool before, after = false;

	/* This request is for a holder in another process. */
	ask(s->other, "y");
	raw_exec(s->raw, "UPDATE dblock_request SET host = 'elsewhere'");
	expect_at(dblock_try(client, "x", NULL, &lock, NULL), 0, NULL, "try", __FILE__, __LINE__);
	/* The first one reads which history of the database this is. */
	(void)only_beats(spy, 2);
	before = only_beats(spy, 4);

	/* (The lock may be lost on a busy machine.) */
	if (dblock_request_release(s->other, "x", "why", NULL) == 0)
		after = asks_only_while_it_stands(s, spy, lock);
	else
		(void)dblock_release(lock, NULL);
	raw_exec(s->raw, "DELETE FROM dblock_request");
	give(stranger);
	dblock_close(client, NULL);
	spy_free(spy);
	return before && after;
}

/* A client whose heartbeat comes too late has to open a new session: a longer ttl prevents that. */
static void a_heartbeat_is_one_statement_unless_asked(void **state)
{
	assert_true(beats_with_one_statement(*state, 900) ||
		    beats_with_one_statement(*state, 6000) ||
		    beats_with_one_statement(*state, 20000));
}

/* ---- lost and late -------------------------------------------------------------------------- */

/* Whatever is lost, the holder is asked, once. */
static void replies_to_who_asks_are_lost(void **state)
{
	struct scene *s = *state;

	for (enum spy_fate fate = SPY_LOST_BEFORE; fate <= SPY_LOST_AFTER; fate++) {
		for (int n = 1;; n++) {
			int before = s->told;
			struct dblock_lock *lock = take_listening(s, s->other, "x");

			spy_hit_nth(s->spy, n, fate);
			ask(s->holder, "x");
			wait_until(s->told == before + 1);
			assert_int_equal(standing(s), 1);
			give(lock);
			wait_until(standing(s) == 0);
			if (!spy_has_hit(s->spy))
				break;
			assert_true(n < 20);
		}
	}
}

static enum dbl_op hit_op;
static _Atomic int hit_times;

static enum spy_fate hit_it(struct spy *spy, enum dbl_op op)
{
	return op == hit_op && hit_times-- > 0 ? spy->countdown_fate : SPY_PASS;
}

static void hit(struct spy *spy, enum dbl_op op, enum spy_fate fate)
{
	hit_op = op;
	hit_times = 1;
	spy->countdown_fate = fate;
	spy->fate = hit_it;
}

/* Naive: the request goes by name alone. A late copy arrives when somebody else has the lock, or
 * nobody. */
static void a_late_copy_asks_nobody_else(void **state)
{
	struct scene *s = *state;

	for (int held = 0; held < 2; held++) {
		struct dblock_lock *lock = take(s->other, "x");

		hit(s->spy, DBL_OP_request, SPY_LATE);
		ask(s->holder, "x");
		s->spy->fate = NULL;
		give(lock);
		lock = held ? take(s->other, "x") : NULL;
		raw_exec(s->raw, "DELETE FROM dblock_request");
		assert_int_equal(spy_deliver(s->spy), 0);
		assert_int_equal(standing(s), 0);
		if (lock)
			give(lock);
	}
}

/* The hook comes between the two statements of a request. */
static struct scene *between;
static struct dblock_lock *handed;

static enum spy_fate hand_on(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_request && handed) {
		struct dblock_lock *lock = handed;

		handed = NULL;
		(void)dblock_release(lock, NULL);
		if (between)
			(void)take_listening(between, between->other, "x");
	}
	(void)spy;
	return SPY_PASS;
}

static void it_goes_to_whoever_holds_it_by_then(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	between = s;
	handed = take(s->other, "x");
	s->spy->fate = hand_on;
	ask(s->holder, "x");
	wait_until(s->told == 1);
	assert_int_equal(standing(s), 1);
	expect(OK, break_by_force(s->other, "x", 0, 0, &err));
	raw_exec(s->raw, "DELETE FROM dblock_request");

	between = NULL;
	handed = take(s->other, "y");
	expect(STALE, dblock_request_release(s->holder, "y", "why", &err));
	assert_int_equal(standing(s), 0);
	s->spy->fate = NULL;
}

static void replies_to_the_holder_are_lost(void **state)
{
	static const enum dbl_op ops[] = {DBL_OP_requested, DBL_OP_request_delete};
	struct scene *s = *state;

	for (size_t i = 0; i < 2; i++) {
		for (enum spy_fate fate = SPY_LOST_BEFORE; fate <= SPY_LOST_AFTER; fate++) {
			int before = s->told;
			struct dblock_lock *lock = take_listening(s, s->holder, "x");

			hit(s->spy, ops[i], fate);
			ask(s->other, "x");
			wait_until(s->told == before + 1);
			give(lock);
			wait_until(standing(s) == 0);
			assert_true(hit_times < 1);
			assert_int_equal(s->told, before + 1);
		}
	}
	s->spy->fate = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(statements_of_a_holder),
		CASE(statements_of_who_asks),
		CASE(a_heartbeat_is_one_statement_unless_asked),
		CASE(replies_to_who_asks_are_lost),
		CASE(a_late_copy_asks_nobody_else),
		CASE(it_goes_to_whoever_holds_it_by_then),
		CASE(replies_to_the_holder_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
