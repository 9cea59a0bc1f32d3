/* SPDX-License-Identifier: MIT */
/*
 * Requests to let go, at the wire: what they cost, and cost those who are not asked; answers that
 * are lost, copies that come late, rows that are locked; and that nothing of them is left.
 */
#include "lock/bells.h"
#include "support/puppet.h"
#include "support/waiting.h"

/* No heartbeat comes within the time that a test takes. */
enum { DAY_MS = 24 * 3600 * 1000 };

struct scene {
	struct spy *spy;
	struct dblock_client *holder; /* the spied-on one; its heartbeats are a day apart */
	struct dblock_client *other;
	struct raw *raw;
	_Atomic int told;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->spy = spy_new();
	s->holder = spy_client(s->spy, 0);
	s->other = client_new(DAY_MS);
	s->raw = raw_open(NULL);
	/* Nobody has heard of those, or nobody is left to forget them. */
	raw_exec(s->raw, "DELETE FROM dblock_request");
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	dblock_close(s->holder);
	dblock_close(s->other);
	spy_free(s->spy);
	free(s);
	return 0;
}

static void requested(void *arg, struct dblock_lock *lock, const struct dblock_request *request)
{
	struct scene *s = arg;

	(void)lock;
	(void)request;
	s->told++;
}

static struct dblock_lock *take_listening(struct scene *s, struct dblock_client *client,
					  const char *name)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.requested = requested;
	options.requested_arg = s;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

static void ask(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};

	expect(OK, dblock_request(client, name, "why", &err));
}

static int64_t standing(struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_request");
}

static void costs(struct spy *spy, int runs)
{
	assert_int_equal(spy->runs, runs);
	assert_int_equal(spy->opens, 0);
	spy_reset(spy);
}

/* ---- what it costs -------------------------------------------------------------------------- */

/* To have a callback costs nothing; to be asked, one look, and one statement to forget it. */
static void statements_of_a_holder(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock;

	give(take_listening(s, s->holder, "x"));
	spy_reset(s->spy);
	lock = take_listening(s, s->holder, "x");
	costs(s->spy, 1);
	give(lock);
	costs(s->spy, 1);

	lock = take_listening(s, s->holder, "x");
	spy_reset(s->spy);
	ask(s->other, "x");
	wait_until(s->told == 1);
	assert_int_equal(s->spy->runs_of[DBL_OP_requested], 1);
	costs(s->spy, 1);
	ask(s->other, "x");
	give(lock);
	wait_until(standing(s) == 0);
	assert_int_equal(s->spy->runs_of[DBL_OP_release], 1);
	assert_int_equal(s->spy->runs_of[DBL_OP_requested], 1);
	assert_int_equal(s->spy->runs_of[DBL_OP_request_delete], 1);
	costs(s->spy, 3);
}

static void statements_of_who_asks(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->other, "x");
	struct dblock_error err = {0};

	ask(s->holder, "x");
	spy_reset(s->spy);
	ask(s->holder, "x");
	costs(s->spy, 2);
	give(lock);
	expect(STALE, dblock_request(s->holder, "x", "why", &err));
	costs(s->spy, 1);
}

/* Of a client whose heart beats often: so many of each operation, since the last reset. */
static int others_than_heartbeats(const struct spy *spy)
{
	int n = 0;

	for (enum dbl_op op = 0; op < DBL_OP_COUNT; op++) {
		if (op != DBL_OP_heartbeat)
			n += spy->runs_of[op];
	}
	return n;
}

static void a_heartbeat_is_one_statement_unless_asked(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 900);
	struct dblock_lock *lock = NULL, *stranger = take(s->other, "y");

	/* Another process's. */
	ask(s->other, "y");
	raw_exec(s->raw, "UPDATE dblock_request SET host = 'elsewhere'");
	expect_at(dblock_try(client, "x", NULL, &lock, NULL), 0, NULL, "try", __FILE__, __LINE__);
	spy_reset(spy);
	wait_until(spy->runs_of[DBL_OP_heartbeat] >= 4);
	assert_int_equal(others_than_heartbeats(spy), 0);

	ask(s->other, "x");
	wait_until(spy->runs_of[DBL_OP_requested] >= 2);
	(void)dblock_release(lock, NULL); /* or lost, on a busy machine */
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_request WHERE name = 'x'") == 0);
	/* What is going on at this moment is over with the next but one. */
	spy_reset(spy);
	wait_until(spy->runs_of[DBL_OP_heartbeat] >= 2);
	spy_reset(spy);
	wait_until(spy->runs_of[DBL_OP_heartbeat] >= 3);
	assert_int_equal(others_than_heartbeats(spy), 0);
	raw_exec(s->raw, "DELETE FROM dblock_request");
	give(stranger);
	dblock_close(client);
	spy_free(spy);
}

