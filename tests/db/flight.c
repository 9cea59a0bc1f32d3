/* SPDX-License-Identifier: MIT */
/* Clients that ask for one key: one makes the result; whose grant is over publishes nothing. */
#include "support/flight.h"
#include "support/once.h"

enum { OTHERS = 4 };

struct scene {
	struct spy *spy; /* of the first client */
	struct dblock_client *first, *others[OTHERS];
	struct raw *raw;
	struct kitchen kitchen;
	struct guest one, many[OTHERS];
};

static struct scene scene;

static int set_up(void **state)
{
	(void)state;
	scene = (struct scene){.spy = spy_new(), .raw = raw_open(NULL)};
	scene.first = spy_client(scene.spy, 0);
	for (int i = 0; i < OTHERS; i++)
		scene.others[i] = client_new(0);
	raw_exec(scene.raw, "DELETE FROM dblock_flight");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scene.spy->fate = NULL;
	is_free_soon(scene.others[0], "flight:k");
	dblock_close(scene.first);
	for (int i = 0; i < OTHERS; i++)
		dblock_close(scene.others[i]);
	raw_close(scene.raw);
	spy_free(scene.spy);
	return 0;
}

static int64_t rows(void)
{
	return raw_int(scene.raw, "SELECT count(*) FROM dblock_flight");
}

static int64_t stored(const char *column)
{
	return raw_int(scene.raw, "SELECT %s FROM dblock_flight WHERE name = 'flight:k'", column);
}

/* One call, start to end. */
static void asks(struct dblock_client *client, int64_t fresh_ms, int got)
{
	scene.one = (struct guest){.fresh_ms = fresh_ms};
	comes(&scene.one, client, &scene.kitchen);
	leaves(&scene.one, 0, got);
}

/* The first one makes it, the others stand in line. */
static void first_is_at_it(int others)
{
	scene.kitchen.shut = true;
	comes(&scene.one, scene.first, &scene.kitchen);
	until_true(scene.kitchen.calls == 1);
	for (int i = 0; i < others; i++)
		comes(&scene.many[i], scene.others[i], &scene.kitchen);
	until_true(clients_waiting(scene.raw) == others);
}

static void those_who_wait_get_what_the_first_makes(void **state)
{
	(void)state;
	/* Naive: what is there is taken, however old. */
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
}

/* If that fails, it is nobody else's failure; and not all of them run at once. */
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

/* ---- whose grant is over ------------------------------------------------------------------------
 */

static void bury_first(void)
{
	bury_holder_of(scene.raw, "flight:k");
}

static void other_makes_it(void)
{
	struct guest other = {.cancel = false};
	void (*meanwhile)(void) = scene.kitchen.meanwhile;

	bury_first();
	scene.kitchen.meanwhile = NULL;
	comes(&other, scene.others[0], &scene.kitchen);
	leaves(&other, 0, 2);
	scene.kitchen.meanwhile = meanwhile;
}

static void end_by_its_clock(void)
{
	raw_exec(scene.raw, "UPDATE dblock_session SET expires = {boot} - 1 WHERE id ="
			    " (SELECT session FROM dblock_lock WHERE name = 'flight:k')");
}

static void end_by_our_clock(void)
{
	scene.spy->skew += 25LL * 3600 * 1000000;
}

static void operator_breaks_it(void)
{
	struct dblock_error err = {0};

	expect(OK, dblock_break(scene.others[1], "flight:k", 0, 0, &err));
}

/* It is given to who has made it, and to nobody else. */
static void publishes_nothing_after(void (*meanwhile)(void))
{
	scene.kitchen = (struct kitchen){.meanwhile = meanwhile};
	asks(scene.first, 0, 1);
	assert_int_equal(rows(), 0);
}

/* Naive: it is stored as if it were made now, though who made it may have been stopped for hours.
 */
static void whose_grant_is_broken_publishes_nothing(void **state)
{
	(void)state;
	publishes_nothing_after(operator_breaks_it);
}

static void whose_session_is_dead_publishes_nothing(void **state)
{
	(void)state;
	publishes_nothing_after(bury_first);
}

static void whose_session_has_ended_publishes_nothing(void **state)
{
	(void)state;
	publishes_nothing_after(end_by_its_clock);
}

static void whose_time_is_over_does_not_even_try(void **state)
{
	(void)state;
	publishes_nothing_after(end_by_our_clock);
	assert_int_equal(scene.spy->runs_of[DBL_OP_flight_publish], 0);
}

