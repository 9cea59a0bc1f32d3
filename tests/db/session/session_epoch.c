/* SPDX-License-Identifier: MIT */
/* Sessions end: a client whose session was ended goes on with a new one; heartbeats survive
 * connections that are cut. */
#include "support/raw.h"
#include "support/spy.h"

static void kill_session_of(struct raw *raw, const char *name)
{
	raw_exec(raw,
		 "UPDATE dblock_session SET dead = true, ended = {now} WHERE id ="
		 " (SELECT session FROM dblock_lock WHERE name = '%s')",
		 name);
}

static void until_invalid(struct dblock_lock *lock)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (dblock_valid(lock, 0) && clock_ms() < until)
		sleep_ms(10);
	assert_false(dblock_valid(lock, 0));
}

/* A heartbeat finds the end (both clients live by the spy's clock, which on SQLite is the
 * database's): everything that lived by the session is lost, a lock with its own end is not. */
static void a_buried_session_loses_what_it_held(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 600000), *other = spy_client(spy, 0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *x = take(client, "x"), *y = take(client, "y"), *lease, *theirs;
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	options.lease_ms = 3600000;
	expect(OK, dblock_try(client, "lease", &options, &lease, &err));
	kill_session_of(raw, "x");
	theirs = take(other, "x");
	spy->skew = 250000000; /* more than ttl/3 */
	until_invalid(x);
	assert_false(dblock_valid(y, 0));
	assert_true(dblock_valid(lease, 0));
	expect(LOST, dblock_release(x, &err));
	message_has("'x'");
	expect(LOST, dblock_release(y, &err));
	busy(client, "x"); /* the other's lock was not touched */
	give(theirs);
	give(take(client, "x"));
	is_free(other, "y");
	give(lease);
	raw_close(raw);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

/* A call finds the end, before any heartbeat: the client goes on at once, with a new session. */
static void a_call_finds_its_session_over(void **state)
{
	struct dblock_client *client = client_new(600000), *other = client_new(0);
	struct dblock_lock *x = take(client, "x"), *again;
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	char before[64];

	(void)state;
	snprintf(before, sizeof(before), "%s", show(client, "x").session);
	kill_session_of(raw, "x");
	give(take(client, "y"));
	assert_false(dblock_valid(x, 0));
	/* A lost lock is not re-entered: the acquire gets a new grant. */
	again = take(client, "x");
	assert_ptr_not_equal(again, x);
	assert_string_not_equal(show(client, "x").session, before);
	expect(LOST, dblock_release(x, &err));
	assert_true(dblock_valid(again, 0));
	busy(other, "x");
	give(again);
	raw_close(raw);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

/* Threads that find the end at the same time all go on. */
static void *take_own(void *arg)
{
	struct dblock_lock *lock;
	char name[32];

	snprintf(name, sizeof(name), "own%lx", (unsigned long)pthread_self());
	if (dblock_acquire(arg, name, NULL, &lock, NULL) || dblock_release(lock, NULL))
		return arg;
	return NULL;
}

static void many_threads_find_it_over(void **state)
{
	struct dblock_client *client = client_new(600000);
	struct dblock_lock *x = take(client, "x");
	struct raw *raw = raw_open(NULL);
	pthread_t threads[8];
	void *failed;

	(void)state;
	kill_session_of(raw, "x");
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, take_own, client);
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(dblock_release(x, NULL), DBLOCK_LOST);
	raw_close(raw);
	dblock_close(client, NULL);
}

/* Each of the heartbeat thread's statements in turn is lost, in both ways, while the client holds a
 * lock. */
static enum spy_fate every_other(struct spy *spy, enum dbl_op op)
{
	static const enum spy_fate fates[] = {SPY_LOST_BEFORE, SPY_PASS, SPY_LOST_AFTER, SPY_PASS};

	return op == DBL_OP_heartbeat ? fates[spy->runs_of[op] % 4] : SPY_PASS;
}

static void heartbeats_survive_lost_replies(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 6000), *other = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	int64_t until = clock_ms() + PLENTY_MS;

	(void)state;
	spy->fate = every_other;
	while (spy->runs_of[DBL_OP_heartbeat] < 8 && clock_ms() < until && dblock_valid(lock, 0))
		sleep_ms(10);
	spy->fate = NULL;
	assert_true(spy->runs_of[DBL_OP_heartbeat] >= 8);
	assert_true(dblock_valid(lock, 0));
	busy(other, "x");
	give(lock);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

/* Nine tenths of the ttl have passed without a heartbeat, when a lock is granted. Naive: the caller has
 * it for a moment, and is told that it is lost. */
static void what_is_granted_late_waits_for_a_heartbeat(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 40000);
	struct dblock_lock *lock;

	(void)state;
	spy_freeze(spy);
	spy->skew = 33000000; /* of 36 s */
	lock = take(client, "x");
	assert_true(spy->runs_of[DBL_OP_heartbeat] > 0);
	assert_int_equal(dblock_remaining_ms(lock), 36000);
	give(lock);
	dblock_close(client, NULL);
	spy_free(spy);
}

static enum spy_fate no_heartbeats(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_heartbeat ? SPY_LOST_BEFORE : SPY_PASS;
}

/* The same, but heartbeats do not get through: the caller has what is left, no later than it said, or
 * is told that nothing is. */
static void but_not_for_ever(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, 40000, 300);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	(void)state;
	spy->fate = no_heartbeats;
	spy->skew = 33000000;
	rc = dblock_try(client, "x", NULL, &lock, &err);
	assert_true(spy->runs_of[DBL_OP_heartbeat] > 0);
	/* Else this machine slept for 3 s. */
	if (rc != DBLOCK_LOST && rc != DBLOCK_E_UNAVAILABLE)
		expect(OK, rc);
	if (rc == 0 && dblock_valid(lock, 0))
		assert_true(dblock_remaining_ms(lock) <= 3000 - 200);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* Ends every connection to this database but our own. */
static void cut_all(struct raw *raw)
{
	int64_t id;

	if (on_backend("postgresql")) {
		raw_int(raw, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
			     " WHERE datname = current_database() AND pid <> pg_backend_pid()");
		return;
	}
	while ((id = raw_int(raw, "SELECT min(id) FROM information_schema.processlist"
				  " WHERE db = DATABASE() AND id <> CONNECTION_ID()"
				  " AND command <> 'Killed'")) > 0)
		(void)raw_try_exec(raw, "KILL %lld", (long long)id);
}

/* The connections are cut again and again, the lock stays, and everything goes on. */
static void servers_that_cut_connections(void **state)
{
	struct dblock_client *client = client_new(SLOWLY_MS(6000));
	struct dblock_lock *lock = take(client, "x");
	struct raw *raw = raw_open(NULL);
	char session[64];

	(void)state;
	snprintf(session, sizeof(session), "%s", show(client, "x").session);
	for (int i = 0; i < 8 && !on_backend("sqlite"); i++) {
		cut_all(raw);
		give(take(client, "y"));
		sleep_ms(SLOWLY_MS(800));
	}
	assert_true(dblock_valid(lock, 0));
	assert_string_equal(show(client, "x").session, session);
	assert_false(show(client, "x").h.session_dead);
	give(lock);
	raw_close(raw);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buried_session_loses_what_it_held),
		cmocka_unit_test(a_call_finds_its_session_over),
		cmocka_unit_test(many_threads_find_it_over),
		cmocka_unit_test(heartbeats_survive_lost_replies),
		cmocka_unit_test(what_is_granted_late_waits_for_a_heartbeat),
		cmocka_unit_test(but_not_for_ever),
		cmocka_unit_test(servers_that_cut_connections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
