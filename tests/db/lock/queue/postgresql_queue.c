/* SPDX-License-Identifier: MIT */
/* A long queue: the first is found without reading those behind it. The server counts the reads; no
 * time is measured. */
#include "driver/value.h"
#include "support/puppet.h"
#include "support/raw.h"
#include "support/waiting.h"

enum { LENGTH = 1000, TURNS = 12, READS_MAX = 40 };

/* Returns all that the server has counted of the queue's rows, for connections that have ended. */
static int64_t rows_read(struct raw *raw)
{
	raw_exec(raw, "SELECT pg_stat_clear_snapshot()");
	return raw_int(raw, "SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint + "
			    "(SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes "
			    "WHERE relname = 'dblock_queue') "
			    "FROM pg_stat_user_tables WHERE relname = 'dblock_queue'");
}

/* A server process hands in its counts at its end, which nobody waits for. */
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

static void form_a_line(struct raw *raw, const struct puppet *puppet)
{
	raw_exec(raw,
		 "INSERT INTO dblock_queue (name, nonce, session, thread, bell, since) "
		 "SELECT 'x', g, '%s', 1, repeat('b', 100), {now} FROM generate_series(1, %d) g",
		 puppet->id, LENGTH);
	raw_exec(raw, "UPDATE dblock_lock SET queued = true, queue_version = queue_version + 1 "
		      "WHERE name = 'x'");
}

/* Each place hands the lock to the next one; all of them are the puppet's. */
static void hand_it_on(struct puppet *puppet)
{
	for (int i = 0; i < TURNS; i++) {
		struct dbl_value args[] = {dbl_text("x"), dbl_int(puppet->token),
					   dbl_int(puppet->nonce)};

		assert_int_equal(puppet_run(puppet, DBL_OP_hand_over, DBL_ARGS(args)), 1);
		assert_int_equal(puppet->answers[1], i + 1);
		puppet->token = puppet->answers[0];
		puppet->nonce = puppet->answers[1];
	}
}

static void who_is_first_is_found_at_once(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 600000);
	struct raw *raw = raw_open(NULL);
	int64_t before;

	(void)state;
	dblock_close(client, NULL);
	assert_true(puppet_takes(puppet, "x"));
	form_a_line(raw, puppet);
	before = rows_read(raw);
	hand_it_on(puppet);
	raw_exec(raw, "UPDATE dblock_lock SET queued = false WHERE name = 'x'");
	puppet_free(puppet);
	wait_for_counts(raw);
	wait_until(rows_read(raw) - before >= TURNS);
	assert_in_range(rows_read(raw) - before, TURNS, TURNS * READS_MAX);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_first_is_found_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
