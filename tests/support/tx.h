/* SPDX-License-Identifier: MIT */
/* Transactions of the caller on each database: on the client's connections, and on handles of his
 * own. */
#ifndef TESTS_SUPPORT_TX_H
#define TESTS_SUPPORT_TX_H

#include <dblock/mysql.h>
#include <dblock/postgresql.h>
#include <dblock/sqlite.h>

#include "support/kit.h"

static inline struct dblock_tx *tx_open(struct dblock_client *client)
{
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	expect(OK, dblock_tx_open(client, &tx, &err));
	return tx;
}

static inline struct dblock_tx *tx_begin(struct dblock_client *client)
{
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};

	expect(OK, dblock_tx_begin(tx, NULL, &err));
	return tx;
}

static inline void tx_commit(struct dblock_tx *tx)
{
	struct dblock_error err = {0};

	expect(OK, dblock_tx_commit(tx, &err));
	dblock_tx_close(tx);
}

static inline void tx_rollback(struct dblock_tx *tx)
{
	struct dblock_error err = {0};

	expect(OK, dblock_tx_rollback(tx, &err));
	dblock_tx_close(tx);
}

/* Returns a transaction on the connection of `lender`, as if that were somebody's own. Close it
 * first. */
static inline struct dblock_tx *tx_adopt_with(struct dblock_tx *lender,
					      const struct dblock_tx_from_options *options)
{
	struct dblock_error err = {0};
	struct dblock_tx *tx = NULL;

	if (on_backend("postgresql"))
		expect(OK, dblock_tx_from_postgresql(dblock_postgresql_handle(lender), options, &tx,
						     &err));
	else if (on_backend("mysql"))
		expect(OK, dblock_tx_from_mysql(dblock_mysql_handle(lender), options, &tx, &err));
	else
		expect(OK, dblock_tx_from_sqlite(dblock_sqlite_handle(lender), options, &tx, &err));
	return tx;
}

static inline struct dblock_tx *tx_adopt(struct dblock_tx *lender)
{
	return tx_adopt_with(lender, NULL);
}

/* Runs one statement without values, and returns the rows it changed; any failure fails the test.
 */
static inline int64_t tx_exec(struct dblock_tx *tx, const char *sql)
{
	struct dblock_error err = {0};
	int64_t changed;

	expect(OK, dblock_tx_query(tx, sql, NULL, 0, &changed, NULL, NULL, &err));
	return changed;
}

static inline int tx_keep_first(void *arg, const struct dblock_value *row, size_t n)
{
	char *text = arg;

	assert_true(n >= 1);
	if (row[0].type == DBLOCK_INT)
		snprintf(text, 256, "%lld", (long long)row[0].i);
	else if (row[0].type == DBLOCK_TEXT)
		snprintf(text, 256, "%.*s", (int)row[0].len, row[0].text);
	else
		snprintf(text, 256, "NULL");
	return 0;
}

/* Returns the first value of the last row, as text; "" if there is no row. It is good until the
 * thread's next call. */
static inline const char *tx_text(struct dblock_tx *tx, const char *sql)
{
	static _Thread_local char text[256];
	struct dblock_error err = {0};

	text[0] = '\0';
	expect(OK, dblock_tx_query(tx, sql, NULL, 0, NULL, tx_keep_first, text, &err));
	return text;
}

/* Returns -1 for no row, or NULL. */
static inline int64_t tx_int(struct dblock_tx *tx, const char *sql)
{
	const char *text = tx_text(tx, sql);

	return *text && strcmp(text, "NULL") ? strtoll(text, NULL, 10) : -1;
}

/* Makes a table of accounts with the rows 1 .. n, each with 100. */
static inline void tx_make_accounts(struct dblock_client *client, int n)
{
	struct dblock_tx *tx = tx_open(client);
	char sql[128];

	tx_exec(tx, on_backend("mysql")
			    ? "CREATE TABLE account (id BIGINT PRIMARY KEY, owner VARCHAR(40) NOT "
			      "NULL, money BIGINT NOT NULL) ENGINE=InnoDB"
			    : "CREATE TABLE account (id BIGINT PRIMARY KEY, owner VARCHAR(40) NOT "
			      "NULL, money BIGINT NOT NULL)");
	for (int i = 1; i <= n; i++) {
		snprintf(sql, sizeof(sql), "INSERT INTO account VALUES (%d, 'owner %d', 100)", i,
			 i);
		tx_exec(tx, sql);
	}
	dblock_tx_close(tx);
}

static inline int64_t tx_money(struct dblock_client *client, int id)
{
	struct dblock_tx *tx = tx_open(client);
	char sql[80];
	int64_t money;

	snprintf(sql, sizeof(sql), "SELECT money FROM account WHERE id = %d", id);
	money = tx_int(tx, sql);
	dblock_tx_close(tx);
	return money;
}

#endif
