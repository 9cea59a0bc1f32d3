/* SPDX-License-Identifier: MIT */
/* A place in the queue is not waited for until it is on the disk; these tests show what a crash of
 * the server makes of it. They run their own server, whose WAL is written by whoever waits for it,
 * or every ten seconds. */
#include "support/machine.h"
#include "support/raw.h"
#include "support/server.h"

/* Now and then the server writes the WAL for its own reasons. */
enum { TIMES = 20, TTL_MS = 600000 };

struct scene {
	struct raw *raw;
	struct dblock_client *holder, *client;
	struct dblock_lock *lock;
	struct machine *wait;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	server_start();
	s->raw = raw_open_url(server_url(), NULL);
	raw_exec(s->raw, "ALTER SYSTEM SET wal_writer_delay = '10s'");
	raw_exec(s->raw, "ALTER SYSTEM SET autovacuum = off");
	raw_exec(s->raw, "SELECT pg_reload_conf()");
	while (strcmp(raw_text(s->raw, "SELECT current_setting('wal_writer_delay')"), "10s") != 0)
		sleep_ms(10);
	s->holder = server_client(TTL_MS);
	s->client = server_client(TTL_MS);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	dblock_close(s->holder, NULL);
	dblock_close(s->client, NULL);
	raw_close(s->raw);
	free(s);
	server_stop();
	return 0;
}

/* A crash may have left a place of the wait that it has not given up yet: a try may be refused. */
static struct dblock_lock *take_at_last(struct dblock_client *client)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, "x", &how, &lock, &err));
	return lock;
}

/* The acquire is refused, and then joins the queue. Returns true if the place is not on the disk
 * yet. */
static bool joins_unwritten(struct scene *s)
{
	s->lock = take_at_last(s->holder);
	s->wait = machine_new(s->client, "x");
	machine_waits(s->wait);
	raw_exec(s->raw, "CHECKPOINT");
	machine_waits(s->wait);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue q JOIN dblock_lock l"
					 " ON l.name = q.name AND l.served < q.ticket"),
			 1);
	return raw_int(s->raw,
		       "SELECT (pg_current_wal_flush_lsn() < pg_current_wal_insert_lsn())::int");
}

/* Naive: each place in the queue is a commit that is waited for. */
static void joining_is_not_waited_for(void **state)
{
	struct scene *s = *state;
	int unwritten = 0;

	for (int i = 0; i < TIMES; i++) {
		unwritten += joins_unwritten(s);
		give(s->lock);
		give(machine_gets(s->wait));
	}
	/* The channel notifies itself once meanwhile, which is not waited for either. */
	assert_true(unwritten > TIMES / 2);
}

static int64_t places(struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_queue");
}

static void crash(struct scene *s)
{
	raw_close(s->raw);
	server_signal(SIGKILL);
	server_restart();
	s->raw = raw_open_url(server_url(), NULL);
}

/* Returns true if the crash has forgotten the place in the queue. */
static bool is_place_forgotten(struct scene *s)
{
	bool forgotten;

	(void)joins_unwritten(s);
	crash(s);
	forgotten = places(s) == 0;
	/* The wait takes its steps as they are due, until it is in the queue again. */
	while (forgotten && places(s) == 0) {
		assert_true(machine_is_due_within(s->wait, PLENTY_MS));
		machine_waits(s->wait);
	}
	give(s->lock);
	give(machine_gets(s->wait));
	return forgotten;
}

/* Naive: the call in the queue waits to be woken, for ever. (On a slow machine most commits are written by then.) */
static void a_forgotten_place_is_found(void **state)
{
	int times = 0;

	while (!is_place_forgotten(*state))
		assert_true(++times < 5 * TIMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joining_is_not_waited_for),
		cmocka_unit_test(a_forgotten_place_is_found),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
