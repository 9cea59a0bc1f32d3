/* SPDX-License-Identifier: MIT */
/* Articles: a table whose rows have a version, by number and by time. */
#ifndef TESTS_SUPPORT_VERSIONED_H
#define TESTS_SUPPORT_VERSIONED_H

#include "support/tx.h"

/* Makes the table. Its key has two columns; each database has its own types. */
static inline void article_make(struct dblock_tx *tx, int n)
{
	char sql[256];

	tx_exec(tx,
		on_backend("mysql")
			? "CREATE TABLE article (site VARCHAR(40) NOT NULL, id BIGINT NOT NULL, "
			  "title VARCHAR(400), stock BIGINT CHECK (stock > -4), version BIGINT, "
			  "updated_at "
			  "DATETIME(6), PRIMARY KEY (site, id)) ENGINE=InnoDB CHARACTER SET utf8mb4"
		: on_backend("postgresql")
			? "CREATE TABLE article (site text, id bigint, title text, stock bigint "
			  "CHECK (stock > -4), "
			  "version bigint, updated_at timestamptz, PRIMARY KEY (site, id))"
			: "CREATE TABLE article (site TEXT, id INTEGER, title TEXT, stock INTEGER "
			  "CHECK (stock > -4), "
			  "version INTEGER, updated_at TEXT, PRIMARY KEY (site, id))");
	for (int i = 1; i <= n; i++) {
		snprintf(sql, sizeof(sql),
			 "INSERT INTO article VALUES ('a', %d, 'title', 100, 7, '2020-02-03 "
			 "04:05:06.000007')",
			 i);
		tx_exec(tx, sql);
	}
}

/* Names a row of the table; the caller has the key's values. */
static inline struct dblock_versioned_row article_row(struct dblock_value key[2], int id,
						      enum dblock_version_kind kind)
{
	static const char *const columns[] = {"site", "id"};

	key[0] = dblock_text("a");
	key[1] = dblock_int(id);
	return (struct dblock_versioned_row){
		.table = "article", .key = columns, .key_values = key, .n_key = 2, .kind = kind};
}

static inline int article_keep_int(void *arg, const struct dblock_value *values, size_t n)
{
	int64_t *kept = arg;

	for (unsigned i = 0; i < n; i++)
		kept[i] = values[i].type == DBLOCK_INT ? values[i].i : -1;
	return 0;
}

static inline int article_read_stock(struct dblock_tx *tx, const struct dblock_versioned_row *row,
				     int64_t *stock, int64_t *version, struct dblock_error *err)
{
	static const char *const columns[] = {"stock"};

	return dblock_versioned_read(tx, row, columns, 1, article_keep_int, stock, version, err);
}

static inline int article_set_stock(struct dblock_tx *tx, const struct dblock_versioned_row *row,
				    int64_t stock, int64_t *version, struct dblock_error *err)
{
	static const char *const columns[] = {"stock"};
	struct dblock_value value = dblock_int(stock);

	return dblock_versioned_update(tx, row, version, columns, &value, 1, err);
}

static inline int64_t article_stock(struct dblock_tx *tx, int id)
{
	char sql[80];

	snprintf(sql, sizeof(sql), "SELECT stock FROM article WHERE id = %d", id);
	return tx_int(tx, sql);
}

/* ---- one row, of any type of version --------------------------------------------------------- */

/* Makes a table with one row, id 1, whose version is of that type and has that value. */
static inline struct dblock_versioned_row thing_make(struct dblock_tx *tx, const char *type,
						     const char *value,
						     enum dblock_version_kind kind)
{
	static const char *const key[] = {"id"};
	static const struct dblock_value one = {DBLOCK_INT, 1, NULL, 0};
	char sql[200];

	tx_exec(tx, "DROP TABLE IF EXISTS thing");
	snprintf(sql, sizeof(sql), "CREATE TABLE thing (id INTEGER PRIMARY KEY, n INTEGER, v %s)",
		 type);
	tx_exec(tx, sql);
	snprintf(sql, sizeof(sql), "INSERT INTO thing VALUES (1, 0, %s)", value);
	tx_exec(tx, sql);
	return (struct dblock_versioned_row){.table = "thing",
					     .key = key,
					     .key_values = &one,
					     .n_key = 1,
					     .kind = kind,
					     .version = "v"};
}

static inline int thing_set(struct dblock_tx *on, const struct dblock_versioned_row *row, int64_t n,
			    int64_t *version, struct dblock_error *err)
{
	static const char *const columns[] = {"n"};
	struct dblock_value value = dblock_int(n);

	return dblock_versioned_update(on, row, version, columns, &value, 1, err);
}

static inline int thing_version(struct dblock_tx *on, const struct dblock_versioned_row *row,
				int64_t *version, struct dblock_error *err)
{
	return dblock_versioned_read(on, row, NULL, 0, NULL, NULL, version, err);
}

#endif
