/* SPDX-License-Identifier: MIT */
/* Messages are put in the caller's transactions: they commit with it, and are numbered in the order of the commits. */
#include <dblock/outbox.h>

#include "support/call.h"
#include "support/scene.h"
#include "support/tx.h"

enum { WRITERS = 4, EACH = 25 };

#define WEEK_US (DBLOCK_OUTBOX_AGE_MS * 1000LL)

static int set_up(void **state)
{
	const struct scene *s;

	scene_set_up(state);
	s = *state;
	raw_exec(s->raw, "DELETE FROM dblock_outbox");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_key");
	return 0;
}

static int64_t put(struct dblock_tx *tx, const char *key, const char *body)
{
	struct dblock_error err = {0};
	int64_t number = -1;

	expect(OK, dblock_outbox_put(tx, "t", key, body, "{}", &number, &err));
	return number;
}

static int64_t messages(const struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_outbox");
}

/* ---- with the transaction -------------------------------------------------------------------- */

static void it_commits_with_the_transaction(void **state)
{
	struct scene *s = *state;
	struct dblock_tx *tx = tx_begin(s->client);

	assert_int_equal(put(tx, "k", "first"), 1);
	assert_int_equal(put(tx, "k", "second"), 2);
	assert_int_equal(put(tx, "other", NULL), 1);
	tx_commit(tx);
	assert_int_equal(messages(s), 3);
	assert_string_equal(
		raw_text(s->raw,
			 "SELECT body FROM dblock_outbox WHERE msg_key = 'k' AND number = 2"),
		"second");
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_outbox WHERE headers = '{}' "
					 "AND shard >= 0 AND shard < 8 AND id > 0 AND put_at > 0"),
			 3);
	assert_int_equal(raw_int(s->raw, "SELECT count(DISTINCT shard) FROM dblock_outbox "
					 "WHERE msg_key = 'k'"),
			 1);
}

/* Naive: the number comes from a sequence, and one is missing that a consumer waits for. */
static void what_is_rolled_back_has_no_number(void **state)
{
	struct scene *s = *state;
	struct dblock_tx *tx = tx_begin(s->client);

	assert_int_equal(put(tx, "k", "never sent"), 1);
	tx_rollback(tx);
	tx = tx_begin(s->client);
	assert_int_equal(put(tx, "k", "sent"), 1);
	tx_commit(tx);
	assert_int_equal(messages(s), 1);
}

/* A connection of the caller's own, and whatever isolation he has there. */
static void it_is_put_on_the_callers_own_connection(void **state)
{
	struct scene *s = *state;
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *lender = tx_open(s->client), *tx = tx_adopt(lender);
	struct dblock_error err = {0};

	options.isolation = DBLOCK_REPEATABLE_READ;
	expect(OK, dblock_tx_begin(tx, &options, &err));
	assert_int_equal(put(tx, "k", "\xc3\xa9 \"'\\ \n\t$1 :x ?"), 1);
	expect(OK, dblock_tx_commit(tx, &err));
	dblock_tx_close(tx);
	dblock_tx_close(lender);
	assert_string_equal(raw_text(s->raw, "SELECT body FROM dblock_outbox"),
			    "\xc3\xa9 \"'\\ \n\t$1 :x ?");
}

/* ---- in order -------------------------------------------------------------------------------- */

static int put_one(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	int64_t *number = arg;

	return dblock_outbox_put(tx, "t", "k", "x", NULL, number, err);
}

static int put_many(void *client, struct dblock_error *err)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	int64_t number, last = 0;
	int rc = 0;

	options.retry_ms = PLENTY_MS;
	for (int i = 0; i < EACH && rc == 0; i++) {
		rc = dblock_tx_run(client, &options, put_one, &number, err);
		if (rc == 0 && number <= last)
			rc = -100;
		last = number;
	}
	return rc;
}

