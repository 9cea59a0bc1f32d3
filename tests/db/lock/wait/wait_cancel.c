/* SPDX-License-Identifier: MIT */
/* Another thread cancels a wait in each of its phases: nothing leaks, and no waiter behind it is
 * forgotten. The tests also count the cost of each step (without a channel, which has its own
 * cost). */
#include "support/call.h"
#include "support/machine.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/steps.h"

struct stage {
	struct spy *spy;
	struct dblock_client *holder, *waiter, *next; /* the last two are spied on */
	struct dblock_lock *lock;                     /* "x", of the holder */
	struct raw *raw;
};

static int set_up(void **state)
{
	static struct stage stage;

	stage = (struct stage){.spy = spy_new(), .holder = client_new(0)};
	stage.waiter = spy_client_without(stage.spy, DBLOCK_WAKE_NOTIFY | DBLOCK_WAKE_DOORBELL);
	stage.next = client_new(0);
	stage.raw = raw_open(NULL);
	raw_exec(stage.raw, "DELETE FROM dblock_queue");
	stage.lock = take(stage.holder, "x");
	*state = &stage;
	return 0;
}

static int tear_down(void **state)
{
	struct stage *s = *state;

	raw_close(s->raw);
	dblock_close(s->holder, NULL);
	dblock_close(s->next, NULL);
	dblock_close(s->waiter, NULL);
	spy_free(s->spy);
	return 0;
}

static int64_t in_queue(struct stage *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_queue");
}

static int cancel(void *arg, struct dblock_error *err)
{
	struct machine *m = arg;

	(void)err;
	dbl_wait_cancel(&m->wait);
	return 0;
}

static void cancel_elsewhere(struct machine *m)
{
	struct call call;

	call_start(&call, cancel, m);
	assert_int_equal(call_end(&call), 0);
}

/* At most one operation was sent; some are two statements, on MySQL, and a join on SQLite. */
static void was_one_operation(const struct spy *spy)
{
	int op = 0;

	while (op < DBL_OP_COUNT - 1 && spy->runs_of[op] == 0)
		op++;
	spy_assert_runs(spy, spy->runs_of[op]);
	assert_true(spy->runs <= (on_backend("postgresql") ? 1 : 2));
}

/* Takes the steps as they are due, and returns how many statements they sent. */
static int drive_counting(struct stage *s, struct machine *m, int outcome)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc, n = 0;

	do {
		assert_true(machine_is_due_within(m, PLENTY_MS));
		spy_reset(s->spy);
		rc = machine_step(m, &lock, &err);
		was_one_operation(s->spy);
		n += s->spy->runs;
	} while (rc == DBLOCK_WAITING);
	expect_at(rc, outcome, &err, "step", __FILE__, __LINE__);
	machine_free(m);
	if (lock)
		give(lock);
	return n;
}

/* ---- the phases ----------------------------------------------------------------------------- */

static void before_its_first_step(void **state)
{
	struct stage *s = *state;
	struct machine *m = machine_new(s->waiter, "free");

	cancel_elsewhere(m);
	assert_int_equal(drive_counting(s, m, DBLOCK_CANCELED), 0);
	is_free(s->next, "free");
	assert_int_equal(in_queue(s), 0);
	give(s->lock);
}

/* The wait is canceled after each of the steps into the queue. */
static void on_its_way_into_the_queue(void **state)
{
	struct stage *s = *state;

	for (int steps = 1; steps <= 4; steps++) {
		struct machine *m = machine_new(s->waiter, "x");

		for (int i = 0; i < steps; i++)
			machine_waits(m);
		assert_int_equal(in_queue(s), steps > 1);
		cancel_elsewhere(m);
		assert_true(machine_is_due_within(m, 0));
		assert_int_equal(drive_counting(s, m, DBLOCK_CANCELED), steps > 1 ? 4 : 0);
		assert_int_equal(in_queue(s), 0);
	}
	give(s->lock);
	is_free(s->next, "x");
}

static int as_told(void *arg)
{
	return *(bool *)arg;
}

/* The answer to its enqueue has just been lost, and the row is there. Naive: the wait says that it
 * is over while its row still stands in the queue, until it is ended. */
static void while_it_leaves_to_join_anew(void **state)
{
	struct stage *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct machine *m;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	bool told = false;
	int rc;

	options.canceled = as_told;
	options.canceled_arg = &told;
	m = machine_new_with(s->waiter, "x", &options);
	machine_waits(m);
	told = true;
	spy_hit_nth(s->spy, 1, SPY_LOST_AFTER);
	do {
		assert_true(machine_is_due_within(m, PLENTY_MS));
		rc = machine_step(m, &lock, &err);
	} while (rc == DBLOCK_WAITING);
	expect(CANCELED, rc);
	assert_true(spy_has_hit(s->spy));
	assert_int_equal(in_queue(s), 0);
	machine_free(m);
	give(s->lock);
	is_free_soon(s->next, "x");
}

static struct machine *in_line(struct stage *s)
{
	struct machine *m = machine_new(s->waiter, "x");

	machine_get_in_queue(m);
	return m;
}

