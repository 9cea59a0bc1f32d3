/* SPDX-License-Identifier: MIT */
/* What operators do about locks that several hold: break, reap, purge. */
#include "db/lock/admin/modes_scene.h"

/* ---- break ----------------------------------------------------------------------------------- */

static void break_one_or_all(void **state)
{
	struct scene *s = *state;
	struct dblock_client *third = client_new(0);
	struct dblock_lock *a = take_as(s->client, "x", DBLOCK_SHARED);
	struct dblock_lock *b = take_as(s->other, "x", DBLOCK_SHARED);
	struct dblock_lock *c = take_as(third, "x", DBLOCK_UPDATE);
	struct dblock_error err = {0};
	int64_t token = dblock_token(b);

	expect(OK, break_by_force(s->client, "x", token, 0, &err));
	assert_int_equal(holders(s->client, "x")->n, 2);
	expect(STALE, break_by_force(s->client, "x", token, 0, &err));
	expect(LOST, dblock_release(b, &err));
	assert_int_equal(holders(s->client, "x")->n, 2);

	put_in_queue(s, "x", 71, DBLOCK_EXCLUSIVE);
	expect(OK, break_by_force(s->client, "x", 0, 0, &err));
	/* Each break gives the lock to the first in the queue, with a larger token. */
	assert_int_equal(raw_int(s->raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"), 71);
	assert_true(show(s->client, "x").h.token > dblock_token(c));
	expect(LOST, dblock_release(a, &err));
	expect(LOST, dblock_release(c, &err));
	assert_int_equal(raw_int(s->raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"), 71);
	expect(OK, break_by_force(s->client, "x", 0, 0, &err));
	expect(STALE, break_by_force(s->client, "x", 0, 0, &err));
	dblock_close(third, NULL);
}

static void broken_permits_are_free(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *two = take_with(s->client, "x", permits(2, 5)), *lock;
	struct dblock_lock *three = take_with(s->other, "x", permits(3, 5));
	struct dblock_acquire_options options = permits(2, 5);
	struct dblock_error err = {0};

	expect(BUSY, dblock_try(s->client, "x", &options, &lock, &err));
	expect(OK, break_by_force(s->client, "x", dblock_token(two), 0, &err));
	lock = take_with(s->client, "x", options);
	expect(LOST, dblock_release(two, &err));
	give(three);
	give(lock);
}

/* ---- the reaper ------------------------------------------------------------------------------ */

static struct dblock_reaped reap(struct dblock_client *client)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.purge_after_ms = -1;
	expect(OK, dblock_reap(client, &options, &reaped, &err));
	return reaped;
}

static void what_the_dead_hold_is_freed_and_the_queue_served(void **state)
{
	struct scene *s = *state;
	struct dblock_client *dead = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lease;

	options.mode = DBLOCK_SHARED;
	options.lease_ms = 600000;
	take_as(dead, "x", DBLOCK_UPDATE);
	take_as(dead, "y", DBLOCK_SHARED);
	lease = take_with(s->client, "x", options);
	put_in_queue(s, "x", 71, DBLOCK_EXCLUSIVE);
	put_in_queue(s, "y", 72, DBLOCK_UPDATE);
	put_in_queue(s, "y", 73, DBLOCK_SHARED);
	/* Nobody is dead: only the updater fits beside the reader, and the other reader with it. */
	assert_int_equal(reap(s->client).locks_freed, 0);
	assert_int_equal(holders(s->client, "y")->n, 3);
	put_in_queue(s, "y", 74, DBLOCK_UPDATE);

	raw_exec(s->raw, "UPDATE dblock_queue SET expires = {boot} - 1 WHERE token = %lld",
		 (long long)dblock_token(lease));
	assert_int_equal(reap(s->client).locks_freed, 1);
	assert_int_equal(holders(s->client, "x")->n, 1);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE name = 'x' "
					 "AND token IS NULL"),
			 1);

	raw_exec(s->raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'",
		 show(s->client, "x").session);
	assert_int_equal(reap(s->client).locks_freed, 2);
	assert_int_equal(raw_int(s->raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"), 71);
	assert_int_equal(holders(s->client, "y")->n, 2);
	assert_int_equal(reap(s->client).locks_freed, 0);
	dblock_close(dead, NULL);
}

/* The name is kept, however long nobody has come or gone. */
static void what_rows_hold_is_not_purged(void **state)
{
	struct scene *s = *state;
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_lock *lock = take_as(s->client, "x", DBLOCK_SHARED);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.purge_after_ms = 1000;
	raw_exec(s->raw, "UPDATE dblock_lock SET acquired = 0, released = 0 WHERE name = 'x'");
	expect(OK, dblock_reap(s->client, &options, &reaped, &err));
	assert_int_equal(reaped.names_purged, 0);
	busy(s->other, "x");
	give(lock);
	raw_exec(s->raw, "UPDATE dblock_lock SET acquired = 0, released = 0 WHERE name = 'x'");
	expect(OK, dblock_reap(s->client, &options, &reaped, &err));
	assert_int_equal(reaped.names_purged, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(break_one_or_all),
		CASE(broken_permits_are_free),
		CASE(what_the_dead_hold_is_freed_and_the_queue_served),
		CASE(what_rows_hold_is_not_purged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
