/* SPDX-License-Identifier: MIT */
/* Row locks on the table `account` of tx_make_accounts(), and on others. */
#ifndef TESTS_SUPPORT_ROWS_H
#define TESTS_SUPPORT_ROWS_H

#include "support/tx.h"

static inline int lock_where(struct dblock_tx *tx, const char *table, const char *column,
			     struct dblock_value key, const struct dblock_rows_options *options,
			     struct dblock_error *err)
{
	struct dblock_rows rows = {table, &column, 1, &key, 1};

	return dblock_rows_lock(tx, &rows, options, err);
}

/* Locks one account. */
static inline int lock_one(struct dblock_tx *tx, int64_t id,
			   const struct dblock_rows_options *options, struct dblock_error *err)
{
	return lock_where(tx, "account", "id", dblock_int(id), options, err);
}

/* Locks at most 16 accounts, in the order given. */
static inline int lock_some(struct dblock_tx *tx, const int *ids, unsigned n,
			    const struct dblock_rows_options *options, struct dblock_error *err)
{
	static const char *const key[] = {"id"};
	struct dblock_value keys[16];
	struct dblock_rows rows = {"account", key, 1, keys, n};

	for (unsigned i = 0; i < n; i++)
		keys[i] = dblock_int(ids[i]);
	return dblock_rows_lock(tx, &rows, options, err);
}

static inline struct dblock_rows_options rows_how(enum dblock_row_strength strength,
						  int64_t wait_ms)
{
	struct dblock_rows_options options = DBLOCK_ROWS_OPTIONS_INIT;

	options.strength = strength;
	options.wait_ms = wait_ms;
	return options;
}

static inline struct dblock_rows_options rows_skip(void)
{
	struct dblock_rows_options options = DBLOCK_ROWS_OPTIONS_INIT;

	options.skip_locked = true;
	return options;
}

/* Tries the lock at once, in another transaction, with that strength: DBLOCK_OK or DBLOCK_BUSY. */
static inline int lock_at_once(struct dblock_client *client, const char *table, const char *column,
			       struct dblock_value key, enum dblock_row_strength strength)
{
	struct dblock_rows_options options = rows_how(strength, DBLOCK_NO_WAIT);
	struct dblock_tx_options how = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};
	int rc;

	/* On SQLite a transaction that may write would already have to wait for the file. */
	how.read_only = on_backend("sqlite");
	expect(OK, dblock_tx_begin(tx, &how, &err));
	rc = lock_where(tx, table, column, key, &options, &err);
	if (rc != DBLOCK_OK && rc != DBLOCK_BUSY)
		print_error("at once: %s: %s\n", dblock_outcome_name(rc), err.message);
	tx_rollback(tx);
	return rc;
}

#define account_is(outcome, client, id)                                                            \
	assert_int_equal(lock_at_once(client, "account", "id", dblock_int(id), DBLOCK_FOR_UPDATE), \
			 DBLOCK_##outcome)

static inline int rows_count(void *arg, const struct dblock_value *row, size_t n)
{
	(void)row, (void)n;
	++*(int *)arg;
	return 0;
}

/* Returns how many rows of a table nobody has locked, by the server's own view; SQLite has none. */
static inline int rows_free(struct dblock_client *client, const char *table)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	char sql[128];
	int n = 0;

	snprintf(sql, sizeof(sql), "SELECT * FROM %s FOR UPDATE SKIP LOCKED", table);
	expect(OK, dblock_tx_query(tx, sql, NULL, 0, NULL, rows_count, &n, &err));
	tx_rollback(tx);
	return n;
}

#endif
