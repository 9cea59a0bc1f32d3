/* SPDX-License-Identifier: MIT */
/* dblock_stats_of(): each counter counts what it says, and nothing else does. */
#include "api/stats.h"

static void each_outcome_has_its_counter(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options soon = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock = take(a, "x"), *again, *none;
	struct dblock_error err = {0};
	struct dblock_stats s;

	(void)state;
	soon.wait_ms = 1;
	expect(OK, dblock_acquire(a, "x", NULL, &again, &err));
	give(again);
	busy(b, "x");
	expect(TIMEOUT, dblock_acquire(b, "x", &soon, &none, &err));
	s = stats_of(a);
	assert_int_equal(s.acquired, 1);
	assert_int_equal(s.reentered, 1);
	assert_int_equal(acquires_of(&s), 2);
	assert_int_equal(s.released, 0);
	has_times(&s.wait, 1);
	s = stats_of(b);
	assert_int_equal(s.busy, 1);
	assert_int_equal(s.timed_out, 1);
	assert_int_equal(acquires_of(&s), 2);
	has_times(&s.wait, 0);
	give(lock);
	s = stats_of(a);
	assert_int_equal(s.released, 1);
	has_times(&s.hold, 1);
	dblock_shutdown(b);
	expect(CANCELED, dblock_acquire(b, "x", NULL, &none, &err));
	assert_int_equal(stats_of(b).canceled, 1);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* What cannot be asked is no acquire. */
static void misuse_is_not_counted(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_stats s;

	(void)state;
	expect(E_INVALID, dblock_try(client, "", NULL, &lock, &err));
	s = stats_of(client);
	assert_int_equal(acquires_of(&s), 0);
	dblock_close(client, NULL);
}

static int64_t canceled_of(struct dblock_client *client)
{
	return stats_of(client).canceled;
}

static void a_wait_in_steps_and_several_names(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	const struct dblock_lock_spec wants[] = {{.name = "x"}, {.name = "y"}};
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_wait *wait;
	struct dblock_stats s;

	(void)state;
	expect(OK, dblock_acquire_begin(client, "x", NULL, &wait, &err));
	expect(OK, dblock_wait_finish(wait, &lock, &err));
	dblock_wait_end(wait);
	expect(OK, dblock_acquire_begin(other, "x", NULL, &wait, &err));
	dblock_wait_end(wait); /* before its time */
	give(lock);
	expect(OK, dblock_acquire_all(client, wants, 2, NULL, &lock, &err));
	give(lock);
	s = stats_of(client);
	assert_int_equal(s.acquired, 2);
	assert_int_equal(s.released, 2);
	assert_int_equal(acquires_of(&s), 2);
	has_times(&s.hold, 2);
	/* The thread that had it at heart counts it, if it was asking the database. */
	for (int64_t until = clock_ms() + PLENTY_MS; clock_ms() < until && !canceled_of(other);)
		sleep_ms(5);
	assert_int_equal(canceled_of(other), 1);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

static void a_transaction_of_the_callers(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_stats s;
	struct dblock_tx *tx;

	(void)state;
	expect(OK, dblock_tx_open(client, &tx, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(OK, dblock_tx_try(tx, client, "in a transaction", NULL, &lock, &err));
	s = stats_of(client);
	assert_int_equal(s.acquired, 1);
	assert_int_equal(s.released, 0);
	expect(OK, dblock_tx_commit(tx, &err));
	give(lock);
	dblock_tx_close(tx);
	assert_int_equal(stats_of(client).released, 1);
	dblock_close(client, NULL);
}

/* ---- losses ---------------------------------------------------------------------------------- */

static int64_t losses_of(const struct dblock_stats *s)
{
	int64_t sum = 0;

	for (int i = 0; i < DBLOCK_LOSS_CAUSES; i++)
		sum += s->losses[i];
	return sum;
}

static void a_lease_that_is_over(void **state)
{
	struct dblock_acquire_options brief = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_stats s;

	(void)state;
	brief.lease_ms = DBLOCK_LEASE_MIN_MS;
	while (dblock_try(client, "x", &brief, &lock, &err) == DBLOCK_LOST && clock_ms() < until)
		; /* a slow machine */
	while (dblock_valid(lock, 0) && clock_ms() < until)
		sleep_ms(5);
	s = stats_of(client);
	assert_int_equal(s.losses[DBLOCK_LOSS_LEASE], 1);
	assert_int_equal(s.released, 0);
	expect(LOST, dblock_release(lock, &err));
	s = stats_of(client);
	assert_int_equal(losses_of(&s), 1);
	assert_int_equal(s.released, 1);
	dblock_close(client, NULL);
}

/* Nobody has told its holder: the release finds out. Naive: by then it is nobody's, and not counted. */
static void a_loss_that_the_release_finds(void **state)
{
	struct dblock_client *a = client_far(), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	struct dblock_error err = {0};
	struct dblock_stats s;

	(void)state;
	expect(OK, break_by_force(b, "x", 0, 0, &err));
	s = stats_of(a);
	assert_int_equal(losses_of(&s), 0);
	expect(LOST, dblock_release(lock, &err));
	s = stats_of(a);
	assert_int_equal(losses_of(&s), 1);
	assert_int_equal(s.losses[DBLOCK_LOSS_NONE], 0);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void statements_and_the_session(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_stats before = stats_of(client), after;

	(void)state;
	assert_int_equal(before.sessions, 1);
	assert_true(before.connects > 0);
	assert_true(before.statements > 0);
	assert_int_equal(before.heartbeats_failed, 0);
	give(take(client, "x"));
	after = stats_of(client);
	/* One to acquire, one to release; a heartbeat may be among them. */
	assert_true(after.statements >= before.statements + 2);
	assert_true(after.statements < before.statements + 20);
	assert_int_equal(after.connections_lost, 0);
	dblock_close(client, NULL);
}

static void what_there_is_room_for(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_stats stats;
	struct dblock_error err = {0};

	(void)state;
	give(take(client, "x"));
	memset(&stats, 'x', sizeof(stats));
	stats.size = offsetof(struct dblock_stats, reentered);
	expect(OK, dblock_stats_of(client, &stats, &err));
	assert_int_equal(stats.acquired, 1);
	assert_true(stats.reentered != 0);
	assert_int_equal(stats.size, offsetof(struct dblock_stats, reentered));
	stats.size = 3;
	expect(E_INVALID, dblock_stats_of(client, &stats, &err));
	expect(E_INVALID, dblock_stats_of(client, NULL, &err));
	stats.size = sizeof(stats);
	expect(E_INVALID, dblock_stats_of(NULL, &stats, &err));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_outcome_has_its_counter),
		cmocka_unit_test(misuse_is_not_counted),
		cmocka_unit_test(a_wait_in_steps_and_several_names),
		cmocka_unit_test(a_transaction_of_the_callers),
		cmocka_unit_test(a_lease_that_is_over),
		cmocka_unit_test(a_loss_that_the_release_finds),
		cmocka_unit_test(statements_and_the_session),
		cmocka_unit_test(what_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
