/* SPDX-License-Identifier: MIT */
/* A lock that nobody has, and somebody who waits for it: for how long, and with what excuse. */
#include "tape.h"

/* Client 2 waits from 10 on and has it at last. Whatever else there is stands between. */
static struct tape somebody_waits(int64_t until)
{
	struct tape t = tape_new(3);

	calls(&t, 10, 2, 1, FOR_EVER);
	gets(&t, until, 2, 1, 1000);
	gives(&t, until + 1, 2, 1, 1000);
	return t;
}

static void has_it(struct tape *t, int64_t ms, int64_t until, int64_t token)
{
	calls(t, ms, 1, (int)token, FOR_EVER);
	gets(t, ms, 1, (int)token, token);
	gives(t, until, 1, (int)token, token);
}

static void a_lock_that_was_always_free(void **state)
{
	struct tape t = somebody_waits(1512);

	(void)state;
	finds(&t, "forgotten");
}

static void not_quite_so_long(void **state)
{
	struct tape t = somebody_waits(1508);

	(void)state;
	finds(&t, "");
}

static void in_pieces(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	has_it(&t, 1000, 1100, 100);
	has_it(&t, 2000, 2800, 101);
	finds(&t, "");
}

static void after_a_release(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	has_it(&t, 20, 2400, 100);
	finds(&t, "forgotten");
}

static void forgotten_and_then_canceled(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 2, 1, FOR_EVER);
	put(&t, 2000, (struct event){.kind = EVENT_CANCELING, .client = 2, .wait = 1});
	gets_not(&t, 2001, 2, 1, DBLOCK_CANCELED);
	finds(&t, "forgotten");
}

/* The call is late to say so, but nobody wanted it any more. */
static void not_wanted_for_so_long(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 2, 1, 1000);
	gets_not(&t, 3000, 2, 1, DBLOCK_TIMEOUT);
	finds(&t, "");
}

/* ---- what the dead leave --------------------------------------------------------------------- */

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

/* Each call has to watch for itself. */
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

/* But not, if somebody has had it since. */
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

/* It was granted to one who died of the wait. */
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

/* When it was free, the other one did not look alive any more. */
static void the_dead_waiter_cannot_have_got_it(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	has_it(&t, 11, 2400, 100);
	calls(&t, 30, 3, 1, FOR_EVER);
	befalls(&t, 500, 3, EVENT_KILLED);
	finds(&t, "forgotten");
}

/* It was granted to one that is killed before it has heard of it, in time or not. */
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

/* The first one's burial hands it to the second one, who is as dead. */
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

/* It was free for long, and nobody wanted it. Then somebody does, and dies of it. */
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

/* ---- trouble --------------------------------------------------------------------------------- */

static void the_database_was_down(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	befalls(&t, 1000, 0, EVENT_DOWN);
	befalls(&t, 1600, 0, EVENT_UP);
	finds(&t, "");
}

static void it_has_been_up_for_long(void **state)
{
	struct tape t = somebody_waits(4400);

	(void)state;
	befalls(&t, 1000, 0, EVENT_DOWN);
	befalls(&t, 1600, 0, EVENT_UP);
	finds(&t, "forgotten");
}

static void the_waiter_stood_still(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	befalls(&t, 1000, 2, EVENT_STOPPED);
	befalls(&t, 2500, 2, EVENT_CONTINUED);
	finds(&t, "");
}

static void the_first_one_for_long_stands_still(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	has_it(&t, 11, 200, 100);
	calls(&t, 5000, 2, 1, FOR_EVER);
	befalls(&t, 6000, 2, EVENT_STOPPED);
	befalls(&t, 7500, 2, EVENT_CONTINUED);
	gets(&t, 7500 + 1400, 2, 1, 101);
	gives(&t, 9000, 2, 1, 101);
	finds(&t, "");
}

static void the_waiter_was_cut_off(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	befalls(&t, 1000, 2, EVENT_PARTED);
	befalls(&t, 2500, 2, EVENT_JOINED);
	finds(&t, "");
}

static void the_waiter_is_no_longer_cut_off(void **state)
{
	struct tape t = somebody_waits(2500 + TTL_MS + 1600);

	(void)state;
	befalls(&t, 1000, 2, EVENT_PARTED);
	befalls(&t, 2500, 2, EVENT_JOINED);
	finds(&t, "forgotten");
}

static void another_one_stood_still(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	befalls(&t, 1000, 3, EVENT_STOPPED);
	befalls(&t, 2500, 3, EVENT_CONTINUED);
	finds(&t, "forgotten");
}

/* ... who was to have it next, perhaps. */
static void another_waiter_stood_still(void **state)
{
	struct tape t = somebody_waits(5000);

	(void)state;
	calls(&t, 20, 3, 1, FOR_EVER);
	befalls(&t, 1000, 3, EVENT_STOPPED);
	befalls(&t, 2500, 3, EVENT_CONTINUED);
	gets_for(&t, 5100, 3, 1, 1001, VALID_MS);
	gives(&t, 5101, 3, 1, 1001);
	finds(&t, "");
}

static void the_host_stood_still(void **state)
{
	struct tape t = somebody_waits(4000);

	(void)state;
	put(&t, 2500, (struct event){.kind = EVENT_STALLED, .client = 2, .before = 1001000});
	finds(&t, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_that_was_always_free),
		cmocka_unit_test(not_quite_so_long),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(after_a_release),
		cmocka_unit_test(forgotten_and_then_canceled),
		cmocka_unit_test(not_wanted_for_so_long),
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
		cmocka_unit_test(the_database_was_down),
		cmocka_unit_test(it_has_been_up_for_long),
		cmocka_unit_test(the_waiter_stood_still),
		cmocka_unit_test(the_first_one_for_long_stands_still),
		cmocka_unit_test(the_waiter_was_cut_off),
		cmocka_unit_test(the_waiter_is_no_longer_cut_off),
		cmocka_unit_test(another_one_stood_still),
		cmocka_unit_test(another_waiter_stood_still),
		cmocka_unit_test(the_host_stood_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
