/* SPDX-License-Identifier: MIT */
/* MySQL counts the rows that it changed; with CLIENT_FOUND_ROWS those that it found. The outcome of
 * an update must be the same with both. */
#include "support/versioned.h"

#if __has_include(<mysql.h>)
#include <mysql.h>

#include "base/url.h"

/* Only functions are used: the members of MYSQL differ between the client libraries. */
static MYSQL *connect_with(unsigned long flags)
{
	MYSQL *own = mysql_init(NULL);
	struct dblock_error err = {0};
	struct dbl_url url;

	assert_non_null(own);
	expect(OK, dbl_url_parse(&url, test_url(), &err));
	if (!mysql_real_connect(own, NULL, url.user, NULL, url.path, 0,
				dbl_url_param(&url, "socket"), flags))
		fail_msg("%s", mysql_error(own));
	dbl_url_free(&url);
	return own;
}

/* Naive (the version not in the SET): an update to equal values changes no row, and would be stale
 * with one flag and done with the other. */
static void updates_to_equal_values_are_updates(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_tx *lender = tx_open(client), *tx;
	struct dblock_value key[2];
	struct dblock_error err = {0};
	int64_t stock, version;

	(void)state;
	article_make(lender, 1);
	for (int i = 0; i < 4; i++) {
		struct dblock_versioned_row row =
			article_row(key, 1, i / 2 ? DBLOCK_BY_UPDATED_AT : DBLOCK_BY_VERSION);
		MYSQL *own = connect_with(i & 1 ? CLIENT_FOUND_ROWS : 0);

		expect(OK, dblock_tx_from_mysql(own, NULL, &tx, &err));
		expect(OK, article_read_stock(tx, &row, &stock, &version, &err));
		assert_int_equal(stock, 100);
		for (int n = 0; n < 2; n++)
			expect(OK, article_set_stock(tx, &row, 100, &version, &err));
		version--;
		expect(STALE, article_set_stock(tx, &row, 100, &version, &err));
		dblock_tx_close(tx);
		mysql_close(own);
	}
	dblock_tx_close(lender);
	dblock_close(client, NULL);
}
#else
static void updates_to_equal_values_are_updates(void **state)
{
	(void)state;
	fail_msg("mysql.h is not to be found");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(updates_to_equal_values_are_updates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
