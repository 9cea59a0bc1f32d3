/* SPDX-License-Identifier: MIT */
/*
 * When may a holder be declared dead? Each case names the naive form that it has been seen to
 * catch.
 */
#include "support/puppet.h"
#include "support/raw.h"
#include "support/spy.h"

static struct dblock_lock *wait_for(struct dblock_client *client, int64_t wait_ms, int outcome)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.wait_ms = wait_ms;
	expect_at(dblock_acquire(client, "x", &options, &lock, &err), outcome, &err,
		  "dblock_acquire", __FILE__, __LINE__);
	return lock;
}

/* A holder is killed: the waiter gets the lock, after having watched it for a whole ttl. */
static void a_killed_holder_is_survived(void **state)
{
	struct grab grab = {.name = "x", .ttl_ms = 2000};
	struct child child = child_start(child_takes, &grab);
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock;
	int64_t begun;

	(void)state;
	child_kill(&child);
	begun = clock_ms();
	lock = wait_for(client, PLENTY_MS, DBLOCK_OK);
	assert_true(clock_ms() - begun >= 2000);
	assert_true(dblock_token(lock) > child.said);
	give(lock);
	dblock_close(client, NULL);
}

/* Waits for longer than the holder's ttl. Returns false if the holder itself lost its session
 * meanwhile, or before it heard of the grant, as can happen on a busy machine: then the scene shows
 * nothing. */
static bool outlasts_a_waiter(int64_t ttl_ms)
{
	struct dblock_client *holder = client_new(ttl_ms), *waiter = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *held = NULL, *lock;
	bool held_on;
	int rc = dblock_try(holder, "x", NULL, &held, &err);

	if (rc != DBLOCK_LOST)
		expect(OK, rc);
	options.wait_ms = 3 * ttl_ms;
	rc = dblock_acquire(waiter, "x", &options, &lock, &err);
	held_on = dblock_valid(held, 0);
	if (held_on)
		assert_int_equal(rc, DBLOCK_TIMEOUT);
	if (rc == 0)
		give(lock);
	dblock_release(held, NULL);
	dblock_close(holder, NULL);
	dblock_close(waiter, NULL);
	return held_on;
}

/* Naive: the ttl is counted from the first look, whatever heartbeat the row shows. */
static void a_beating_holder_is_left_alone(void **state)
{
	int64_t ttl_ms = 800;

	(void)state;
	while (!outlasts_a_waiter(ttl_ms)) {
		ttl_ms *= 2;
		assert_true(ttl_ms < PLENTY_MS);
	}
}

/* Naive: a waiter that goes by the row's `expires` takes the lock at once. */
static void a_waiter_does_not_go_by_the_databases_clock(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 2000);
	struct raw *raw = raw_open(NULL);
	int64_t begun;

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	raw_exec(raw, "UPDATE dblock_session SET expires = {boot} - 10000000 WHERE id = '%s'",
		 puppet->id);
	begun = clock_ms();
	give(wait_for(client, PLENTY_MS, DBLOCK_OK));
	assert_true(clock_ms() - begun >= 2000);
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

static void *beat_after_a_while(void *arg)
{
	sleep_ms(SLOWLY_MS(1500));
	return (void *)(intptr_t)puppet_beats(arg);
}

/* Naive: the count goes on after a heartbeat was seen. */
static void a_heartbeat_begins_the_watch_anew(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, SLOWLY_MS(2000));
	int64_t begun = clock_ms();
	struct crew crew = {.n = 0};

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	crew_add(&crew, beat_after_a_while, puppet);
	give(wait_for(client, PLENTY_MS, DBLOCK_OK));
	/* If the waiter did not see the heartbeat in time, because the machine slept, it got the
	 * lock no sooner either: the holder is declared dead by the heartbeat that was seen. */
	assert_true(clock_ms() - begun >= SLOWLY_MS(1500 + 2000));
	crew_join(&crew);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

