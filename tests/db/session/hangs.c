/* SPDX-License-Identifier: MIT */
/* Requests hang, and the test moves the clock: nothing waits longer than it says, and one heartbeat
 * that hangs is no loss. */
#include "session/session.h"
#include "support/fault.h"

enum { HOUR_MS = 3600 * 1000 };

static void wait_until_seen(int n)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (fault_seen() < n && clock_ms() < until)
		sleep_ms(2);
	assert_true(fault_seen() >= n);
}

/* With a ttl of 1 h a heartbeat is sent every 20 min, and is valid for 54 min. */
static void a_hung_heartbeat_leaves_time_for_another(void **state)
{
	struct dblock_client *client = fault_client(HOUR_MS, HOUR_MS);
	struct dblock_lock *lock = take(client, "x");
	int64_t until;

	(void)state;
	fault_set("heartbeat", FAULT_HANG, 1);
	fault_jump_ms(HOUR_MS / 3);
	wait_until_seen(1);
	fault_jump_ms(HOUR_MS / 2);
	assert_true(dblock_valid(lock, 0));
	until = clock_ms() + PLENTY_MS;
	while (dblock_remaining_ms(lock) < HOUR_MS / 2 && clock_ms() < until)
		sleep_ms(5);
	assert_true(dblock_valid(lock, HOUR_MS / 2));
	give(lock);
	dblock_close(client, NULL);
}

struct closing {
	struct dblock_client *client;
	_Atomic int done;
};

static void *close_it(void *arg)
{
	struct closing *closing = arg;

	dblock_close(closing->client, NULL);
	closing->done = 1;
	return NULL;
}

/* The heartbeat thread hangs in its other work, for which it has ten minutes; closing takes no
 * longer than timeout_ms. */
static void closing_is_bounded_though_the_keeper_hangs(void **state)
{
	struct closing closing = {.client = fault_client(HOUR_MS, PLENTY_MS)};
	struct crew crew = {.n = 0};
	int64_t until;

	(void)state;
	dbl_session_give_back(closing.client->locks->session, dbl_cleanup_new("x"), 0, 1);
	fault_set("give_back", FAULT_HANG, 1);
	fault_jump_ms(HOUR_MS / 3);
	wait_until_seen(1);
	crew_add(&crew, close_it, &closing);
	fault_jump_ms(PLENTY_MS);
	until = clock_ms() + PLENTY_MS;
	while (!closing.done && clock_ms() < until)
		sleep_ms(10);
	assert_true(closing.done);
	crew_join(&crew);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hung_heartbeat_leaves_time_for_another),
		cmocka_unit_test(closing_is_bounded_though_the_keeper_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
