/* SPDX-License-Identifier: MIT */
/*
 * What has to be known of a table where a statement locks all that it looks at (InnoDB): by which
 * index a row is found, and how its values have to be written so that the index is used. A number
 * beside a text column, or a text of another character set, is compared row by row, and locks every
 * one.
 *
 * It is looked up once in a transaction, and belongs to that: a table that was used in it cannot be
 * altered before its end.
 */
#ifndef DBL_ROW_ROWS_SHAPE_H
#define DBL_ROW_ROWS_SHAPE_H

#include "row/rows_own.h"

enum dbl_column_kind {
	DBL_COLUMN_NONE, /* there is no such column */
	DBL_COLUMN_OTHER,
	DBL_COLUMN_INTEGER,
	DBL_COLUMN_DECIMAL,
	DBL_COLUMN_TEXT,
	DBL_COLUMN_BYTES,
	DBL_COLUMN_DATE,
	DBL_COLUMN_TIME,
	DBL_COLUMN_UUID
};

struct dbl_column {
	enum dbl_column_kind kind;
	char type[32];
	char charset[40], collation[72]; /* of a text */
};

struct dbl_rows_shape {
	struct dbl_tx_part part;
	char *of; /* table and key */
	char *index;
	bool found, is_primary, is_innodb, is_view;
	bool is_mariadb;
	bool rolls_back; /* innodb_rollback_on_timeout: who meets a lock loses the transaction */
	struct dbl_column columns[DBLOCK_VALUES_MAX];
};

/* Find it. The transaction keeps it. DBLOCK_E_INVALID: its rows cannot be locked one by one. */
int dbl_rows_shape(struct dbl_rows_job *, const char *table, const char *const *key,
		   const struct dbl_rows_shape **, struct dblock_error *err);

/* Append "column = $at", so that the index is used. DBLOCK_E_INVALID: that value cannot be one of
 * the column's. */
int dbl_rows_equals(struct dbl_str *, const struct dbl_rows_job *, const struct dbl_rows_shape *,
		    unsigned column, const struct dbl_value *, unsigned at,
		    struct dblock_error *err);

/* Append $at as a value of the column. */
void dbl_rows_value(struct dbl_str *, const struct dbl_column *, const struct dbl_value *,
		    unsigned at);

/* rows_scanned.c: what locking rows by their keys, and taking them, have in common. */

/* The table's shape, on a server that can do what is asked for. */
int dbl_rows_find_shape(struct dbl_rows_job *, const char *table, const char *const *key,
			const struct dbl_rows_shape **, struct dblock_error *err);

/* Append which index, and WHERE the key is these values, which are $at and so on. */
int dbl_rows_add_key(struct dbl_str *, const struct dbl_rows_job *, const struct dbl_rows_shape *,
		     const struct dbl_value *key, unsigned at, struct dblock_error *err);

#endif