/* ---- lost and late -------------------------------------------------------------------------- */

/* Whatever is lost of it, the holder is asked, once. */
static void replies_to_who_asks_are_lost(void **state)
{
	struct scene *s = *state;

	for (enum spy_fate fate = SPY_LOST_BEFORE; fate <= SPY_LOST_AFTER; fate++) {
		for (int n = 1;; n++) {
			int before = s->told;
			struct dblock_lock *lock = take_listening(s, s->other, "x");

			spy_hit_nth(s->spy, n, fate);
			ask(s->holder, "x");
			wait_until(s->told == before + 1);
			assert_int_equal(standing(s), 1);
			give(lock);
			wait_until(standing(s) == 0);
			if (!spy_has_hit(s->spy))
				break;
			assert_true(n < 20);
		}
	}
}

static enum dbl_op hit_op;
static _Atomic int hit_times;

static enum spy_fate hit_it(struct spy *spy, enum dbl_op op)
{
	return op == hit_op && hit_times-- > 0 ? spy->countdown_fate : SPY_PASS;
}

static void hit(struct spy *spy, enum dbl_op op, enum spy_fate fate)
{
	hit_op = op;
	hit_times = 1;
	spy->countdown_fate = fate;
	spy->fate = hit_it;
}

/* Naive: a request by name. It arrives when somebody else has the lock, or nobody. */
static void a_late_copy_asks_nobody_else(void **state)
{
	struct scene *s = *state;

	for (int held = 0; held < 2; held++) {
		struct dblock_lock *lock = take(s->other, "x");

		hit(s->spy, DBL_OP_request, SPY_LATE);
		ask(s->holder, "x");
		s->spy->fate = NULL;
		give(lock);
		lock = held ? take(s->other, "x") : NULL;
		raw_exec(s->raw, "DELETE FROM dblock_request");
		assert_int_equal(spy_deliver(s->spy), 0);
		assert_int_equal(standing(s), 0);
		if (lock)
			give(lock);
	}
}

/* Between the two statements of who asks. */
static struct scene *between;
static struct dblock_lock *handed;

static enum spy_fate hand_on(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_request && handed) {
		struct dblock_lock *lock = handed;

		handed = NULL;
		(void)dblock_release(lock, NULL);
		if (between)
			(void)take_listening(between, between->other, "x");
	}
	(void)spy;
	return SPY_PASS;
}

static void it_goes_to_whoever_holds_it_by_then(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	between = s;
	handed = take(s->other, "x");
	s->spy->fate = hand_on;
	ask(s->holder, "x");
	wait_until(s->told == 1);
	assert_int_equal(standing(s), 1);
	expect(OK, dblock_break(s->other, "x", 0, 0, &err));
	raw_exec(s->raw, "DELETE FROM dblock_request");

	between = NULL;
	handed = take(s->other, "y");
	expect(STALE, dblock_request(s->holder, "y", "why", &err));
	assert_int_equal(standing(s), 0);
	s->spy->fate = NULL;
}

static void replies_to_the_holder_are_lost(void **state)
{
	static const enum dbl_op ops[] = {DBL_OP_requested, DBL_OP_request_delete};
	struct scene *s = *state;

	for (size_t i = 0; i < 2; i++) {
		for (enum spy_fate fate = SPY_LOST_BEFORE; fate <= SPY_LOST_AFTER; fate++) {
			int before = s->told;
			struct dblock_lock *lock = take_listening(s, s->holder, "x");

			hit(s->spy, ops[i], fate);
			ask(s->other, "x");
			wait_until(s->told == before + 1);
			give(lock);
			wait_until(standing(s) == 0);
			assert_true(hit_times < 1);
			assert_int_equal(s->told, before + 1);
		}
	}
	s->spy->fate = NULL;
}

