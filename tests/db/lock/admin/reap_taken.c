/* SPDX-License-Identifier: MIT */
/* A grant was taken away from a holder that keeps it, and by a caller that is gone. The reaper
 * frees it, even if the holder's ttl is longer than one pass may take. Each case names the naive
 * form. */
#include "db/lock/admin/reap_once.h"
#include "support/breaking.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/waiting.h"

enum { TTL_MS = 2000, HOUR_US = 1000000000 };

struct scene {
	struct raw *raw;
	struct dblock_client *holder; /* knows of the loss, and does not let go */
	struct dblock_lock *lock;
};

static void take_it_away(struct scene *s)
{
	struct dblock_client *client = client_new(0);

	begin_break(client, "x");
	dblock_close(client, NULL);
	wait_until(raw_int(s->raw, "SELECT min(told) FROM dblock_revocation") == 1);
}

static int set_up(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct scene *s = calloc(1, sizeof(*s));

	options.ttl_ms = SLOWLY_MS(TTL_MS);
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	s->holder = client_with(&options);
	s->raw = raw_open(NULL);
	s->lock = take(s->holder, "x");
	take_it_away(s);
	*state = s;
	return 0;
}

static int64_t freed(void)
{
	return reap_once().locks_freed;
}

/* The next run frees it, or a later one: a run passes over a row that a heartbeat has locked for
 * longer than the run waits. */
static void comes_free(void)
{
	int64_t n = 0;

	wait_until((n = freed()) != 0);
	assert_int_equal(n, 1);
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	(void)dblock_release(s->lock, NULL);
	dblock_close(s->holder, NULL);
	(void)reap_once();
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation"), 0);
	(void)reap_once();
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_suspect"), 0);
	raw_close(s->raw);
	free(s);
	return 0;
}

/* Naive: each run begins anew, and never frees anything whose holder it would have to watch for
 * longer. */
static void the_next_run_goes_on(void **state)
{
	int64_t begun = clock_ms();
	struct dblock_reaped first = reap_once();

	(void)state;
	assert_int_equal(first.locks_freed, 0);
	assert_int_equal(first.sessions_watched, 1);
	comes_free();
	assert_true(clock_ms() - begun >= SLOWLY_MS(TTL_MS));
}

static void age(struct scene *s, const char *column)
{
	raw_exec(s->raw, "UPDATE dblock_suspect SET %s = %s - %d", column, column, HOUR_US);
}

/* Gives the holder a ttl longer than any test, so that nobody can wait for it. */
static void lives_long(struct scene *s)
{
	raw_exec(s->raw,
		 "UPDATE dblock_session SET ttl = %d WHERE id = "
		 "(SELECT session FROM dblock_lock WHERE name = 'x')",
		 HOUR_US / 2);
}

/* Naive: one clock is enough. */
static void both_clocks_have_to_say_so(void **state)
{
	struct scene *s = *state;

	lives_long(s);
	assert_int_equal(freed(), 0);
	age(s, "since");
	assert_int_equal(freed(), 0);
	raw_exec(s->raw, "DELETE FROM dblock_suspect");
	assert_int_equal(freed(), 0);
	age(s, "noted");
	assert_int_equal(freed(), 0);
	age(s, "since");
	comes_free();
}

/* Naive: what another machine has seen is counted by our clock. */
static void another_boots_notes_are_not_ours(void **state)
{
	struct scene *s = *state;

	lives_long(s);
	assert_int_equal(freed(), 0);
	age(s, "noted");
	age(s, "since");
	raw_exec(s->raw, "UPDATE dblock_suspect SET watcher = 'another boot'");
	assert_int_equal(freed(), 0);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_suspect"), 2);
}

/* A crash has forgotten that the grant was taken away, and it is taken away again: the holder has
 * not heard of that yet. Naive: the watch goes on, as it is the same grant. */
static void what_is_taken_away_again_is_watched_anew(void **state)
{
	struct scene *s = *state;

	lives_long(s);
	assert_int_equal(freed(), 0);
	age(s, "noted");
	age(s, "since");
	raw_exec(s->raw, "UPDATE dblock_revocation SET since = since + 1");
	assert_int_equal(freed(), 0);
}

static void insert_session(struct raw *raw, const char *id, int ttl, bool dead)
{
	raw_exec(
		raw,
		"INSERT INTO dblock_session (id, host, pid, app, ttl, opened, expires, beat, dead, "
		"protocol%s) VALUES ('%s', 'h', 1, 'a', %d, 0, {boot} + %d, 1, %s, 1%s)",
		on_backend("sqlite") ? ", clock" : "", id, ttl, HOUR_US, dead ? "true" : "false",
		on_backend("sqlite") ? ", 'c'" : "");
}

