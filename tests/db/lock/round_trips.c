/* SPDX-License-Identifier: MIT */
/* The cost of a call, counted at the driver: statements run, each one round trip. */
#include "support/raw.h"
#include "support/spy.h"

/* The spied-on client is warm: each of its statements has been prepared. */
struct scene {
	struct spy *spy;
	struct dblock_client *client, *other;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock, *none;

	s->spy = spy_new();
	s->client = spy_client(s->spy, 0);
	s->other = client_new(0);
	is_free(s->client, "x");
	how.lease_ms = 600000;
	assert_int_equal(dblock_try(s->client, "x", &how, &lock, NULL), DBLOCK_OK);
	give(lock);
	lock = take(s->other, "x");
	assert_int_equal(dblock_try(s->client, "x", NULL, &none, NULL), DBLOCK_BUSY);
	give(lock);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	dblock_close(s->client, NULL);
	dblock_close(s->other, NULL);
	spy_free(s->spy);
	free(s);
	return 0;
}

/* There were exactly so many runs since the last reset, and nothing else over the wire. */
static void costs(struct spy *spy, int runs)
{
	assert_int_equal(spy->runs, runs);
	assert_int_equal(spy->prepares, 0);
	assert_int_equal(spy->execs, 0);
	assert_int_equal(spy->opens, 0);
	spy_reset(spy);
}

/* SQLite clients are relaxed by default: the release of a lease is made durable by a transaction of
 * two statements. */
static int settling(void)
{
	return on_backend("sqlite") ? 2 : 0;
}

static void costs_and_settles(struct spy *spy, int runs)
{
	assert_int_equal(spy->execs, settling());
	spy->execs = 0;
	costs(spy, runs + settling());
}

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

static struct dblock_lock *take_as(struct dblock_client *client, enum dblock_mode mode)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = mode;
	options.capacity = mode == DBLOCK_PERMITS ? 3 : 0;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	return lock;
}

static void lock_and_give(struct dblock_client *client)
{
	give(take(client, "x"));
}

/* There were so many runs since the last reset, without those that clear away behind the calls;
 * statements may have been prepared for the first time. Nobody waits, so nobody needs a channel. */
static void takes(struct scene *s, int runs)
{
	struct spy *spy = s->spy;
	int seen = spy->runs - spy->runs_of[DBL_OP_dequeue_served];

	for (int op = 0; seen != runs && op < DBL_OP_COUNT; op++) {
		if (spy->runs_of[op])
			print_error("%s: %d\n", dbl_ops[op].name, spy->runs_of[op]);
	}
	assert_int_equal(seen, runs);
	assert_int_equal(spy->opens, 0);
	spy_reset(spy);
}

/* Returns the statements of an operation that writes two tables: on MySQL a second one reads its
 * answer, on SQLite a second one writes. */
static int twofold(void)
{
	return on_backend("postgresql") ? 1 : 2;
}

/* Alone or beside another holder, this reads the queue, takes a place in it, and is granted. */
static void to_share_and_to_count(void **state)
{
	static const enum dblock_mode modes[] = {DBLOCK_SHARED, DBLOCK_UPDATE, DBLOCK_PERMITS};
	struct scene *s = *state;

	for (int beside = 0; beside < 2; beside++) {
		for (int i = 0; i < 3; i++) {
			enum dblock_mode other = modes[i] == DBLOCK_PERMITS ? modes[i] : 1;
			struct dblock_lock *theirs = beside ? take_as(s->other, other) : NULL;
			struct dblock_lock *lock;

			spy_reset(s->spy);
			lock = take_as(s->client, modes[i]);
			takes(s, 2 + twofold());
			give(lock);
			takes(s, 2);
			if (theirs)
				give(theirs);
		}
	}
	/* Only the first exclusive lock clears away that rows held it. */
	lock_and_give(s->client);
	takes(s, on_backend("postgresql") ? 6 : 7);
	lock_and_give(s->client);
	takes(s, 2);
}

static void is_busy_as(struct scene *s, enum dblock_mode mode, int runs)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *none;

	options.mode = mode;
	options.permits = options.capacity = mode == DBLOCK_PERMITS ? 3 : 0;
	spy_reset(s->spy);
	expect(BUSY, dblock_try(s->client, "x", &options, &none, &err));
	message_has("is held by host");
	takes(s, runs);
}

/* A try puts nobody into the queue, so the holder's release costs no more. */
static void a_try_in_each_mode(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *holder = spy_client(spy, 0);
	struct dblock_lock *theirs = take(holder, "x");

	is_busy_as(s, DBLOCK_SHARED, 2);
	spy_reset(spy);
	give(theirs);
	assert_int_equal(spy->runs, 1);
	theirs = take_as(holder, DBLOCK_SHARED);
	is_busy_as(s, DBLOCK_EXCLUSIVE, on_backend("sqlite") ? 4 : 3);
	give(theirs);
	theirs = take_as(holder, DBLOCK_UPDATE);
	is_busy_as(s, DBLOCK_UPDATE, 1);
	give(theirs);
	theirs = take_as(holder, DBLOCK_PERMITS);
	is_busy_as(s, DBLOCK_PERMITS, 1);
	give(theirs);
	dblock_close(holder, NULL);
	spy_free(spy);
}

static void upgrade_and_downgrade(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock = take_as(s->client, DBLOCK_SHARED);

	spy_reset(s->spy);
	expect(OK, dblock_upgrade(lock, NULL, &err));
	takes(s, 4 + twofold());
	expect(OK, dblock_downgrade(lock, DBLOCK_UPDATE, &err));
	takes(s, 2);
	give(lock);
	takes(s, 2);
	lock = take(s->client, "x");
	spy_reset(s->spy);
	expect(OK, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	takes(s, 2 + twofold());
	give(lock);
}

static void a_shared_lease_by_token(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = 600000;
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(s->client, "x", &options, &lock, &err));
	spy_reset(s->spy);
	expect(OK, dblock_extend(lock, 600000, &err));
	takes(s, 1);
	expect(OK, dblock_extend_token(s->client, "x", dblock_token(lock), 600000, &err));
	takes(s, 2);
	expect(OK, dblock_release_token(s->client, "x", dblock_token(lock), &err));
	takes(s, 7 + settling());
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
		CASE(to_share_and_to_count),
		CASE(a_try_in_each_mode),
		CASE(upgrade_and_downgrade),
		CASE(a_shared_lease_by_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
