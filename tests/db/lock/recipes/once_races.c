/* SPDX-License-Identifier: MIT */
/* Races and losses: a slot has one mark, of the client that held the lock. */
#include "db/lock/recipes/once.h"
#include "support/call.h"
#include "support/spy.h"

/* The client whose statements are hit, another one, and a connection that reads the tables. Their
 * own sessions never end by themselves. */
struct scene {
	struct spy *spy;
	struct dblock_client *hit, *other;
	struct raw *raw;
	struct dblock_lock *lock;   /* for the hit one's job */
	struct dblock_lock *theirs; /* for the other one's */
	bool met;
};

static struct scene scene; /* for callbacks of the spy */

static int set_up(void **state)
{
	(void)state;
	scene = (struct scene){.spy = spy_new(), .raw = raw_open(NULL)};
	scene.hit = spy_client(scene.spy, 0);
	scene.other = client_new(0);
	raw_exec(scene.raw, "DELETE FROM dblock_once");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scene.spy->fate = NULL;
	dblock_close(scene.hit, NULL);
	dblock_close(scene.other, NULL);
	raw_close(scene.raw);
	spy_free(scene.spy);
	return 0;
}

static int64_t marks(void)
{
	return raw_int(scene.raw, "SELECT count(*) FROM dblock_once");
}

/* Returns the token of the mark, which must be the only one. */
static int64_t marked_by(void)
{
	assert_int_equal(marks(), 1);
	return raw_int(scene.raw, "SELECT max(token) FROM dblock_once");
}

static void other_does_it(void)
{
	struct dblock_error err = {0};

	expect(OK, dblock_once_done(once(scene.other, "job", "s"), &err));
}

/* ---- to begin -------------------------------------------------------------------------------- */

static enum spy_fate other_is_faster(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_acquire && !scene.met) {
		scene.met = true;
		spy->fate = NULL;
		other_does_it();
	}
	return SPY_PASS;
}

/* Naive: the slot is checked only before the lock is had. */
static void done_between_the_look_and_the_lock(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	scene.spy->fate = other_is_faster;
	expect(DONE, dblock_once(scene.hit, "job", "s", NULL, &scene.lock, &err));
	assert_true(scene.met);
	assert_int_equal(marks(), 1);
	is_free(scene.other, "job");
}

/* ---- to mark --------------------------------------------------------------------------------- */

/* Naive: the mark does not check who holds the lock; or it goes by name alone. */
static void late_after_a_takeover(void **state)
{
	struct dblock_error err = {0};
	int64_t token;

	(void)state;
	scene.lock = once(scene.hit, "job", "s");
	declare_holder_dead(scene.raw, "job");
	scene.theirs = once(scene.other, "job", "s");
	token = dblock_token(scene.theirs);
	expect(LOST, dblock_once_done(scene.lock, &err));
	assert_int_equal(marks(), 0);
	assert_true(dblock_valid(scene.theirs, 0));
	expect(OK, dblock_once_done(scene.theirs, &err));
	assert_int_equal(marked_by(), token);
}

static void late_after_the_other_one_has_marked_it(void **state)
{
	struct dblock_error err = {0};
	int64_t token;

	(void)state;
	scene.lock = once(scene.hit, "job", "s");
	token = dblock_token(scene.lock);
	declare_holder_dead(scene.raw, "job");
	other_does_it();
	expect(LOST, dblock_once_done(scene.lock, &err));
	message_has("was done at");
	assert_true(marked_by() > token);
}

/* The holder has been declared dead, but nobody has begun anew: its work is done, and must not be
 * done again. */
static void declared_dead_and_not_replaced(void **state)
{
	struct dblock_error err = {0};
	int64_t token;

	(void)state;
	scene.lock = once(scene.hit, "job", "s");
	token = dblock_token(scene.lock);
	declare_holder_dead(scene.raw, "job");
	expect(OK, dblock_once_done(scene.lock, &err));
	assert_int_equal(marked_by(), token);
	done_before(scene.other, "job", "s");
}

static void given_back_by_break(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	scene.lock = once(scene.hit, "job", "s");
	expect(OK, break_by_force(scene.other, "job", 0, 0, &err));
	expect(LOST, dblock_once_done(scene.lock, &err));
	assert_int_equal(marks(), 0);
}

static int call_done(void *arg, struct dblock_error *err)
{
	(void)arg;
	return dblock_once_done(scene.lock, err);
}

/* A takeover is under way, in a transaction that is not committed yet. Naive: the mark reads the
 * lock's row, as it was committed last, without locking it. (SQLite has one writer at a time.) */
