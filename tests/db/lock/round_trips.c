/* SPDX-License-Identifier: MIT */
/* What calls cost that want a lock alone. */
#include "db/lock/round_trips_kit.h"

static void nobody_competes(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	spy_reset(s->spy);
	lock = take(s->client, "x");
	costs(s->spy, 1);
	give(lock);
	costs(s->spy, 1);
	expect(OK, dblock_acquire(s->client, "new", NULL, &lock, &err));
	costs(s->spy, on_backend("postgresql") ? 1 : on_backend("mysql") ? 2 : 3);
	give(lock);
	costs(s->spy, 1);
}

static void every_option_at_once(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = 600000;
	options.at_least_ms = 1;
	options.value = "hello";
	options.wait_ms = 1000;
	spy_reset(s->spy);
	expect(OK, dblock_acquire(s->client, "x", &options, &lock, &err));
	costs(s->spy, 1);
	give(lock);
	costs_and_settles(s->spy, 1);
}

static void re_entry_costs_nothing(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->client, "x");

	spy_reset(s->spy);
	take(s->client, "x");
	take(s->client, "x");
	give(lock);
	give(lock);
	costs(s->spy, 0);
	give(lock);
	costs(s->spy, 1);
}

static void looking_at_a_handle_costs_nothing(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->client, "x");

	spy_reset(s->spy);
	assert_true(dblock_valid(lock, 1000));
	assert_true(dblock_remaining_ms(lock) > 0);
	assert_true(dblock_token(lock) > 0);
	assert_string_equal(dblock_name(lock), "x");
	costs(s->spy, 0);
	give(lock);
}

/* One statement (on SQLite two) is refused, another says who has the lock. */
static void a_try_on_a_held_lock(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->other, "x");

	spy_reset(s->spy);
	busy(s->client, "x");
	costs(s->spy, on_backend("sqlite") ? 3 : 2);
	give(lock);
}

static void extend_and_release_by_token(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = 600000;
	expect(OK, dblock_try(s->client, "y", &options, &lock, &err));
	expect(OK, dblock_release_token(s->client, "y", dblock_token(lock), &err));
	expect(OK, dblock_try(s->client, "x", &options, &lock, &err));
	expect(OK, dblock_extend(lock, 600000, &err));
	spy_reset(s->spy);
	expect(OK, dblock_extend(lock, 600000, &err));
	costs(s->spy, 1);
	expect(OK, dblock_extend_token(s->client, "x", dblock_token(lock), 600000, &err));
	costs(s->spy, 1);
	expect(OK, dblock_release_token(s->client, "x", dblock_token(lock), &err));
	costs_and_settles(s->spy, 2); /* one of them checks whether anybody must be told */
}

/* The holder does not pay for the waiter: only its release finds that there is, or was, a queue. */
static void holding_under_waiters_costs_nothing(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock = take(s->client, "x"), *none;
	struct dblock_error err = {0};

	spy_reset(s->spy);
	options.wait_ms = 300;
	expect(TIMEOUT, dblock_acquire(s->other, "x", &options, &none, &err));
	costs(s->spy, 0);
	give(lock);
	assert_int_equal(s->spy->runs_of[DBL_OP_release], 1);
	assert_int_equal(s->spy->runs_of[DBL_OP_hand_over], on_backend("mysql") ? 2 : 1);
	assert_int_equal(s->spy->runs, on_backend("mysql") ? 3 : 2);
	spy_reset(s->spy);
	give(take(s->client, "x"));
	costs(s->spy, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nobody_competes),
		CASE(every_option_at_once),
		CASE(re_entry_costs_nothing),
		CASE(looking_at_a_handle_costs_nothing),
		CASE(a_try_on_a_held_lock),
		CASE(extend_and_release_by_token),
		CASE(holding_under_waiters_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
