/* SPDX-License-Identifier: MIT */
/* How long the remains of dead clients, and of failed calls, excuse that a lock is free and nobody
 * gets it. */
#include "wait.h"

static struct tape holder_is_killed(int64_t killed, int64_t taken)
{
	struct tape t = somebody_waits(taken);

	calls(&t, 11, 1, 1, FOR_EVER);
	gets(&t, 12, 1, 1, 100);
	befalls(&t, killed, 1, EVENT_KILLED);
	return t;
}

static void the_dead_holder_is_buried(void **state)
{
	struct tape t = holder_is_killed(500, 500 + TTL_MS + 1400);

	(void)state;
	finds(&t, "");
}

static void the_dead_holder_is_not_buried(void **state)
{
	struct tape t = holder_is_killed(500, 500 + TTL_MS + 1600);

	(void)state;
	finds(&t, "forgotten");
}

/* Each call has to watch the dead holder itself. */
static void the_dead_holder_is_watched_anew(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 11, 1, 1, FOR_EVER);
	gets(&t, 12, 1, 1, 100);
	befalls(&t, 20, 1, EVENT_KILLED);
	calls(&t, 5000, 2, 1, FOR_EVER);
	gets(&t, 5000 + TTL_MS + 1400, 2, 1, 101);
	gives(&t, 8000, 2, 1, 101);
	finds(&t, "");
}

/* It is no excuse any more if somebody has had the lock since. */
static void the_dead_holder_is_an_excuse_once(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	calls(&t, 11, 1, 1, FOR_EVER);
	gets(&t, 12, 1, 1, 100);
	befalls(&t, 20, 1, EVENT_KILLED);
	calls(&t, 30, 3, 1, FOR_EVER);
	gets(&t, 1100, 3, 1, 101);
	gives(&t, 1200, 3, 1, 101);
	calls(&t, 1300, 2, 1, FOR_EVER);
	gets(&t, 1300 + 1600, 2, 1, 102);
	gives(&t, 3000, 2, 1, 102);
	finds(&t, "forgotten");
}

/* The lock was granted to a waiter that had died. */
static void the_dead_waiter_may_have_it(void **state)
{
	struct tape t = somebody_waits(600 + TTL_MS + 1400);

	(void)state;
	has_it(&t, 11, 600, 100);
	calls(&t, 30, 3, 1, FOR_EVER);
	befalls(&t, 500, 3, EVENT_KILLED);
	finds(&t, "");
}

static void the_dead_waiter_does_not_have_it_for_ever(void **state)
{
	struct tape t = somebody_waits(600 + TTL_MS + 1600);

	(void)state;
	has_it(&t, 11, 600, 100);
	calls(&t, 30, 3, 1, FOR_EVER);
	befalls(&t, 500, 3, EVENT_KILLED);
	finds(&t, "forgotten");
}

/* When the lock was free, the other waiter did not look alive any more. */
static void the_dead_waiter_cannot_have_got_it(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	has_it(&t, 11, 2400, 100);
	calls(&t, 30, 3, 1, FOR_EVER);
	befalls(&t, 500, 3, EVENT_KILLED);
	finds(&t, "forgotten");
}

/* The lock was granted to a waiter that is killed before it has heard of it, in time or not. */
static void the_waiter_dies_of_it(void **state, int64_t killed, const char *found)
{
	struct tape t = somebody_waits(killed + TTL_MS + 1400);

	has_it(&t, 11, 600, 100);
	calls(&t, 30, 3, 1, FOR_EVER);
	befalls(&t, killed, 3, EVENT_KILLED);
	(void)state;
	finds(&t, found);
}

static void the_waiter_is_killed_at_the_grant(void **state)
{
	the_waiter_dies_of_it(state, 1200, "");
}

static void the_waiter_is_killed_much_later(void **state)
{
	the_waiter_dies_of_it(state, 2200, "forgotten");
}

/* When the first is declared dead the lock is handed to the second, which is dead as well. */
static void it_goes_from_the_dead_to_the_dead(void **state)
{
	struct tape t = somebody_waits(2300 + TTL_MS + 1400);

	(void)state;
	has_it(&t, 11, 600, 100);
	calls(&t, 25, 1, 1, FOR_EVER);
	calls(&t, 30, 3, 1, FOR_EVER);
	befalls(&t, 601, 3, EVENT_KILLED);
	befalls(&t, 2300, 1, EVENT_KILLED);
	finds(&t, "");
}

static void the_release_failed(void **state)
{
	struct tape t = somebody_waits(2600);

	(void)state;
	calls(&t, 11, 1, 1, FOR_EVER);
	gets(&t, 12, 1, 1, 100);
	begins_release(&t, 400, 1, 1, 100, VALID_MS);
	ends_release(&t, 500, 1, 1, 100, DBLOCK_E_UNAVAILABLE);
	finds(&t, "");
}

static void an_acquire_was_unsure(void **state)
{
	struct tape t = somebody_waits(2600);

	(void)state;
	has_it(&t, 11, 200, 100);
	calls(&t, 30, 3, 1, FOR_EVER);
	gets_not(&t, 500, 3, 1, DBLOCK_E_UNSURE);
	finds(&t, "");
}

static void a_grant_was_given_back(void **state)
{
	struct tape t = somebody_waits(2600);

	(void)state;
	has_it(&t, 11, 200, 100);
	calls(&t, 30, 3, 1, FOR_EVER);
	gets_not(&t, 500, 3, 1, DBLOCK_LOST);
	finds(&t, "");
}