static void in_the_queue(void **state)
{
	struct stage *s = *state;
	struct machine *m = in_line(s);
	struct dblock_wait *next = wait_in_queue(s->next, "x");

	assert_int_equal(in_queue(s), 2);
	cancel_elsewhere(m);
	assert_int_equal(drive_counting(s, m, DBLOCK_CANCELED), 4);
	assert_int_equal(in_queue(s), 1);
	give(s->lock);
	give(wait_gets(next));
}

static void just_granted(void **state)
{
	struct stage *s = *state;
	struct machine *m = in_line(s);

	give(s->lock);
	assert_true(machine_is_due_within(m, PLENTY_MS));
	cancel_elsewhere(m);
	drive_counting(s, m, DBLOCK_CANCELED);
	assert_int_equal(in_queue(s), 0);
	is_free(s->next, "x");
}

/* The next one is woken, and does not have to look. */
static void just_granted_with_others_in_queue(void **state)
{
	struct stage *s = *state;
	struct dblock_wait *wait = wait_in_queue(s->next, "x");
	struct dblock_wait *next = wait_in_queue(s->waiter, "x");
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	give(s->lock);
	assert_true(is_due_within(wait, PLENTY_MS));
	dblock_wait_cancel(wait);
	spy_reset(s->spy);
	wait_comes_to(wait, DBLOCK_CANCELED);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x' AND "
					 "nonce <> 0"),
			 1);
	expect(OK, drive(next, &lock, &err));
	assert_int_equal(s->spy->runs, 0);
	dblock_wait_end(next);
	give(lock);
	is_free(s->holder, "x");
}

static void a_grant_costs_the_waiter_no_statement(void **state)
{
	struct stage *s = *state;
	struct machine *m = in_line(s);

	spy_reset(s->spy);
	give(s->lock);
	assert_int_equal(drive_counting(s, m, DBLOCK_OK), 0);
	is_free(s->next, "x");
}

static void each_step_is_one_statement(void **state)
{
	struct stage *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.wait_ms = 1500; /* it looks at least once */
	assert_true(drive_counting(s, machine_new_with(s->waiter, "x", &options), DBLOCK_TIMEOUT) >=
		    6);
	assert_int_equal(in_queue(s), 0);
	give(s->lock);
}

/* The holder died: it is declared dead, and the lock is handed over. */
static void each_step_of_taking_over_is_one_statement(void **state)
{
	struct stage *s = *state;

	raw_exec(s->raw,
		 "UPDATE dblock_session SET dead = %s WHERE id = (SELECT session FROM "
		 "dblock_lock WHERE name = 'x')",
		 on_backend("postgresql") ? "true" : "1");
	drive_counting(s, machine_new(s->waiter, "x"), DBLOCK_OK);
	is_free(s->next, "x");
}

/* ---- a thread that sleeps in it ------------------------------------------------------------- */

static int finish(void *arg, struct dblock_error *err)
{
	struct dblock_lock *lock;

	return dblock_wait_finish(arg, &lock, err);
}

static void wait_for_the_queue(struct stage *s, int64_t n)
{
	int64_t give_up = clock_ms() + PLENTY_MS;

	while (in_queue(s) != n) {
		assert_true(clock_ms() < give_up);
		sleep_ms(2);
	}
}

static void while_a_thread_sleeps_in_it(void **state)
{
	struct stage *s = *state;
	struct dblock_wait *wait = wait_begin(s->waiter, "x");
	struct call call;

	call_start(&call, finish, wait);
	wait_for_the_queue(s, 1);
	sleep_ms(20);
	dblock_wait_cancel(wait);
	assert_int_equal(call_end(&call), DBLOCK_CANCELED);
	assert_int_equal(call.err.code, DBLOCK_CANCELED);
	dblock_wait_end(wait);
	assert_int_equal(in_queue(s), 0);
	give(s->lock);
}

static struct dblock_wait *interrupted;

static void on_signal(int number)
{
	(void)number;
	dblock_wait_cancel(interrupted);
}

/* The thread's own signal handler cancels, whatever the thread does. */
static void by_a_signal_handler(void **state)
{
	struct stage *s = *state;
	struct sigaction action = {.sa_handler = on_signal}, before;
	struct call call;

	sigaction(SIGUSR1, &action, &before);
	interrupted = wait_begin(s->waiter, "x");
	call_start(&call, finish, interrupted);
	wait_for_the_queue(s, 1);
	pthread_kill(call.thread, SIGUSR1);
	assert_int_equal(call_end(&call), DBLOCK_CANCELED);
	dblock_wait_end(interrupted);
	sigaction(SIGUSR1, &before, NULL);
	assert_int_equal(in_queue(s), 0);
	give(s->lock);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(before_its_first_step),
		CASE(on_its_way_into_the_queue),
		CASE(while_it_leaves_to_join_anew),
		CASE(in_the_queue),
		CASE(just_granted),
		CASE(just_granted_with_others_in_queue),
		CASE(a_grant_costs_the_waiter_no_statement),
		CASE(each_step_is_one_statement),
		CASE(each_step_of_taking_over_is_one_statement),
		CASE(while_a_thread_sleeps_in_it),
		CASE(by_a_signal_handler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
