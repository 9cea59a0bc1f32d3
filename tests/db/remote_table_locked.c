/* SPDX-License-Identifier: MIT */
/*
 * Somebody has one of the tables for himself: who only tries, and whose time is over, is told what
 * keeps him out; what is held stays held, as long as its session's ttl allows; opening waits.
 */
#include "support/table_lock.h"

/* "held" is. */
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
	dblock_close(s->client);
	dblock_close(s->holder);
	raw_close(s->raw);
	free(s);
}

static void tries_are_told(void **state)
{
	struct scene *s = scene_new();
	const struct dblock_want wants[] = {{.name = "free"}, {.name = "another"}};
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

/* ---- holders ------------------------------------------------------------------------------------
 */

static void *leave_after_a_while(void *raw)
{
	sleep_ms(LONGER_MS);
	leave_table(raw);
	return NULL;
}

/* And waits for it no longer than a request may take. */
static void a_release_is_patient(void **state)
{
	struct scene *s = scene_new();
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *hasty;
	struct dblock_lock *lock;
	struct crew crew = {.n = 0};

	(void)state;
	options.timeout_ms = 500;
	hasty = client_with(&options);
	lock = take(hasty, "hasty");
	have_table(s->raw, "lock");
	if (dblock_release(lock, &err) == DBLOCK_E_LOCKED)
		says_who(s->raw, "lock", &err);
	assert_true(err.code < 0);
	crew_add(&crew, leave_after_a_while, s->raw);
	give(s->held);
	crew_join(&crew);
	is_free_soon(s->client, "held");
	dblock_close(hasty);
	is_free_soon(s->client, "hasty");
	scene_free(s);
}

/* It beats again as soon as it can. */
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
		/* As long as it would have lived by the beat before. */
		sleep_ms(ttl / 2 + ttl / 10);
		valid = dblock_valid(lock, 0);
		if (valid || ttl > PLENTY_MS)
			break;
		/* This machine was too busy to beat. */
		(void)dblock_release(lock, NULL);
		dblock_close(client);
	}
	assert_true(valid);
	give(lock);
	dblock_close(client);
	raw_close(raw);
}

/* ---- coming in ----------------------------------------------------------------------------------
 */

static void opening_waits_its_time(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct raw *raw = raw_open(NULL);
	struct crew crew = {.n = 0};

	(void)state;
	dblock_close(client);
	have_table(raw, "session");
	options.timeout_ms = 4000;
	expect(E_LOCKED, dblock_open(test_url(), &options, &client, &err));
	assert_null(client);
	says_who(raw, "session", &err);
	crew_add(&crew, leave_after_a_while, raw);
	dblock_close(client_new(0));
	crew_join(&crew);
	have_table(raw, "migration");
	crew_add(&crew, leave_after_a_while, raw);
	dblock_close(client_new(0));
	crew_join(&crew);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tries_are_told),         cmocka_unit_test(a_wait_ends_in_its_time),
		cmocka_unit_test(a_release_is_patient),   cmocka_unit_test(a_session_outlives_it),
		cmocka_unit_test(opening_waits_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