static void an_older_one_never_replaces_a_newer(void **state)
{
	(void)state;
	scene.kitchen.meanwhile = other_makes_it;
	asks(scene.first, 0, 1);
	assert_int_equal(rows(), 1);
	assert_true(stored("token") > scene.one.token);
	asks(scene.others[1], 3600000, 2);
	/* Nor where the statement comes late, with a grant that is the newest of all. */
	scene.kitchen.meanwhile = NULL;
	raw_exec(scene.raw, "UPDATE dblock_flight SET token = token + 3600000000");
	asks(scene.first, 0, 3);
	asks(scene.others[1], 3600000, 2);
}

/* Those who read what was made before hold the lock still, when one comes to make it anew. */
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

/* ---- what is there ------------------------------------------------------------------------------
 */

static void age_counts_from_the_beginning(void **state)
{
	(void)state;
	asks(scene.first, 0, 1);
	asks(scene.first, 3600000, 1);
	raw_exec(scene.raw, "UPDATE dblock_flight SET took = took + 3600000000");
	asks(scene.first, 3600000, 2);
	raw_exec(scene.raw, "UPDATE dblock_flight SET made = made - 3600000000");
	asks(scene.first, 3600000, 3);
	/* Whose time is to come: the clock was set back. */
	raw_exec(scene.raw, "UPDATE dblock_flight SET made = made + 3600000000");
	asks(scene.first, 3600000, 4);
	/* It has been changed by hand, into nothing that we understand. */
	raw_exec(scene.raw, "UPDATE dblock_flight SET coded = 1, value = 'a?'");
	asks(scene.first, 3600000, 5);
}

/* (MySQL reads its clock for each column.) */
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

/* ---- what is lost on the way --------------------------------------------------------------------
 */

/* Each statement in turn is lost, or its answer is: a result comes of it or a failure, never two
 * calls, and the next one can be had. */
static void lost(enum spy_fate fate)
{
	struct dblock_client *client = spy_client(scene.spy, 0);
	bool hit = true;

	for (int n = 1; hit; n++) {
		int rc;

		scene.kitchen.calls = 0;
		scene.one = (struct guest){.cancel = false};
		spy_hit_nth(scene.spy, n, fate);
		comes(&scene.one, client, &scene.kitchen);
		rc = call_end(&scene.one.call);
		hit = spy_has_hit(scene.spy);
		if (rc)
			fail_msg("%d: %s", n, scene.one.call.err.message);
		assert_int_equal(scene.one.got, 1);
		assert_int_equal(scene.kitchen.calls, 1);
		assert_int_equal(stored("token"), scene.one.token);
		is_free_soon(scene.others[0], "flight:k");
	}
	dblock_close(client);
}

static void whatever_is_lost_is_made_up_for(void **state)
{
	(void)state;
	lost(SPY_LOST_BEFORE);
	lost(SPY_LOST_AFTER);
}

/* The database is gone for good when it is to be published: that is nobody's failure. */
static enum spy_fate no_publishing(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_flight_publish ? SPY_LOST_BEFORE : SPY_PASS;
}

static void who_cannot_publish_has_his_result(void **state)
{
	struct dblock_client *hasty = spy_client_with(scene.spy, 0, 300);

	(void)state;
	scene.spy->fate = no_publishing;
	asks(hasty, 0, 1);
	scene.spy->fate = NULL;
	assert_int_equal(rows(), 0);
	asks(scene.others[0], 3600000, 2);
	dblock_close(hasty);
}

/* ---- what it costs ------------------------------------------------------------------------------
 */

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

#define SCENE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(those_who_wait_get_what_the_first_makes),
		SCENE(those_who_wait_try_one_by_one_if_it_fails),
		SCENE(those_who_wait_do_so_as_long_as_they_like),
		SCENE(whose_grant_is_broken_publishes_nothing),
		SCENE(whose_session_is_dead_publishes_nothing),
		SCENE(whose_session_has_ended_publishes_nothing),
		SCENE(whose_time_is_over_does_not_even_try),
		SCENE(an_older_one_never_replaces_a_newer),
		SCENE(a_new_one_is_made_after_readers),
		SCENE(age_counts_from_the_beginning),
		SCENE(the_reaper_forgets_what_is_of_no_use),
		SCENE(whatever_is_lost_is_made_up_for),
		SCENE(who_cannot_publish_has_his_result),
		SCENE(round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
