/* SPDX-License-Identifier: MIT */
/* Which of the threads of one client may have a result that was read, and when. */
#include "db/lock/recipes/flight_crowd.h"

static struct spy *spy;
static unsigned flights;

/* Another thread comes while the database is asked for a stored result. */
static enum spy_fate guest_comes(struct spy *s, enum dbl_op op)
{
	if (op == DBL_OP_flight_find) {
		s->fate = NULL;
		comes(&scene.guests[1], scene.guests[0].client, &scene.kitchen);
		until_true(aboard_of(scene.guests[0].client, &flights) >= 2);
	}
	return SPY_PASS;
}

/* A stored result is fresh enough for the caller who said so, and not for one who joined him.
 * Naive: whoever has joined takes any result. */
static void what_is_fresh_for_one_may_be_old_for_another(void **state)
{
	struct dblock_client *client;

	(void)state;
	spy = spy_new();
	client = spy_client(spy, 0);
	comes(&scene.guests[0], client, &scene.kitchen);
	leaves(&scene.guests[0], 0, 1);
	scene.guests[0].fresh_ms = 3600000;
	spy->fate = guest_comes;
	comes(&scene.guests[0], client, &scene.kitchen);
	leaves(&scene.guests[0], 0, 1);
	leaves(&scene.guests[1], 0, 2);
	/* The second does not join the flight: others would otherwise keep him for ever. */
	assert_int_equal(flights, 2);
	/* A caller for whom it is fresh enough takes it. */
	scene.guests[1].fresh_ms = 3600000;
	spy_reset(spy);
	spy->fate = guest_comes;
	comes(&scene.guests[0], client, &scene.kitchen);
	leaves(&scene.guests[0], 0, 2);
	leaves(&scene.guests[1], 0, 2);
	assert_int_equal(scene.kitchen.calls, 2);
	assert_int_equal(spy->runs_of[DBL_OP_flight_find], 1);
	assert_int_equal(flights, 1);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* Another client makes the result. One thread was there before that, another came between that and
 * our reading it: for the second it is too old. */
static _Atomic bool published;

static enum spy_fate late_guest_comes(struct spy *s, enum dbl_op op)
{
	return published ? guest_comes(s, op) : SPY_PASS;
}

/* The database is told of a result when those who share the call have it. */
static enum spy_fate all_others_are_gone(struct spy *s, enum dbl_op op)
{
	(void)s;
	if (op == DBL_OP_flight_publish)
		until_true(scene.guests[1].call.done && scene.guests[2].call.done);
	return SPY_PASS;
}

static void those_aboard_do_not_wait_for_its_publishing(void **state)
{
	(void)state;
	spy = spy_new();
	scene.kitchen.shut = true;
	comes(&scene.guests[0], spy_client(spy, 0), &scene.kitchen);
	until_true(scene.kitchen.calls == 1);
	comes(&scene.guests[1], scene.guests[0].client, &scene.kitchen);
	comes(&scene.guests[2], scene.guests[0].client, &scene.kitchen);
	until_true(callers(scene.guests[0].client) == 3);
	spy->fate = all_others_are_gone;
	scene.kitchen.shut = false;
	for (int i = 0; i < 3; i++)
		leaves(&scene.guests[i], 0, 1);
	dblock_close(scene.guests[0].client, NULL);
	spy_free(spy);
}

/* Returns false if the one who came before it was taken for a late one, too: a result counts as made
 * earlier by as long as it took to ask for it. */
static bool only_the_late_one_has_a_new_one(int64_t pause_ms)
{
	struct kitchen theirs = {.shut = true};
	struct guest they = {.cancel = false};
	struct dblock_client *client;

	published = false;
	spy = spy_new();
	client = spy_client(spy, 0);
	comes(&they, scene.other, &theirs);
	until_true(theirs.calls == 1);
	comes(&scene.guests[0], client, &scene.kitchen);
	comes(&scene.guests[2], client, &scene.kitchen);
	until_true(clients_waiting(scene.raw) == 1 && callers(client) == 2);
	scene.kitchen.calls = 10;
	sleep_ms(pause_ms);
	spy->fate = late_guest_comes;
	published = true;
	theirs.shut = false;
	leaves(&they, 0, 1);
	leaves(&scene.guests[0], 0, 1);
	assert_int_equal(call_end(&scene.guests[2].call), 0);
	assert_int_equal(call_end(&scene.guests[1].call), 0);
	assert_true(scene.guests[1].got >= 11);
	dblock_close(client, NULL);
	spy_free(spy);
	return scene.guests[2].got == 1;
}

static void who_comes_after_it_was_published_does_not_take_it(void **state)
{
	int64_t pause_ms = 10;

	(void)state;
	while (!only_the_late_one_has_a_new_one(pause_ms)) {
		pause_ms *= 2;
		assert_true(pause_ms < PLENTY_MS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(what_is_fresh_for_one_may_be_old_for_another),
		SCENE(those_aboard_do_not_wait_for_its_publishing),
		SCENE(who_comes_after_it_was_published_does_not_take_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
