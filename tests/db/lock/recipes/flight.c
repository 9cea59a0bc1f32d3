/* SPDX-License-Identifier: MIT */
/* Clients that ask for one key: one makes the result, the others get it. */
#include "db/lock/recipes/flight_scene.h"

static void those_who_wait_get_what_the_first_makes(void **state)
{
	(void)state;
	/* Naive: any stored result is taken, however old. */
	raw_exec(scene.raw, "INSERT INTO dblock_flight (name, token, made, took, expires, coded, "
			    "value) VALUES ('flight:k', 1, {now}, 0, {now}, 0, '99')");
	first_is_at_it(OTHERS);
	scene.kitchen.shut = false;
	leaves(&scene.one, 0, 1);
	for (int i = 0; i < OTHERS; i++) {
		leaves(&scene.many[i], 0, 1);
		assert_int_equal(scene.many[i].token, scene.one.token);
	}
	assert_int_equal(scene.kitchen.calls, 1);
	assert_int_equal(stored("token"), scene.one.token);
	/* The row's value is readable text. */
	assert_string_equal(raw_text(scene.raw, "SELECT value FROM dblock_flight"), "1");
}

/* A failure is told only to the caller whose call failed; and the others do not run all at once. */
static void those_who_wait_try_one_by_one_if_it_fails(void **state)
{
	int failed = 0, told = 0;

	(void)state;
	scene.kitchen.fails = 2;
	first_is_at_it(OTHERS);
	scene.kitchen.shut = false;
	leaves(&scene.one, -4711, 0);
	for (int i = 0; i < OTHERS; i++) {
		failed += call_end(&scene.many[i].call) == -4711;
		told += scene.many[i].call.rc == 0 && scene.many[i].got == 3;
	}
	assert_int_equal(failed, 1);
	assert_int_equal(told, OTHERS - 1);
	assert_int_equal(scene.kitchen.calls, 3);
	assert_int_equal(scene.kitchen.most_at_once, 1);
}

static void those_who_wait_do_so_as_long_as_they_like(void **state)
{
	(void)state;
	scene.many[0].wait_ms = 50;
	scene.kitchen.shut = true;
	comes(&scene.one, scene.first, &scene.kitchen);
	until_true(scene.kitchen.calls == 1);
	comes(&scene.many[0], scene.others[0], &scene.kitchen);
	comes(&scene.many[1], scene.others[1], &scene.kitchen);
	leaves(&scene.many[0], DBLOCK_TIMEOUT, 0);
	assert_non_null(strstr(scene.many[0].call.err.message, "held by"));
	scene.many[1].cancel = true;
	leaves(&scene.many[1], DBLOCK_CANCELED, 0);
	scene.kitchen.shut = false;
	leaves(&scene.one, 0, 1);
}

/* Readers of the last result still hold the lock when a caller comes to make it anew. */
static void a_new_one_is_made_after_readers(void **state)
{
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	shared.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(scene.others[0], "flight:k", &shared, &lock, &err));
	comes(&scene.one, scene.first, &scene.kitchen);
	until_true(clients_waiting(scene.raw) == 1);
	give(lock);
	leaves(&scene.one, 0, 1);
	assert_int_equal(stored("token"), scene.one.token);
}

/* ---- what is there --------------------------------------------------------------------------- */

static void age_counts_from_the_beginning(void **state)
{
	(void)state;
	asks(scene.first, 0, 1);
	asks(scene.first, 3600000, 1);
	raw_exec(scene.raw, "UPDATE dblock_flight SET took = took + 3600000000");
	asks(scene.first, 3600000, 2);
	raw_exec(scene.raw, "UPDATE dblock_flight SET made = made - 3600000000");
	asks(scene.first, 3600000, 3);
	/* A result's time is still to come: the clock was set back. */
	raw_exec(scene.raw, "UPDATE dblock_flight SET made = made + 3600000000");
	asks(scene.first, 3600000, 4);
	/* A result has been changed by hand, into nothing that we understand. */
	raw_exec(scene.raw, "UPDATE dblock_flight SET coded = 1, value = 'a?'");
	asks(scene.first, 3600000, 5);
}

/* A whole second may be missing: MySQL reads its clock for each column. */
static void is_of_use_for(int64_t seconds)
{
	assert_in_range(stored("expires - made"), seconds * 1000000, seconds * 1000000 + 999999);
}

static void the_reaper_forgets_what_is_of_no_use(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	raw_exec(scene.raw, "DELETE FROM dblock_flight");
	for (int i = 0; i < 250; i++) /* more than a batch */
		raw_exec(scene.raw,
			 "INSERT INTO dblock_flight (name, token, made, took, expires, coded, "
			 "value) VALUES ('flight:%d', 1, 1, 1, {now}, 0, '')",
			 i);
	asks(scene.first, 0, 1);
	is_of_use_for(60);
	raw_exec(scene.raw, "DELETE FROM dblock_flight WHERE name = 'flight:k'");
	asks(scene.first, 7200000, 2);
	is_of_use_for(7200);
	expect(OK, dblock_reap(scene.first, NULL, NULL, &err));
	assert_int_equal(rows(), 1);
	assert_true(stored("token") > 0);
}

/* ---- what it costs --------------------------------------------------------------------------- */

static void cost(const char *what, int most)
{
	print_message("%s: %d round trips\n", what, (int)scene.spy->runs);
	assert_in_range(scene.spy->runs, 1, most);
	spy_reset(scene.spy);
}

static void round_trips(void **state)
{
	(void)state;
	asks(scene.first, 0, 1);
	spy_reset(scene.spy);
	asks(scene.first, 0, 2);
	cost("made", 5);
	asks(scene.first, 3600000, 2);
	cost("fresh", 1);
	scene.kitchen.shut = true;
	scene.one.fresh_ms = 0;
	comes(&scene.many[0], scene.others[0], &scene.kitchen);
	until_true(scene.kitchen.calls == 3);
	comes(&scene.one, scene.first, &scene.kitchen);
	until_true(clients_waiting(scene.raw) == 1);
	scene.kitchen.shut = false;
	leaves(&scene.one, 0, 3);
	leaves(&scene.many[0], 0, 3);
	cost("waited for", 16);
}

static bool somebody_sleeps(void)
{
	struct dbl_locks *locks = scene.first->locks;
	bool any;

	dbl_lock(&locks->mutex);
	any = locks->sleepers != NULL;
	dbl_unlock(&locks->mutex);
	return any;
}

/* Naive: the callers who wait look only once a second by themselves. */
static void a_shutdown_finds_who_is_aboard(void **state)
{
	(void)state;
	assert_false(somebody_sleeps());
	first_is_at_it(0);
	assert_true(somebody_sleeps());
	scene.kitchen.shut = false;
	leaves(&scene.one, 0, 1);
	assert_false(somebody_sleeps());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(those_who_wait_get_what_the_first_makes),
		SCENE(those_who_wait_try_one_by_one_if_it_fails),
		SCENE(those_who_wait_do_so_as_long_as_they_like),
		SCENE(a_new_one_is_made_after_readers),
		SCENE(age_counts_from_the_beginning),
		SCENE(the_reaper_forgets_what_is_of_no_use),
		SCENE(a_shutdown_finds_who_is_aboard),
		SCENE(round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
