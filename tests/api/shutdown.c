/* SPDX-License-Identifier: MIT */
/* dblock_shutdown() ends every wait of a client. */
#include "api/ways.h"

static void every_wait_ends(void **state)
{
	struct stage *s = *state;
	struct call calls[WAYS];

	for (int i = 0; i < WAYS; i++)
		call_start(&calls[i], ways[i], s);
	sleep_ms(500); /* most of them are where they stay; whatever they are at, they are to end */
	for (int i = 0; i < WAYS; i++)
		assert_false(calls[i].done);
	dblock_shutdown(s->client);
	for (int i = 0; i < WAYS; i++)
		ends_canceled(&calls[i]);
	/* None of them is in the queue any more: */
	give(s->taken);
	s->taken = NULL;
	is_free_soon(s->other, "x");
	is_free_soon(s->other, "w");
	/* and what was held is held. */
	assert_true(dblock_valid(s->mine, 0));
}

/* Those who share a flight wait for as long as its maker takes; that one goes on. */
static void those_who_share_a_flight_end(void **state)
{
	struct stage *s = *state;
	struct call calls[3];
	int canceled = 0;

	for (int i = 0; i < 3; i++)
		call_start(&calls[i], to_fly, s);
	while (!s->making)
		sleep_ms(2);
	sleep_ms(200);
	dblock_shutdown(s->client);
	for (int64_t until = clock_ms() + PLENTY_MS; canceled < 2 && clock_ms() < until;) {
		canceled = calls[0].done + calls[1].done + calls[2].done;
		sleep_ms(2);
	}
	assert_int_equal(canceled, 2);
	s->made = true;
	for (int i = 0; i < 3; i++)
		canceled -= call_end(&calls[i]) == DBLOCK_CANCELED;
	assert_int_equal(canceled, 0);
	assert_int_equal(s->making, 1);
}

static void an_acquire_in_a_transaction_ends(void **state)
{
	struct stage *s = *state;
	struct dblock_error err = {0};
	struct call call;

	expect(OK, dblock_tx_open(s->client, &s->tx, &err));
	expect(OK, dblock_tx_begin(s->tx, NULL, &err));
	call_start(&call, in_a_transaction, s);
	sleep_ms(300);
	assert_false(call.done);
	dblock_shutdown(s->client);
	ends_canceled(&call);
	expect(OK, dblock_tx_rollback(s->tx, &err));
	dblock_tx_close(s->tx);
}

static void new_ones_end_at_once(void **state)
{
	struct stage *s = *state;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	dblock_shutdown(s->client);
	dblock_shutdown(s->client);
	for (int i = 0; i < WAYS; i++) {
		err = (struct dblock_error){0};
		expect(CANCELED, ways[i](s, &err));
		message_has("shut down");
	}
	expect(CANCELED, to_fly(s, &err));
	expect(CANCELED, dblock_reap(s->client, NULL, &reaped, &err));
	assert_int_equal(s->making, 0);
}

static void what_does_not_wait_goes_on(void **state)
{
	struct dblock_acquire_options lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct stage *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *mine = take(s->client, "held");

	dblock_shutdown(s->client);
	busy(s->client, "x");
	is_free(s->client, "y");
	give(take_shared(s->client, "z"));
	assert_true(dblock_valid(mine, 0));
	give(mine);
	lease.lease_ms = 600000;
	expect(OK, dblock_try(s->client, "lease", &lease, &lock, &err));
	expect(OK, dblock_extend(lock, 700000, &err));
	give(lock);
	assert_int_equal(show(s->client, "x").h.hold, DBLOCK_HOLD_SESSION);
}

static void a_wait_in_steps_is_due_at_once(void **state)
{
	struct stage *s = *state;
	struct dblock_wait *in_queue = wait_in_queue(s->client, "x"), *later;

	dblock_shutdown(s->client);
	assert_true(is_due(in_queue));
	later = wait_begin(s->client, "x");
	assert_true(is_due(later));
	wait_comes_to(in_queue, DBLOCK_CANCELED);
	wait_comes_to(later, DBLOCK_CANCELED);
}

/* ---- at any moment --------------------------------------------------------------------------- */

struct busy_thread {
	struct stage *stage;
	int kind;
	_Atomic int *problems;
};

/* Takes and gives, in one way, until it is told to stop. */
static void *take_and_give(void *arg)
{
	static const struct dblock_lock_spec both[] = {{.name = "p"}, {.name = "q"}};
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct busy_thread *t = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	how.mode = t->kind == 1 ? DBLOCK_SHARED : DBLOCK_EXCLUSIVE;
	do {
		rc = t->kind == 2 ? dblock_acquire_all(t->stage->client, both, 2, NULL, &lock, &err)
				  : dblock_acquire(t->stage->client, "p", &how, &lock, &err);
		if (rc == 0)
			rc = dblock_release(lock, &err);
	} while (rc == 0);
	if (rc != DBLOCK_CANCELED)
		note_problem(t->problems, "take and give", &err);
	return NULL;
}

static void in_the_middle_of_everything(void **state)
{
	static const int kinds[] = {0, 0, 0, 1, 1, 2};
	struct stage *s = *state;
	_Atomic int problems = 0;

	for (int round = 0; round < 12; round++) {
		struct busy_thread threads[6];
		struct crew crew = {.n = 0};

		for (int i = 0; i < 6; i++) {
			threads[i] = (struct busy_thread){s, kinds[i], &problems};
			crew_add(&crew, take_and_give, &threads[i]);
		}
		sleep_ms(round * 7);
		dblock_shutdown(s->client);
		crew_join(&crew);
		assert_int_equal((dblock_close)(s->client, NULL), DBLOCK_OK);
		assert_int_equal(problems, 0);
		is_free(s->other, "p");
		is_free(s->other, "q");
		s->client = client_new(0);
	}
}

static void shut_down_as_it_waits(void *arg, const struct dblock_waiting *waiting)
{
	struct stage *s = arg;

	(void)waiting;
	dblock_shutdown(s->client);
	assert_int_equal((dblock_close)(s->client, NULL), DBLOCK_E_INVALID);
}

static void a_callback_may_shut_down(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct stage *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.waiting = shut_down_as_it_waits;
	options.waiting_arg = s;
	options.waiting_every_ms = 100;
	expect(CANCELED, dblock_acquire(s->client, "x", &options, &lock, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_wait_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(those_who_share_a_flight_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_acquire_in_a_transaction_ends, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(new_ones_end_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_does_not_wait_goes_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_wait_in_steps_is_due_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(in_the_middle_of_everything, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_callback_may_shut_down, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
