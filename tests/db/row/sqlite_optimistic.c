/* SPDX-License-Identifier: MIT */
/* Rows with a version on a sqlite3 of the caller's own, as sqlite3_open() makes it. */
#include "support/versioned.h"

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>

static sqlite3 *open_own(void)
{
	const char *path = strchr(test_url(), ':') + 1;
	sqlite3 *own = NULL;

	assert_int_equal(sqlite3_open(path, &own), SQLITE_OK);
	return own;
}

/* Naive: "nosuch" is a text to SQLite if there is no such column. */
static void columns_are_no_texts(void **state)
{
	static const char *const key[] = {"id"}, *const no_such[] = {"nosuch"};
	struct dblock_value values[] = {dblock_text("nosuch")};
	struct dblock_versioned_row row = {
		.table = "article", .key = no_such, .key_values = values, .n_key = 1};
	sqlite3 *own = open_own();
	struct dblock_error err = {0};
	struct dblock_tx *tx;
	int64_t version = 7, stock;

	(void)state;
	expect(OK, dblock_tx_from_sqlite(own, NULL, &tx, &err));
	article_make(tx, 1);
	assert_string_equal(tx_text(tx, "SELECT \"nosuch\" FROM article"), "nosuch");
	expect(E_SCHEMA, dblock_versioned_delete(tx, &row, &version, &err));
	message_has("no such column");
	expect(E_SCHEMA, article_read_stock(tx, &row, &stock, &version, &err));
	message_has("no such column");
	row.key = key;
	values[0] = dblock_int(1);
	expect(E_SCHEMA, dblock_versioned_read(tx, &row, no_such, 1, article_keep_int, &stock,
					       &version, &err));
	message_has("no such column");
	expect(OK, article_set_stock(tx, &row, 5, &version, &err));
	dblock_tx_close(tx);
	sqlite3_close(own);
}
#else
static void columns_are_no_texts(void **state)
{
	(void)state;
	fail_msg("sqlite3.h is not to be found");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_no_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
