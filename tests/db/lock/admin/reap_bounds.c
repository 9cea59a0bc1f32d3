/* SPDX-License-Identifier: MIT */
/* The reaper's bounds: a session that looks dead is watched for a bounded time, after all else was
 * done, and the next pass goes on from there; a locked row holds up nothing else. */
#include "db/lock/admin/reaping.h"
#include "driver/value.h"
#include "support/puppet.h"

static struct dblock_reaped reap_for(struct dblock_client *client, int64_t max_time_ms)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.max_time_ms = max_time_ms;
	expect(OK, dblock_reap(client, &options, &reaped, &err));
	return reaped;
}

/* Naive: sessions that look dead are watched first, for an hour if their ttl is so long. */
static void a_long_ttl_keeps_nothing_else(void **state)
{
	struct scene *s = *state;
	struct puppet *lives_long = puppet_new(NULL, 3600000), *puppet = puppet_new(NULL, 1000);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *ended;
	struct dblock_reaped r = DBLOCK_REAPED_INIT;

	assert_true(puppet_takes(lives_long, "x"));
	assert_true(puppet_takes(puppet, "y"));
	options.lease_ms = 600000;
	expect(OK, dblock_try(s->client, "ended", &options, &ended, &err));
	raw_exec(s->raw, "UPDATE dblock_lock SET expires = {boot} - 1 WHERE name = 'ended'");
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {boot} - 60000000"
			 " WHERE ttl IN (3600000000, 1000000)");
	r = reap_for(s->client, -1);
	is(&r, 0, 1, 0, 0);
	assert_int_equal(r.sessions_watched, 2);
	r = reap_for(s->client, 10000);
	is(&r, 1, 1, 0, 0);
	assert_int_equal(r.sessions_watched, 1);
	assert_int_equal(show(s->client, "y").h.hold, DBLOCK_HOLD_FREE);
	assert_int_equal(show(s->client, "x").h.hold, DBLOCK_HOLD_SESSION);
	expect(LOST, dblock_release(ended, &err));
	puppet_free(puppet);
	puppet_free(lives_long);
}

/* Naive: each pass begins anew, and none is long enough. A session that has sent a heartbeat is
 * watched anew. */
static void passes_go_on_where_they_left_off(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, 1500);
	int64_t begun;
	struct dblock_reaped r = DBLOCK_REAPED_INIT;

	assert_true(puppet_takes(puppet, "x"));
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {boot} - 60000000 WHERE id = '%s'",
		 puppet->id);
	r = reap_for(s->client, -1);
	assert_int_equal(r.sessions_watched, 1);
	assert_true(puppet_beats(puppet));
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {boot} - 60000000 WHERE id = '%s'",
		 puppet->id);
	begun = clock_ms();
	do {
		sleep_ms(50);
		r = reap_for(s->client, -1);
	} while (r.sessions_buried == 0 && clock_ms() - begun < PLENTY_MS);
	assert_true(clock_ms() - begun >= 1500);
	is(&r, 1, 1, 0, 0);
	assert_int_equal(r.sessions_watched, 0);
	puppet_free(puppet);
}

/* A server's clock that was set back lets a dead session live for another day; on SQLite there is
 * no such clock. */
static void a_clock_that_was_set_back(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, 1000);
	struct dblock_reaped r = DBLOCK_REAPED_INIT;

	if (!on_backend("sqlite")) {
		assert_true(puppet_takes(puppet, "x"));
		raw_exec(s->raw,
			 "UPDATE dblock_session SET expires = {boot} + 86400000000 WHERE id = '%s'",
			 puppet->id);
		r = reap(s->client);
		is(&r, 1, 1, 0, 0);
	}
	puppet_free(puppet);
}

/* Whoever has one row locked holds up that one, not the others of its page. */
static void a_locked_row_among_others(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, 600000);
	struct dblock_reaped r = DBLOCK_REAPED_INIT;
	struct raw *blocker;

	if (on_backend("sqlite")) {
		puppet_free(puppet);
		return;
	}
	blocker = raw_open(NULL);
	for (const char *name = "abcde"; *name; name++)
		assert_true(puppet_takes(puppet, (char[]){*name, '\0'}));
	raw_exec(s->raw, "UPDATE dblock_session SET dead = true, ended = {now} WHERE id = '%s'",
		 puppet->id);
	raw_lock_row(blocker, "c");
	r = reap(s->client);
	is(&r, 0, 4, 0, 0);
	raw_exec(blocker, "COMMIT");
	r = reap(s->client);
	is(&r, 0, 1, 0, 0);
	raw_close(blocker);
	puppet_free(puppet);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_long_ttl_keeps_nothing_else),
		CASE(passes_go_on_where_they_left_off),
		CASE(a_clock_that_was_set_back),
		CASE(a_locked_row_among_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
