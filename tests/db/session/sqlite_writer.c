/* SPDX-License-Identifier: MIT */
/* The whole file has one writer at a time. A user's transaction that takes long holds up
 * heartbeats: if it ends before the deadline nothing is lost, and at the deadline, not later,
 * everything is. */
#include "support/raw.h"

/* The writer goes on until the holder has little time left: by then the heartbeats of more than two
 * thirds of a ttl were held up. Returns false if the machine was too busy for the scene. */
static bool survives_a_writer(int64_t ttl_ms)
{
	struct dblock_client *client = client_new(ttl_ms);
	struct dblock_lock *lock = take(client, "x");
	struct raw *raw = raw_open(NULL);
	int64_t until;
	bool held;

	raw_exec(raw, "BEGIN IMMEDIATE");
	while (dblock_remaining_ms(lock) > ttl_ms / 4)
		sleep_ms(5);
	raw_exec(raw, "COMMIT");
	until = clock_ms() + PLENTY_MS;
	while (dblock_valid(lock, 0) && dblock_remaining_ms(lock) <= ttl_ms / 4 &&
	       clock_ms() < until)
		sleep_ms(1);
	held = dblock_valid(lock, 0);
	if (held)
		give(lock);
	else
		(void)dblock_release(lock, NULL);
	raw_close(raw);
	dblock_close(client, NULL);
	return held;
}

static void a_writer_that_ends_in_time(void **state)
{
	int64_t ttl_ms = 2400;

	(void)state;
	while (!survives_a_writer(ttl_ms)) {
		ttl_ms *= 2;
		assert_true(ttl_ms < PLENTY_MS);
	}
}

static void a_writer_that_does_not(void **state)
{
	enum { TTL_MS = 900 };
	struct dblock_client *client = client_new(TTL_MS), *other = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock = take(client, "x"), *next;
	struct dblock_error err = {0};
	struct raw *raw = raw_open(NULL);
	int64_t begun, now;

	(void)state;
	raw_exec(raw, "BEGIN IMMEDIATE");
	begun = clock_ms();
	/* No heartbeat that is sent from now on is carried out. */
	do {
		now = clock_ms();
		sleep_ms(5);
	} while (dblock_valid(lock, 0) && now - begun <= TTL_MS);
	assert_false(dblock_valid(lock, 0));
	raw_exec(raw, "COMMIT");
	/* A heartbeat that succeeds now does not bring the lock back; somebody else may have it. */
	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(other, "x", &options, &next, &err));
	give(next);
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	give(take(client, "x"));
	raw_close(raw);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_writer_that_ends_in_time),
		cmocka_unit_test(a_writer_that_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
