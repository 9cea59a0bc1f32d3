/* SPDX-License-Identifier: MIT */
/* A purge reads the names once, page by page, however many there are and whatever is in use. */
#include "support/raw.h"
#include "support/spy.h"

enum { A_PAGE = 200, UNUSED = 2 * A_PAGE + 50 };

static void add_unused(struct raw *raw, const char *name, int token)
{
	raw_exec(raw,
		 "INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry,"
		 " acquired) VALUES ('%s', %d, 0, 'h', 1, 1, 0, 1)",
		 name, token);
}

static void fill(struct raw *raw)
{
	char name[16];

	raw_exec(raw, "BEGIN");
	for (int i = 0; i < UNUSED; i++) {
		snprintf(name, sizeof(name), "unused%04d", i);
		add_unused(raw, name, i + 1);
	}
	raw_exec(raw, "COMMIT");
}

static struct dblock_client *other;
static struct raw *by_hand;
static int lists;

/* Somebody takes a name of the first page once it was read; and one that was not there gets old, before
 * all that has been read. */
static enum spy_fate others_go_on(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op == DBL_OP_purge_list && ++lists == 2)
		add_unused(by_hand, "another", UNUSED + 1);
	if (op == DBL_OP_purge_delete && lists == 1)
		is_free(other, "unused0007");
	return SPY_PASS;
}

static int64_t purge(struct dblock_client *client)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.purge_after_ms = 3600000;
	options.max_time_ms = -1;
	expect(OK, dblock_reap(client, &options, &reaped, &err));
	return reaped.names_purged;
}

/* Naive: a page that is not deleted whole ends the pass; and each page is looked for from the first name
 * on, past all that are in use. */
static void each_page_begins_behind_the_last(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);

	(void)state;
	other = client_new(0);
	by_hand = raw_open(NULL);
	fill(by_hand);
	spy->fate = others_go_on;
	assert_int_equal(purge(client), UNUSED - 1);
	assert_int_equal(lists, 3);
	spy->fate = NULL;
	assert_int_equal(raw_int(by_hand, "SELECT count(*) FROM dblock_lock"), 2);
	assert_int_equal(purge(client), 1); /* "another" */
	raw_close(by_hand);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_page_begins_behind_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
