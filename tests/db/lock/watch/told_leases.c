/* SPDX-License-Identifier: MIT */
/* Leases are taken away. They outlive the session in which they were taken: their client may have
 * begun another session by then, which must be told as well. */
#include "lock/handle/handle.h"
#include "lock/watch/own.h"
#include "lock/watch/reconcile.h"
#include "support/breaking.h"
#include "support/call.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/waiting.h"

/* While a test runs no live session ends, and no heartbeat is due. */
enum { TTL_MS = 600000, LEASE_MS = 3600000 };

struct scene {
	struct spy *spy;             /* the holder's */
	struct dblock_client *a, *b; /* the holder; the breaker */
	struct raw *raw;
	struct call breaks;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->spy = spy_new();
	s->a = spy_client(s->spy, TTL_MS);
	s->raw = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_session WHERE dead");
	raw_exec(s->raw, "DELETE FROM dblock_revocation");
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	s->spy->fate = NULL;
	if (s->b)
		dblock_shutdown(s->b);
	if (s->breaks.run && !s->breaks.done)
		(void)call_end(&s->breaks);
	raw_close(s->raw);
	dblock_close(s->a, NULL);
	dblock_close(s->b, NULL);
	spy_free(s->spy);
	free(s);
	return 0;
}

static struct dblock_lock *lease_of(struct dblock_client *client, enum dblock_mode mode)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.mode = mode;
	how.lease_ms = LEASE_MS;
	expect(OK, dblock_try(client, "x", &how, &lock, &err));
	return lock;
}

/* The holder's session is over, as if it had been stopped for a ttl; it begins another. */
static void begins_another_session(struct scene *s)
{
	raw_exec(s->raw, "UPDATE dblock_session SET dead = true, ended = {now}, ttl = 1000 "
			 "WHERE NOT dead");
	dbl_session_hurry(s->a->locks->session);
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_session WHERE NOT dead") == 1);
}

static int break_it(void *arg, struct dblock_error *err)
{
	return dblock_break(((struct scene *)arg)->b, "x", NULL, err);
}

static void lets_go(struct dblock_lock *lock)
{
	struct dblock_error err = {0};

	expect(LOST, dblock_release(lock, &err));
	message_has("it was broken by host ");
}

/* ---- in its second session ------------------------------------------------------------------- */

/* Naive: only the session in which the lease was taken is told, and nobody has that any more. */
static void is_told_in_its_second_session(struct scene *s, enum dblock_mode mode)
{
	struct dblock_lock *lock = lease_of(s->a, mode);

	begins_another_session(s);
	assert_true(dblock_valid(lock, 0));
	s->b = client_new(0);
	call_start(&s->breaks, break_it, s);
	wait_until(s->breaks.done || !dblock_valid(lock, 0));
	assert_false(s->breaks.done);
	lets_go(lock);
	assert_int_equal(call_end(&s->breaks), DBLOCK_OK);
	is_free(s->b, "x");
}

static void alone_in_its_second_session(void **state)
{
	is_told_in_its_second_session(*state, DBLOCK_EXCLUSIVE);
}

static void shared_in_its_second_session(void **state)
{
	is_told_in_its_second_session(*state, DBLOCK_SHARED);
}

/* Naive: the lease is no row of the client's present session, so the database has forgotten it. */
static void is_not_forgotten_in_its_second_session(void **state)
{
	struct scene *s = *state;
	struct dbl_locks *locks = s->a->locks;
	struct dblock_lock *alone, *shared = lease_of(s->a, DBLOCK_SHARED);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	int64_t heard;

	how.lease_ms = LEASE_MS;
	expect(OK, dblock_try(s->a, "y", &how, &alone, &err));
	begins_another_session(s);
	heard = atomic_load(&locks->watchdog->passes) + 2;
	while (atomic_load(&locks->watchdog->passes) < heard) {
		dbl_reconcile_soon(locks);
		sleep_ms(2);
	}
	assert_true(dblock_valid(alone, 0));
	assert_true(dblock_valid(shared, 0));
	give(alone);
	give(shared);
}

/* ---- the word of it is for the session before ------------------------------------------------ */

/* Writes the loss for the earlier session, as a breaker does that read the row before the client
 * began another session, and is gone. */
