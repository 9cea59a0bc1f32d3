/* SPDX-License-Identifier: MIT */
/* Requests to let go: datagrams, locked rows, dead holders and lost locks; and that no row of them
 * is left. */
#include "db/lock/admin/request_kit.h"
#include "lock/notify/notifier.h"
#include "lock/watch/own.h"

/* The datagram overtakes the answer with the grant. Naive: an unknown token is forgotten.
 */
static void a_ring_that_comes_before_the_handle(void **state)
{
	struct scene *s = *state;
	const struct dbl_locks *locks = s->other->locks;
	const struct dbl_host *host = dbl_session_host(locks->session);
	int64_t token = INT64_MAX / 4;
	struct dblock_lock *lock;

	is_free(s->holder, "x");
	raw_exec(s->raw, "UPDATE dblock_lock SET token = %lld WHERE name = 'x'",
		 (long long)token - 1);
	give(take_listening(s, s->holder, "y"));
	spy_reset(s->spy);
	dbl_notifier_asked(s->other->locks, host->name, host->pid, token);
	wait_until(({
		int64_t early;
		dbl_lock(&s->holder->locks->mutex);
		early = s->holder->locks->watchdog->wanted_early;
		dbl_unlock(&s->holder->locks->mutex);
		early == token;
	}));
	assert_int_equal(s->spy->runs_of[DBL_OP_requested], 0);
	lock = take_listening(s, s->holder, "x");
	assert_int_equal(dblock_token(lock), token);
	wait_until(s->spy->runs_of[DBL_OP_requested] == 1);
	give(lock);
	raw_exec(s->raw, "DELETE FROM dblock_lock WHERE name = 'x'");
}

/* A datagram that says nothing new costs nothing. */
static void strangers_ring_in_vain(void **state)
{
	struct scene *s = *state;
	const struct dbl_host *host = dbl_session_host(s->other->locks->session);
	struct dblock_lock *lock = take_listening(s, s->holder, "x");

	ask(s->other, "x");
	wait_until(s->told == 1);
	spy_reset(s->spy);
	/* A socket's queue has room for ten; a datagram that finds no room is lost. */
	for (int i = 0; i < 4; i++) {
		dbl_notifier_asked(s->other->locks, host->name, host->pid, 5 + i);
		dbl_notifier_asked(s->other->locks, host->name, host->pid, dblock_token(lock));
	}
	/* This lock's datagram is behind them in the socket's queue. */
	(void)take_listening(s, s->holder, "y");
	ask(s->other, "y");
	wait_until(s->told == 2);
	assert_int_equal(s->spy->runs_of[DBL_OP_requested], 1);
	give(lock);
}

/* Naive: the heartbeat waits for the transaction that has the request's row. */
static void a_locked_request_does_not_stop_a_heart(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 1500);
	struct dblock_lock *lock = take(client, "x");
	struct raw *blocker = raw_open(NULL);

	ask(s->other, "x");
	if (!on_backend("sqlite")) {
		raw_exec(blocker, "BEGIN");
		raw_exec(blocker, "UPDATE dblock_request SET since = since + 1");
		spy_reset(spy);
		wait_until(spy->runs_of[DBL_OP_requested] >= 3);
		/* A look followed each of them, so none had to be sent again. */
		assert_true(spy->runs_of[DBL_OP_heartbeat] <= spy->runs_of[DBL_OP_requested] + 1);
		raw_exec(blocker, "COMMIT");
	}
	(void)dblock_release(lock, NULL);
	raw_close(blocker);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void reap(struct scene *s, int64_t purge_after_ms)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.purge_after_ms = purge_after_ms;
	expect(OK, dblock_reap(s->other, &options, &reaped, &err));
}

/* These are more than a page. */
enum { MANY = 150 };

static void the_reaper_forgets_what_is_over(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, DAY_MS);
	struct dblock_lock *lock = take(s->holder, "stays");

	assert_true(puppet_takes(puppet, "x"));
	ask(s->other, "x");
	ask(s->other, "stays");
	reap(s, 0);
	assert_int_equal(standing(s), 2);
	/* The request's holder is gone, and there are requests to earlier holders. */
	puppet_free(puppet);
	for (int i = 0; i < MANY; i++)
		raw_exec(s->raw,
			 "INSERT INTO dblock_request (host, pid, name, token, reason, by_host, "
			 "by_pid, by_app, since) SELECT host, pid, name, token - 1 - %d, reason, "
			 "by_host, by_pid, by_app, since FROM dblock_request WHERE name = 'x' AND "
			 "token = %lld",
			 i,
			 (long long)raw_int(s->raw, "SELECT token FROM dblock_lock "
						    "WHERE name = 'x'"));
	assert_int_equal(standing(s), 2 + MANY);
	reap(s, 0);
	assert_int_equal(standing(s), 1);
	assert_non_null(show(s->other, "stays").h.request);
	give(lock);
	/* A request is deleted with its name, even if nobody has forgotten it before. */
	reap(s, -1);
	assert_int_equal(standing(s), 0);
}

/* A request to a dead holder reaches nobody, even before the lock is freed. */
static void a_dead_holder_is_not_asked(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, DAY_MS);
	struct dblock_error err = {0};

	assert_true(puppet_takes(puppet, "x"));
	assert_true(puppet_is_dead(puppet, puppet->beat, puppet->ttl));
	expect(STALE, dblock_request_release(s->other, "x", "why", &err));
	expect(STALE, dblock_request_release_all(s->other, "puppet:1", "why", NULL, &err));
	assert_int_equal(standing(s), 0);
	puppet_free(puppet);
}

/* A lost lock need not be let go of; the next session's grants hear of their own requests. */
static void a_lost_lock_is_not_asked_for(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take_listening(s, s->holder, "x"), *next, *last;
	struct dblock_error err = {0};

	s->spy->skew += (int64_t)2 * DAY_MS * 1000;
	assert_false(dblock_valid(lock, 0));
	/* The row still says that the lock is held. */
	ask(s->other, "x");
	next = NULL;
	wait_until(dblock_acquire(s->holder, "y", NULL, &next, &err) == 0);
	dblock_release(next, NULL);
	wait_until(dblock_release_requested(lock));
	next = take_listening(s, s->holder, "z");
	ask(s->other, "z");
	wait_until(s->told >= 1);
	last = take_listening(s, s->holder, "last");
	ask(s->other, "last");
	wait_until(s->told >= 2);
	assert_int_equal(s->told, 2);
	give(last);
	expect(LOST, dblock_release(lock, &err));
	give(next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_ring_that_comes_before_the_handle),
		CASE(strangers_ring_in_vain),
		CASE(a_locked_request_does_not_stop_a_heart),
		CASE(the_reaper_forgets_what_is_over),
		CASE(a_dead_holder_is_not_asked),
		CASE(a_lost_lock_is_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
