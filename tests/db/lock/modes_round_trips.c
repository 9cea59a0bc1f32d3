/* SPDX-License-Identifier: MIT */
/* What calls cost in modes that several may hold. */
#include "db/lock/round_trips_kit.h"

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

/* Returns the statements of an acquire beside others: one that writes two tables; but MySQL has none,
 * so there it reads the queue, takes a place in it, and is granted. */
static int entering(void)
{
	return on_backend("mysql") ? 2 + twofold() : twofold();
}

/* Alone or beside another holder. */
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
			takes(s, entering());
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

	/* At first it asks whether it can have it; then it expects others there, until it sees none. */
	is_busy_as(s, DBLOCK_SHARED, on_backend("mysql") ? 2 : 3);
	is_busy_as(s, DBLOCK_SHARED, 2);
	spy_reset(spy);
	give(theirs);
	spy_assert_runs(spy, 1);
	theirs = take_as(holder, DBLOCK_SHARED);
	is_busy_as(s, DBLOCK_EXCLUSIVE, on_backend("sqlite") ? 4 : 3);
	give(theirs);
	theirs = take_as(holder, DBLOCK_UPDATE);
	is_busy_as(s, DBLOCK_UPDATE, 1);
	give(theirs);
	theirs = take_as(holder, DBLOCK_PERMITS);
	is_busy_as(s, DBLOCK_PERMITS, 1);
	give(theirs);
	spy_reset(s->spy);
	theirs = take_as(s->client, DBLOCK_SHARED);
	takes(s, on_backend("mysql") ? entering() : 1 + entering());
	give(theirs);
	spy_reset(s->spy);
	theirs = take_as(s->client, DBLOCK_SHARED);
	takes(s, entering());
	give(theirs);
	dblock_close(holder, NULL);
	spy_free(spy);
}

/* Before its first use in such a mode a name gets its row; then nothing is in the way any more. */
static void a_name_that_is_new(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = DBLOCK_SHARED;
	for (int i = 0; i < 2; i++) {
		spy_reset(s->spy);
		expect(OK, dblock_try(s->client, "new", &options, &lock, &err));
		takes(s, entering() + (i ? 0 : on_backend("mysql") ? 2 : 3));
		give(lock);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(to_share_and_to_count),   CASE(a_try_in_each_mode),
		CASE(a_name_that_is_new),      CASE(upgrade_and_downgrade),
		CASE(a_shared_lease_by_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
