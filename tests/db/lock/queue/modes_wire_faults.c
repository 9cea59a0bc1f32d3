/* SPDX-License-Identifier: MIT */
/*
 * Requests and replies are lost or late, one after another, of clients that hold in modes, change
 * them, or want several names. Whatever the outcome, nothing stays held, and nobody in the queue.
 */
#include "db/lock/queue/queue_kit.h"
#include "support/thin.h"

#include <dblock/group.h>

static const struct dblock_lock_spec two[] = {{.name = "x"}, {.name = "y", .mode = DBLOCK_SHARED}};

static bool is_had(struct dblock_client *client, const char *name)
{
	struct dblock_lock *lock;

	return dblock_try(client, name, NULL, &lock, NULL) == 0 && dblock_release(lock, NULL) == 0;
}

/* The outcome must be one that a lost answer, or connection, can cause. */
static void assert_sound(int rc, const struct dblock_error *err)
{
	if (rc == DBLOCK_OK || rc == DBLOCK_LOST || rc == DBLOCK_E_UNSURE ||
	    rc == DBLOCK_E_UNAVAILABLE || rc == DBLOCK_E_NO_ANSWER)
		return;
	fail_msg("%s: %s", dblock_outcome_name(rc), err->message);
}

static struct dblock_lock *takes_as(struct dblock_client *client, enum dblock_mode mode)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	o.mode = mode;
	o.wait_ms = PLENTY_MS;
	assert_sound(dblock_acquire(client, "x", &o, &lock, &err), &err);
	return lock;
}

/* A caller who was told that it is released may rely on it. */
static void gives(struct dblock_lock *lock)
{
	struct dblock_error err = {0};

	if (lock)
		assert_sound(dblock_release(lock, &err), &err);
}

static void reads(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *theirs = takes_as(s->a, DBLOCK_SHARED);
	struct dblock_lock *lock = takes_as(client, DBLOCK_SHARED);

	assert_true(!lock || dblock_valid(lock, 0));
	gives(lock);
	gives(theirs);
}

static void waits_to_write(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *reader = takes_as(s->a, DBLOCK_SHARED);
	struct waiting w = {.lock = NULL};

	waiting_start(&w, client);
	until_true(w.call.done || in_queue(s->raw) == 1);
	gives(reader);
	assert_sound(call_end(&w.call), &w.call.err);
	gives(w.lock);
}

static void goes_up_and_down(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *lock = takes_as(client, DBLOCK_UPDATE);
	struct dblock_error err = {0};

	(void)s;
	if (!lock)
		return;
	assert_sound(dblock_upgrade(lock, NULL, &err), &err);
	if (dblock_mode_of(lock) == DBLOCK_EXCLUSIVE && dblock_valid(lock, 0))
		assert_false(is_had(s->b, "x"));
	assert_sound(dblock_downgrade(lock, DBLOCK_SHARED, &err), &err);
	gives(lock);
}

static void goes_down(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *lock = takes_as(client, DBLOCK_EXCLUSIVE);
	struct dblock_error err = {0};

	if (!lock)
		return;
	assert_sound(dblock_downgrade(lock, DBLOCK_SHARED, &err), &err);
	if (dblock_valid(lock, 0))
		assert_false(is_had(s->b, "x"));
	gives(lock);
}

static void takes_two(struct scene *s, struct dblock_client *client)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;
	struct dblock_error err = {0};

	o.wait_ms = PLENTY_MS;
	assert_sound(dblock_acquire_all(client, two, 2, &o, &lock, &err), &err);
	if (lock && dblock_valid(lock, 0)) {
		assert_false(is_had(s->b, "x"));
		assert_false(is_had(s->b, "y"));
	}
	gives(lock);
}

/* Waits for "x" or "y", both of which are held, until the second is given back. */
struct any {
	struct call call;
	struct dblock_client *client;
	struct dblock_lock *lock;
};

static int acquire_any(void *arg, struct dblock_error *err)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct any *any = arg;

	o.wait_ms = PLENTY_MS;
	return dblock_acquire_any(any->client, two, 2, &o, &any->lock, err);
}

static void takes_any(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *x = take(s->a, "x"), *y = take(s->a, "y");
	struct any any = {.client = client};

	call_start(&any.call, acquire_any, &any);
	until_true(any.call.done ||
		   raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE names < 0") == 2);
	give(y);
	assert_sound(call_end(&any.call), &any.call.err);
	if (any.lock && dblock_valid(any.lock, 0)) {
		assert_string_equal(dblock_name(any.lock), "y");
		assert_false(is_had(s->b, "y"));
		until_true(raw_int(s->raw,
				   "SELECT count(*) FROM dblock_queue WHERE token IS NULL") == 0);
	}
	gives(any.lock);
	give(x);
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
		until_true(raw_int(s->raw, "SELECT count(*) FROM dblock_queue") == 0);
		until_true(is_had(s->b, "x") && is_had(s->b, "y"));
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

/* Naive: a grant whose answer was lost is not given back. */
EACH_WAY(reads)
EACH_WAY(waits_to_write)
/* Naive: an upgrade whose answer was lost leaves one of its two grants. */
EACH_WAY(goes_up_and_down)
/* Naive: a downgrade whose answer was lost goes on with what may not be held any more. */
EACH_WAY(goes_down)
/* Naive: a group whose grant was lost on the way stays held. (This is not played late: a
 * transaction whose connection is lost is never carried out.) */
static void takes_two_lost_before(void **state)
{
	play(*state, takes_two, SPY_LOST_BEFORE);
}

static void takes_two_lost_after(void **state)
{
	play(*state, takes_two, SPY_LOST_AFTER);
}

/* Naive: of what was taken in a transaction whose answer was lost it knows nothing, and waits for the other. */
static void takes_any_lost_before(void **state)
{
	play(*state, takes_any, SPY_LOST_BEFORE);
}

static void takes_any_lost_after(void **state)
{
	play(*state, takes_any, SPY_LOST_AFTER);
}

#define WAYS(scene) CASE(scene##_lost_before), CASE(scene##_lost_after), CASE(scene##_late)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAYS(reads),
		WAYS(waits_to_write),
		WAYS(goes_up_and_down),
		WAYS(goes_down),
		CASE(takes_two_lost_before),
		CASE(takes_two_lost_after),
		CASE(takes_any_lost_before),
		CASE(takes_any_lost_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
