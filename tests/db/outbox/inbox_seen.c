/* SPDX-License-Identifier: MIT */
/* A message is had once in effect: it is noted in the transaction in which its effect is written. */
#include <dblock/outbox.h>

#include "support/call.h"
#include "support/scene.h"
#include "support/tx.h"

enum { ID = 4711 };

static int set_up(void **state)
{
	const struct scene *s;

	scene_set_up(state);
	s = *state;
	raw_exec(s->raw, "DELETE FROM dblock_inbox");
	return 0;
}

static int comes(struct dblock_client *client, int64_t number, int64_t id, bool commits,
		 struct dblock_error *err)
{
	struct dblock_tx *tx = tx_begin(client);
	int rc = dblock_inbox_seen(tx, "s", "k", number, id, err);

	if (commits)
		tx_commit(tx);
	else
		tx_rollback(tx);
	return rc;
}

static void it_is_new_once(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	expect(OK, comes(s->client, 1, ID, true, &err));
	expect(DONE, comes(s->client, 1, ID, true, &err));
	assert_non_null(strstr(err.message, "'s', key 'k': number 1 was had before"));
	expect(OK, comes(s->client, 2, ID + 1, true, &err));
	expect(DONE, comes(s->client, 2, ID + 1, true, &err));
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_inbox"), 1);
}

/* Naive: it is noted by itself, and the effect, which was rolled back, is never written. */
static void what_is_rolled_back_was_not_had(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	expect(OK, comes(s->client, 1, ID, false, &err));
	expect(OK, comes(s->client, 1, ID, true, &err));
}

/* A relay that was stopped for a while sends behind the one that has taken over. */
static void one_that_comes_late_was_had(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	expect(OK, comes(s->client, 1, ID, true, &err));
	expect(OK, comes(s->client, 2, ID + 1, true, &err));
	expect(OK, comes(s->client, 3, ID + 2, true, &err));
	expect(DONE, comes(s->client, 2, ID + 1, true, &err));
	expect(DONE, comes(s->client, 3, ID + 2, true, &err));
	assert_int_equal(raw_int(s->raw, "SELECT number FROM dblock_inbox"), 3);
	assert_int_equal(raw_int(s->raw, "SELECT id FROM dblock_inbox"), ID + 2);
}

/* The source was restored from a backup, and has put another message of that number. Naive: it is "seen", and lost. */
static void another_one_of_that_number_is_an_error(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	expect(OK, comes(s->client, 3, ID, true, &err));
	expect(E_RESTORED, comes(s->client, 3, ID + 1, true, &err));
	assert_non_null(strstr(err.message, "number 3"));
	expect(E_RESTORED, comes(s->client, 3, ID + 1, true, &err));
	expect(DONE, comes(s->client, 3, ID, true, &err));
}

static int comes_too(void *client, struct dblock_error *err)
{
	int rc;

	do
		rc = comes(client, 1, ID, true, err);
	while (rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_BLOCKED);
	return rc;
}

/* Two copies at once, of two relays. Naive: each looks, sees nothing, and writes the effect. */
static void two_copies_at_once_are_one(void **state)
{
	struct scene *s = *state;
	struct dblock_client *other = client_new(0);
	struct dblock_error err = {0};
	struct dblock_tx *tx = tx_begin(s->client);
	struct call call;

	expect(OK, dblock_inbox_seen(tx, "s", "k", 1, ID, &err));
	call_start(&call, comes_too, other);
	sleep_ms(50);
	assert_false(call.done);
	tx_commit(tx);
	assert_int_equal(call_end(&call), DBLOCK_DONE);
	dblock_close(other, NULL);
}

/* What the transaction has seen is older than the copy that was had. Naive: what it sees is believed. */
static void an_old_view_does_not_count(void **state)
{
	struct scene *s = *state;
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(s->client);
	struct dblock_error err = {0};
	int rc;

	if (on_backend("sqlite")) { /* one transaction at a time writes there */
		dblock_tx_close(tx);
		return;
	}
	options.isolation = DBLOCK_REPEATABLE_READ;
	expect(OK, dblock_tx_begin(tx, &options, &err));
	expect(OK, dblock_tx_query(tx, "SELECT number FROM dblock_inbox", NULL, 0, NULL, NULL, NULL,
				   &err));
	expect(OK, comes(s->client, 1, ID, true, &err));
	rc = dblock_inbox_seen(tx, "s", "k", 1, ID, &err);
	assert_true(rc == DBLOCK_DONE || rc == DBLOCK_E_CONFLICT);
	tx_rollback(tx);
}

static void what_is_wrong_is_refused(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_tx *tx = tx_open(s->client);

	expect(E_INVALID, dblock_inbox_seen(tx, "s", "k", 1, ID, &err));
	expect(E_INVALID, dblock_inbox_seen(NULL, "s", "k", 1, ID, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(E_INVALID, dblock_inbox_seen(tx, NULL, "k", 1, ID, &err));
	assert_non_null(strstr(err.message, "the source is NULL"));
	expect(E_INVALID, dblock_inbox_seen(tx, "s", "", 1, ID, &err));
	expect(E_INVALID, dblock_inbox_seen(tx, "s", "k", 0, ID, &err));
	expect(E_INVALID, dblock_inbox_seen(tx, "s", "k", 1, 0, &err));
	expect(OK, dblock_inbox_seen(tx, "s", "k", 1, ID, &err));
	tx_rollback(tx);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, scene_tear_down)
	const struct CMUnitTest tests[] = {
		CASE(it_is_new_once),
		CASE(what_is_rolled_back_was_not_had),
		CASE(one_that_comes_late_was_had),
		CASE(another_one_of_that_number_is_an_error),
		CASE(two_copies_at_once_are_one),
		CASE(an_old_view_does_not_count),
		CASE(what_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
