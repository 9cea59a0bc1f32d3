/* SPDX-License-Identifier: MIT */
/* A statement that MySQL runs but does not prepare has its rows all the same. */
#include <dblock/tx.h>

#include "support/raw.h"
#include "support/scene.h"
#include "support/tx.h"

struct seen {
	int64_t lens[2];
	char data[16];
	int rows;
};

static int take_branch(void *arg, const struct dblock_value *row, size_t n)
{
	struct seen *seen = arg;

	assert_int_equal(n, 4);
	assert_int_equal(row[1].type, DBLOCK_INT);
	assert_int_equal(row[3].type, DBLOCK_TEXT);
	if (strncmp(row[3].text, "rows of text", 12) != 0)
		return 0; /* another test's, on this server */
	seen->lens[0] = row[1].i;
	seen->lens[1] = row[2].i;
	snprintf(seen->data, sizeof(seen->data), "%.*s", (int)row[3].len, row[3].text);
	seen->rows++;
	return 0;
}

static struct seen look(struct dblock_tx *tx)
{
	struct dblock_error err = {0};
	struct seen seen = {.rows = 0};

	expect(OK, dblock_tx_query(tx, "XA RECOVER", NULL, 0, NULL, take_branch, &seen, &err));
	return seen;
}

static void rows_come_as_their_types(void **state)
{
	struct scene *s = *state;
	struct dblock_tx *tx = tx_open(s->client);
	struct raw *raw = raw_open(NULL);
	struct seen seen;

	assert_int_equal(look(tx).rows, 0);
	raw_exec(raw, "XA START 'rows of text','xy'");
	raw_exec(raw, "INSERT INTO dblock_guard (name, token, raised) VALUES ('g', 1, 1)");
	raw_exec(raw, "XA END 'rows of text','xy'");
	raw_exec(raw, "XA PREPARE 'rows of text','xy'");
	seen = look(tx);
	assert_int_equal(seen.rows, 1);
	assert_int_equal(seen.lens[0], 12);
	assert_int_equal(seen.lens[1], 2);
	assert_string_equal(seen.data, "rows of textxy");
	assert_int_equal(look(tx).rows, 1);
	raw_exec(raw, "XA ROLLBACK 'rows of text','xy'");
	assert_int_equal(look(tx).rows, 0);
	raw_close(raw);
	dblock_tx_close(tx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		rows_come_as_their_types, scene_set_up, scene_tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
