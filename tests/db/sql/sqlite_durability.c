/* SPDX-License-Identifier: MIT */
/* How often the disk is asked to keep what was written, for each durability. Only a power cut would
 * show that it does. */
#include <stdatomic.h>

#include "support/call.h"
#include "support/waiting.h"

static _Atomic int syncs;

/* These stand in the place of the C library's, also for SQLite. */
__attribute__((visibility("default"))) int fsync(int fd);
__attribute__((visibility("default"))) int fdatasync(int fd);

int fsync(int fd)
{
	(void)fd;
	syncs++;
	return 0;
}

int fdatasync(int fd)
{
	return fsync(fd);
}

static struct dblock_client *client_of(enum dblock_durability durability)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	/* No heartbeat comes in between. */
	options.ttl_ms = 3600000;
	options.timeout_ms = PLENTY_MS;
	options.durability = durability;
	return client_with(&options);
}

/* Returns how often the disk was asked since the last call. */
static int synced(void)
{
	return atomic_exchange(&syncs, 0);
}

static void pairs(struct dblock_client *client, int n)
{
	(void)synced();
	while (n-- > 0)
		is_free(client, "x");
}

static void a_grant(void **state)
{
	struct dblock_client *usual = client_of(DBLOCK_DURABILITY_DEFAULT);
	struct dblock_client *relaxed = client_of(DBLOCK_RELAXED);
	struct dblock_client *durable = client_of(DBLOCK_DURABLE);

	(void)state;
	pairs(usual, 10);
	assert_int_equal(synced(), 0);
	pairs(relaxed, 10);
	assert_int_equal(synced(), 0);
	pairs(durable, 10);
	assert_true(synced() >= 20);
	dblock_close(usual, NULL);
	dblock_close(relaxed, NULL);
	dblock_close(durable, NULL);
}

/* A grant that ends with the machine need not survive it; one that does not must. */
static void what_outlives_the_client(void **state)
{
	struct dblock_client *client = client_of(DBLOCK_DURABILITY_DEFAULT);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	how.lease_ms = 600000;
	(void)synced();
	expect(OK, dblock_try(client, "lease", &how, &lock, &err));
	assert_true(synced() >= 1);
	expect(OK, dblock_extend(lock, 600000, &err));
	assert_true(synced() >= 1);
	token = dblock_token(lock);
	expect(OK, dblock_extend_token(client, "lease", token, 600000, &err));
	assert_true(synced() >= 1);
	give(lock);
	assert_true(synced() >= 1);
	how.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, "shared", &how, &lock, &err));
	assert_true(synced() >= 1);
	expect(OK, dblock_release_token(client, "shared", dblock_token(lock), &err));
	assert_true(synced() >= 1);
	expect(STALE, dblock_release_token(client, "shared", dblock_token(lock), &err));
	how = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
	how.at_least_ms = 600000;
	(void)synced();
	expect(OK, dblock_try(client, "rest", &how, &lock, &err));
	assert_true(synced() >= 1);
	give(lock);
	assert_true(synced() >= 1);
	expect(OK, break_by_force(client, "rest", 0, 0, &err));
	assert_true(synced() >= 1);
	dblock_close(client, NULL);
}

static void a_slot_that_was_done(void **state)
{
	struct dblock_client *client = client_of(DBLOCK_DURABILITY_DEFAULT);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	(void)synced();
	expect(OK, dblock_once(client, "job", "monday", NULL, &lock, &err));
	assert_int_equal(synced(), 0);
	expect(OK, dblock_once_done(lock, &err));
	assert_true(synced() >= 1);
	dblock_close(client, NULL);
}

/* ---- from hand to hand ---------------------------------------------------------------------- */

struct waiter {
	struct dblock_client *client;
	struct dblock_acquire_options how;
	struct dblock_lock *lock;
};

static int do_acquire(void *arg, struct dblock_error *err)
{
	struct waiter *w = arg;

	return dblock_acquire(w->client, "x", &w->how, &w->lock, err);
}

/* Returns how often the disk was asked when a relaxed client handed the lock to a waiter. */
static int syncs_of_hand_over(struct raw *raw, struct waiter *w)
{
	struct dblock_client *relaxed = client_of(DBLOCK_RELAXED);
	struct dblock_lock *lock = take(relaxed, "x");
	struct call call;
	int n;

	call_start(&call, do_acquire, w);
	wait_until(raw_int(raw, "SELECT queued FROM dblock_lock WHERE name = 'x'") == 1);
	(void)synced();
	give(lock);
	assert_int_equal(call_end(&call), DBLOCK_OK);
	n = synced();
	give(w->lock);
	dblock_close(relaxed, NULL);
	return n;
}

static void a_hand_over(void **state)
{
	struct raw *raw = raw_open(NULL);
	struct waiter w = {.how = DBLOCK_ACQUIRE_OPTIONS_INIT};
	int tries = 0;

	(void)state;
	w.client = client_of(DBLOCK_RELAXED);
	/* A tenth of a second later its heartbeat thread cleans up, which is durable. */
	while (syncs_of_hand_over(raw, &w) > 0)
		assert_true(++tries < 100);
	w.how.lease_ms = 600000;
	assert_true(syncs_of_hand_over(raw, &w) >= 1);
	dblock_close(w.client, NULL);
	w.client = client_of(DBLOCK_DURABLE);
	w.how.lease_ms = 0;
	assert_true(syncs_of_hand_over(raw, &w) >= 1);
	dblock_close(w.client, NULL);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_grant),
		cmocka_unit_test(what_outlives_the_client),
		cmocka_unit_test(a_slot_that_was_done),
		cmocka_unit_test(a_hand_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
