/* SPDX-License-Identifier: MIT */
/* An upgrade from version 0.1.0 while its programs hold locks, wait, and die. */
#include <dblock/once.h>
#include <dblock/single_flight.h>

#include "db/migrate/migrate_upgrade.h"
#include "support/raw.h"

static struct dblock_client *client;
static struct raw *raw;

/* Moves the dump's times to now: its clocks go on as if no time had passed. */
static void make_it_of_now(void)
{
	int64_t ends = raw_int(raw, "SELECT {boot} - max(expires - ttl) FROM dblock_session");
	int64_t wall = raw_int(raw, "SELECT {now} - max(since) FROM dblock_request");
	long long e = (long long)ends, w = (long long)wall;

	raw_exec(raw, "UPDATE dblock_session SET expires = expires + %lld", e);
	raw_exec(raw, "UPDATE dblock_lock SET expires = expires + %lld", e);
	raw_exec(raw, "UPDATE dblock_flight SET made = made + %lld, expires = expires + %lld", w,
		 w);
	if (!on_backend("sqlite"))
		return;
	raw_exec(raw, "UPDATE dblock_session SET clock = $clock");
	raw_exec(raw, "UPDATE dblock_lock SET clock = $clock");
	raw_exec(raw, "UPDATE dblock_queue SET clock = $clock WHERE clock <> ''");
}

static int set_up(void **unused)
{
	struct schema s;

	(void)unused;
	schema_open(&s, NULL);
	make_old(&s);
	raw = raw_open(NULL);
	make_it_of_now();
	assert_int_equal(up(&s), FILES);
	assert_upgraded(&s);
	schema_close(&s);
	client = client_new(0);
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	dblock_close(client, NULL);
	raw_close(raw);
	return 0;
}

/* Returns the largest token that was granted, while the holder was of version 0.1.0. */
static int64_t token_of(const char *name)
{
	return raw_int(raw, "SELECT token FROM dblock_lock WHERE name = '%s'", name);
}

static int try_as(const char *name, enum dblock_mode mode, int64_t permits, int64_t *token,
		  struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;
	int rc;

	options.mode = mode;
	options.permits = permits;
	options.capacity = permits ? 3 : 0;
	rc = dblock_try(client, name, &options, &lock, err);
	if (rc == DBLOCK_OK) {
		*token = dblock_token(lock);
		give(lock);
	}
	return rc;
}

/* Sends the heartbeat of version 0.1.0. */
static void the_holder_beats(void)
{
	raw_exec(raw, "UPDATE dblock_session SET beat = beat + 1, expires = {boot} + ttl "
		      "WHERE app IN ('alive', 'waiter') AND NOT dead");
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_session "
				      "WHERE app IN ('alive', 'waiter') AND protocol = 0"),
			 2);
}

static void who_holds_does_so(void **unused)
{
	struct shown exclusive = show(client, "exclusive");
	struct dblock_error err = {0};

	(void)unused;
	the_holder_beats();
	assert_int_equal(exclusive.h.hold, DBLOCK_HOLD_SESSION);
	assert_int_equal(exclusive.h.token, token_of("exclusive"));
	assert_false(exclusive.h.session_dead);
	assert_string_equal(exclusive.app, "alive");
	assert_string_equal(exclusive.host, "oldhost");
	assert_string_equal(exclusive.value, "it's mine");
	assert_non_null(exclusive.h.request);
	assert_int_equal(show(client, "lease").h.hold, DBLOCK_HOLD_LEASE);
	busy(client, "exclusive");
	busy(client, "shared");
	busy(client, "lease");
	busy(client, "resting");
	expect(BUSY, try_as("permits", DBLOCK_PERMITS, 2, NULL, &err));
}

static int note_waiter(void *arg, const struct dblock_waiter *waiter)
{
	char *seen = arg;
	size_t n = strlen(seen);

	assert_string_equal(waiter->app, "waiter");
	snprintf(seen + n, 64 - n, "%d:%d ", (int)waiter->place, (int)waiter->mode);
	return 0;
}

static void who_waits_stands_in_queue(void **unused)
{
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_error err = {0};
	char seen[64] = "";

	(void)unused;
	options.name = "exclusive";
	expect(OK, dblock_waiters(client, &options, note_waiter, seen, &err));
	assert_string_equal(seen, "1:0 2:1 ");
}

/* The next holders after those of version 0.1.0 get larger tokens. */
static void tokens_only_grow(void **unused)
{
	int64_t free = token_of("free"), shared = token_of("shared"), permits = token_of("permits");
	int64_t floor = raw_int(raw, "SELECT token FROM dblock_floor"), token;
	struct dblock_error err = {0};

	(void)unused;
	assert_true(floor > 0);
	assert_true(is_free(client, "purged") > floor);
	assert_true(is_free(client, "free") > free);
	expect(OK, try_as("shared", DBLOCK_SHARED, 0, &token, &err));
	assert_true(token > shared);
	expect(OK, try_as("permits", DBLOCK_PERMITS, 1, &token, &err));
	assert_true(token > permits);
}

static int make_none(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	(void)arg;
	(void)result;
	(void)err;
	return -4711;
}

static void what_is_done_is_done(void **unused)
{
	struct dblock_flight_options fresh = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_result *result;
	struct dblock_lock *lock;

	(void)unused;
	expect(DONE, dblock_once_try(client, "once", "2026-11-22", NULL, &lock, &err));
	fresh.fresh_ms = DBLOCK_FRESH_MAX_MS;
	expect(OK, dblock_single_flight(client, "flight", &fresh, make_none, NULL, &result, &err));
	assert_string_equal(dblock_result_bytes(result), "made by 0.1.0");
	dblock_result_free(result);
}

static void who_is_dead_is_declared_dead(void **unused)
{
	int64_t alone = token_of("dying"), shared = token_of("dying/shared");

	(void)unused;
	is_free_soon(client, "dying");
	is_free_soon(client, "dying/shared");
	assert_true(token_of("dying") > alone);
	assert_true(token_of("dying/shared") > shared);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_session WHERE dead = true"), 1);
	busy(client, "exclusive");
}

/* The queue is handed the lock as version 0.1.0's own release does: first come, first served. */
static void the_queue_is_served(void **unused)
{
	int64_t token = token_of("exclusive");
	struct dblock_error err = {0};
	struct shown next;

	(void)unused;
	expect(OK, break_by_force(client, "exclusive", token, 0, &err));
	next = show(client, "exclusive");
	assert_true(next.h.token > token);
	assert_string_equal(next.app, "waiter");
	assert_int_equal(next.h.mode, DBLOCK_EXCLUSIVE);
	expect(OK, break_by_force(client, "exclusive", next.h.token, 0, &err));
	assert_true(show(client, "exclusive").h.token > next.h.token);
	assert_int_equal(show(client, "exclusive").h.mode, DBLOCK_SHARED);
	expect(OK, break_by_force(client, "exclusive", 0, 0, &err));
	(void)is_free(client, "exclusive");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_holds_does_so),
		cmocka_unit_test(who_waits_stands_in_queue),
		cmocka_unit_test(tokens_only_grow),
		cmocka_unit_test(what_is_done_is_done),
		cmocka_unit_test(who_is_dead_is_declared_dead),
		cmocka_unit_test(the_queue_is_served),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
