/* SPDX-License-Identifier: MIT */
/* What a client of each durability waits for, and what a crash of the server leaves. The tests run
 * their own server, whose WAL is written by whoever waits for it, or every ten seconds. */
#include "support/call.h"
#include "support/raw.h"
#include "support/server.h"

/* Now and then the server writes the WAL, or does not, for its own reasons. */
enum { TIMES = 20, TTL_MS = 600000 };

static struct raw *raw;

static struct dblock_client_options of(enum dblock_durability durability)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	/* No heartbeat comes in between. */
	options.ttl_ms = TTL_MS;
	options.timeout_ms = PLENTY_MS;
	options.durability = durability;
	return options;
}

static struct dblock_client *client_of(enum dblock_durability durability)
{
	struct dblock_client_options options = of(durability);
	struct dblock_error err = {0};
	struct dblock_client *client;

	expect(OK, dblock_open(server_url(), &options, &client, &err));
	return client;
}

static void set_up_server(void)
{
	raw = raw_open_url(server_url(), NULL);
	raw_exec(raw, "ALTER SYSTEM SET wal_writer_delay = '10s'");
	raw_exec(raw, "ALTER SYSTEM SET autovacuum = off");
	raw_exec(raw, "SELECT pg_reload_conf()");
	while (strcmp(raw_text(raw, "SELECT current_setting('wal_writer_delay')"), "10s") != 0)
		sleep_ms(10);
}

/* ---- who waits for the disk ----------------------------------------------------------------- */

struct act {
	struct dblock_client *client;
	struct dblock_acquire_options how;
	struct dblock_lock *lock;
};

static void take_it(struct act *a)
{
	struct dblock_error err = {0};

	expect(OK, dblock_try(a->client, "x", &a->how, &a->lock, &err));
}

static void give_it(struct act *a)
{
	give(a->lock);
}

/* The mark must be durable, not the release that follows. */
static bool is_mark_written(struct act *a)
{
	static int n;
	struct dblock_error err = {0};
	char slot[16], before[32];

	snprintf(slot, sizeof(slot), "%d", n++);
	expect(OK, dblock_once_try(a->client, "x", slot, NULL, &a->lock, &err));
	snprintf(before, sizeof(before), "%s",
		 raw_text(raw, "SELECT pg_current_wal_insert_lsn()::text"));
	expect(OK, dblock_once_done(a->lock, &err));
	return raw_int(raw, "SELECT (pg_current_wal_flush_lsn() > '%s')::int", before);
}

static void break_it(struct act *a)
{
	struct dblock_error err = {0};

	expect(OK, break_by_force(a->client, "x", 0, 0, &err));
	expect(LOST, dblock_release(a->lock, &err));
}

static bool is_written(void)
{
	return raw_int(raw,
		       "SELECT (pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn())::int");
}

/* Tells whether, in one of many tries, the second act's writes were on the disk (or not) when it
 * was over. */
static bool ever(struct act *a, void (*first)(struct act *), void (*second)(struct act *),
		 void (*third)(struct act *), bool written)
{
	bool seen = false;

	for (int i = 0; i < TIMES && !seen; i++) {
		if (first)
			first(a);
		raw_exec(raw, "CHECKPOINT");
		second(a);
		seen = is_written() == written;
		if (third)
			third(a);
	}
	return seen;
}

/* The grant was kept idle, and is now given back. */
static void let_go_of_it(struct act *a)
{
	struct dblock_error err = {0};

	expect(OK, dblock_try(a->client, "x", NULL, &a->lock, &err));
	give(a->lock);
}

static void what_relaxed_waits_for(void **state)
{
	struct act a = {.client = client_of(DBLOCK_RELAXED), .how = DBLOCK_ACQUIRE_OPTIONS_INIT};

	(void)state;
	assert_true(ever(&a, NULL, take_it, give_it, false));
	assert_true(ever(&a, take_it, give_it, NULL, false));
	assert_true(is_mark_written(&a));
	assert_true(ever(&a, take_it, break_it, NULL, true));
	/* Tokens that threads got in memory must not come again after a crash. */
	a.how.idle_ms = TTL_MS;
	assert_true(ever(&a, take_it, give_it, let_go_of_it, true));
	a.how.idle_ms = 0;
	a.how.lease_ms = TTL_MS;
	assert_true(ever(&a, NULL, take_it, give_it, true));
	assert_true(ever(&a, take_it, give_it, NULL, true));
	dblock_close(a.client, NULL);
}

static void what_durable_waits_for(void **state)
{
	struct act a = {.client = client_of(DBLOCK_DURABLE), .how = DBLOCK_ACQUIRE_OPTIONS_INIT};

	(void)state;
	assert_true(ever(&a, NULL, take_it, give_it, true));
	/* If the release is forgotten, it is done once more. */
	assert_true(ever(&a, take_it, give_it, NULL, false));
	/* With a lease nobody would do it once more. */
	a.how.lease_ms = TTL_MS;
	assert_true(ever(&a, take_it, give_it, NULL, true));
	dblock_close(a.client, NULL);
}

static int do_acquire(void *arg, struct dblock_error *err)
{
	struct act *a = arg;

	return dblock_acquire(a->client, "x", NULL, &a->lock, err);
}

/* It has the lock, and gives it to one that waits for it by then. */
static void hands_over(struct act *from, struct act *to)
{
	struct call call;

	call_start(&call, do_acquire, to);
	while (raw_int(raw, "SELECT count(*) FROM dblock_queue q JOIN dblock_lock l USING (name) "
			    "WHERE q.ticket > l.served") == 0)
		sleep_ms(2);
	raw_exec(raw, "CHECKPOINT");
	give_it(from);
	assert_int_equal(call_end(&call), DBLOCK_OK);
}