/* The lock was free for long, and nobody wanted it. Then somebody does, and dies in its wait. */
static void the_first_one_for_long_dies(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	has_it(&t, 11, 200, 100);
	calls(&t, 5000, 3, 1, FOR_EVER);
	befalls(&t, 5001, 3, EVENT_KILLED);
	calls(&t, 5002, 2, 1, FOR_EVER);
	gets(&t, 5002 + TTL_MS + 1400, 2, 1, 101);
	gives(&t, 8000, 2, 1, 101);
	finds(&t, "");
}

/* A group that only waited proves nothing about the dead holder's remains. */
static void the_dead_holder_is_buried_after_a_group_has_waited(void **state)
{
	struct tape t = holder_is_killed(500, 500 + TTL_MS + 1400);

	(void)state;
	calls(&t, 450, 3, 1, FOR_EVER);
	t.history.events[t.history.n - 1].group = 1;
	gets_not(&t, 700, 3, 1, DBLOCK_TIMEOUT);
	finds(&t, "");
}

/* ---- what is kept idle ----------------------------------------------------------------------- */

/* Client 1 has held the lock from 11 to 200, and keeps it idle until `kept_until`; client 2 waits
 * from `from` on and gets it in the end. */
static struct tape it_is_kept(int64_t kept_until, int64_t from, int64_t until)
{
	struct tape t = tape_new(3);
	struct event e = {.kind = EVENT_RELEASED, .client = 1, .wait = 1, .token = 100};

	e.lease = (kept_until - 200) * 1000;
	calls(&t, 11, 1, 1, FOR_EVER);
	gets(&t, 12, 1, 1, 100);
	begins_release(&t, 199, 1, 1, 100, VALID_MS);
	put(&t, 200, e);
	calls(&t, from, 2, 1, FOR_EVER);
	gets(&t, until, 2, 1, 1000);
	gives(&t, until + 1, 2, 1, 1000);
	return t;
}

static void what_the_dead_kept_is_buried(void **state)
{
	struct tape t = it_is_kept(3200, 300, 500 + TTL_MS + 1400);

	(void)state;
	befalls(&t, 500, 1, EVENT_KILLED);
	finds(&t, "");
}

static void what_the_dead_kept_is_not_buried(void **state)
{
	struct tape t = it_is_kept(3200, 300, 500 + TTL_MS + 1600);

	(void)state;
	befalls(&t, 500, 1, EVENT_KILLED);
	finds(&t, "forgotten");
}

static void the_dead_did_not_keep_it(void **state)
{
	struct tape t = it_is_kept(200, 300, 500 + TTL_MS + 1400);

	(void)state;
	befalls(&t, 500, 1, EVENT_KILLED);
	finds(&t, "forgotten");
}

static void the_dead_had_kept_it_until_then(void **state)
{
	struct tape t = it_is_kept(450, 300, 500 + TTL_MS + 1400);

	(void)state;
	befalls(&t, 500, 1, EVENT_KILLED);
	finds(&t, "forgotten");
}

/* Client 1 had to let go, and did not: that it was killed later is no excuse. */
static void it_was_kept_from_who_waits(void **state)
{
	struct tape t = it_is_kept(3200, 300, 2500 + TTL_MS + 1400);

	(void)state;
	befalls(&t, 2500, 1, EVENT_KILLED);
	finds(&t, "forgotten");
}

/* Somebody has held the lock since. */
static void it_was_kept_no_longer(void **state)
{
	struct tape t = it_is_kept(3200, 650, 800 + TTL_MS + 1000);

	(void)state;
	calls(&t, 500, 3, 1, FOR_EVER);
	gets(&t, 600, 3, 1, 101);
	gives(&t, 700, 3, 1, 101);
	befalls(&t, 800, 1, EVENT_KILLED);
	finds(&t, "forgotten");
}

static void it_is_kept_by_one_that_stands_still(int64_t from, const char *found)
{
	struct tape t = it_is_kept(3200, 300, from + 1000 + TTL_MS + 1400);

	befalls(&t, from, 1, EVENT_STOPPED);
	befalls(&t, from + 1000, 1, EVENT_CONTINUED);
	finds(&t, found);
}

static void who_kept_it_stands_still(void **state)
{
	(void)state;
	it_is_kept_by_one_that_stands_still(500, "");
	it_is_kept_by_one_that_stands_still(2500, "forgotten");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_dead_holder_is_buried),
		cmocka_unit_test(the_dead_holder_is_not_buried),
		cmocka_unit_test(the_dead_holder_is_watched_anew),
		cmocka_unit_test(the_dead_holder_is_an_excuse_once),
		cmocka_unit_test(the_dead_waiter_may_have_it),
		cmocka_unit_test(the_dead_waiter_does_not_have_it_for_ever),
		cmocka_unit_test(the_dead_waiter_cannot_have_got_it),
		cmocka_unit_test(the_waiter_is_killed_at_the_grant),
		cmocka_unit_test(the_waiter_is_killed_much_later),
		cmocka_unit_test(it_goes_from_the_dead_to_the_dead),
		cmocka_unit_test(the_release_failed),
		cmocka_unit_test(an_acquire_was_unsure),
		cmocka_unit_test(a_grant_was_given_back),
		cmocka_unit_test(the_first_one_for_long_dies),
		cmocka_unit_test(the_dead_holder_is_buried_after_a_group_has_waited),
		cmocka_unit_test(what_the_dead_kept_is_buried),
		cmocka_unit_test(what_the_dead_kept_is_not_buried),
		cmocka_unit_test(the_dead_did_not_keep_it),
		cmocka_unit_test(the_dead_had_kept_it_until_then),
		cmocka_unit_test(it_was_kept_from_who_waits),
		cmocka_unit_test(it_was_kept_no_longer),
		cmocka_unit_test(who_kept_it_stands_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