/* Four at once have one key: each number once, and none is missing. */
static void many_put_at_once(void **state)
{
	struct scene *s = *state;
	struct dblock_client *clients[WRITERS];
	struct call calls[WRITERS];

	for (int i = 0; i < WRITERS; i++) {
		clients[i] = client_new(0);
		call_start(&calls[i], put_many, clients[i]);
	}
	for (int i = 0; i < WRITERS; i++) {
		call_is_ok(&calls[i]);
		dblock_close(clients[i], NULL);
	}
	assert_int_equal(messages(s), WRITERS * EACH);
	assert_int_equal(raw_int(s->raw, "SELECT max(number) FROM dblock_outbox"), WRITERS * EACH);
}

struct late {
	struct dblock_client *client;
	int64_t number;
};

static int comes_late(void *arg, struct dblock_error *err)
{
	struct late *late = arg;
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;

	options.retry_ms = PLENTY_MS;
	return dblock_tx_run(late->client, &options, put_one, &late->number, err);
}

/* Naive: two get 1 and 2, and 2 commits first: whoever reads the table meanwhile delivers 2, and not 1. */
static void one_waits_for_the_other(void **state)
{
	struct scene *s = *state;
	struct late late = {.client = client_new(0)};
	struct dblock_tx *tx = tx_begin(s->client);
	struct call call;

	assert_int_equal(put(tx, "k", "first"), 1);
	call_start(&call, comes_late, &late);
	sleep_ms(50);
	assert_false(call.done);
	tx_commit(tx);
	call_is_ok(&call);
	assert_int_equal(late.number, 2);
	dblock_close(late.client, NULL);
}

/* Another transaction has the key for longer than a call may take. Naive: the answer does not come in time, so the
 * connection is given up, and the caller's transaction with it. */