enum { LEASES = 250 };

/* A lease cannot be freed before its client was told, and this one never asks. Naive: a page of
 * those is all that a pass sees, whatever comes behind them. */
static void those_that_cannot_be_freed_hide_nothing(void **state)
{
	struct scene *s = *state;

	raw_exec(s->raw, "BEGIN");
	insert_session(s->raw, "deaf", HOUR_US, false);
	for (int i = 0; i < LEASES; i++) {
		raw_exec(s->raw,
			 "INSERT INTO dblock_lock (name, token, nonce, expires, lease, host, pid, "
			 "thread, reentry, acquired) VALUES ('lease%d', 7, %d, {boot} + %d, %d, "
			 "'h', 1, 1, 0, 1)",
			 i, i + 1, HOUR_US, HOUR_US);
		raw_exec(s->raw,
			 "INSERT INTO dblock_revocation (session, name, token, nonce, cause, "
			 "by_host, by_pid, by_app, since) VALUES ('deaf', 'lease%d', 7, %d, 3, "
			 "'', 0, '', 0)",
			 i, i + 1);
	}
	raw_exec(s->raw, "COMMIT");
	assert_int_equal(freed(), 0);
	comes_free();
	assert_int_equal(show(s->holder, "x").h.hold, DBLOCK_HOLD_FREE);
	raw_exec(s->raw, "DELETE FROM dblock_lock WHERE name LIKE 'lease%%'");
	raw_exec(s->raw, "DELETE FROM dblock_revocation WHERE session = 'deaf'");
	raw_exec(s->raw, "DELETE FROM dblock_session WHERE id = 'deaf'");
}

/* ---- of a lease whose process has no living session, but gets one ---------------------------- */

static void insert_lease(struct raw *raw)
{
	insert_session(raw, "gone", 100000, true);
	raw_exec(raw,
		 "INSERT INTO dblock_lock (name, token, nonce, expires, lease, host, pid, thread, "
		 "reentry, acquired) VALUES ('lease', 7, 9, {boot} + %d, %d, 'h', 1, 1, 0, 1)",
		 HOUR_US, HOUR_US);
	raw_exec(raw, "INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, "
		      "by_pid, by_app, since) VALUES ('gone', 'lease', 7, 9, 3, '', 0, '', 0)");
}

static void forget_lease(struct raw *raw)
{
	raw_exec(raw, "DELETE FROM dblock_revocation WHERE name = 'lease'");
	raw_exec(raw, "DELETE FROM dblock_lock WHERE name = 'lease'");
	raw_exec(raw, "DELETE FROM dblock_session WHERE id = 'gone'");
}

static struct scene *comes_back_to;

/* This comes when the reaper has read what is taken away, and is about to watch. */
static enum spy_fate come_back(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op == DBL_OP_reap_sessions && comes_back_to) {
		insert_session(comes_back_to->raw, "back", HOUR_US, false);
		comes_back_to = NULL;
	}
	return SPY_PASS;
}

/* Naive: the reaper frees by what it read before it watched. */
static void who_comes_back_is_told_first(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	lives_long(s);
	insert_lease(s->raw);
	comes_back_to = s;
	spy->fate = come_back;
	expect(OK, dblock_reap(client, NULL, &reaped, &err));
	assert_null(comes_back_to);
	assert_int_equal(reaped.locks_freed, 0);
	/* The reaper watches anew once that session is gone. */
	raw_exec(s->raw, "DELETE FROM dblock_session WHERE id = 'back'");
	wait_until(dblock_reap(client, NULL, &reaped, &err) || reaped.locks_freed);
	assert_int_equal(reaped.locks_freed, 1);
	dblock_close(client, NULL);
	spy_free(spy);
	forget_lease(s->raw);
}

static _Atomic int losses;

static enum spy_fate lose_the_look(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_revoked && losses-- > 0 ? SPY_LOST_AFTER : SPY_PASS;
}

/* Naive: the whole pass fails. */
static void the_last_look_is_lost(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	lives_long(s);
	insert_lease(s->raw);
	losses = 1;
	spy->fate = lose_the_look;
	wait_until(dblock_reap(client, NULL, &reaped, &err) || reaped.locks_freed);
	assert_int_equal(reaped.locks_freed, 1);
	assert_true(losses < 1);
	dblock_close(client, NULL);
	spy_free(spy);
	forget_lease(s->raw);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_next_run_goes_on),
		CASE(both_clocks_have_to_say_so),
		CASE(another_boots_notes_are_not_ours),
		CASE(what_is_taken_away_again_is_watched_anew),
		CASE(those_that_cannot_be_freed_hide_nothing),
		CASE(who_comes_back_is_told_first),
		CASE(the_last_look_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
