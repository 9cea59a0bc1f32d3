/* SPDX-License-Identifier: MIT */
/* A client's channel wakes its waiters if no datagram reaches it. The waiter's clock stands still:
 * it never looks by itself, so that only a message can wake it. */
#include <poll.h>

#include "support/waiting.h"

struct scene {
	struct spy *spy, *others;
	struct dblock_client *client, *other;
	struct raw *raw;
};

static void open_scene(struct scene *s, unsigned wake_off)
{
	*s = (struct scene){.spy = spy_new(), .others = spy_new()};
	s->client = spy_client_without(s->spy, wake_off);
	s->other = spy_client_without(s->others, 0);
	s->raw = raw_open(NULL);
}

static void close_scene(struct scene *s)
{
	dblock_close(s->client, NULL);
	dblock_close(s->other, NULL);
	raw_close(s->raw);
	spy_free(s->spy);
	spy_free(s->others);
}

/* Begins a wait, and returns when its client's channel works. */
static void begin_wait(struct scene *s, struct waiting *w)
{
	spy_freeze(s->spy);
	spy_reset(s->spy);
	waiting_start(w, s->client, "x");
	wait_until(spy_snapshots(s->spy) == 1);
	wait_until(count_doorbells(s->raw) == 1);
}

/* Returns how many statements the waiter's client has sent, but for those that read its channel. */
static int sent(const struct spy *spy)
{
	return spy->runs - spy->runs_of[DBL_OP_granted];
}

/* Returns true if its channel was interrupted, and not between two sleeps. */
static bool hand_over_once(void)
{
	struct dblock_lock *lock;
	struct waiting w;
	struct scene s;
	bool rung;
	int before;

	open_scene(&s, DBLOCK_WAKE_SOCKET);
	lock = take(s.other, "x");
	begin_wait(&s, &w);
	before = sent(s.spy);
	spy_reset(s.others);
	give(lock);
	lock = waiting_join(&w);
	assert_int_equal(sent(s.spy), before);
	assert_true(dblock_valid(lock, 0));
	assert_int_equal(s.others->runs_of[DBL_OP_ring], 1);
	rung = on_backend("postgresql") || s.others->runs_of[DBL_OP_ring_stop] == 1;
	give(lock);
	close_scene(&s);
	return rung;
}

static void rung_without_a_look(void **state)
{
	bool rung = false;

	(void)state;
	for (int i = 0; i < 5 && !rung; i++)
		rung = hand_over_once();
	assert_true(rung);
}

/* A datagram wakes the waiter, so the channel is not used. */
static void on_one_machine_no_statement_rings(void **state)
{
	struct dblock_lock *lock;
	struct waiting w;
	struct scene s;

	(void)state;
	open_scene(&s, 0);
	lock = take(s.other, "x");
	begin_wait(&s, &w);
	spy_reset(s.others);
	give(lock);
	lock = waiting_join(&w);
	assert_int_equal(s.others->runs_of[DBL_OP_ring], 0);
	give(lock);
	close_scene(&s);
}

/* The notification goes to a channel that nobody has, and to a socket that does not exist. */
static void a_lost_ring_is_made_good(void **state)
{
	struct dblock_lock *lock;
	struct waiting w;
	struct scene s;

	(void)state;
	open_scene(&s, DBLOCK_WAKE_SOCKET);
	lock = take(s.other, "x");
	waiting_start(&w, s.client, "x");
	wait_until(in_queue(s.raw) == 1);
	raw_exec(s.raw, "UPDATE dblock_queue SET bell = 'boot/1/name %032d'", 7);
	wait_until(spy_snapshots(s.spy) > 0);
	spy_reset(s.others);
	give(lock);
	assert_int_equal(s.others->runs_of[DBL_OP_ring], 1);
	assert_int_equal(s.others->runs_of[DBL_OP_ring_stop], 0);
	give(waiting_join(&w));
	close_scene(&s);
}

static void ring_by_hand(struct scene *s, const char *what)
{
	char channel[33];

	snprintf(channel, sizeof(channel), "%s",
		 strchr(raw_text(s->raw, "SELECT bell FROM dblock_queue"), ' ') + 1);
	if (on_backend("postgresql"))
		raw_exec(s->raw, "SELECT pg_notify('dblock_%s', '%s')", channel, what);
}

/* Only the nonce is believed, and the channel's name does not have it. */
static void forged_rings_change_nothing(void **state)
{
	static const char *const forged[] = {"1 1",  "",  "x",   "-1 5", "7",
					     "7 x",  "0", "0 9", " ",    "9999999999999999999999 1",
					     "12 -1"};
	struct dblock_lock *lock;
	struct waiting w;
	struct scene s;

	(void)state;
	open_scene(&s, DBLOCK_WAKE_SOCKET);
	lock = take(s.other, "x");
	begin_wait(&s, &w);
	for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++)
		ring_by_hand(&s, forged[i]);
	/* The real message comes behind all of these. */
	sleep_ms(100);
	assert_false(w.done);
	give(lock);
	give(waiting_join(&w));
	close_scene(&s);
}

enum { CROWD = 64 };

/* All of them get the lock, one after the other, by their tickets, which need not be in the order
 * of the threads. */
static void serve(struct waiting *crowd, int n)
{
	for (int served = 0; served < n; served++) {
		int64_t until = clock_ms() + PLENTY_MS;
		int next = -1;

		while (next < 0 && clock_ms() < until) {
			sleep_ms(1);
			for (int i = 0; i < n; i++)
				next = crowd[i].done ? i : next;
		}
		assert_true(next >= 0);
		give(waiting_join(&crowd[next]));
		crowd[next].done = false;
	}
}

