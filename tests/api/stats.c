/* SPDX-License-Identifier: MIT */
/* dblock_stats(): each counter counts what it says, and nothing else does. */
#include "support/call.h"

static struct dblock_stats stats_of(const struct dblock_client *client)
{
	struct dblock_stats stats = DBLOCK_STATS_INIT;
	struct dblock_error err = {0};

	expect(OK, dblock_stats(client, &stats, &err));
	return stats;
}

static int64_t acquires_of(const struct dblock_stats *s)
{
	return s->acquired + s->reentered + s->busy + s->timed_out + s->canceled + s->deadlocks +
	       s->late + s->fenced + s->failed;
}

/* A histogram agrees with itself, and has so many times. */
static void has_times(const struct dblock_histogram *h, int64_t n)
{
	int64_t sum = 0, least = 0;

	for (int i = 0; i < DBLOCK_HISTOGRAM_BUCKETS; i++) {
		sum += h->buckets[i];
		least += i ? h->buckets[i] << (i - 1) : 0;
	}
	assert_int_equal(h->count, n);
	assert_int_equal(sum, n);
	assert_true(h->sum_us >= least);
}

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
	dblock_close(a);
	dblock_close(b);
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
	dblock_close(client);
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
	assert_int_equal(stats_of(other).canceled, 1);
	dblock_close(client);
	dblock_close(other);
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
	dblock_close(client);
}

/* ---- hand-overs ------------------------------------------------------------------------------ */

static int acquire_x(void *arg, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_acquire(arg, "x", NULL, &lock, err);

	return rc ? rc : dblock_release(lock, err);
}

/* The holder gives x to one that waits for it. */
static struct dblock_stats handed_over(struct dblock_client *holder, struct dblock_client *waiter)
{
	struct dblock_lock *lock = take(holder, "x");
	int64_t until = clock_ms() + PLENTY_MS;
	struct call call;

	call_start(&call, acquire_x, waiter);
	while (show(holder, "x").h.waiting == 0 && clock_ms() < until)
		sleep_ms(2);
	sleep_ms(
		50); /* it sleeps by now, or else finds the lock by looking: both are as they were */
	give(lock);
	call_is_ok(&call);
	return stats_of(waiter);
}

static int64_t handovers_of(const struct dblock_stats *s)
{
	return s->passed_in_memory + s->woken_by_thread + s->woken_by_datagram +
	       s->woken_by_database + s->found_by_looking;
}

static void who_waits_was_woken_one_way(void **state)
{
	struct dblock_client *holder = client_new(0), *near = client_new(0), *far = client_far();
	struct dblock_stats s;

	(void)state;
	/* A look may come before the word, now and then: so it is played until the word comes. */
	do
		s = handed_over(holder, near);
	while (s.woken_by_datagram == 0 && s.found_by_looking < 20);
	assert_int_equal(s.woken_by_datagram, 1);
	assert_int_equal(handovers_of(&s), s.acquired);
	s = handed_over(holder, far);
	assert_int_equal(s.woken_by_datagram, 0);
	assert_int_equal(s.woken_by_database + s.found_by_looking, 1);
	assert_int_equal(handovers_of(&s), 1);
	/* Who has it at once was handed nothing. */
	give(take(near, "y"));
	s = stats_of(holder);
	assert_int_equal(handovers_of(&s), 0);
	dblock_close(holder);
	dblock_close(near);
	dblock_close(far);
}

/* Three threads of one client, all of which want it all the time. */
static int many_x(void *arg, struct dblock_error *err)
{
	int rc = 0;

	for (int i = 0; i < 50 && rc == 0; i++)
		rc = acquire_x(arg, err);
	return rc;
}

static void threads_pass_it_on_in_memory(void **state)
{
	struct dblock_client *client = client_new(0);
	struct call calls[3];
	struct dblock_stats s;

	(void)state;
	for (int i = 0; i < 3; i++)
		call_start(&calls[i], many_x, client);
	for (int i = 0; i < 3; i++)
		call_is_ok(&calls[i]);
	s = stats_of(client);
	assert_int_equal(s.acquired, 150);
	assert_int_equal(s.released, 150);
	has_times(&s.wait, 150);
	has_times(&s.hold, 150);
	assert_true(s.passed_in_memory > 0 && s.passed_in_memory < 150);
	dblock_close(client);
}

static void what_is_kept_idle_is_taken_again(void **state)
{
	struct dblock_acquire_options sticky = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_stats s;

	(void)state;
	sticky.idle_ms = PLENTY_MS;
	for (int i = 0; i < 20; i++) {
		struct dblock_lock *lock;

		expect(OK, dblock_acquire(client, "x", &sticky, &lock, &err));
		give(lock);
	}
	s = stats_of(client);
	assert_int_equal(s.acquired, 20);
	assert_int_equal(s.released, 20);
	assert_true(s.idle_taken > 0 && s.idle_taken < 20);
	has_times(&s.hold, 20);
	dblock_close(client);
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
	dblock_close(client);
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
	dblock_close(a);
	dblock_close(b);
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
	dblock_close(client);
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
	expect(OK, dblock_stats(client, &stats, &err));
	assert_int_equal(stats.acquired, 1);
	assert_true(stats.reentered != 0);
	assert_int_equal(stats.size, offsetof(struct dblock_stats, reentered));
	stats.size = 3;
	expect(E_INVALID, dblock_stats(client, &stats, &err));
	expect(E_INVALID, dblock_stats(client, NULL, &err));
	stats.size = sizeof(stats);
	expect(E_INVALID, dblock_stats(NULL, &stats, &err));
	dblock_close(client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_outcome_has_its_counter),
		cmocka_unit_test(misuse_is_not_counted),
		cmocka_unit_test(a_wait_in_steps_and_several_names),
		cmocka_unit_test(a_transaction_of_the_callers),
		cmocka_unit_test(who_waits_was_woken_one_way),
		cmocka_unit_test(threads_pass_it_on_in_memory),
		cmocka_unit_test(what_is_kept_idle_is_taken_again),
		cmocka_unit_test(a_lease_that_is_over),
		cmocka_unit_test(a_loss_that_the_release_finds),
		cmocka_unit_test(statements_and_the_session),
		cmocka_unit_test(what_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