static void during_a_takeover(void **state)
{
	struct call call;

	(void)state;
	scene.lock = once(scene.hit, "job", "s");
	raw_lock_row(scene.raw, "job");
	raw_exec(scene.raw, "UPDATE dblock_lock SET token = token + 1, nonce = 77"
			    " WHERE name = 'job'");
	spy_reset(scene.spy);
	call_start(&call, call_done, NULL);
	for (int64_t until = clock_ms() + PLENTY_MS; scene.spy->runs_of[DBL_OP_once_mark] == 0;) {
		assert_true(clock_ms() < until);
		sleep_ms(1);
	}
	sleep_ms(20);
	assert_false(call.done);
	raw_exec(scene.raw, "COMMIT");
	assert_int_equal(call_end(&call), DBLOCK_LOST);
	assert_int_equal(marks(), 0);
	raw_exec(scene.raw, "DELETE FROM dblock_lock");
}

/* ---- what is lost ---------------------------------------------------------------------------- */

/* The whole job is done, with the n-th statement hit, for n = 1, 2, ... */
static void play(enum spy_fate fate)
{
	struct dblock_error err = {0};
	int n = 0;

	do {
		raw_exec(scene.raw, "DELETE FROM dblock_once");
		spy_hit_nth(scene.spy, ++n, fate);
		scene.lock = once(scene.hit, "job", "s");
		expect(OK, dblock_once_done(scene.lock, &err));
		assert_int_equal(marks(), 1);
		done_before(scene.other, "job", "s");
		is_free(scene.other, "job");
	} while (spy_has_hit(scene.spy));
	assert_true(n > 5);
}

static void each_request_lost(void **state)
{
	(void)state;
	play(SPY_LOST_BEFORE);
}

static void each_reply_lost(void **state)
{
	(void)state;
	play(SPY_LOST_AFTER);
}

/* The mark is carried out, its answer is lost, and before it is sent again somebody else takes
 * over. */
static enum spy_fate lost_and_taken_over(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_once_mark)
		return SPY_PASS;
	if (!scene.met) {
		scene.met = true;
		return SPY_LOST_AFTER;
	}
	spy->fate = NULL;
	declare_holder_dead(scene.raw, "job");
	done_before(scene.other, "job", "s");
	return SPY_PASS;
}

/* Naive: a mark that writes nothing returns LOST, though the one that is there is its own. */
static void a_lost_reply_is_settled_after_a_takeover(void **state)
{
	struct dblock_error err = {0};
	int64_t token;

	(void)state;
	scene.lock = once(scene.hit, "job", "s");
	token = dblock_token(scene.lock);
	scene.spy->fate = lost_and_taken_over;
	expect(OK, dblock_once_done(scene.lock, &err));
	assert_true(scene.met);
	assert_null(scene.spy->fate);
	assert_int_equal(marked_by(), token);
}

static enum spy_fate all_marks_lost(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_once_mark ? SPY_LOST_BEFORE : SPY_PASS;
}

/* A mark that failed leaves the handle as it is. */
static void a_failure_can_be_tried_again(void **state)
{
	struct dblock_client *client = spy_client_with(scene.spy, 0, SLOWLY_MS(300));
	struct dblock_error err = {0};

	(void)state;
	scene.lock = once(client, "job", "s");
	scene.spy->fate = all_marks_lost;
	expect(E_UNSURE, dblock_once_done(scene.lock, &err));
	assert_true(dblock_valid(scene.lock, 0));
	assert_int_equal(marks(), 0);
	scene.spy->fate = NULL;
	expect(OK, dblock_once_done(scene.lock, &err));
	assert_int_equal(marks(), 1);
	dblock_close(client, NULL);
}

static enum spy_fate late_mark(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_once_mark)
		return SPY_PASS;
	spy->fate = all_marks_lost;
	return SPY_LATE;
}

/* A copy that arrives late does not mark the next holder's slot. */
static void a_late_mark_comes_to_nothing(void **state)
{
	struct dblock_client *client = spy_client_with(scene.spy, 0, SLOWLY_MS(300));
	struct dblock_error err = {0};

	(void)state;
	scene.lock = once(client, "job", "s");
	scene.spy->fate = late_mark;
	expect(E_UNSURE, dblock_once_done(scene.lock, &err));
	scene.spy->fate = NULL;
	give(scene.lock);
	assert_int_equal(spy_deliver(scene.spy), 0);
	assert_int_equal(marks(), 0);
	dblock_close(client, NULL);
}

#define SCENE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(done_between_the_look_and_the_lock),
		SCENE(late_after_a_takeover),
		SCENE(late_after_the_other_one_has_marked_it),
		SCENE(declared_dead_and_not_replaced),
		SCENE(given_back_by_break),
		SCENE(during_a_takeover),
		SCENE(each_request_lost),
		SCENE(each_reply_lost),
		SCENE(a_lost_reply_is_settled_after_a_takeover),
		SCENE(a_failure_can_be_tried_again),
		SCENE(a_late_mark_comes_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
