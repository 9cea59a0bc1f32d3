/* SPDX-License-Identifier: MIT */
/* A client that has one connection, or two: heartbeats get through whatever requests do, others wake it,
 * and after any loss it has no more than before. */
#include "db/link/few_connections_kit.h"

/* It opens and holds, beats, waits, is woken, and gives back. */
static void so_many_do_everything(unsigned n)
{
	struct spy *spy = spy_new();
	struct dblock_client *other = client_new(0), *client;
	struct dblock_lock *theirs = take(other, "x"), *mine;
	struct raw *raw = raw_open(NULL);
	int64_t others = count(raw);
	struct waiting crowd[8];

	client = few(spy, n, SLOWLY_MS(600));
	mine = take(client, "mine");
	waits_for_beats(spy, 3);
	for (int i = 0; i < 8; i++)
		waiting_start(&crowd[i], client, "x");
	wait_until(in_queue(raw) == 8);
	waits_for_beats(spy, 3);
	give(theirs);
	for (int i = 0; i < 8; i++) {
		int next = -1;

		while (next < 0) {
			sleep_ms(1);
			for (int k = 0; k < 8; k++)
				next = crowd[k].done ? k : next;
		}
		give(waiting_join(&crowd[next]));
		crowd[next].done = false;
	}
	/* On a machine that is slow a heartbeat may have needed one more for a moment. */
	wait_until(count(raw) <= others + n);
	assert_true(dblock_valid(mine, 0));
	give(mine);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	raw_close(raw);
	spy_free(spy);
}

static void one_does_everything(void **state)
{
	(void)state;
	so_many_do_everything(1);
}

static void two_do_everything(void **state)
{
	(void)state;
	so_many_do_everything(2);
}

static _Atomic bool hangs;

static enum spy_fate hang(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op != DBL_OP_look && op != DBL_OP_join && op != DBL_OP_acquire)
		return SPY_PASS;
	return hangs && !spy->held ? SPY_HELD : SPY_PASS;
}

/* Naive: the heartbeat waits for the request that gets no answer, and the session is over. */
static void a_request_that_hangs_holds_up_no_heartbeat(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = few(spy, 1, SLOWLY_MS(2000));
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *mine = take(client, "mine");
	struct waiting w;
	int64_t begun;
	int opens;

	(void)state;
	hangs = true;
	spy->fate = hang;
	waiting_start(&w, client, "x");
	wait_until(spy->held);
	opens = spy->opens;
	begun = clock_ms();
	/* For longer than a ttl: so these count. Naive: what follows a beat goes by another connection, and
	 * so it proves nothing. */
	while (clock_ms() < begun + 2 * SLOWLY_MS(2000)) {
		assert_true(dblock_valid(mine, 0));
		sleep_ms(10);
	}
	assert_true(spy->opens > opens);
	hangs = false;
	spy_let_go(spy);
	give(waiting_join(&w));
	/* And back to the one. */
	waits_for_beats(spy, 1);
	wait_until(count(raw) == 1);
	give(mine);
	dblock_close(client, NULL);
	raw_close(raw);
	spy_free(spy);
}

/* The number of the only one, or of the newest; -1: there is none. */
static int64_t newest(struct raw *raw)
{
	if (on_backend("postgresql"))
		return raw_int(raw, "SELECT pid FROM pg_stat_activity WHERE datname = "
				    "current_database() AND pid <> pg_backend_pid() "
				    "ORDER BY backend_start DESC LIMIT 1");
	return raw_int(raw, "SELECT max(id) FROM information_schema.processlist "
			    "WHERE db = DATABASE() AND id <> CONNECTION_ID()");
}

static void end_all_connections(struct raw *raw)
{
	if (on_backend("postgresql")) {
		(void)raw_int(raw,
			      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
			      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
		return;
	}
	for (;;) {
		int64_t id = newest(raw);

		if (id <= 0)
			return;
		(void)raw_try_exec(raw, "KILL %lld", (long long)id);
	}
}

/* The server hangs up: that is noticed at once, though the next heartbeat is due in eight hours. Naive:
 * nobody watches a connection that is lent. */
static void a_lost_connection_is_replaced_by_one(void **state)
{
	struct dblock_client *client = few(NULL, 1, DBLOCK_TTL_MAX_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *mine = take(client, "mine");
	int64_t before = newest(raw);

	(void)state;
	end_all_connections(raw);
	wait_until(newest(raw) > 0 && newest(raw) != before);
	assert_true(dblock_valid(mine, 0));
	/* It is lost while somebody waits, who is woken all the same. */
	for (int i = 0; i < 2; i++) {
		struct dblock_client *other = client_new(0);
		struct dblock_lock *theirs = take(other, "x");
		struct waiting w;

		waiting_start(&w, client, "x");
		wait_until(in_queue(raw) == 1);
		if (i)
			end_all_connections(raw);
		give(theirs);
		give(waiting_join(&w));
		dblock_close(other, NULL);
		wait_until(count(raw) == 1);
	}
	give(mine);
	dblock_close(client, NULL);
	raw_close(raw);
}

/* On PostgreSQL the one connection listens while nothing else is to be done: it is told, and looks no more
 * often than once a second. Elsewhere, and by the clock that stands still here, it would never be. */
static void it_is_woken_by_the_one(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = few(spy, 1, 0), *other = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = take(other, "x");
	struct waiting w;

	(void)state;
	if (on_backend("postgresql")) {
		spy_freeze(spy);
		waiting_start(&w, client, "x");
		wait_until(count_doorbells(raw) == 1);
		give(lock);
		give(waiting_join(&w));
		assert_int_equal(spy->opens, 1);
	} else {
		give(lock);
	}
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	raw_close(raw);
	spy_free(spy);
}

static void some_limits_are_refused(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	(void)state;
	TUNE(options, .connections = 3);
	expect(E_INVALID, dblock_open(test_url(), &options, &client, &err));
	TUNE(options, .connections = 2, .park = true);
	expect(E_INVALID, dblock_open(test_url(), &options, &client, &err));
}

/* A client that is relaxed has a connection besides, for heartbeats as well. */
static void relaxed_it_has_two(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct raw *raw = raw_open(NULL);
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	TUNE(options, .connections = 1);
	options.durability = DBLOCK_RELAXED;
	options.timeout_ms = PLENTY_MS;
	EXPECT_OPEN(dblock_open(test_url(), &options, &client, &err));
	lock = take(client, "mine");
	assert_true(count(raw) <= 2);
	give(lock);
	dblock_close(client, NULL);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_does_everything),
		cmocka_unit_test(two_do_everything),
		cmocka_unit_test(a_request_that_hangs_holds_up_no_heartbeat),
		cmocka_unit_test(a_lost_connection_is_replaced_by_one),
		cmocka_unit_test(it_is_woken_by_the_one),
		cmocka_unit_test(relaxed_it_has_two),
		cmocka_unit_test(some_limits_are_refused),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}
