/* SPDX-License-Identifier: MIT */
/* How many rows and entries of indexes the server reads, as it counts them: not more where more messages wait. */
#include "db/outbox/relay.h"

#include "link/tx.h"

enum { WAITING = 4000, FEW = 200 };

static int add_status(void *arg, const struct dblock_value *row, size_t n)
{
	assert_int_equal(n, 2);
	*(int64_t *)arg += strtoll(row[1].text, NULL, 10);
	return 0;
}

/* In this transaction, of dblock_outbox; on MySQL by this connection, of all tables. */
static int64_t n_read(struct dblock_tx *tx)
{
	struct dblock_error err = {0};
	int64_t n = 0;

	if (tx->target->dialect->pipelines)
		return tx_int(tx,
			      "SELECT (pg_stat_get_xact_tuples_returned(i.indrelid) + "
			      "sum(pg_stat_get_xact_tuples_returned(i.indexrelid)))::bigint FROM "
			      "pg_index i WHERE i.indrelid = 'dblock_outbox'::regclass "
			      "GROUP BY i.indrelid");
	expect(OK, dblock_tx_query(tx, "SHOW SESSION STATUS LIKE 'Handler\\_read\\_%'", NULL, 0,
				   NULL, add_status, &n, &err));
	return n;
}

/* They wait in the shard of "a", and in no other one; none is old. */
static void fill(const struct scene *s)
{
	int64_t now;

	put_some(s, "a", 1);
	raw_exec(s->raw, "UPDATE dblock_outbox_key SET number = 1000");
	now = raw_int(s->raw, "SELECT max(put_at) FROM dblock_outbox");
	raw_exec(s->raw,
		 "INSERT INTO dblock_outbox (topic, shard, msg_key, number, id, put_at, headers, "
		 "body)"
		 " WITH RECURSIVE g AS (SELECT 2 AS n UNION ALL SELECT n + 1 FROM g WHERE n < 1000)"
		 " SELECT 't', %d, b.k, g.n, 1, %lld, '', '' FROM g, (SELECT 'a' AS k UNION ALL "
		 "SELECT "
		 "'b' UNION ALL SELECT 'c' UNION ALL SELECT 'd') b",
		 (int)dbl_shard_of("a"), (long long)now);
	assert_true(waiting(s) > WAITING - FEW);
}

/* Naive: the time of the moment, which no index can be asked for: all messages of the shard were read. */
static void a_put_does_not_read_what_waits(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_tx *tx;
	int64_t before;

	fill(s);
	tx = tx_begin(s->client);
	for (int i = 0; i < 8; i++) { /* PostgreSQL plans for any value from the sixth time on */
		before = n_read(tx);
		expect(OK, dblock_outbox_put(tx, "t", "a", "b", NULL, NULL, &err));
		assert_in_range(n_read(tx) - before, 0, FEW);
	}
	tx_rollback(tx);
}

static int count_row(void *ctx, const struct dbl_value *row)
{
	assert_int_equal(row[0].i, dbl_shard_of("a"));
	++*(int *)ctx;
	return 0;
}

/* Naive: EXISTS, of which MariaDB makes a join that reads the topic. */
static void nor_does_who_looks_which_parts_have_any(void **state)
{
	struct scene *s = *state;
	struct dblock_tx *tx;
	struct dbl_value topic = dbl_text("t");
	int n = 0;
	struct dbl_request request = {
		.op = DBL_OP_outbox_shards, .args = DBL_ARG(topic), .row = count_row, .ctx = &n};
	struct dblock_error err = {0};
	int64_t before;

	fill(s);
	tx = tx_begin(s->client);
	for (int i = 1; i <= 8; i++) {
		before = n_read(tx);
		request.deadline = dbl_tx_deadline(tx);
		expect(OK, dbl_db_run(tx->db, &request, &err));
		assert_int_equal(n, i);
		assert_in_range(n_read(tx) - before, 0, FEW);
	}
	tx_rollback(tx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RELAY_CASE(a_put_does_not_read_what_waits),
		RELAY_CASE(nor_does_who_looks_which_parts_have_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
