/* SPDX-License-Identifier: MIT */
/* A slow machine is no finding; and what is a finding on any machine stays one. */
#include "history/pace.h"
#include "modes.h"

/* The work that is done all the time takes `each`, from `from` to `to`. */
static void pulses(struct tape *t, int64_t from, int64_t to, int64_t each)
{
	for (int64_t at = from + each; at <= to; at += each)
		put(t, at, (struct event){.kind = EVENT_PULSE, .before = (at - each + 1) * 1000});
}

/* ---- the measure ----------------------------------------------------------------------------- */

static int64_t after(struct tape *t, int64_t from, int64_t span)
{
	struct pace p;
	int64_t at;

	history_sort(&t->history);
	pace_read(&p, &t->history);
	at = pace_after(&p, (from + 1) * 1000, span * 1000) / 1000 - 1;
	pace_free(&p);
	return at;
}

static void time_passes(void **state)
{
	struct tape none = tape_new(0), t = tape_new(0);

	(void)state;
	assert_int_equal(after(&none, 10, 1500), 1510);
	/* The pace is normal; then ten times slower; then one piece takes a second; then it is
	 * normal. */
	pulses(&t, 0, 1000, 25);
	pulses(&t, 1000, 3000, 250);
	pulses(&t, 3000, 4000, 1000);
	pulses(&t, 4000, 5000, 20);
	assert_int_equal(after(&t, 10, 500), 510);
	assert_int_equal(after(&t, 900, 100), 1000);
	assert_int_equal(after(&t, 1000, 100), 2000);
	assert_int_equal(after(&t, 900, 150), 1500);
	assert_int_equal(after(&t, 1125, 25), 1375);
	assert_int_equal(after(&t, 3000, 25), 4000);
	assert_int_equal(after(&t, 3500, 112), 4099);
	assert_int_equal(after(&t, 4500, 9000), 13500);
	t.history.slowness = 2;
	assert_int_equal(after(&t, 10, 250), 510);
	assert_int_equal(after(&t, 900, 75), 1500);
	history_free(&none.history);
	history_free(&t.history);
}

/* ---- who waits ------------------------------------------------------------------------------- */

/* Client 2 waits from 10 on for a lock that nobody has. A piece of work takes `each_first` until
 * 1010, and then `each`. */
static void it_waits(int64_t until, int64_t each_first, int64_t each, const char *found)
{
	struct tape t = tape_new(2);

	calls(&t, 10, 2, 1, FOR_EVER);
	gets(&t, until, 2, 1, 1000);
	gives(&t, until + 1, 2, 1, 1000);
	pulses(&t, 10, 1010, each_first);
	pulses(&t, 1010, 30000, each);
	finds(&t, found);
}

static void on_an_idle_machine(void **state)
{
	(void)state;
	it_waits(10 + 1400, 20, 20, "");
	it_waits(10 + 1600, 20, 20, "forgotten");
}

/* Naive: the work that tells the machine's speed tells the build's as well. */
static void in_a_slow_build(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	calls(&t, 10, 2, 1, FOR_EVER);
	gets(&t, 10 + 4400, 2, 1, 1000);
	gives(&t, 10 + 4401, 2, 1, 1000);
	pulses(&t, 10, 30000, 20);
	t.history.slowness = 3;
	finds(&t, "");
}

static void on_a_slow_machine(void **state)
{
	(void)state;
	it_waits(10 + 1600, 100, 100, "");
	it_waits(10 + 5900, 100, 100, "");
	it_waits(10 + 6200, 100, 100, "forgotten");
}

static void on_one_that_was_slow_when_it_came(void **state)
{
	(void)state;
	it_waits(10 + 2200, 100, 20, "");
	it_waits(10 + 2300, 100, 20, "forgotten");
}

/* The clock tells how long the dead are watched. */
static void for_the_dead(int64_t until, const char *found)
{
	struct tape t = tape_new(2);

	calls(&t, 11, 1, 1, FOR_EVER);
	gets(&t, 12, 1, 1, 100);
	befalls(&t, 20, 1, EVENT_KILLED);
	calls(&t, 100, 2, 1, FOR_EVER);
	gets(&t, until, 2, 1, 1000);
	gives(&t, until + 1, 2, 1, 1000);
	pulses(&t, 0, 30000, 50);
	finds(&t, found);
}

static void on_a_machine_half_as_fast(void **state)
{
	(void)state;
	/* A ttl and 1.5 s of the time that counts are allowed; half of the ttl's time was lost,
	 * too. */
	for_the_dead(100 + 2 * (TTL_MS + 1450), "");
	for_the_dead(100 + 2 * (TTL_MS + 1550), "forgotten");
}

/* ---- who is passed --------------------------------------------------------------------------- */

/* Client 2 waits from 10 on, for client 1, which shares the lock; client 3 comes at 2000. */
static void a_writer_is_passed(int64_t each, const char *found)
{
	struct tape t = tape_new(3);

	asks(&t, 5, 1, 1, S);
	has(&t, 6, 1, 1, S, 100);
	gives(&t, 3000, 1, 1, 100);
	asks(&t, 10, 2, 1, X);
	takes(&t, 2000, 2003, 3, 1, S, 101);
	has(&t, 3002, 2, 1, X, 102);
	gives(&t, 3010, 2, 1, 102);
	pulses(&t, 0, 3000, each);
	finds(&t, found);
}

static void when_it_should_have_been_in_queue(void **state)
{
	(void)state;
	a_writer_is_passed(20, "line");
	a_writer_is_passed(50, "");
}

/* The session of client 2 may have been over. */
static void it_is_passed_when_all_stood_still(int64_t to, const char *found)
{
	struct tape t = tape_new(3);

	calls(&t, 1, 1, 1, FOR_EVER);
	gets_for(&t, 2, 1, 1, 100, 4000);
	calls(&t, 10, 2, 1, FOR_EVER);
	queues(&t, 11, 2, 1, 1);
	put(&t, to, (struct event){.kind = EVENT_PULSE, .before = 101000});
	calls(&t, 1020, 3, 1, FOR_EVER);
	queues(&t, 1021, 3, 1, 2);
	gives(&t, 1500, 1, 1, 100);
	gets(&t, 1510, 3, 1, 101);
	gives(&t, 1512, 3, 1, 101);
	gets(&t, 1520, 2, 1, 102);
	gives(&t, 1522, 2, 1, 102);
	finds(&t, found);
}

static void when_the_machine_stood_still(void **state)
{
	(void)state;
	it_is_passed_when_all_stood_still(100 + TTL_MS / 2 + 50, "");
	it_is_passed_when_all_stood_still(100 + TTL_MS / 2 - 50, "order");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_passes),
		cmocka_unit_test(on_an_idle_machine),
		cmocka_unit_test(in_a_slow_build),
		cmocka_unit_test(on_a_slow_machine),
		cmocka_unit_test(on_one_that_was_slow_when_it_came),
		cmocka_unit_test(on_a_machine_half_as_fast),
		cmocka_unit_test(when_it_should_have_been_in_queue),
		cmocka_unit_test(when_the_machine_stood_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
