/* SPDX-License-Identifier: MIT */
/* Nobody has the lock, and somebody waits for it: for how long, and with what excuse. */
#include "wait.h"

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
	calls(&t, 20, 3, 1, FOR_EVER);
	gets(&t, 2000, 3, 1, 101);
	gives(&t, 2800, 3, 1, 101);
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

/* The call returns late, but nobody wanted the lock any more. */
static void not_wanted_for_so_long(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 2, 1, 1000);
	gets_not(&t, 3000, 2, 1, DBLOCK_TIMEOUT);
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

/* That waiter may have been the next one. */
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
