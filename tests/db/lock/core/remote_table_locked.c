/* SPDX-License-Identifier: MIT */
/*
 * Somebody has one of the tables locked. A try whose time is over is told what keeps it out; a lock
 * that is held stays held, as long as its session's ttl allows; opening waits.
 */
#include "db/lock/core/table_lock.h"
#include "support/call.h"
#include "support/waiting.h"

/* The lock "held" is held by `holder`. */
struct scene {
	struct raw *raw;
	struct dblock_client *holder, *client;
	struct dblock_lock *held;
};

static struct scene *scene_new(void)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->raw = raw_open(NULL);
	s->holder = client_new(0);
	s->client = client_new(0);
	s->held = take(s->holder, "held");
	return s;
}

static void scene_free(struct scene *s)
{
	dblock_close(s->client, NULL);
	dblock_close(s->holder, NULL);
	raw_close(s->raw);
	free(s);
}

static void tries_are_told(void **state)
{
	struct scene *s = scene_new();
	const struct dblock_lock_spec wants[] = {{.name = "free"}, {.name = "another"}};
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	is_free(s->client, "free");
	shared.mode = DBLOCK_SHARED;
	have_table(s->raw, "lock");
	expect(BUSY, dblock_try(s->client, "free", NULL, &lock, &err));
	says_who(s->raw, "lock", &err);
	expect(BUSY, dblock_try(s->client, "held", NULL, &lock, &err));
	says_who(s->raw, "lock", &err);
	expect(BUSY, dblock_try(s->client, "free", &shared, &lock, &err));
	says_who(s->raw, "lock", &err);
	expect(BUSY, dblock_try_all(s->client, wants, 2, NULL, &lock, &err));
	says_who(s->raw, "lock", &err);
	leave_table(s->raw);
	have_table(s->raw, "once");
	expect(BUSY, dblock_once_try(s->client, "free", "slot", NULL, &lock, &err));
	says_who(s->raw, "once", &err);
	leave_table(s->raw);
	is_free_soon(s->client, "free");
	give(s->held);
	scene_free(s);
}

static void a_wait_ends_in_its_time(void **state)
{
	struct scene *s = scene_new();
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t begun;

	(void)state;
	how.wait_ms = 600;
	have_table(s->raw, "lock");
	begun = clock_ms();
	expect(TIMEOUT, dblock_acquire(s->client, "held", &how, &lock, &err));
	says_who(s->raw, "lock", &err);
	assert_true(clock_ms() - begun >= 600);
	how.mode = DBLOCK_SHARED;
	expect(TIMEOUT, dblock_acquire(s->client, "held", &how, &lock, &err));
	says_who(s->raw, "lock", &err);
	leave_table(s->raw);
	give(s->held);
	is_free_soon(s->client, "held");
	scene_free(s);
}

/* ---- holders --------------------------------------------------------------------------------- */

static void *leave_after_a_while(void *raw)
{
	sleep_ms(LONGER_MS);
	leave_table(raw);
	return NULL;
}

/* A release waits for the table no longer than a request may take. */
static void a_release_is_patient(void **state)
{
	struct scene *s = scene_new();
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *hasty;
	struct dblock_lock *lock;
	struct crew crew = {.n = 0};

	(void)state;
	options.timeout_ms = SLOWLY_MS(500);
	hasty = client_with(&options);
	lock = take(hasty, "hasty");
	have_table(s->raw, "lock");
	/* All the time is spent waiting: none is left to ask who has the table. */
	assert_true(dblock_release(lock, NULL) < 0);
	crew_add(&crew, leave_after_a_while, s->raw);
	give(s->held);
	crew_join(&crew);
	is_free_soon(s->client, "held");
	dblock_close(hasty, NULL);
	is_free_soon(s->client, "hasty");
	scene_free(s);
}

/* The client sends a heartbeat as soon as it can. */
static void a_session_outlives_it(void **state)
{
	struct raw *raw = raw_open(NULL);
	struct dblock_client *client;
	struct dblock_lock *lock;
	int64_t ttl = 9000;
	bool valid;

	(void)state;
	for (;; ttl *= 2) {
		client = client_new(ttl);
		lock = take(client, "x");
		have_table(raw, "session");
		sleep_ms(ttl / 2);
		leave_table(raw);
		/* The test sleeps as long as the session would have lived by the heartbeat before.
		 */
		sleep_ms(ttl / 2 + ttl / 10);
		valid = dblock_valid(lock, 0);
		if (valid || ttl > PLENTY_MS)
			break;
		/* This machine was too busy for the heartbeat. */
		(void)dblock_release(lock, NULL);
		dblock_close(client, NULL);
	}
	assert_true(valid);
	give(lock);
	dblock_close(client, NULL);
	raw_close(raw);
}

