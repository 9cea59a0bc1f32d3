/* SPDX-License-Identifier: MIT */
/* Threads of one process that ask for one key: one of them makes it. */
#include "db/lock/recipes/flight_crowd.h"

/* All threads ask while no result can be made. */
static void crowd_comes(int n)
{
	scene.kitchen.shut = true;
	for (int i = 0; i < n; i++)
		comes(&scene.guests[i], scene.client, &scene.kitchen);
	until_true(callers(scene.client) == (unsigned)n);
	until_true(scene.kitchen.calls == 1);
}

static void all_share_one_call(void **state)
{
	(void)state;
	crowd_comes(GUESTS);
	scene.kitchen.shut = false;
	for (int i = 0; i < GUESTS; i++) {
		leaves(&scene.guests[i], 0, 1);
		assert_int_equal(scene.guests[i].token, scene.guests[0].token);
	}
	assert_int_equal(scene.kitchen.calls, 1);
}

static void all_share_its_failure(void **state)
{
	const struct dblock_error said = {-1, 17, "XX471", "the oven is cold"};

	(void)state;
	scene.kitchen.fails = 1;
	scene.kitchen.why = &said;
	crowd_comes(GUESTS);
	scene.kitchen.shut = false;
	for (int i = 0; i < GUESTS; i++) {
		leaves(&scene.guests[i], -4711, 0);
		hears(&scene.guests[i], -4711, &said);
	}
	assert_int_equal(scene.kitchen.calls, 1);
}

/* Each waits for its own time: those whose time is over go, the others get the result. */
static void each_waits_as_long_as_it_likes(void **state)
{
	struct guest *in_haste = &scene.guests[1], *tired = &scene.guests[2];

	(void)state;
	in_haste->wait_ms = 50;
	/* (The one that makes it does not wait at all: that must be the first.) */
	scene.kitchen.shut = true;
	comes(&scene.guests[0], scene.client, &scene.kitchen);
	until_true(scene.kitchen.calls == 1);
	for (int i = 1; i < 4; i++)
		comes(&scene.guests[i], scene.client, &scene.kitchen);
	leaves(in_haste, DBLOCK_TIMEOUT, 0);
	assert_true(in_haste->call.ended - in_haste->call.begun >= 50);
	assert_non_null(strstr(in_haste->call.err.message, "another thread of this process"));
	until_true(callers(scene.client) == 3);
	assert_false(tired->call.done);
	tired->cancel = true;
	leaves(tired, DBLOCK_CANCELED, 0);
	scene.kitchen.shut = false;
	leaves(&scene.guests[0], 0, 1);
	leaves(&scene.guests[3], 0, 1);
}

/* The leader gives up while another client makes the result: another thread goes on. */
static void another_takes_over_from_who_gives_up(void **state)
{
	struct kitchen theirs = {.shut = true, .fails = 1};
	struct guest they = {.cancel = false};

	(void)state;
	comes(&they, scene.other, &theirs);
	until_true(theirs.calls == 1);
	comes(&scene.guests[0], scene.client, &scene.kitchen);
	until_true(clients_waiting(scene.raw) == 1);
	for (int i = 1; i < 4; i++)
		comes(&scene.guests[i], scene.client, &scene.kitchen);
	until_true(callers(scene.client) == 4);
	scene.guests[0].cancel = true;
	leaves(&scene.guests[0], DBLOCK_CANCELED, 0);
	until_true(clients_waiting(scene.raw) == 1);
	theirs.shut = false;
	leaves(&they, -4711, 0);
	for (int i = 1; i < 4; i++)
		leaves(&scene.guests[i], 0, 1);
	assert_int_equal(scene.kitchen.calls, 1);
}

/* He goes on under the options with which the flight was begun: others may have joined it for them.
 * Naive: he goes on under his own. */
