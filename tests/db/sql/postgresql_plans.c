/* SPDX-License-Identifier: MIT */
/* The statements find their rows by key, even if their plans were made while the tables were small.
 * The server counts the reads; no time is measured. */
#include "driver/value.h"
#include "support/puppet.h"
#include "support/raw.h"

enum { ROWS = 20000, TURNS = 12 };

/* Adds sessions and locks of other people. */
static void add_rows(struct raw *raw, int from, int to)
{
	raw_exec(raw,
		 "INSERT INTO dblock_session (id, host, pid, app, ttl, opened, expires, beat) "
		 "SELECT md5(g::text), 'h', 1, 'a', 1000000, {now}, {now} + 3600000000, g "
		 "FROM generate_series(%d, %d) g",
		 from, to);
	raw_exec(
		raw,
		"INSERT INTO dblock_lock (name, token, nonce, session, host, pid, thread, reentry, "
		"acquired) SELECT 'other' || g, g, g, md5(g::text), 'h', 1, 1, 1, {now} "
		"FROM generate_series(%d, %d) g",
		from, to);
	raw_exec(raw,
		 "INSERT INTO dblock_queue (name, nonce, session, thread, bell, since) "
		 "SELECT 'other' || g %% 1000, g, md5(g::text), 1, '', {now} "
		 "FROM generate_series(%d, %d) g",
		 from, to);
	raw_exec(raw, "UPDATE dblock_lock SET queued = true WHERE name = 'other1'");
	raw_exec(
		raw,
		"INSERT INTO dblock_request (host, pid, name, token, reason, by_host, by_pid, "
		"by_app, since) SELECT 'h' || g %% 100, g, 'other' || g, g, '', 'h', 1, 'a', {now} "
		"FROM generate_series(%d, %d) g",
		from, to);
	raw_exec(raw,
		 "INSERT INTO dblock_flight (name, token, made, took, expires, coded, value) "
		 "SELECT 'flight:' || g, g, {now}, 0, {now} + 3600000000, 0, 'v' "
		 "FROM generate_series(%d, %d) g",
		 from, to);
}

static int make(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	(void)arg;
	return dblock_result_set(result, "v", 1, err);
}

static void ask_for_a_result(struct dblock_client *client)
{
	struct dblock_error err = {0};
	struct dblock_result *result;

	expect(OK, dblock_single_flight(client, "1", NULL, make, NULL, &result, &err));
	dblock_result_free(result);
}

static int ignore(void *arg, const struct dblock_waiter *waiter)
{
	(void)arg;
	(void)waiter;
	return 0;
}

/* Reads the queue of one name, and a page of all. */
static void look_at_lines(struct dblock_client *client)
{
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.limit = 1;
	expect(OK, dblock_waiters(client, &options, ignore, NULL, &err));
	options.name = "other1";
	expect(OK, dblock_waiters(client, &options, ignore, NULL, &err));
}

/* Waits for a lock that somebody else has, and looks for a deadlock. */
static void wait_in_vain(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.wait_ms = 40;
	options.deadlock_ms = 1;
	expect(TIMEOUT, dblock_acquire(client, "other1", &options, &lock, &err));
}

static struct dblock_client *posting_client(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = PLENTY_MS;
	TUNE(options, .post_releases = true);
	return client_with(&options);
}

/* A release goes along with an acquire, in the statement for several requests. */
static void go_together(struct dblock_client *posting)
{
	is_free(posting, "p");
	is_free(posting, "q");
}

/* Sends everything that everyday use sends, often enough for a plan to be kept. */
static void use(struct dblock_client *client, struct dblock_client *posting, struct puppet *puppet)
{
	struct dbl_value process[] = {dbl_text("puppet"), dbl_int(1)};
	struct dblock_acquire_options lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	lease.lease_ms = PLENTY_MS;
	for (int i = 0; i < TURNS; i++) {
		assert_true(puppet_beats(puppet));
		puppet_run(puppet, DBL_OP_requested, DBL_ARGS(process));
		expect(OK, dblock_request_release(client, "other2", "why", &err));
		is_free(client, "x");
		go_together(posting);
		busy(client, "other1"); /* queued */
		busy(client, "other2");
		expect(OK, dblock_try(client, "y", &lease, &lock, &err));
		expect(OK, dblock_extend(lock, PLENTY_MS, &err));
		expect(OK, dblock_proclaim(lock, "v", &err));
		expect(OK, dblock_release(lock, &err));
		expect(OK, dblock_try(client, "y", NULL, &lock, &err));
		expect(OK, break_by_force(client, "y", 0, 0, &err));
		expect(LOST, dblock_release(lock, &err));
		show(client, "other1");
		look_at_lines(client);
		wait_in_vain(client);
		ask_for_a_result(client);
	}
}

static int64_t read_in_scans(struct raw *raw)
{
	return raw_int(raw, "SELECT sum(seq_tup_read)::bigint FROM pg_stat_user_tables "
			    "WHERE relname IN ('dblock_lock', 'dblock_session', "
			    "'dblock_queue', 'dblock_request', 'dblock_flight')") +
	       /* No statement reads a whole index either, as each heartbeat and each batch reads
	        * there. */
	       raw_int(raw, "SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes "
			    "WHERE relname IN ('dblock_request', 'dblock_flight') "
			    "OR indexrelname = 'dblock_lock_pkey'");
}

/* A server process hands in what it counted at its end, which nobody waits for. */
static void wait_for_counts(struct raw *raw)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (raw_int(raw,
		       "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
		       "AND datname = current_database() AND backend_type = 'client backend'") >
		       0 &&
	       clock_ms() < until)
		sleep_ms(20);
}

static void tables_that_have_grown_are_not_read_whole(void **state)
{
	struct dblock_client *client = client_new(0), *posting = posting_client();
	struct puppet *puppet = puppet_new(NULL, PLENTY_MS);
	struct raw *raw = raw_open(NULL);
	int64_t before;

	(void)state;
	add_rows(raw, 1, 5);
	raw_exec(raw, "ANALYZE dblock_lock");
	raw_exec(raw, "ANALYZE dblock_session");
	raw_exec(raw, "ANALYZE dblock_queue");
	raw_exec(raw, "ANALYZE dblock_request");
	raw_exec(raw, "ANALYZE dblock_flight");
	use(client, posting, puppet);
	raw_exec(raw, "ALTER TABLE dblock_lock SET (autovacuum_enabled = off)");
	raw_exec(raw, "ALTER TABLE dblock_session SET (autovacuum_enabled = off)");
	raw_exec(raw, "ALTER TABLE dblock_queue SET (autovacuum_enabled = off)");
	raw_exec(raw, "ALTER TABLE dblock_request SET (autovacuum_enabled = off)");
	raw_exec(raw, "ALTER TABLE dblock_flight SET (autovacuum_enabled = off)");
	use(client, posting, puppet);
	before = read_in_scans(raw);
	add_rows(raw, 6, ROWS);
	use(client, posting, puppet);
	dblock_close(client, NULL);
	dblock_close(posting, NULL);
	puppet_free(puppet);
	wait_for_counts(raw);
	assert_true(read_in_scans(raw) - before < ROWS);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_that_have_grown_are_not_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