/* None of them opens another connection. */
static void a_crowd_has_three_connections(void **state)
{
	struct waiting crowd[CROWD];
	struct dblock_lock *lock;
	struct scene s;

	(void)state;
	open_scene(&s, 0);
	lock = take(s.other, "x");
	for (int i = 0; i < CROWD; i++)
		waiting_start(&crowd[i], s.client, "x");
	wait_until(in_queue(s.raw) == CROWD);
	wait_until(count_doorbells(s.raw) == 1);
	assert_int_equal(s.spy->opens, 3);
	give(lock);
	serve(crowd, CROWD);
	assert_int_equal(s.spy->opens, 3);
	close_scene(&s);
}

/* A client that never waits opens none. */
static void who_never_waits_has_two(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, 0);
	give(take(s.client, "x"));
	assert_int_equal(s.spy->opens, 2);
	close_scene(&s);
}

/* A wait in the queue holds no snapshot and no lock on any user's table. */
static void the_users_tables_are_free(void **state)
{
	enum { WAITERS = 50 };
	struct waiting crowd[WAITERS];
	struct dblock_lock *lock;
	struct scene s;

	(void)state;
	open_scene(&s, 0);
	raw_exec(s.raw, "CREATE TABLE theirs (a int)");
	lock = take(s.other, "x");
	for (int i = 0; i < WAITERS; i++)
		waiting_start(&crowd[i], s.client, "x");
	wait_until(in_queue(s.raw) == WAITERS);
	wait_until(count_doorbells(s.raw) == 1);
	if (on_backend("postgresql")) {
		raw_exec(s.raw, "CREATE INDEX CONCURRENTLY by_a ON theirs (a)");
		raw_exec(s.raw, "VACUUM FULL theirs");
		/* One that has just ended its statement may still be shown with a snapshot. */
		wait_until(raw_int(s.raw, "SELECT count(*) FROM pg_stat_activity "
					  "WHERE backend_xmin IS NOT NULL "
					  "AND state <> 'active'") == 0);
	} else {
		raw_exec(s.raw, "ALTER TABLE theirs ADD COLUMN b int, ADD INDEX (a)");
	}
	give(lock);
	serve(crowd, WAITERS);
	raw_exec(s.raw, "DROP TABLE theirs");
	close_scene(&s);
}

/* Returns true if a look came within a while. */
static bool looks_again(struct spy *spy, int looks)
{
	int64_t until = clock_ms() + 1000;

	while (spy->runs_of[DBL_OP_look] == looks && clock_ms() < until)
		sleep_ms(1);
	return spy->runs_of[DBL_OP_look] > looks;
}

/* The clock advances in steps: the client looks at least every 100 ms, while one that can be woken
 * lets most of a second pass. A step may come when it has just looked, and has not planned the next
 * look yet. */
static void must_poll(struct spy *spy)
{
	for (int i = 0; i < 5; i++) {
		int looks = spy->runs_of[DBL_OP_look];

		spy->skew += 101000;
		if (looks_again(spy, looks))
			continue;
		spy->skew += 101000;
		wait_until(spy->runs_of[DBL_OP_look] > looks);
	}
}

static void with_all_switched_off_it_polls(void **state)
{
	struct dblock_lock *lock;
	struct waiting w;
	struct scene s;

	(void)state;
	open_scene(&s, DBLOCK_WAKE_SOCKET | DBLOCK_WAKE_NOTIFY | DBLOCK_WAKE_DOORBELL);
	lock = take(s.other, "x");
	spy_freeze(s.spy);
	waiting_start(&w, s.client, "x");
	wait_until(in_queue(s.raw) == 1);
	assert_string_equal(raw_text(s.raw, "SELECT bell FROM dblock_queue"), "");
	wait_until(spy_snapshots(s.spy) > 0);
	must_poll(s.spy);
	assert_int_equal(s.spy->opens, 2);
	give(lock);
	while (!w.done) {
		s.spy->skew += 101000;
		sleep_ms(5);
	}
	give(waiting_join(&w));
	close_scene(&s);
}

/* This connection is as if behind a pooler that shares connections: LISTEN is allowed, and nothing
 * is heard. */
static int hear_nothing(struct dbl_conn *conn, const char *sql, int stop, const char **said,
			struct dblock_error *err)
{
	struct pollfd fd = {.fd = stop, .events = POLLIN};

	(void)conn;
	(void)sql;
	(void)err;
	*said = "";
	poll(&fd, 1, 50);
	return 0;
}

static void who_hears_nothing_polls(void **state)
{
	struct dblock_lock *lock;
	struct waiting w;
	struct scene s;

	(void)state;
	if (!on_backend("postgresql"))
		return;
	open_scene(&s, DBLOCK_WAKE_SOCKET);
	s.spy->driver.wait = hear_nothing;
	lock = take(s.other, "x");
	begin_wait(&s, &w);
	must_poll(s.spy);
	give(lock);
	while (!w.done) {
		s.spy->skew += 101000;
		sleep_ms(5);
	}
	give(waiting_join(&w));
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rung_without_a_look),
		cmocka_unit_test(on_one_machine_no_statement_rings),
		cmocka_unit_test(a_lost_ring_is_made_good),
		cmocka_unit_test(forged_rings_change_nothing),
		cmocka_unit_test(a_crowd_has_three_connections),
		cmocka_unit_test(who_never_waits_has_two),
		cmocka_unit_test(the_users_tables_are_free),
		cmocka_unit_test(with_all_switched_off_it_polls),
		cmocka_unit_test(who_hears_nothing_polls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