/* Naive: the session is declared dead by its id alone. */
static void a_heartbeat_between_sight_and_burial(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 1000);
	int64_t seen = puppet->beat;

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	assert_true(puppet_beats(puppet));
	assert_false(puppet_is_dead(puppet, seen, puppet->ttl));
	assert_false(puppet_is_dead(puppet, puppet->beat, puppet->ttl + 1));
	assert_false(show(client, "x").h.session_dead);
	assert_true(puppet_beats(puppet));

	/* A late copy of an earlier heartbeat does not bring back a number that is watched. */
	puppet->beat = seen - 1;
	assert_false(puppet_beats(puppet));
	puppet->beat = seen + 2;
	assert_true(puppet_beats(puppet));

	/* A session that is declared dead stays dead. */
	assert_true(puppet_is_dead(puppet, puppet->beat, puppet->ttl));
	assert_false(puppet_beats(puppet));
	assert_false(puppet_is_dead(puppet, puppet->beat, puppet->ttl));
	assert_true(show(client, "x").h.session_dead);
	assert_false(puppet_takes(puppet, "y"));
	assert_true(is_free(client, "x") > puppet->token);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

static void wait_for_expiry(struct dblock_client *client)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (show(client, "x").h.left_ms >= 0 && clock_ms() < until)
		sleep_ms(20);
	assert_true(show(client, "x").h.left_ms < 0);
}

/* A try has no time to watch: it goes by the database's clock. It costs four statements: the
 * refusal (on SQLite two), a look, the declaration of death (but on PostgreSQL two, with its event), the
 * acquire. */
static void a_try_takes_what_has_expired(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct puppet *puppet = puppet_new(NULL, 1000);

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	wait_for_expiry(client);
	spy_reset(spy);
	give(take(client, "x"));
	/* Who writes an event may, by chance, delete the oldest. */
	spy_assert_runs(spy, (on_backend("postgresql") ? 5
			      : on_backend("mysql")    ? 6
						       : 7) +
				     spy->runs_of[DBL_OP_reap_events]);
	assert_int_equal(spy->runs_of[DBL_OP_bury], on_backend("postgresql") ? 1 : 2);
	assert_false(puppet_beats(puppet));
	puppet_free(puppet);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* Since our last heartbeat one of the two clocks was set; nobody can tell which. Naive: the try
 * does as above without asking for the clocks. */
static void a_try_does_not_if_the_clocks_disagree(void **state)
{
	static const int64_t jumps[] = {10000000, -10000000};
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0), *plain = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 1000);
	struct raw *raw = raw_open(NULL);

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	wait_for_expiry(plain);
	/* On SQLite the reader's clock is the database's, but another boot may have written the
	 * row. */
	if (on_backend("sqlite"))
		raw_exec(raw, "UPDATE dblock_session SET clock = 'other' WHERE id = '%s'",
			 puppet->id);
	for (int i = 0; i < 2; i++) {
		spy->skew = jumps[i];
		busy(client, "x");
	}
	spy->skew = 0;
	assert_true(puppet_beats(puppet));
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
	dblock_close(plain, NULL);
	spy_free(spy);
}

/* Two clients find a dead holder at the same moment: one of them gets the lock. */
static void *take_and_keep(void *arg)
{
	_Atomic int *winners = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = NULL;
	struct dblock_lock *lock;

	options.wait_ms = 5000;
	if (dblock_open(test_url(), NULL, &client, NULL) == 0 &&
	    dblock_acquire(client, "x", &options, &lock, NULL) == 0)
		++*winners;
	return client;
}

static void many_waiters_one_heir(void **state)
{
	struct puppet *puppet;
	_Atomic int winners = 0;
	pthread_t threads[8];
	void *clients[8];

	(void)state;
	dblock_close(client_new(0), NULL);
	puppet = puppet_new(NULL, 1500);
	assert_true(puppet_takes(puppet, "x"));
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, take_and_keep, &winners);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], &clients[i]);
	assert_int_equal(winners, 1);
	for (int i = 0; i < 8; i++)
		dblock_close(clients[i], NULL);
	puppet_free(puppet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_holder_is_survived),
		cmocka_unit_test(a_beating_holder_is_left_alone),
		cmocka_unit_test(a_waiter_does_not_go_by_the_databases_clock),
		cmocka_unit_test(a_heartbeat_begins_the_watch_anew),
		cmocka_unit_test(a_heartbeat_between_sight_and_burial),
		cmocka_unit_test(a_try_takes_what_has_expired),
		cmocka_unit_test(a_try_does_not_if_the_clocks_disagree),
		cmocka_unit_test(many_waiters_one_heir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
