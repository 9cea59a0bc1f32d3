/* SPDX-License-Identifier: MIT */
/*
 * Requests and replies of calls that wait, or hand over to a waiter, are lost or late: nothing is
 * left in the queue, and nobody is forgotten.
 */
#include "db/lock/queue/queue_kit.h"
#include "support/thin.h"

static bool is_had(struct dblock_client *client)
{
	struct dblock_lock *lock;

	return dblock_try(client, "x", NULL, &lock, NULL) == 0 && dblock_release(lock, NULL) == 0;
}

static int countdown(void *left)
{
	return --*(int *)left <= 0;
}

static int wait_for(struct dblock_client *client, int asked, struct dblock_lock **lock,
		    struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.canceled = countdown;
	how.canceled_arg = &asked;
	return dblock_acquire(client, "x", &how, lock, err);
}

/* The n-th statement of the waiter's client meets the fate. */
static void waits_in_vain(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *theirs = take(s->a, "x"), *none;
	struct dblock_error err = {0};

	expect(CANCELED, wait_for(client, 4, &none, &err));
	/* The lock is free before any heartbeat: those are hours apart. */
	give(theirs);
	is_free(s->b, "x");
}

/* A wait that is in vain leaves the queue; and one that is handed the lock as it leaves gives it
 * back. */
static void is_granted_and_leaves(struct scene *s, struct dblock_client *client)
{
	struct waiting w = {.lock = NULL};

	/* The heartbeat thread of the client before may still write that the queue has changed:
	 * then the queue has to be advanced first, which puppets do not do. */
	until_true(is_had(s->b) && puppet_takes(s->puppet, "x"));
	waiting_start(&w, client);
	until_true(in_queue(s->raw) == 1 || w.call.done);
	w.cancel = true;
	assert_true(puppet_hands_over(s->puppet, "x").rc == 0);
	if (call_end(&w.call) == 0)
		give(w.lock);
	else
		assert_int_equal(w.call.rc, DBLOCK_CANCELED);
	/* The puppet hands over again as often as a heartbeat thread writes that the queue has
	 * changed. */
	until_true(row_of(s->raw, "nonce") == 0 || (puppet_hands_over(s->puppet, "x").rc && false));
}

/* A statement of the holder's client is hit while somebody waits. */
static void is_released_under_a_queue(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *lock = take(client, "x");
	struct waiting w = {.lock = NULL};

	waiting_join(&w, s->a, s->raw);
	give(lock);
	waiting_give(&w);
}

static void play(struct scene *s, void (*scene)(struct scene *, struct dblock_client *),
		 enum spy_fate fate)
{
	bool hit = true;

	for (int n = 1; hit; n++) {
		struct dblock_client *client;
		struct spy *spy;

		if (!tries_here((unsigned)n + (unsigned)fate, 2))
			continue;
		spy = spy_new();
		client = spy_client(spy, 0);
		spy_hit_nth(spy, n, fate);
		scene(s, client);
		hit = spy_has_hit(spy);
		spy->fate = NULL;
		if (hit && fate == SPY_LATE && spy->letter.sql)
			spy_deliver(spy);
		/* A late acquire takes the lock, until the heartbeat thread gives it back. */
		until_true(rows_in_queue(s->raw) == 0);
		until_true(is_had(s->b));
		dblock_close(client, NULL);
		spy_free(spy);
		assert_true(hit || n > 2);
	}
}

#define EACH_WAY(scene)                                                                            \
	static void scene##_lost_before(void **state)                                              \
	{                                                                                          \
		play(*state, scene, SPY_LOST_BEFORE);                                              \
	}                                                                                          \
	static void scene##_lost_after(void **state)                                               \
	{                                                                                          \
		play(*state, scene, SPY_LOST_AFTER);                                               \
	}                                                                                          \
	static void scene##_late(void **state)                                                     \
	{                                                                                          \
		play(*state, scene, SPY_LATE);                                                     \
	}

/* Naive: the cleanup of a lost enqueue is forgotten, or tried once only; a lost dequeue is not sent
 * again. */
EACH_WAY(waits_in_vain)
EACH_WAY(is_granted_and_leaves)
EACH_WAY(is_released_under_a_queue)

static enum spy_fate late_enqueue(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return (op == DBL_OP_enqueue || op == DBL_OP_join) && spy->letter.sql == NULL ? SPY_LATE
										      : SPY_PASS;
}

/* The late enqueue arrives when nobody waits any more, and has the lock next. Whoever hands it over
 * wakes its client, which knows that none of its calls wants it. Naive: the lock stays granted
 * until the heartbeat thread looks again, which may be minutes later. */
static int64_t grant_a_late_enqueue(struct scene *s)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_lock *theirs = take(s->a, "x"), *none;
	struct dblock_error err = {0};
	int64_t begun;

	spy->fate = late_enqueue;
	expect(CANCELED, wait_for(client, 4, &none, &err));
	spy->fate = NULL;
	/* The pauses between the heartbeat thread's tries double: the next one takes 1.6 s. */
	until_true(spy->runs_of[DBL_OP_dequeue] >= 6);
	puppet_announce(s->puppet, "x");
	(void)spy_deliver(spy);
	assert_int_equal(rows_in_queue(s->raw), 1);
	begun = clock_ms();
	give(theirs);
	until_true(row_of(s->raw, "nonce") == 0);
	begun = clock_ms() - begun;
	until_true(rows_in_queue(s->raw) == 0);
	until_true(is_had(s->b));
	dblock_close(client, NULL);
	spy_free(spy);
	return begun;
}

/* One play of several is quick, on any machine. */
static void a_late_enqueue_is_granted(void **state)
{
	int64_t took = PLENTY_MS;

	for (int i = 0; i < 5 && took >= 500; i++)
		took = grant_a_late_enqueue(*state);
	assert_true(took < 500);
}

#define WAYS(scene) CASE(scene##_lost_before), CASE(scene##_lost_after), CASE(scene##_late)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAYS(waits_in_vain),
		WAYS(is_granted_and_leaves),
		WAYS(is_released_under_a_queue),
		CASE(a_late_enqueue_is_granted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
