/* SPDX-License-Identifier: MIT */
/* A grant with its own end: it outlives its client, ends by the database's clock, can be extended
 * and released by whoever knows its token, and is not touched by the death of a session. */
#include "support/by_token.h"

/* For a lease that nobody waits for. */
enum { LONG_MS = 600000 };

static struct dblock_lock *lease(struct dblock_client *client, const char *name, int64_t lease_ms)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = lease_ms;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

/* Wait for the name, take it, give it back; returns when it was had. */
static int64_t had_at(struct dblock_client *client, const char *name)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t at;

	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, name, &options, &lock, &err));
	at = clock_ms();
	give(lock);
	return at;
}

static void it_outlives_its_client(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};
	int64_t token;

	(void)state;
	token = dblock_token(lease(a, "x", LONG_MS));
	dblock_close(a, NULL);
	busy(b, "x");
	assert_int_equal(show(b, "x").h.hold, DBLOCK_HOLD_LEASE);
	assert_int_equal(show(b, "x").h.token, token);
	expect(OK, dblock_release_token(b, "x", token, &err));
	assert_true(is_free(b, "x") > token);
	dblock_close(b, NULL);
}

static void it_ends_by_itself(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};
	int64_t begun = clock_ms();
	struct dblock_lock *lock = lease(a, "x", 1500);

	(void)state;
	assert_true(had_at(b, "x") - begun >= 1500);
	assert_false(dblock_valid(lock, 0));
	assert_int_equal(dblock_remaining_ms(lock), 0);
	expect(LOST, dblock_release(lock, &err));
	message_has("'x'");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* A try needs no patience either: the lease's end is the database's to say. */
static void a_try_takes_what_has_ended(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	int64_t begun = clock_ms(), token;
	struct dblock_lock *lock = lease(a, "x", 1000);

	(void)state;
	token = dblock_token(lock);
	while (show(b, "x").h.left_ms >= 0 && clock_ms() - begun < PLENTY_MS)
		sleep_ms(20);
	assert_true(clock_ms() - begun >= 1000);
	assert_true(is_free(b, "x") > token);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void extend_moves_the_end_away(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = lease(a, "x", 5000);
	struct dblock_error err = {0};
	int64_t left;

	(void)state;
	expect(OK, dblock_extend(lock, LONG_MS, &err));
	left = show(b, "x").h.left_ms;
	assert_true(left <= LONG_MS && left > LONG_MS - PLENTY_MS);
	assert_true(dblock_remaining_ms(lock) > LONG_MS * 9 / 10 - PLENTY_MS);
	assert_true(dblock_remaining_ms(lock) <= LONG_MS * 9 / 10);
	give(lock);
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void extend_moves_the_end_closer(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = lease(a, "x", LONG_MS);
	struct dblock_error err = {0};
	int64_t begun = clock_ms();

	(void)state;
	expect(OK, dblock_extend(lock, 2000, &err));
	assert_true(dblock_remaining_ms(lock) <= 1800);
	assert_true(had_at(b, "x") - begun >= 2000);
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_extend(lock, LONG_MS, &err));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void extending_what_has_ended_is_a_loss(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = lease(a, "x", 1000);
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	(void)state;
	while (dblock_valid(lock, 0))
		sleep_ms(10);
	expect(LOST, dblock_extend(lock, LONG_MS, &err));
	message_has("'x'");
	had_at(b, "x");
	expect(STALE, dblock_extend_token(b, "x", token, LONG_MS, &err));
	is_free(b, "x");
	expect(LOST, dblock_release(lock, &err));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void only_leases_are_extended(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, dblock_extend(lock, LONG_MS, &err));
	message_has("'x' has no lease");
	expect(STALE, dblock_extend_token(client, "x", dblock_token(lock), LONG_MS, &err));
	give(lock);
	dblock_close(client, NULL);
}

static void by_token_from_another_client(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *x = lease(a, "x", LONG_MS), *y = lease(a, "y", LONG_MS);
	struct dblock_error err = {0};
	int64_t token = dblock_token(x);

	(void)state;
	expect(OK, dblock_extend_token(b, "x", token, LONG_MS / 2, &err));
	assert_true(show(b, "x").h.left_ms <= LONG_MS / 2);

	/* Another token, another name, and too late: nothing is touched. */
	expect(STALE, dblock_release_token(b, "x", token + 1, &err));
	message_has("'x'");
	expect(STALE, dblock_release_token(b, "x", token - 1, &err));
	expect(STALE, dblock_release_token(b, "y", token, &err));
	expect(STALE, dblock_release_token(b, "nobody", token, &err));
	expect(STALE, dblock_extend_token(b, "x", token + 1, LONG_MS, &err));
	expect(STALE, dblock_extend_token(b, "y", token, LONG_MS, &err));
	busy(b, "x");
	busy(b, "y");

	release_by_token(b, "x", x);
	expect(STALE, dblock_release_token(b, "x", token, &err));
	expect(STALE, dblock_extend_token(b, "x", token, LONG_MS, &err));
	is_free(b, "x");
	give(y);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* A grant that lives by its session can be released so as well, and its holder finds out. */
static void a_sessions_grant_by_token(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x"), *next;

	(void)state;
	release_by_token(b, "x", lock);
	next = take(b, "x");
	busy(a, "x");
	give(next);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The margin: a tenth, but at least 100 ms. What is left is never more than what is safe. */
static void validity_ends_before_the_lease(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = lease(client, "x", LONG_MS), *brief;
	int64_t begun = clock_ms();

	(void)state;
	assert_true(dblock_valid(lock, 0));
	assert_true(dblock_valid(lock, LONG_MS / 2));
	assert_false(dblock_valid(lock, LONG_MS * 9 / 10));
	assert_true(dblock_remaining_ms(lock) <= LONG_MS * 9 / 10);

	brief = lease(client, "y", 1500);
	while (dblock_valid(brief, 0))
		sleep_ms(1);
	assert_true(clock_ms() - begun >= 1350 - 1);
	assert_false(dblock_valid(lock, INT64_MAX));
	give(lock);
	assert_false(dblock_valid(NULL, 0));
	dblock_close(client, NULL);
}

/* The process dies, its session is declared dead: the lease stays until its end. */
static void burial_does_not_touch_it(void **state)
{
	struct grab grab = {.name = "x", .ttl_ms = 2000, .lease_ms = 6000};
	int64_t begun = clock_ms(), had;
	struct child child = child_start(child_takes, &grab);
	struct dblock_client *client = client_new(0);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	(void)state;
	child_kill(&child);
	do {
		sleep_ms(100);
		expect(OK, dblock_reap(client, NULL, &reaped, &err));
	} while (reaped.sessions_buried == 0 && clock_ms() - begun < PLENTY_MS);
	assert_int_equal(reaped.sessions_buried, 1);
	had = had_at(client, "x");
	assert_true(had - begun >= 6000);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_outlives_its_client),
		cmocka_unit_test(it_ends_by_itself),
		cmocka_unit_test(a_try_takes_what_has_ended),
		cmocka_unit_test(extend_moves_the_end_away),
		cmocka_unit_test(extend_moves_the_end_closer),
		cmocka_unit_test(extending_what_has_ended_is_a_loss),
		cmocka_unit_test(only_leases_are_extended),
		cmocka_unit_test(by_token_from_another_client),
		cmocka_unit_test(a_sessions_grant_by_token),
		cmocka_unit_test(validity_ends_before_the_lease),
		cmocka_unit_test(burial_does_not_touch_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
