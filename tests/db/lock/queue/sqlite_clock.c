/* SPDX-License-Identifier: MIT */
/* On SQLite ends count from the machine's boot: those that were written under another boot (or in
 * another container's time namespace) cannot be compared. They are never held to be over by
 * arithmetic, but watched. */
#include "support/puppet.h"
#include "support/raw.h"

static struct dblock_lock *wait_for_x(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, "x", &options, &lock, &err));
	return lock;
}

static void a_session_of_another_boot(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 2000);
	struct raw *raw = raw_open(NULL);
	struct shown shown;
	int64_t begun;

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	raw_exec(raw, "UPDATE dblock_session SET clock = 'other', expires = 1 WHERE id = '%s'",
		 puppet->id);
	busy(client, "x");
	shown = show(client, "x");
	assert_int_equal(shown.h.left_ms, INT64_MIN);
	assert_int_equal(shown.h.expires_us, 0);
	begun = clock_ms();
	give(wait_for_x(client));
	assert_true(clock_ms() - begun >= 2000);
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

static void a_lease_of_another_boot(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct raw *raw = raw_open(NULL);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	int64_t begun;

	(void)state;
	options.lease_ms = 1500;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	raw_exec(raw, "UPDATE dblock_lock SET clock = 'other', expires = 1");
	begun = clock_ms();
	busy(other, "x");
	expect(OK, dblock_reap(other, NULL, &reaped, &err));
	assert_int_equal(reaped.locks_freed, 0);
	give(wait_for_x(other));
	assert_true(clock_ms() - begun >= 1500);
	expect(LOST, dblock_release(lock, &err));
	raw_close(raw);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

/* The reaper watches it as well. */
static void a_reaper_watches_it_too(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 1500);
	struct raw *raw = raw_open(NULL);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};
	int64_t begun;

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	raw_exec(raw,
		 "UPDATE dblock_session SET clock = 'other', expires = {boot} + 3600000000"
		 " WHERE id = '%s'",
		 puppet->id);
	begun = clock_ms();
	expect(OK, dblock_reap(client, NULL, &reaped, &err));
	assert_true(clock_ms() - begun >= 1500);
	assert_int_equal(reaped.sessions_buried, 1);
	assert_int_equal(reaped.locks_freed, 1);
	is_free(client, "x");
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

/* By its number the lease is long over, but the number is of another boot: the lock is held, and
 * the listing says no end. */
static void a_listing_does_not_guess(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct raw *raw = raw_open(NULL);
	struct shown shown = {.h = {0}};

	(void)state;
	options.lease_ms = 3600 * 1000;
	expect(OK, dblock_try(client, "listed", &options, &lock, &err));
	raw_exec(raw, "UPDATE dblock_lock SET clock = 'other', expires = 1 WHERE name = 'listed'");
	expect(OK, dblock_list(client, NULL, keep_shown, &shown, &err));
	assert_string_equal(shown.name, "listed");
	assert_int_equal(shown.h.hold, DBLOCK_HOLD_LEASE);
	assert_int_equal(shown.h.left_ms, INT64_MIN);
	assert_int_equal(shown.h.expires_us, 0);
	/* The lock is still its holder's: a release needs no clock. */
	expect(OK, dblock_release(lock, &err));
	is_free(client, "listed");
	raw_close(raw);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_of_another_boot),
		cmocka_unit_test(a_lease_of_another_boot),
		cmocka_unit_test(a_reaper_watches_it_too),
		cmocka_unit_test(a_listing_does_not_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