static void who_waits_for_long_keeps_his_transaction(void **state)
{
	struct scene *s = *state;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *brief;
	struct dblock_error err = {0};
	struct dblock_tx *tx, *first;

	if (on_backend("sqlite"))
		return; /* one transaction at a time writes there */
	options.timeout_ms = SLOWLY_MS(2000);
	brief = client_with(&options);
	first = tx_begin(s->client);
	put(first, "k", "first");
	tx = tx_begin(brief);
	put(tx, "other", "kept");
	expect(E_BLOCKED, dblock_outbox_put(tx, "t", "k", "x", NULL, NULL, &err));
	tx_commit(tx);
	tx_commit(first);
	assert_int_equal(messages(s), 2);
	dblock_close(brief, NULL);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Nobody delivers. Naive: it grows until the disk is full. */
static void nothing_is_put_behind_one_that_is_too_old(void **state)
{
	struct scene *s = *state;
	struct dblock_tx *tx = tx_begin(s->client);
	struct dblock_error err = {0};
	int64_t number = -1;

	put(tx, "k", "old");
	put(tx, "k", "newer");
	tx_commit(tx);
	raw_exec(s->raw, "UPDATE dblock_outbox SET put_at = put_at - %lld WHERE number = 1",
		 (long long)WEEK_US + 60000000);
	tx = tx_begin(s->client);
	expect(E_FULL, dblock_outbox_put(tx, "t", "k", "x", NULL, &number, &err));
	assert_non_null(strstr(err.message, "topic 't'"));
	assert_int_equal(number, 0);
	expect(OK, dblock_outbox_put(tx, "another topic", "k", "x", NULL, &number, &err));
	tx_commit(tx);
	assert_int_equal(messages(s), 3);
	assert_int_equal(raw_int(s->raw, "SELECT number FROM dblock_outbox_key WHERE topic = 't'"),
			 2);
}

/* Rows that this connection has read, with those of this statement. */
static int64_t rows_read(struct dblock_tx *tx)
{
	if (on_backend("postgresql"))
		return tx_int(tx, "SELECT sum(pg_stat_get_xact_tuples_returned(oid))::bigint FROM "
				  "pg_class WHERE relname LIKE 'dblock_outbox%'");
	return tx_int(tx, strcmp(getenv("DBLOCK_TEST_DATABASE"), "mariadb") == 0
				  ? "SELECT CAST(sum(variable_value) AS SIGNED) FROM "
				    "information_schema.session_status WHERE variable_name LIKE "
				    "'Handler_read%'"
				  : "SELECT CAST(sum(variable_value) AS SIGNED) FROM "
				    "performance_schema.session_status WHERE variable_name LIKE "
				    "'Handler_read%'");
}

/* The consumer is down, and many wait. Naive: whether one of them is too old is asked of each, by each put. */
static void what_waits_does_not_slow_down_who_puts(void **state)
{
	struct scene *s = *state;
	struct dblock_tx *tx;
	int64_t before;

	if (on_backend("sqlite"))
		return; /* it does not count */
	tx = tx_begin(s->client);
	put(tx, "k", "first");
	tx_commit(tx);
	for (int64_t n = 1; n < 20000; n *= 2)
		raw_exec(
			s->raw,
			"INSERT INTO dblock_outbox (topic, shard, msg_key, number, id, put_at, "
			"headers, body) SELECT topic, shard, msg_key, number + 1000000 + %lld, id, "
			"put_at + %lld, headers, body FROM dblock_outbox",
			(long long)n, (long long)n);
	raw_exec(s->raw, on_backend("postgresql") ? "ANALYZE dblock_outbox"
						  : "ANALYZE TABLE dblock_outbox");
	tx = tx_begin(s->client);
	before = rows_read(tx);
	put(tx, "k", "second");
	assert_in_range(rows_read(tx) - before, 0, 10000);
	tx_commit(tx);
}

/* The transaction is as good as before. */
static void what_is_wrong_is_refused(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_tx *tx = tx_open(s->client);
	char *large = calloc(1, DBLOCK_BODY_MAX + 2);

	memset(large, 'x', DBLOCK_BODY_MAX + 1);
	expect(E_INVALID, dblock_outbox_put(tx, "t", "k", "x", NULL, NULL, &err));
	assert_non_null(strstr(err.message, "no transaction is open"));
	expect(E_INVALID, dblock_outbox_put(NULL, "t", "k", "x", NULL, NULL, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(E_INVALID, dblock_outbox_put(tx, NULL, "k", "x", NULL, NULL, &err));
	assert_non_null(strstr(err.message, "the topic is NULL"));
	expect(E_INVALID, dblock_outbox_put(tx, "t", "", "x", NULL, NULL, &err));
	assert_non_null(strstr(err.message, "the key is empty"));
	expect(E_INVALID, dblock_outbox_put(tx, "a\nb", "k", "x", NULL, NULL, &err));
	expect(E_INVALID, dblock_outbox_put(tx, "t", "k", "\xff", NULL, NULL, &err));
	assert_non_null(strstr(err.message, "the body is not UTF-8, at byte 1"));
	expect(E_INVALID, dblock_outbox_put(tx, "t", "k", large, NULL, NULL, &err));
	assert_non_null(strstr(err.message, "1048577 bytes"));
	expect(E_INVALID, dblock_outbox_put(tx, "t", "k", NULL, large, NULL, &err));
	large[DBLOCK_BODY_MAX] = '\0';
	put(tx, "k", large);
	tx_commit(tx);
	free(large);
	assert_int_equal(messages(s), 1);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, scene_tear_down)
	const struct CMUnitTest tests[] = {
		CASE(it_commits_with_the_transaction),
		CASE(what_is_rolled_back_has_no_number),
		CASE(it_is_put_on_the_callers_own_connection),
		CASE(many_put_at_once),
		CASE(one_waits_for_the_other),
		CASE(who_waits_for_long_keeps_his_transaction),
		CASE(nothing_is_put_behind_one_that_is_too_old),
		CASE(what_waits_does_not_slow_down_who_puts),
		CASE(what_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
