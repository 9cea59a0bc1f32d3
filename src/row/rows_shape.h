/* SPDX-License-Identifier: MIT */
/*
 * What has to be known of a table on InnoDB, where a statement locks all rows that it looks at: the
 * index by which a row is found, and how values have to be written so that the index is used. If a
 * text column is compared with a number, or with a text of another character set, every row is
 * looked at, and locked.
 *
 * A shape is looked up once in a transaction, which owns it: a table that was used in a transaction
 * cannot be altered before its end.
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
	bool rolls_back; /* innodb_rollback_on_timeout: a lock that is met ends the transaction */
	struct dbl_column columns[DBLOCK_VALUES_MAX];
};

/* Finds the shape, which the transaction owns. DBLOCK_E_INVALID: rows cannot be locked singly. */
int dbl_rows_shape(struct dbl_rows_job *, const char *table, const char *const *key,
		   const struct dbl_rows_shape **, struct dblock_error *err);

/* Appends "column = $at" so that the index is used. DBLOCK_E_INVALID: the column cannot have that
 * value. */
int dbl_rows_equals(struct dbl_str *, const struct dbl_rows_job *, const struct dbl_rows_shape *,
		    unsigned column, const struct dbl_value *, unsigned at,
		    struct dblock_error *err);

/* Appends $at as a value of the column's type. */
void dbl_rows_value(struct dbl_str *, const struct dbl_column *, const struct dbl_value *,
		    unsigned at);

/* rows_scanned.c: what locking rows by their keys, and taking them, have in common. */

/* Finds the table's shape, and fails if the server cannot do what is asked for. */
int dbl_rows_find_shape(struct dbl_rows_job *, const char *table, const char *const *key,
			const struct dbl_rows_shape **, struct dblock_error *err);

/* Appends FORCE INDEX, and a WHERE that the key is $at and so on, which have these values. */
int dbl_rows_add_key(struct dbl_str *, const struct dbl_rows_job *, const struct dbl_rows_shape *,
		     const struct dbl_value *key, unsigned at, struct dblock_error *err);

#endif