static void mark_the_session_before(struct scene *s, struct dblock_lock *lock)
{
	raw_exec(s->raw,
		 "INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, "
		 "by_pid, by_app, since) SELECT id, 'x', %lld, %lld, 3, 'h', 1, 'a', 1 "
		 "FROM dblock_session WHERE dead",
		 (long long)dblock_token(lock), (long long)lock->grant.nonce);
}

static int64_t freed_by_the_reaper(struct scene *s)
{
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	expect(OK, dblock_reap(s->b, NULL, &reaped, &err));
	return reaped.locks_freed;
}

static _Atomic bool locked_out;

static enum spy_fate no_heartbeat(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_heartbeat)
		return SPY_PASS;
	locked_out = true;
	return SPY_LOST_BEFORE;
}

/* Lets no heartbeat through from now on; an earlier one may be under way. */
static void hears_nothing(struct scene *s)
{
	locked_out = false;
	s->spy->fate = no_heartbeat;
	dbl_session_hurry(s->a->locks->session);
	wait_until(locked_out);
}

/* Naive: all sessions that must be told are dead, so the lease is freed under a valid handle. Or
 * nobody tells the holder any more, and the lease stays until its end. */
static void the_session_before_was_marked(struct scene *s, enum dblock_mode mode)
{
	struct dblock_lock *lock = lease_of(s->a, mode);

	begins_another_session(s);
	hears_nothing(s);
	mark_the_session_before(s, lock);
	s->b = client_new(0);
	assert_int_equal(freed_by_the_reaper(s), 0);
	assert_true(dblock_valid(lock, 0));
	busy(s->b, "x");
	s->spy->fate = NULL;
	dbl_session_hurry(s->a->locks->session);
	wait_until(!dblock_valid(lock, 0));
	/* The lease might belong to the other client of this process, so that is told as well. */
	dbl_session_hurry(s->b->locks->session);
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation WHERE told = 1") == 2);
	raw_exec(s->raw, "UPDATE dblock_session SET ttl = 1000");
	assert_int_equal(freed_by_the_reaper(s), 1);
	is_free(s->b, "x");
	lets_go(lock);
	dbl_session_hurry(s->b->locks->session);
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation WHERE told = 1") == 0);
}

static void alone_the_session_before_was_marked(void **state)
{
	the_session_before_was_marked(*state, DBLOCK_EXCLUSIVE);
}

static void shared_the_session_before_was_marked(void **state)
{
	the_session_before_was_marked(*state, DBLOCK_SHARED);
}

/* Naive: the heartbeat locks the lock's row to read it, and waits for it. SQLite's whole file would
 * be locked then. */
static void a_locked_row_holds_up_no_heartbeat(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = lease_of(s->a, DBLOCK_EXCLUSIVE);
	struct raw *stopped = raw_open(NULL);

	begins_another_session(s);
	if (!on_backend("sqlite"))
		raw_lock_row(stopped, "x");
	mark_the_session_before(s, lock);
	dbl_session_hurry(s->a->locks->session);
	wait_until(!dblock_valid(lock, 0));
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation WHERE told = 1") == 1);
	raw_close(stopped);
	lets_go(lock);
}

/* ---- two take it away ------------------------------------------------------------------------ */

/* Naive: the second break finds the first one's row, not its own, and says that nobody held the
 * lock. */
static void who_takes_it_away_as_well_did_so(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = lease_of(s->a, DBLOCK_EXCLUSIVE);
	struct dblock_client *first = client_new(0);
	struct spy *of_b = spy_new();

	hears_nothing(s);
	begin_break(first, "x");
	s->b = spy_client(of_b, 0);
	/* The lease might belong to other clients of this process, which would be told as well. */
	raw_exec(s->raw, "UPDATE dblock_session SET dead = true WHERE id NOT IN "
			 "(SELECT session FROM dblock_revocation)");
	call_start(&s->breaks, break_it, s);
	wait_until(s->breaks.done || of_b->runs_of[DBL_OP_revoked] > 1);
	give(lock);
	assert_int_equal(call_end(&s->breaks), DBLOCK_OK);
	dblock_close(first, NULL);
	dblock_close(s->b, NULL);
	s->b = NULL;
	spy_free(of_b);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(alone_in_its_second_session),
		CASE(shared_in_its_second_session),
		CASE(is_not_forgotten_in_its_second_session),
		CASE(alone_the_session_before_was_marked),
		CASE(shared_the_session_before_was_marked),
		CASE(a_locked_row_holds_up_no_heartbeat),
		CASE(who_takes_it_away_as_well_did_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
