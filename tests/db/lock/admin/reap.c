/* SPDX-License-Identifier: MIT */
/* The reaper declares sessions dead, frees what they held, and forgets them and names long unused.
 * It does each thing once, however many reapers there are, and leaves the living alone. */
#include "db/lock/admin/reaping.h"
#include "driver/value.h"
#include "support/puppet.h"

#define DAY_AGO "{now} - 86400000000"

static void nothing_to_do(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->client, "x");
	struct dblock_reaped r = reap(s->client);

	is(&r, 0, 0, 0, 0);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	r = reap(s->client);
	is(&r, 0, 0, 0, 0);
}

/* One pass declares the client dead and frees its locks, a later one deletes its session. */
static void what_a_dead_client_leaves_behind(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, 1500);
	struct dblock_reaped r = DBLOCK_REAPED_INIT;
	int64_t begun = clock_ms();

	assert_true(puppet_takes(puppet, "x"));
	assert_true(puppet_takes(puppet, "y"));
	assert_true(puppet_takes(puppet, "z"));
	do {
		r = reap(s->client);
	} while (r.sessions_buried == 0 && clock_ms() - begun < PLENTY_MS);
	assert_true(clock_ms() - begun >= 1500);
	is(&r, 1, 3, 0, 0);
	assert_false(puppet_beats(puppet));
	assert_int_equal(show(s->client, "x").h.hold, DBLOCK_HOLD_FREE);
	is_free(s->client, "y");

	r = reap(s->client);
	is(&r, 0, 0, 0, 0);
	raw_exec(s->raw, "UPDATE dblock_session SET ended = " DAY_AGO " WHERE id = '%s'",
		 puppet->id);
	r = reap(s->client);
	is(&r, 0, 0, 1, 0);
	assert_int_equal(
		raw_int(s->raw, "SELECT count(*) FROM dblock_session WHERE id = '%s'", puppet->id),
		0);
	puppet_free(puppet);
}

/* Naive: it is declared dead by the database's clock. This one only looks expired. */
static void a_suspect_is_watched_for_its_ttl(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, 1500);
	int64_t begun = clock_ms();
	struct dblock_reaped r = DBLOCK_REAPED_INIT;

	assert_true(puppet_takes(puppet, "x"));
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {boot} - 60000000 WHERE id = '%s'",
		 puppet->id);
	r = reap(s->client);
	is(&r, 1, 1, 0, 0);
	assert_true(clock_ms() - begun >= 1500);
	puppet_free(puppet);
}

static void *beat_after_a_while(void *arg)
{
	sleep_ms(SLOWLY_MS(1000));
	return (void *)(intptr_t)puppet_beats(arg);
}

/* Naive: it is declared dead without a second look. */
static void a_suspect_that_beats_is_left_alone(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, SLOWLY_MS(2500));
	struct crew crew = {.n = 0};
	struct dblock_reaped r = DBLOCK_REAPED_INIT;

	assert_true(puppet_takes(puppet, "x"));
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {boot} - 60000000 WHERE id = '%s'",
		 puppet->id);
	crew_add(&crew, beat_after_a_while, puppet);
	r = reap(s->client);
	crew_join(&crew);
	is(&r, 0, 0, 0, 0);
	busy(s->client, "x");
	assert_true(puppet_beats(puppet));
	puppet_free(puppet);
}

static void leases_that_ended(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *ended, *lasting;
	struct dblock_reaped r = DBLOCK_REAPED_INIT;

	options.lease_ms = 600000;
	expect(OK, dblock_try(s->client, "ended", &options, &ended, &err));
	expect(OK, dblock_try(s->client, "lasting", &options, &lasting, &err));
	raw_exec(s->raw, "UPDATE dblock_lock SET expires = {boot} - 1 WHERE name = 'ended'");
	r = reap(s->client);
	is(&r, 0, 1, 0, 0);
	assert_int_equal(show(s->client, "ended").h.hold, DBLOCK_HOLD_FREE);
	assert_int_equal(show(s->client, "lasting").h.hold, DBLOCK_HOLD_LEASE);
	assert_int_equal(show(s->client, "ended").h.token, dblock_token(ended));
	expect(LOST, dblock_release(ended, &err));
	give(lasting);
}

/* A dead session that a lock still names is not deleted, however long it has been dead: without the
 * session's row the lock could not be had any more. */
static void a_session_that_is_still_named(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, 600000), *busy_one = puppet_new(NULL, 600000);
	struct dblock_reaped r = DBLOCK_REAPED_INIT;

	assert_true(puppet_takes(puppet, "x"));
	assert_true(puppet_takes(busy_one, "y"));
	raw_exec(s->raw,
		 "UPDATE dblock_session SET dead = true, ended = " DAY_AGO " WHERE id = '%s'",
		 puppet->id);
	puppet_run(busy_one, DBL_OP_reap_dead, DBL_ARGS_OF(dbl_text(""), dbl_int(0), dbl_int(10)));
	assert_int_equal(busy_one->rows, 0);
	/* The row of x cannot be freed now, so its session has to stay. */
	if (!on_backend("sqlite")) {
		struct raw *blocker = raw_open(NULL);

		raw_lock_row(blocker, "x");
		r = reap(s->client);
		is(&r, 0, 0, 0, 0);
		raw_exec(blocker, "COMMIT");
		raw_close(blocker);
	}
	r = reap(s->client);
	is(&r, 0, 1, 1, 0);
	is_free(s->client, "x");
	busy(s->client, "y");
	puppet_free(puppet);
	puppet_free(busy_one);
}

static void names_long_unused(void **state)
{
	struct scene *s = *state;
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *held = take(s->client, "held");
	struct dblock_reaped r = DBLOCK_REAPED_INIT;

	is_free(s->client, "recent");
	is_free(s->client, "old");
	raw_exec(s->raw, "UPDATE dblock_lock SET acquired = " DAY_AGO ", released = " DAY_AGO
			 ", token = " DAY_AGO " WHERE name IN ('old', 'held')");
	/* The lock was taken long ago, but released just now. */
	is_free(s->client, "long");
	raw_exec(s->raw, "UPDATE dblock_lock SET acquired = " DAY_AGO ", token = " DAY_AGO
			 " WHERE name = 'long'");

	r = reap(s->client); /* a week is the default */
	is(&r, 0, 0, 0, 0);
	options.purge_after_ms = 3600000;
	expect(OK, dblock_reap(s->client, &options, &r, &err));
	is(&r, 0, 0, 0, 1);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_lock"), 3);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_lock WHERE name = 'old'"), 0);
	options.purge_after_ms = -1;
	expect(OK, dblock_reap(s->client, &options, &r, &err));
	is(&r, 0, 0, 0, 2);
	assert_int_equal(show(s->client, "held").h.hold, DBLOCK_HOLD_SESSION);
	raw_exec(s->raw, "UPDATE dblock_lock SET token = %lld", (long long)dblock_token(held));
	give(held);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nothing_to_do),
		CASE(what_a_dead_client_leaves_behind),
		CASE(a_suspect_is_watched_for_its_ttl),
		CASE(a_suspect_that_beats_is_left_alone),
		CASE(leases_that_ended),
		CASE(a_session_that_is_still_named),
		CASE(names_long_unused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
