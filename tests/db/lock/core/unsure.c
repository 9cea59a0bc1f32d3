/* SPDX-License-Identifier: MIT */
/*
 * Replies are lost. Each scene is played with the n-th statement on the wire hit, for n = 1, 2, ...
 * until there is no n-th one: so it finds its own bound, even if somebody adds a statement.
 * Whatever was hit: there is one grant, and after the release nothing is left held.
 */
#include "support/by_token.h"
#include "support/spy.h"

enum { LONG_MS = 600000 };

/* A scene, played by the client whose statement is hit; `other` looks on. */
typedef void scene_fn(struct dblock_client *hit, struct dblock_client *other);

static void play(scene_fn *scene, enum spy_fate fate)
{
	struct dblock_client *other = client_new(0);
	int n = 0;
	bool hit;

	do {
		struct spy *spy = spy_new();
		struct dblock_client *client = spy_client(spy, 0);

		spy_hit_nth(spy, ++n, fate);
		scene(client, other);
		hit = spy_has_hit(spy);
		is_free(other, "x");
		dblock_close(client, NULL);
		spy_free(spy);
	} while (hit);
	assert_true(n > 1);
	dblock_close(other, NULL);
}

#define BOTH_WAYS(scene)                                                                           \
	static void scene##_lost_before(void **state)                                              \
	{                                                                                          \
		(void)state;                                                                       \
		play(scene, SPY_LOST_BEFORE);                                                      \
	}                                                                                          \
	static void scene##_lost_after(void **state)                                               \
	{                                                                                          \
		(void)state;                                                                       \
		play(scene, SPY_LOST_AFTER);                                                       \
	}

static void acquire_and_release(struct dblock_client *hit, struct dblock_client *other)
{
	struct dblock_lock *lock = take(hit, "x");

	assert_true(dblock_valid(lock, 0));
	assert_int_equal(show(other, "x").h.token, dblock_token(lock));
	busy(other, "x");
	give(lock);
}
BOTH_WAYS(acquire_and_release)

static struct dblock_lock *lease(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = LONG_MS;
	options.at_least_ms = 1;
	expect(OK, dblock_acquire(client, "x", &options, &lock, &err));
	return lock;
}

static void lease_and_extend(struct dblock_client *hit, struct dblock_client *other)
{
	struct dblock_lock *lock = lease(hit);
	struct dblock_error err = {0};

	expect(OK, dblock_extend(lock, LONG_MS / 2, &err));
	assert_true(show(other, "x").h.left_ms <= LONG_MS / 2);
	busy(other, "x");
	sleep_ms(2);
	give(lock);
}
BOTH_WAYS(lease_and_extend)

static void by_token(struct dblock_client *hit, struct dblock_client *other)
{
	struct dblock_lock *lock = lease(other);
	struct dblock_error err = {0};

	expect(OK, dblock_extend_token(hit, "x", dblock_token(lock), LONG_MS / 2, &err));
	sleep_ms(2);
	release_by_token(hit, "x", lock);
}
BOTH_WAYS(by_token)

static void breaking(struct dblock_client *hit, struct dblock_client *other)
{
	struct dblock_lock *lock = take(other, "x");
	struct dblock_error err = {0};

	expect(OK, break_by_force(hit, "x", 0, 0, &err));
	assert_true(is_free(hit, "x") > dblock_token(lock));
	expect(LOST, dblock_release(lock, &err));
}
BOTH_WAYS(breaking)

static void *give_after_a_while(void *lock)
{
	sleep_ms(30);
	return (void *)(intptr_t)dblock_release(lock, NULL);
}

static void waiting(struct dblock_client *hit, struct dblock_client *other)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *theirs = take(other, "x"), *lock;
	struct crew crew = {.n = 0};
	struct dblock_error err = {0};

	options.wait_ms = PLENTY_MS;
	crew_add(&crew, give_after_a_while, theirs);
	expect(OK, dblock_acquire(hit, "x", &options, &lock, &err));
	crew_join(&crew);
	busy(other, "x");
	give(lock);
}
BOTH_WAYS(waiting)

static int keep_token(void *arg, const struct dblock_holder *holder)
{
	*(int64_t *)arg = holder->token;
	return 0;
}

static void listing(struct dblock_client *hit, struct dblock_client *other)
{
	struct dblock_lock *lock = take(other, "x");
	struct dblock_error err = {0};
	int64_t token = 0;

	expect(OK, dblock_list(hit, NULL, keep_token, &token, &err));
	assert_int_equal(token, dblock_token(lock));
	assert_int_equal(show(hit, "x").h.token, token);
	give(lock);
}
BOTH_WAYS(listing)

/* Closing ends the client, so it has its own loop. */
static void close_hit(enum spy_fate fate)
{
	struct dblock_client *other = client_new(0);
	int n = 0;
	bool hit;

	do {
		struct spy *spy = spy_new();
		struct dblock_client *client = spy_client(spy, 0);

		take(client, "x");
		spy_hit_nth(spy, ++n, fate);
		dblock_close(client, NULL);
		hit = spy_has_hit(spy);
		is_free(other, "x");
		spy_free(spy);
	} while (hit);
	assert_true(n > 1);
	dblock_close(other, NULL);
}

static void closing_lost_before(void **state)
{
	(void)state;
	close_hit(SPY_LOST_BEFORE);
}

static void closing_lost_after(void **state)
{
	(void)state;
	close_hit(SPY_LOST_AFTER);
}

#define LATE(name)   cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TWICE(scene) cmocka_unit_test(scene##_lost_before), cmocka_unit_test(scene##_lost_after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TWICE(acquire_and_release),
		TWICE(lease_and_extend),
		TWICE(by_token),
		TWICE(breaking),
		TWICE(waiting),
		TWICE(listing),
		TWICE(closing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
