/* SPDX-License-Identifier: MIT */
/* A client that keeps no connection while it only holds. */
#include "db/link/few_connections_kit.h"

/* Between two heartbeats there is none: what it holds is held all the same, and is read by each. */
static void parked_it_has_none(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = parking(spy, SLOWLY_MS(1000)), *other;
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *mine = take(client, "mine"), *theirs;
	struct waiting w;
	int reads, last;

	(void)state;
	wait_until(count(raw) == 0);
	reads = spy->runs_of[DBL_OP_own_grants];
	waits_for_beats(spy, 3);
	wait_until(spy->runs_of[DBL_OP_own_grants] > reads + 1);
	assert_true(dblock_valid(mine, 0));
	wait_until(count(raw) == 0);
	/* It keeps one as long as somebody waits. */
	other = client_new(0);
	theirs = take(other, "x");
	waiting_start(&w, client, "x");
	wait_until(in_queue(raw) == 1);
	sleep_ms(10);
	last = spy->opens;
	waits_for_beats(spy, 2);
	assert_int_equal(spy->opens, last);
	give(theirs);
	dblock_close(other, NULL);
	give(waiting_join(&w));
	wait_until(count(raw) == 0);
	give(mine);
	dblock_close(client, NULL);
	client = client_new(0);
	is_free(client, "mine");
	dblock_close(client, NULL);
	raw_close(raw);
	spy_free(spy);
}

/* The server refuses a connection, as one does that restarts: the next one may lead to another server, and
 * what is held is read by it. Naive: neither what was parked nor what was refused counts as a loss. */
static void after_a_refusal_it_reads_what_it_holds(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = parking(spy, SLOWLY_MS(1000));
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *mine = take(client, "mine");

	(void)state;
	wait_until(count(raw) == 0);
	for (int i = 0; i < 3; i++) {
		int reads = spy->runs_of[DBL_OP_own_grants], beats;

		wait_until(spy->runs_of[DBL_OP_own_grants] > reads);
		wait_until(count(raw) == 0);
		reads = spy->runs_of[DBL_OP_own_grants];
		beats = spy->runs_of[DBL_OP_heartbeat];
		spy->refusals = 1;
		wait_until(spy->runs_of[DBL_OP_own_grants] > reads);
		assert_int_equal(spy->refusals, 0);
		assert_true(spy->runs_of[DBL_OP_heartbeat] <= beats + 1);
	}
	give(mine);
	dblock_close(client, NULL);
	raw_close(raw);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parked_it_has_none),
		cmocka_unit_test(after_a_refusal_it_reads_what_it_holds),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}
