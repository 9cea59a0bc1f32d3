/* SPDX-License-Identifier: MIT */
/* Any one of several locks: what may be asked of it, and what not. */
#include "db/lock/wait/any_kit.h"

/* Leases, permits, shared: as each name says; and it is a handle like any other. */
static void with_modes_and_a_lease(void **state)
{
	static const struct dblock_lock_spec mixed[] = {
		{.name = "pool", .mode = DBLOCK_PERMITS, .permits = 2, .capacity = 3},
		{.name = "read", .mode = DBLOCK_SHARED}};
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *one, *two, *alone;
	struct dblock_error err = {0};

	(void)state;
	lease.lease_ms = 3600 * 1000;
	expect(OK, dblock_acquire_any(a, mixed, 2, NULL, &one, &err));
	assert_string_equal(dblock_name(one), "pool");
	expect(OK, dblock_acquire_any(b, mixed, 2, &lease, &two, &err));
	assert_string_equal(dblock_name(two), "read");
	assert_int_equal(dblock_mode_of(two), DBLOCK_SHARED);
	expect(OK, dblock_extend(two, 7200 * 1000, &err));
	give(one);
	give(two);
	alone = take(a, "a");
	two = take(a, "b");
	one = take(a, "c");
	{
		struct raw *raw = raw_open(NULL);
		struct job job = JOB;

		job.how.lease_ms = 3600 * 1000;
		job.how.value = "mine";
		begins(&job, b, raw, 3);
		give(two);
		two = gets(&job, "b");
		assert_string_equal(show(a, "b").value, "mine");
		assert_int_equal(show(a, "b").h.hold, DBLOCK_HOLD_LEASE);
		expect(OK, dblock_extend(two, 7200 * 1000, &err));
		raw_close(raw);
	}
	give(one);
	give(two);
	give(alone);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void bad_wishes(void **state)
{
	static const struct dblock_lock_spec twice[] = {{.name = "a"}, {.name = "a"}},
					     pool[] = {{.name = "p",
							.mode = DBLOCK_PERMITS,
							.permits = 1,
							.capacity = 1},
						       {.name = "q"}};
	struct dblock_acquire_options unfair = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_lock *held = take(client, "a"), *lock, *two[2];
	struct dblock_error err = {0};

	(void)state;
	unfair.unfair = true;
	expect(E_INVALID, dblock_acquire_any(client, twice, 2, NULL, &lock, &err));
	message_has("twice");
	expect(E_INVALID, dblock_acquire_any(client, abc, 0, NULL, &lock, &err));
	expect(E_INVALID, dblock_acquire_any(client, NULL, 1, NULL, &lock, &err));
	expect(E_INVALID, dblock_acquire_any(client, abc, 3, &unfair, &lock, &err));
	message_has("unfair");
	expect(E_INVALID, dblock_try_any(client, abc, 3, NULL, &lock, &err));
	message_has("'a'");
	message_has("holds it already");
	give(held);
	expect(OK, dblock_acquire_any(client, abc, 1, NULL, &lock, &err));
	give(lock);
	/* One that is in use as something else: told, and nothing is kept of the others. */
	two[0] = take(other, "p");
	two[1] = take(other, "q");
	expect(E_INVALID, dblock_acquire_any(client, pool, 2, NULL, &lock, &err));
	message_has("'p' is in use as a lock without permits");
	give(two[0]);
	give(two[1]);
	is_free(client, "q");
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_modes_and_a_lease),
		cmocka_unit_test(bad_wishes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
