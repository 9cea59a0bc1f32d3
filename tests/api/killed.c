/* SPDX-License-Identifier: MIT */
/* A holder whose process has ended is dead at once, to who waits on the same machine, however he waits: no
 * ttl here is so short that it could be the reason. */
#include "support/killed.h"

static bool there_is_a_waiter(struct dblock_client *client)
{
	return show(client, "x").h.waiting > 0;
}

static void by_who_waits(enum dblock_mode held, enum dblock_mode wanted)
{
	struct holder h = {.name = "x", .mode = held};
	struct child child = start(&h);
	struct want w = {.client = client_new(0), .mode = wanted};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, wants, &w), 0);
	for (int64_t until = clock_ms() + PLENTY_MS;
	     !there_is_a_waiter(w.client) && clock_ms() < until;)
		sleep_ms(5);
	assert_true(there_is_a_waiter(w.client));
	end(&child);
	pthread_join(thread, NULL);
	has_it(&w);
	dblock_close(w.client, NULL);
}

static void whoever_waits_has_it(void **unused)
{
	(void)unused;
	by_who_waits(DBLOCK_EXCLUSIVE, DBLOCK_EXCLUSIVE);
	by_who_waits(DBLOCK_EXCLUSIVE, DBLOCK_SHARED);
	by_who_waits(DBLOCK_SHARED, DBLOCK_EXCLUSIVE);
	by_who_waits(DBLOCK_UPDATE, DBLOCK_UPDATE);
	by_who_waits(DBLOCK_PERMITS, DBLOCK_PERMITS);
}

static void who_comes_later_too(void **unused)
{
	struct holder h = {.name = "x"};
	struct child child = start(&h);
	struct want w = {.client = NULL};

	(void)unused;
	end(&child);
	w.client = client_new(0);
	wants(&w);
	has_it(&w);
	dblock_close(w.client, NULL);
}

static void and_who_only_tries(void **unused)
{
	static const enum dblock_mode modes[] = {DBLOCK_EXCLUSIVE, DBLOCK_SHARED};

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		struct holder h = {.name = "x", .mode = modes[i]};
		struct child child = start(&h);
		struct dblock_client *client = client_new(0);

		busy(client, "x");
		end(&child);
		give(take(client, "x"));
		dblock_close(client, NULL);
	}
}

static void of_several_names(void **unused)
{
	static const struct dblock_lock_spec names[] = {
		{.name = "a"}, {.name = "x"}, {.name = "z"}};
	struct holder h = {.name = "x"};
	struct child child = start(&h);
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *all;

	(void)unused;
	how.wait_ms = 300;
	expect(TIMEOUT, dblock_acquire_all(client, names, 3, &how, &all, &err));
	end(&child);
	how.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire_all(client, names, 3, &how, &all, &err));
	give(all);
	dblock_close(client, NULL);
}

static void in_steps(void **unused)
{
	struct holder h = {.name = "x"};
	struct child child = start(&h);
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	struct dblock_wait *wait;
	int rc;

	(void)unused;
	expect(OK, dblock_acquire_begin(client, "x", NULL, &wait, &err));
	for (int i = 0; i < 20; i++) {
		expect(WAITING, dblock_wait_step(wait, &lock, &err));
		sleep_ms(5);
	}
	end(&child);
	for (int64_t until = clock_ms() + PLENTY_MS;
	     (rc = dblock_wait_step(wait, &lock, &err)) == DBLOCK_WAITING && clock_ms() < until;)
		sleep_ms(5);
	expect(OK, rc);
	dblock_wait_end(wait);
	give(lock);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_waits_has_it),
		cmocka_unit_test(who_comes_later_too),
		cmocka_unit_test(and_who_only_tries),
		cmocka_unit_test(of_several_names),
		cmocka_unit_test(in_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
