/* SPDX-License-Identifier: MIT */
/* A client whose grant is over publishes nothing; lost statements are made up for. */
#include "db/lock/recipes/flight_scene.h"
#include "db/lock/recipes/once.h"

/* ---- whose grant is over --------------------------------------------------------------------- */

static void declare_first_dead(void)
{
	declare_holder_dead(scene.raw, "flight:k");
}

static void other_makes_it(void)
{
	struct guest other = {.cancel = false};
	void (*meanwhile)(void) = scene.kitchen.meanwhile;

	declare_first_dead();
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

	expect(OK, break_by_force(scene.others[1], "flight:k", 0, 0, &err));
}

/* The caller who has made the result gets it, and nobody else. */
static void publishes_nothing_after(void (*meanwhile)(void))
{
	scene.kitchen = (struct kitchen){.meanwhile = meanwhile};
	asks(scene.first, 0, 1);
	assert_int_equal(rows(), 0);
}

/* Naive: the result is stored as if it were made now, though its maker may have been stopped for
 * hours. */
static void whose_grant_is_broken_publishes_nothing(void **state)
{
	(void)state;
	publishes_nothing_after(operator_breaks_it);
}

static void whose_session_is_dead_publishes_nothing(void **state)
{
	(void)state;
	publishes_nothing_after(declare_first_dead);
}

static struct dblock_lock *theirs;

static void another_takes_over(void)
{
	declare_first_dead();
	theirs = take(scene.others[0], "flight:k");
}

static void who_was_followed_by_another_publishes_nothing(void **state)
{
	(void)state;
	publishes_nothing_after(another_takes_over);
	give(theirs);
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
	/* A late statement, with the newest grant of all, publishes nothing either. */
	scene.kitchen.meanwhile = NULL;
	raw_exec(scene.raw, "UPDATE dblock_flight SET token = token + 3600000000");
	asks(scene.first, 0, 3);
	asks(scene.others[1], 3600000, 2);
}

/* ---- what is lost on the way ----------------------------------------------------------------- */

/* Each statement in turn is lost, or its answer is: the call returns a result or a failure, never
 * runs twice, and the next result can be had. */
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
	dblock_close(client, NULL);
}

static void whatever_is_lost_is_made_up_for(void **state)
{
	(void)state;
	lost(SPY_LOST_BEFORE);
	lost(SPY_LOST_AFTER);
}

/* The database is gone for good when the result is to be published: that is no failure of the call.
 */
static enum spy_fate no_publishing(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_flight_publish ? SPY_LOST_BEFORE : SPY_PASS;
}

static void who_cannot_publish_has_his_result(void **state)
{
	struct dblock_client *hasty = spy_client_with(scene.spy, 0, SLOWLY_MS(300));

	(void)state;
	scene.spy->fate = no_publishing;
	asks(hasty, 0, 1);
	scene.spy->fate = NULL;
	assert_int_equal(rows(), 0);
	asks(scene.others[0], 3600000, 2);
	dblock_close(hasty, NULL);
}

/* ---- the database fails ---------------------------------------------------------------------- */

static enum spy_fate no_finding(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_flight_find || scene.one.call.done)
		return SPY_PASS;
	if (!scene.many[0].kitchen) {
		comes(&scene.many[0], scene.one.client, &scene.kitchen);
		until_true(callers(scene.one.client) == 2);
	}
	(void)spy;
	return SPY_LOST_BEFORE;
}

/* Naive: each of a thousand threads waits for its own timeout, one after the other. */
static void a_failure_of_the_database_is_shared(void **state)
{
	struct dblock_client *hasty = spy_client_with(scene.spy, 0, SLOWLY_MS(300));

	(void)state;
	scene.spy->fate = no_finding;
	comes(&scene.one, hasty, &scene.kitchen);
	assert_true(call_end(&scene.one.call) < 0);
	leaves(&scene.many[0], scene.one.call.rc, 0);
	assert_string_equal(scene.many[0].call.err.message, scene.one.call.err.message);
	assert_int_equal(scene.kitchen.calls, 0);
	dblock_close(hasty, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(whose_grant_is_broken_publishes_nothing),
		SCENE(whose_session_is_dead_publishes_nothing),
		SCENE(who_was_followed_by_another_publishes_nothing),
		SCENE(whose_session_has_ended_publishes_nothing),
		SCENE(whose_time_is_over_does_not_even_try),
		SCENE(an_older_one_never_replaces_a_newer),
		SCENE(whatever_is_lost_is_made_up_for),
		SCENE(who_cannot_publish_has_his_result),
		SCENE(a_failure_of_the_database_is_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
