/* SPDX-License-Identifier: MIT */
/* A guard row: data elsewhere accept no token smaller than one that they have seen. */
#include <dblock/guard.h>

#include "support/call.h"
#include "support/scene.h"
#include "support/tx.h"

static int set_up(void **state)
{
	const struct scene *s;

	scene_set_up(state);
	s = *state;
	raw_exec(s->raw, "DELETE FROM dblock_guard");
	return 0;
}

static int guard(struct dblock_client *client, int64_t token, bool commits,
		 struct dblock_error *err)
{
	struct dblock_tx *tx = tx_begin(client);
	int rc = dblock_guard(tx, "r", token, err);

	if (rc == 0 && commits)
		tx_commit(tx);
	else
		tx_rollback(tx);
	return rc;
}

static int64_t seen(const struct scene *s)
{
	return raw_int(s->raw, "SELECT token FROM dblock_guard WHERE name = 'r'");
}

static void it_only_grows(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	expect(OK, guard(s->client, 7, true, &err));
	expect(OK, guard(s->client, 7, true, &err));
	assert_int_equal(seen(s), 7);
	expect(OK, guard(s->client, 9, false, &err));
	assert_int_equal(seen(s), 7);
	expect(OK, guard(s->client, 8, true, &err));
	expect(STALE, guard(s->client, 7, true, &err));
	assert_non_null(strstr(err.message, "'r'"));
	assert_int_equal(seen(s), 8);
}

/* The transaction is as good as before: what was refused is not done, and the rest may be. */
static void a_refusal_leaves_the_transaction(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	expect(OK, guard(s->client, 7, true, &err));
	tx = tx_begin(s->client);
	expect(STALE, dblock_guard(tx, "r", 6, &err));
	expect(OK, dblock_guard(tx, "other", 6, &err));
	tx_commit(tx);
	assert_int_equal(seen(s), 7);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_guard"), 2);
}

struct late {
	struct dblock_client *client;
	int64_t token;
};

static int comes_late(void *arg, struct dblock_error *err)
{
	struct late *late = arg;

	return guard(late->client, late->token, true, err);
}

/* Two who are there at one time: one waits for the other, and is refused if it is the older one. */
static void one_waits_for_the_other(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct late late = {s->client, 7};
	struct dblock_tx *tx = tx_begin(s->client);
	struct call call;

	expect(OK, dblock_guard(tx, "r", 8, &err));
	call_start(&call, comes_late, &late);
	sleep_ms(50);
	assert_false(call.done && call.rc == DBLOCK_OK);
	tx_commit(tx);
	assert_int_not_equal(call_end(&call), DBLOCK_OK);
	assert_int_equal(seen(s), 8);
}

/* Naive: the answer does not come in time, so the connection is given up, and the caller's transaction with it. */
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
	expect(OK, dblock_guard(first, "r", 8, &err));
	tx = tx_begin(brief);
	expect(E_BLOCKED, dblock_guard(tx, "r", 9, &err));
	expect(OK, dblock_guard(tx, "other", 9, &err));
	tx_commit(tx);
	tx_commit(first);
	assert_int_equal(seen(s), 8);
	dblock_close(brief, NULL);
}

/* The transaction has seen the guard as it was before. Naive: what it has seen is believed. */
static void an_old_view_does_not_count(void **state)
{
	struct scene *s = *state;
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(s->client);
	struct dblock_error err = {0};
	int rc;

	expect(OK, guard(s->client, 7, true, &err));
	options.isolation = DBLOCK_REPEATABLE_READ;
	expect(OK, dblock_tx_begin(tx, on_backend("sqlite") ? NULL : &options, &err));
	if (!on_backend("sqlite")) {
		/* What it reads first fixes what it sees. */
		expect(OK, dblock_tx_query(tx, "SELECT token FROM dblock_guard", NULL, 0, NULL,
					   NULL, NULL, &err));
		expect(OK, guard(s->client, 9, true, &err));
		rc = dblock_guard(tx, "r", 7, &err);
		assert_true(rc == DBLOCK_STALE || rc == DBLOCK_E_CONFLICT);
	}
	tx_rollback(tx);
}

static void what_is_wrong_is_refused(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_tx *tx = tx_open(s->client);

	expect(E_INVALID, dblock_guard(tx, "r", 7, &err)); /* it has not begun */
	expect(E_INVALID, dblock_guard(NULL, "r", 7, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(E_INVALID, dblock_guard(tx, "r", 0, &err));
	expect(E_INVALID, dblock_guard(tx, NULL, 1, &err));
	expect(E_INVALID, dblock_guard(tx, "a\nb", 1, &err));
	tx_rollback(tx);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, scene_tear_down)
	const struct CMUnitTest tests[] = {
		CASE(it_only_grows),
		CASE(a_refusal_leaves_the_transaction),
		CASE(one_waits_for_the_other),
		CASE(who_waits_for_long_keeps_his_transaction),
		CASE(an_old_view_does_not_count),
		CASE(what_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