static void who_takes_over_flies_it_as_it_was_begun(void **state)
{
	struct kitchen theirs = {.shut = true, .fails = 1};
	struct guest they = {.cancel = false};

	(void)state;
	raw_exec(scene.raw, "DELETE FROM dblock_flight");
	raw_exec(scene.raw, "INSERT INTO dblock_flight (name, token, made, took, expires, coded, "
			    "value) VALUES ('flight:k', 1, {now}, 0, {now}, 0, '99')");
	comes(&they, scene.other, &theirs);
	until_true(theirs.calls == 1);
	comes(&scene.guests[0], scene.client, &scene.kitchen);
	until_true(clients_waiting(scene.raw) == 1);
	scene.guests[1].fresh_ms = 3600000;
	comes(&scene.guests[1], scene.client, &scene.kitchen);
	until_true(callers(scene.client) == 2);
	scene.guests[0].cancel = true;
	leaves(&scene.guests[0], DBLOCK_CANCELED, 0);
	theirs.shut = false;
	leaves(&they, -4711, 0);
	leaves(&scene.guests[1], 0, 1);
}

/* ---- keys within keys ------------------------------------------------------------------------ */

/* Two calls that ask for each other's key, once both are running. */
struct cook_of {
	const char *key;
	struct cook_of *other;
	int64_t fresh_ms; /* of the other's call: as the outer one, or 0 */
	int inner;
	struct call call;
};

static _Atomic int meet;

static int get(const char *key, int64_t fresh_ms, dblock_make_fn *how, void *arg,
	       struct dblock_error *err)
{
	struct dblock_flight_options options = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct dblock_result *result;
	int rc;

	options.fresh_ms = fresh_ms;
	options.deadlock_ms = -1; /* the database is not asked: it could see a part of the cycle */
	rc = dblock_single_flight(scene.client, key, &options, how, arg, &result, err);
	dblock_result_free(result);
	return rc;
}

static int make_by_the_other(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	struct cook_of *me = arg;

	/* The other's call was under way already when this thread looked, so this one makes its own
	 * result. */
	if (++meet > 2)
		return dblock_result_set(result, "mine", 4, err);
	until_true(meet >= 2);
	me->inner = get(me->other->key, me->fresh_ms, make_by_the_other, me->other, err);
	return me->inner == 0 || me->inner == DBLOCK_DEADLOCK
		       ? dblock_result_set(result, "mine", 4, err)
		       : me->inner;
}

static int ask_for(void *arg, struct dblock_error *err)
{
	struct cook_of *me = arg;

	return get(me->key, DBLOCK_FRESH_MAX_MS, make_by_the_other, me, err);
}

static void closes_a_cycle(int64_t fresh_a, int64_t fresh_b)
{
	struct cook_of a = {.key = "a", .fresh_ms = fresh_a}, b = {.key = "b", .fresh_ms = fresh_b};

	a.other = &b;
	b.other = &a;
	meet = 0;
	raw_exec(scene.raw, "DELETE FROM dblock_flight");
	call_start(&a.call, ask_for, &a);
	call_start(&b.call, ask_for, &b);
	call_is_ok(&a.call);
	call_is_ok(&b.call);
	assert_true((a.inner == DBLOCK_DEADLOCK) != (b.inner == DBLOCK_DEADLOCK));
}

/* The call that closes the cycle is told so, and both end, whether they wait for the other call, or
 * for the lock (if they want a fresher result). */
static void a_ring_of_keys_is_found(void **state)
{
	(void)state;
	closes_a_cycle(DBLOCK_FRESH_MAX_MS, DBLOCK_FRESH_MAX_MS);
	closes_a_cycle(DBLOCK_FRESH_MAX_MS, 0);
	closes_a_cycle(0, DBLOCK_FRESH_MAX_MS);
	closes_a_cycle(0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(all_share_one_call),
		SCENE(all_share_its_failure),
		SCENE(each_waits_as_long_as_it_likes),
		SCENE(another_takes_over_from_who_gives_up),
		SCENE(who_takes_over_flies_it_as_it_was_begun),
		SCENE(a_ring_of_keys_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
