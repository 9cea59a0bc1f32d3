/* SPDX-License-Identifier: MIT */
/* Whatever made the lock busy, err agrees with the outcome. */
#include "support/fault.h"

/* The holder is dead, and an open transaction has its session's row locked. */
static void busy_since_the_dead_holders_row_is_locked(void **state)
{
	struct grab grab = {.name = "x", .ttl_ms = 500};
	struct child child = child_start(child_takes, &grab);
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	child_kill(&child);
	client = fault_client(0, 0);
	while (show(client, "x").h.left_ms >= 0)
		sleep_ms(20);
	fault_set("bury", FAULT_LOCKED, 100);
	expect(BUSY, dblock_try(client, "x", NULL, &lock, &err));
	assert_true(fault_seen() > 0);
	message_has("'x' is held by");
	fault_set("", FAULT_NONE, 0);
	is_free(client, "x");
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_since_the_dead_holders_row_is_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
