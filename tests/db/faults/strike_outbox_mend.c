/* SPDX-License-Identifier: MIT */
/* What could not be delivered is listed, tried again, and given up while each driver call in turn goes wrong in each
 * way. */
#include <dblock/outbox.h>

#include "db/faults/strike_kit.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

static int64_t count(struct stage *s, const char *table)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_%s WHERE number = 1", table);
}

/* Two messages of one key, of which the first is parked. */
static void with_parked(struct stage *s)
{
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	raw_exec(s->raw, "DELETE FROM dblock_outbox");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_key");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_failure");
	expect(OK, dblock_tx_open(s->calm, &tx, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(OK, dblock_outbox_put(tx, "t", "k", "first", NULL, NULL, &err));
	expect(OK, dblock_outbox_put(tx, "t", "k", "second", NULL, NULL, &err));
	expect(OK, dblock_tx_commit(tx, &err));
	dblock_tx_close(tx);
	raw_exec(s->raw, "INSERT INTO dblock_outbox_failure (topic, msg_key, shard, number, tries, "
			 "since, due, error) SELECT topic, msg_key, shard, number, 3, 7, NULL, 'x' "
			 "FROM dblock_outbox WHERE number = 1");
	s->own = calloc(1, sizeof(int));
	with_client(s);
}

static void without_parked(struct stage *s)
{
	free(s->own);
	s->own = NULL;
}

/* ---- drop ------------------------------------------------------------------------------------ */

static int call_drop(struct stage *s, struct dblock_error *err)
{
	return dblock_outbox_drop(s->client, "t", "k", 1, err);
}

/* Naive: the failure is deleted by itself, and stays where that fails, or goes where the message stays. */
static void check_drop(struct stage *s, int rc)
{
	strike_let_go(s->strike);
	assert_int_equal(count(s, "outbox"), count(s, "outbox_failure"));
	if (rc == DBLOCK_OK)
		assert_int_equal(count(s, "outbox"), 0);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_outbox WHERE number = 2"), 1);
}

/* ---- retry ----------------------------------------------------------------------------------- */

static int call_retry(struct stage *s, struct dblock_error *err)
{
	return dblock_outbox_retry(s->client, "t", NULL, NULL, err);
}

static void check_retry(struct stage *s, int rc)
{
	strike_let_go(s->strike);
	if (rc == DBLOCK_OK)
		assert_int_equal(count(s, "outbox_failure"), 0);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_outbox"), 2);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int found_topic(void *n, const struct dblock_outbox_topic *topic)
{
	assert_int_equal(topic->messages, 2);
	++*(int *)n;
	return 0;
}

static int found_failure(void *n, const struct dblock_outbox_failure *failure)
{
	assert_true(failure->parked);
	++*(int *)n;
	return 0;
}

static int found_message(void *n, const struct dblock_message *message)
{
	assert_string_equal(message->body, message->number == 1 ? "first" : "second");
	++*(int *)n;
	return 0;
}

static int call_lists(struct stage *s, struct dblock_error *err)
{
	int rc = dblock_outbox_topics(s->client, found_topic, s->own, err);

	if (rc == 0)
		rc = dblock_outbox_failures(s->client, NULL, found_failure, s->own, err);
	return rc ? rc : dblock_outbox_messages(s->client, "t", "k", found_message, s->own, err);
}

/* Naive: rows that came before the connection was lost are shown, and then all of them. */
static void check_lists(struct stage *s, int rc)
{
	int n = *(const int *)s->own;

	assert_true(rc == DBLOCK_OK ? n == 4 : n < 4);
}

PLAY(drop, .prepare = with_parked, .call = call_drop, .check = check_drop, .clear = without_parked,
     .least = 3, .may = {FAILURES})

PLAY(retry, .prepare = with_parked, .call = call_retry, .check = check_retry,
     .clear = without_parked, .least = 2, .may = {FAILURES})

PLAY(lists, .prepare = with_parked, .call = call_lists, .check = check_lists,
     .clear = without_parked, .least = 3, .may = {FAILURES})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(drop),
		SCENE(retry),
		SCENE(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
