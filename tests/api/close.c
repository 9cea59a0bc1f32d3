/* SPDX-License-Identifier: MIT */
/* dblock_close() refuses while the client is in use, and does nothing then. */
#include "api/ways.h"

static int count(void *n, const struct dblock_waiter *waiter)
{
	(void)waiter;
	++*(int *)n;
	return 0;
}

static void refuses(struct dblock_client *client, const char *why)
{
	struct dblock_error err = {0};

	assert_int_equal((dblock_close)(client, &err), DBLOCK_E_INVALID);
	assert_int_equal(err.code, DBLOCK_E_INVALID);
	if (!strstr(err.message, why))
		fail_msg("'%s' is not in: %s", why, err.message);
}

/* From then on somebody is in a call. */
static void until_one_waits(struct stage *s)
{
	int64_t give_up = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	int n = 0;

	do {
		assert_true(clock_ms() < give_up);
		sleep_ms(5);
		expect(OK, dblock_waiters(s->other, NULL, count, &n, &err));
	} while (n == 0);
}

static void close_refuses_while_a_thread_waits(void **state)
{
	struct stage *s = *state;
	struct call calls[WAYS];

	for (int i = 0; i < WAYS; i++) {
		call_start(&calls[i], ways[i], s);
		until_one_waits(s);
		sleep_ms(20);
		refuses(s->client, "dblock_shutdown()");
		assert_false(calls[i].done);
	}
	assert_true(dblock_valid(s->mine, 0));
	dblock_shutdown(s->client);
	for (int i = 0; i < WAYS; i++)
		ends_canceled(&calls[i]);
	assert_int_equal((dblock_close)(s->client, NULL), DBLOCK_OK);
	s->client = NULL;
	/* It was closed as any other is. */
	give(s->reader);
	is_free(s->other, "mine");
}

static void close_refuses_while_something_is_open(void **state)
{
	struct stage *s = *state;
	struct dblock_wait *wait = wait_begin(s->client, "free");
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	refuses(s->client, "'free'");
	refuses(s->client, "dblock_wait_end()");
	give(wait_gets(wait));
	expect(OK, dblock_tx_open(s->client, &tx, &err));
	refuses(s->client, "dblock_tx_close()");
	dblock_tx_close(tx);
	assert_int_equal((dblock_close)(s->client, NULL), DBLOCK_OK);
	s->client = NULL;
}

static _Atomic int callback_got = -1000;
static struct dblock_error callback_err;
static struct dblock_client *asked_client;

static void close_when_asked(void *arg, struct dblock_lock *lock,
			     const struct dblock_release_request *request)
{
	(void)arg, (void)lock, (void)request;
	callback_got = (dblock_close)(asked_client, &callback_err);
}

static void close_refuses_in_a_callback(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct stage *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	asked_client = s->client;
	options.release_requested = close_when_asked;
	expect(OK, dblock_try(s->client, "asked", &options, &lock, &err));
	expect(OK, dblock_request_release(s->other, "asked", "please", &err));
	for (int64_t until = clock_ms() + PLENTY_MS; callback_got == -1000 && clock_ms() < until;)
		sleep_ms(5);
	assert_int_equal(callback_got, DBLOCK_E_INVALID);
	assert_non_null(strstr(callback_err.message, "callback"));
	give(lock);
}

/* ---- callbacks of calls that do not wait ----------------------------------------------------- */

static int close_when_shown(void *client, const struct dblock_holder *holder)
{
	(void)holder;
	return (dblock_close)(client, NULL);
}

static int close_when_in_queue(void *client, const struct dblock_waiter *waiter)
{
	(void)waiter;
	return (dblock_close)(client, NULL);
}

static int close_at_edge(void *client, const struct dblock_edge *edge)
{
	(void)edge;
	return (dblock_close)(client, NULL);
}

/* Naive: what the listing reads its next page with is freed. */
static void close_refuses_while_it_shows(void **state)
{
	struct stage *s = *state;
	struct dblock_wait *wait = wait_in_queue(s->client, "x");

	assert_int_equal(dblock_list(s->other, NULL, close_when_shown, s->other, NULL),
			 DBLOCK_E_INVALID);
	assert_int_equal(dblock_show(s->other, "x", close_when_shown, s->other, NULL),
			 DBLOCK_E_INVALID);
	assert_int_equal(dblock_waiters(s->other, NULL, close_when_in_queue, s->other, NULL),
			 DBLOCK_E_INVALID);
	assert_int_equal(dblock_graph(s->other, NULL, close_at_edge, s->other, NULL),
			 DBLOCK_E_INVALID);
	dblock_wait_end(wait);
	is_free(s->other, "y");
}

static int64_t close_in_child(void *arg)
{
	dblock_shutdown(arg);
	return (dblock_close)(arg, NULL) == DBLOCK_E_FORKED ? 1 : -1;
}

static void a_child_touches_nothing(void **state)
{
	struct stage *s = *state;
	struct child child = child_start(close_in_child, s->client);

	child_kill(&child);
	assert_true(dblock_valid(s->mine, 0));
	is_free_soon(s->client, "y");
}

static void nothing_is_closed(void **state)
{
	(void)state;
	dblock_shutdown(NULL);
	assert_int_equal((dblock_close)(NULL, NULL), DBLOCK_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(close_refuses_while_a_thread_waits, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(close_refuses_while_something_is_open, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(close_refuses_in_a_callback, set_up, tear_down),
		cmocka_unit_test_setup_teardown(close_refuses_while_it_shows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_child_touches_nothing, set_up, tear_down),
		cmocka_unit_test(nothing_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