/* The ring is faster than the answer that brings the grant. Naive: an unknown token is forgotten.
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
	dbl_bells_ring_holder(s->other->locks, host->name, host->pid, token);
	wait_until(({
		int64_t early;
		dbl_lock(&s->holder->locks->mutex);
		early = s->holder->locks->rung_early;
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

/* Rings that say nothing new cost nothing. */
static void strangers_ring_in_vain(void **state)
{
	struct scene *s = *state;
	const struct dbl_host *host = dbl_session_host(s->other->locks->session);
	struct dblock_lock *lock = take_listening(s, s->holder, "x");

	ask(s->other, "x");
	wait_until(s->told == 1);
	spy_reset(s->spy);
	for (int i = 0; i < 20; i++) {
		dbl_bells_ring_holder(s->other->locks, host->name, host->pid, 5 + i);
		dbl_bells_ring_holder(s->other->locks, host->name, host->pid, dblock_token(lock));
	}
	/* Behind them in the socket's queue. */
	(void)take_listening(s, s->holder, "y");
	ask(s->other, "y");
	wait_until(s->told == 2);
	assert_int_equal(s->spy->runs_of[DBL_OP_requested], 1);
	give(lock);
}

/* ---- locked rows, and what is left ---------------------------------------------------------- */

/* Naive: a heartbeat that waits for somebody's transaction. */
static void a_locked_request_does_not_stop_a_heart(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 3000);
	struct dblock_lock *lock = take(client, "x");
	struct raw *blocker = raw_open(NULL);

	ask(s->other, "x");
	if (!on_backend("sqlite")) {
		raw_exec(blocker, "BEGIN");
		raw_exec(blocker, "UPDATE dblock_request SET since = since + 1");
		spy_reset(spy);
		wait_until(spy->runs_of[DBL_OP_requested] >= 4);
		/* Each was followed by its look: none had to be sent again. */
		assert_true(spy->runs_of[DBL_OP_heartbeat] <= spy->runs_of[DBL_OP_requested] + 1);
		raw_exec(blocker, "COMMIT");
	}
	(void)dblock_release(lock, NULL);
	raw_close(blocker);
	dblock_close(client);
	spy_free(spy);
}

static void reap(struct scene *s, int64_t purge_after_ms)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped;
	struct dblock_error err = {0};

	options.purge_after_ms = purge_after_ms;
	expect(OK, dblock_reap(s->other, &options, &reaped, &err));
}

/* So many that they are more than a page. */
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
	/* Its holder is gone; and others were before it. */
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
	/* With the name, whoever should have forgotten it. */
	reap(s, -1);
	assert_int_equal(standing(s), 0);
}

/* A dead holder's is nobody's, also before it is freed. */
static void a_dead_holder_is_not_asked(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, DAY_MS);
	struct dblock_error err = {0};

	assert_true(puppet_takes(puppet, "x"));
	assert_true(puppet_is_buried(puppet, puppet->beat, puppet->ttl));
	expect(STALE, dblock_request(s->other, "x", "why", &err));
	expect(STALE, dblock_drain(s->other, "puppet:1", "why", NULL, &err));
	assert_int_equal(standing(s), 0);
	puppet_free(puppet);
}

/* What the client lost does not have to be let go of; the next life's grants hear of their own. */
static void a_lost_lock_is_not_asked_for(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take_listening(s, s->holder, "x"), *next;
	struct dblock_error err = {0};

	s->spy->skew += (int64_t)2 * DAY_MS * 1000;
	assert_false(dblock_valid(lock, 0));
	/* The row is as it was. */
	ask(s->other, "x");
	next = NULL;
	wait_until(dblock_acquire(s->holder, "y", NULL, &next, &err) == 0);
	dblock_release(next, NULL);
	next = take_listening(s, s->holder, "z");
	ask(s->other, "z");
	wait_until(dblock_is_requested(next));
	wait_until(s->told == 1);
	expect(LOST, dblock_release(lock, &err));
	give(next);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(statements_of_a_holder),
		CASE(statements_of_who_asks),
		CASE(a_heartbeat_is_one_statement_unless_asked),
		CASE(replies_to_who_asks_are_lost),
		CASE(a_late_copy_asks_nobody_else),
		CASE(it_goes_to_whoever_holds_it_by_then),
		CASE(replies_to_the_holder_are_lost),
		CASE(a_ring_that_comes_before_the_handle),
		CASE(strangers_ring_in_vain),
		CASE(a_locked_request_does_not_stop_a_heart),
		CASE(the_reaper_forgets_what_is_over),
		CASE(a_dead_holder_is_not_asked),
		CASE(a_lost_lock_is_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
