/* SPDX-License-Identifier: MIT */
/* A statement does not find our session, though heartbeats are answered: the connection that it went
 * over leads to an older copy of the database, and is given up. */
#include "unit/lock/handle_kit.h"

#include "lock/grant/attempt.h"

static struct dbl_link steady = {.target = &target};

static void connects_anew(struct dbl_link *link)
{
	atomic_store(&link->connections[0].of, atomic_load(&link->generation));
}

/* Two doubts, with a heartbeat between them or not. Returns whether that link was given up. */
static bool gives_up(struct dbl_link *link, int64_t lease, int beats)
{
	const struct dbl_acquire_spec spec = {.name = "x", .lease = lease, .weight = 1};
	int64_t before = dbl_link_changes(link);
	struct dbl_attempt a;
	bool gave_up;

	assert_int_equal(dbl_attempt_begin(&a, &locks, &spec, NULL), 0);
	a.epoch = &epoch;
	epoch.beat_there = 7;
	dbl_attempt_doubt(&a);
	epoch.beat_there += beats;
	dbl_attempt_doubt(&a);
	gave_up = dbl_link_changes(link) != before;
	connects_anew(&kit_link);
	connects_anew(&steady);
	a.epoch = NULL;
	dbl_attempt_drop(&a);
	return gave_up;
}

/* Naive: always the connection of what need not be durable. */
static void it_is_the_one_that_it_went_over(void **state)
{
	(void)state;
	kit_begin();
	kit_begin_handles();
	assert_false(gives_up(&kit_link, 0, 0));
	assert_true(gives_up(&kit_link, 0, 1));
	assert_true(gives_up(&kit_link, 1000, 1));
	target.durability = DBLOCK_RELAXED;
	locks.steady = &steady;
	assert_true(gives_up(&kit_link, 0, 1));
	assert_false(gives_up(&kit_link, 1000, 1));
	assert_true(gives_up(&steady, 1000, 1));
	assert_false(gives_up(&steady, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_the_one_that_it_went_over)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