/* ---- coming in ------------------------------------------------------------------------------- */

static void opening_waits_its_time(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct raw *raw = raw_open(NULL);
	struct crew crew = {.n = 0};

	(void)state;
	dblock_close(client, NULL);
	have_table(raw, "session");
	options.timeout_ms = 4000;
	expect(E_BLOCKED, dblock_open(test_url(), &options, &client, &err));
	assert_null(client);
	says_who(raw, "session", &err);
	crew_add(&crew, leave_after_a_while, raw);
	dblock_close(client_new(0), NULL);
	crew_join(&crew);
	have_table(raw, "migration");
	crew_add(&crew, leave_after_a_while, raw);
	dblock_close(client_new(0), NULL);
	crew_join(&crew);
	raw_close(raw);
}

/* ---- who takes it away ----------------------------------------------------------------------- */

struct breaks {
	struct dblock_client *client;
	const struct dblock_break_options *how;
	struct call call;
};

static int break_it(void *arg, struct dblock_error *err)
{
	const struct breaks *breaks = arg;

	return dblock_break(breaks->client, "x", breaks->how, err);
}

/* Naive: a look that meets the locked table ends the wait for the holder. */
static void a_break_waits_beyond(const char *table, bool from_the_first)
{
	struct dblock_client *holder = client_new(0), *client = client_new(0);
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	struct breaks breaks = {.client = client, .how = &how};
	struct dblock_lock *lock = take(holder, "x");
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	how.wait_ms = PLENTY_MS;
	if (from_the_first)
		have_table(raw, table);
	call_start(&breaks.call, break_it, &breaks);
	if (!from_the_first) {
		wait_until(!dblock_valid(lock, 0));
		have_table(raw, table);
	}
	sleep_ms(LONGER_MS);
	if (breaks.call.done)
		fail_msg("dblock_%s: %s", table, breaks.call.err.message);
	leave_table(raw);
	wait_until(!dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(call_end(&breaks.call), DBLOCK_OK);
	is_free(client, "x");
	raw_close(raw);
	dblock_close(holder, NULL);
	dblock_close(client, NULL);
}

static void breaks_go_on(void **state)
{
	(void)state;
	a_break_waits_beyond("lock", false);
	a_break_waits_beyond("lock", true);
	a_break_waits_beyond("session", false);
	a_break_waits_beyond("revocation", true);
}

/* The call's time is over before the table is free again. */
static void a_break_ends_in_its_time(void **state)
{
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	struct dblock_client *holder = client_new(0), *client = client_new(0);
	struct dblock_lock *lock = take(holder, "x");
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct breaks breaks;

	(void)state;
	how.wait_ms = 300;
	have_table(raw, "lock");
	expect(BUSY, dblock_break(client, "x", &how, &err));
	message_has("'x'");
	says_who(raw, "lock", &err);
	leave_table(raw);
	assert_true(dblock_valid(lock, 0));
	how.wait_ms = PLENTY_MS / 20;
	breaks = (struct breaks){.client = client, .how = &how};
	call_start(&breaks.call, break_it, &breaks);
	wait_until(!dblock_valid(lock, 0));
	have_table(raw, "revocation");
	assert_int_equal(call_end(&breaks.call), DBLOCK_TIMEOUT);
	err = breaks.call.err;
	message_has("it is free when that process lets go");
	says_who(raw, "revocation", &err);
	leave_table(raw);
	expect(LOST, dblock_release(lock, &err));
	is_free(client, "x");
	raw_close(raw);
	dblock_close(holder, NULL);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tries_are_told),
		cmocka_unit_test(a_wait_ends_in_its_time),
		cmocka_unit_test(a_release_is_patient),
		cmocka_unit_test(a_session_outlives_it),
		cmocka_unit_test(opening_waits_its_time),
		cmocka_unit_test(breaks_go_on),
		cmocka_unit_test(a_break_ends_in_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