/* A relaxed client hands the lock to the second, by hand_over, and that one to the third, by pass_on:
 * whether either was on the disk was, in one of many tries, as the one who got it has asked for. */
static void hand_over_to(enum dblock_durability second, enum dblock_durability third)
{
	struct act acts[] = {{.client = client_of(DBLOCK_RELAXED)},
			     {.client = client_of(second)},
			     {.client = client_of(third)}};
	bool durable[] = {second == DBLOCK_DURABLE, third == DBLOCK_DURABLE};
	bool seen[] = {false, false};

	for (int i = 0; i < TIMES && !(seen[0] && seen[1]); i++) {
		assert_int_equal(do_acquire(&acts[0], NULL), DBLOCK_OK);
		for (int k = 0; k < 2; k++) {
			hands_over(&acts[k], &acts[k + 1]);
			seen[k] |= is_written() == durable[k];
		}
		give_it(&acts[2]);
	}
	assert_true(seen[0] && seen[1]);
	for (int i = 0; i < 3; i++)
		dblock_close(acts[i].client, NULL);
}

/* Naive: it is as durable as the client that releases. */
static void a_hand_over_is_as_durable_as_asked_for(void **state)
{
	(void)state;
	hand_over_to(DBLOCK_DURABLE, DBLOCK_DURABLE);
	hand_over_to(DBLOCK_RELAXED, DBLOCK_DURABLE);
	hand_over_to(DBLOCK_RELAXED, DBLOCK_RELAXED);
}

/* ---- a crash -------------------------------------------------------------------------------- */

static void crash(void)
{
	raw_close(raw);
	server_signal(SIGKILL);
	server_restart();
	raw = raw_open_url(server_url(), NULL);
}

static _Atomic int told_lost;

static void told(void *arg, struct dblock_lock *lock)
{
	(void)arg;
	(void)lock;
	told_lost++;
}

/* The resource accepts no older token than the last one. */
static int guard_takes(int64_t token)
{
	return (int)raw_int(raw,
			    "WITH u AS (UPDATE guard SET token = %lld WHERE token <= %lld "
			    "RETURNING 1) SELECT count(*) FROM u",
			    (long long)token, (long long)token);
}

static void make_request(struct dblock_client *client)
{
	is_free(client, "any other");
}

/* Returns false if the crash has not forgotten the grant this time. */
static bool a_grant_is_forgotten(struct dblock_client *relaxed, struct dblock_client *other)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *second;
	int64_t before = is_free(other, "x");
	int rc;

	/* The earlier release is on the disk, and is not forgotten. */
	raw_exec(raw, "SELECT pg_logical_emit_message(true, 'test', 'flush')");
	how.lost = told;
	told_lost = 0;
	expect(OK, dblock_try(relaxed, "x", &how, &lock, &err));
	assert_true(dblock_token(lock) > before);
	crash();
	rc = dblock_try(other, "x", NULL, &second, &err);
	if (rc == DBLOCK_BUSY) {
		give(lock);
		return false;
	}
	assert_int_equal(rc, DBLOCK_OK);
	/* Relaxed durability risks this: two holders, until the older one has heard of the crash,
	 * which it does without a request. Their tokens say which is the newer one. */
	assert_true(dblock_token(second) > dblock_token(lock));
	assert_int_equal(guard_takes(dblock_token(second)), 1);
	assert_int_equal(guard_takes(dblock_token(lock)), 0);
	while (!told_lost)
		sleep_ms(2);
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	busy(relaxed, "x");
	give(second);
	return true;
}

static void a_crash_forgets_the_last_grants(void **state)
{
	struct dblock_client *relaxed = client_of(DBLOCK_RELAXED);
	struct dblock_client *other = client_of(DBLOCK_DURABLE);
	int times = 0;

	(void)state;
	raw_exec(raw, "CREATE TABLE guard AS SELECT 0::bigint AS token");
	while (!a_grant_is_forgotten(relaxed, other))
		assert_true(++times < TIMES);
	dblock_close(relaxed, NULL);
	dblock_close(other, NULL);
}

static bool a_release_is_forgotten(struct dblock_client *durable, struct dblock_client *other)
{
	struct dblock_lock *lock = take(durable, "y"), *stays = take(durable, "stays");
	bool forgotten;

	give(lock);
	crash();
	forgotten = raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = 'y' AND "
				 "session IS NOT NULL") == 1;
	make_request(durable);
	/* The holder's session lives on for ten minutes. */
	is_free_soon(other, "y");
	assert_true(dblock_valid(stays, 0));
	give(stays);
	return forgotten;
}

static void a_crash_forgets_the_last_release(void **state)
{
	struct dblock_client *durable = client_of(DBLOCK_DURABLE);
	struct dblock_client *other = client_of(DBLOCK_DURABLE);
	int times = 0;

	(void)state;
	while (!a_release_is_forgotten(durable, other))
		assert_true(++times < TIMES);
	dblock_close(durable, NULL);
	dblock_close(other, NULL);
}

static int set_up(void **state)
{
	(void)state;
	server_start();
	set_up_server();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	raw_close(raw);
	server_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_relaxed_waits_for),
		cmocka_unit_test(what_durable_waits_for),
		cmocka_unit_test(a_hand_over_is_as_durable_as_asked_for),
		cmocka_unit_test(a_crash_forgets_the_last_grants),
		cmocka_unit_test(a_crash_forgets_the_last_release),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
