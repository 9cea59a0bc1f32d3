/* SPDX-License-Identifier: MIT */
/* A validity that is over stays over; clocks that differ are noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "session/internal.h"

static void it_ends_at_its_deadline(void **state)
{
	struct dbl_validity validity;

	(void)state;
	dbl_validity_begin(&validity, 1000);
	assert_int_equal(dbl_validity_left(&validity, 0), 1000);
	assert_int_equal(dbl_validity_left(&validity, 999), 1);
	assert_int_equal(dbl_validity_left(&validity, 1000), 0);
	/* It was seen over once, and stays so even for a clock that was read earlier. */
	assert_int_equal(dbl_validity_left(&validity, 0), 0);
}

static void an_answer_in_time_prolongs_it(void **state)
{
	struct dbl_validity validity;

	(void)state;
	dbl_validity_begin(&validity, 1000);
	assert_true(dbl_validity_renew(&validity, 999, 2000));
	assert_int_equal(dbl_validity_left(&validity, 1500), 500);
	assert_true(dbl_validity_renew(&validity, 1500, 1600)); /* an earlier deadline */
	assert_int_equal(dbl_validity_left(&validity, 1550), 50);
}

/* Naive: any validity is renewed. */
static void a_late_answer_does_not_revive_it(void **state)
{
	struct dbl_validity validity;

	(void)state;
	dbl_validity_begin(&validity, 1000);
	assert_false(dbl_validity_renew(&validity, 1000, 5000)); /* nobody had looked before */
	assert_int_equal(dbl_validity_left(&validity, 0), 0);

	dbl_validity_begin(&validity, 1000);
	assert_int_equal(dbl_validity_left(&validity, 1000), 0); /* somebody had looked */
	assert_false(dbl_validity_renew(&validity, 999, 5000));
	assert_int_equal(dbl_validity_left(&validity, 0), 0);

	dbl_validity_begin(&validity, 1000);
	dbl_validity_end(&validity);
	assert_false(dbl_validity_renew(&validity, 1, 5000));
	dbl_validity_shorten(&validity, 10);
	assert_int_equal(dbl_validity_left(&validity, 0), 0);
}

static void shorten_never_puts_it_off(void **state)
{
	struct dbl_validity validity;

	(void)state;
	dbl_validity_begin(&validity, 1000);
	dbl_validity_shorten(&validity, 2000);
	assert_int_equal(dbl_validity_left(&validity, 0), 1000);
	dbl_validity_shorten(&validity, 500);
	assert_int_equal(dbl_validity_left(&validity, 0), 500);
}

/* The margin is a tenth, but at least 100 ms. */
static void the_margin(void **state)
{
	(void)state;
	assert_int_equal(dbl_validity_deadline(5000000, 30000000), 5000000 + 27000000);
	assert_int_equal(dbl_validity_deadline(5000000, 1000000), 5000000 + 900000);
	assert_int_equal(dbl_validity_deadline(5000000, 200000), 5000000 + 100000);
	assert_int_equal(dbl_validity_deadline(INT64_MAX - 5, 30000000), INT64_MAX);
}

/* ---- many threads --------------------------------------------------------------------------- */

/* Some threads renew again and again, sometimes too late, by a clock that all advance; one looks.
 * Once it saw the end, no later look may see anything else. Naive: a plain store in renew. */
struct race {
	struct dbl_validity validity;
	_Atomic int64_t clock;
	_Atomic bool stop;
};

static void *renew_for_ever(void *arg)
{
	struct race *race = arg;

	while (!race->stop) {
		int64_t now = ++race->clock;

		dbl_validity_renew(&race->validity, now, now + 3);
	}
	return NULL;
}

static void many_threads(void **state)
{
	struct race race = {.clock = 1};
	pthread_t threads[3];
	int ends = 0;

	(void)state;
	dbl_validity_begin(&race.validity, 4);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, renew_for_ever, &race);
	while (ends < 500000) {
		race.clock++;
		if (dbl_validity_left(&race.validity, race.clock) > 0)
			continue;
		for (int i = 0; i < 50; i++)
			assert_int_equal(dbl_validity_left(&race.validity, 0), 0);
		ends++;
		dbl_validity_begin(&race.validity, race.clock + 3); /* the next validity */
	}
	race.stop = true;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* ---- clocks --------------------------------------------------------------------------------- */

/* Between two readings the database's clock must have passed as much time as ours, give or take 50
 * ms and what the time of the answers leaves open. */
static void clocks_that_agree(void **state)
{
	static const struct {
		int64_t database, before, after;
		bool agrees;
	} now[] = {
		{1000000000, 500000, 500000, true},     /* at once */
		{1010000000, 10500000, 10500000, true}, /* ten seconds later, by both */
		{1010000000, 10450000, 10450000, true},
		{1010000000, 10440000, 10440000, false}, /* the database's is ahead */
		{1010000000, 10560000, 10560000, false}, /* or ours is */
		{1010000000, 10400000, 10600000, true},  /* a slow answer: who knows */
		{1010000000, 500000, 500000, false},
		{1000000000, 10500000, 10500000, false}, /* it stood still */
		{999000000, 10500000, 10500000, false},  /* it went back */
		{1003600000000, 10500000, 10500000, false},
	};
	struct dbl_session session = {.clock = {1000000000, 500000, 500000}};

	(void)state;
	assert_int_equal(dbl_mutex_init(&session.mutex), 0);
	for (size_t i = 0; i < sizeof(now) / sizeof(now[0]); i++) {
		struct dbl_clock_sample sample = {now[i].database, now[i].before, now[i].after};

		assert_int_equal(dbl_session_clock_agrees(&session, &sample), now[i].agrees);
	}
	dbl_mutex_fini(&session.mutex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_at_its_deadline),
		cmocka_unit_test(an_answer_in_time_prolongs_it),
		cmocka_unit_test(a_late_answer_does_not_revive_it),
		cmocka_unit_test(shorten_never_puts_it_off),
		cmocka_unit_test(the_margin),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(clocks_that_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
