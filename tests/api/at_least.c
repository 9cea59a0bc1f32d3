/* SPDX-License-Identifier: MIT */
/* The minimum hold: a release before its end keeps the name taken until then; a crash does not. */
#include "support/by_token.h"

enum { LONG_MS = 600000 };

static struct dblock_lock *hold(struct dblock_client *client, int64_t at_least_ms, int64_t lease_ms)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.at_least_ms = at_least_ms;
	options.lease_ms = lease_ms;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	return lock;
}

static struct dblock_lock *wait_for(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, "x", &options, &lock, &err));
	return lock;
}

static void a_release_keeps_it_taken_until_then(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	int64_t begun = clock_ms(), token;
	struct dblock_lock *lock = hold(a, 3000, 0), *none;
	struct dblock_error err = {0};
	struct shown shown;

	(void)state;
	token = dblock_token(lock);
	give(lock);
	shown = show(b, "x");
	if (clock_ms() - begun < 3000) { /* else the machine slept: nothing to see */
		assert_int_equal(shown.h.hold, DBLOCK_HOLD_MINIMUM);
		assert_true(shown.h.left_ms <= 3000);
	}
	/* Nobody gets it, not even who had it. */
	if (dblock_try(b, "x", NULL, &none, &err) == DBLOCK_OK)
		assert_true(clock_ms() - begun >= 3000);
	else
		message_has("minimum hold");
	lock = wait_for(a);
	assert_true(clock_ms() - begun >= 3000);
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The rest belongs to nobody: its former token is good for nothing. */
static void the_rest_is_nobodys(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = hold(a, LONG_MS, 0);
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	(void)state;
	give(lock);
	busy(a, "x");
	expect(STALE, dblock_release_token(a, "x", token, &err));
	expect(STALE, dblock_extend_token(a, "x", token, LONG_MS, &err));
	busy(b, "x");
	expect(OK, break_by_force(b, "x", 0, 0, &err));
	assert_true(is_free(b, "x") > token);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void no_longer_than_the_hold_itself(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = hold(a, 50, 0);

	(void)state;
	sleep_ms(200);
	give(lock);
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void closing_is_a_release(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};

	(void)state;
	hold(a, LONG_MS, 0);
	dblock_close(a, NULL);
	busy(b, "x");
	assert_int_equal(show(b, "x").h.hold, DBLOCK_HOLD_MINIMUM);
	expect(OK, break_by_force(b, "x", 0, 0, &err));
	is_free(b, "x");
	dblock_close(b, NULL);
}

/* With a lease of its own, released: the minimum hold, not the lease, says until when. */
static void a_leases_minimum_hold(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	int64_t begun = clock_ms();
	struct dblock_lock *lock = hold(a, 1200, LONG_MS);

	(void)state;
	release_by_token(b, "x", lock);
	give(wait_for(b));
	assert_true(clock_ms() - begun >= 1200);
	assert_true(clock_ms() - begun < LONG_MS);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void it_does_not_outlast_a_crash(void **state)
{
	struct grab grab = {.name = "x", .ttl_ms = 2000, .at_least_ms = LONG_MS};
	int64_t begun = clock_ms();
	struct child child = child_start(child_takes, &grab);
	struct dblock_client *client = client_new(0);

	(void)state;
	child_kill(&child);
	give(wait_for(client));
	assert_true(clock_ms() - begun >= 2000);
	assert_true(clock_ms() - begun < LONG_MS);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_release_keeps_it_taken_until_then),
		cmocka_unit_test(the_rest_is_nobodys),
		cmocka_unit_test(no_longer_than_the_hold_itself),
		cmocka_unit_test(closing_is_a_release),
		cmocka_unit_test(a_leases_minimum_hold),
		cmocka_unit_test(it_does_not_outlast_a_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
