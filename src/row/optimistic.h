/* SPDX-License-Identifier: MIT */
/* Rows of a caller's tables that have a version: changed only if it is the one that was read. */
#ifndef DBL_ROW_OPTIMISTIC_H
#define DBL_ROW_OPTIMISTIC_H

#include "link/tx.h"

/* The key's values and the values to set are together at most so many. */
enum { DBL_VERSIONED_VALUES_MAX = 64, DBL_VERSIONED_SET_MAX = DBL_VERSIONED_VALUES_MAX - 2 };

/* A row, as the caller names it. Strings are borrowed. */
struct dbl_versioned {
	const char *schema, *table; /* schema NULL: where the connection looks for tables */
	const char *const *key;     /* n_key columns; key_values has their values */
	const struct dbl_value *key_values;
	unsigned n_key;
	const char *version; /* name of the column */
	bool is_time;
};

/* The columns of a row to read or to set. */
struct dbl_versioned_columns {
	const char *const *names;
	const struct dbl_value *values; /* to set */
	unsigned n;
	/* Called with the values that were read, which live until it returns. If it returns not 0,
	 * that is the call's outcome. */
	int (*found)(void *ctx, const struct dbl_value *values, unsigned n);
	void *ctx;
};

/* Reads a row and its version. DBLOCK_GONE: there is no such row. */
int dbl_versioned_read(struct dblock_tx *, const struct dbl_versioned *,
		       const struct dbl_versioned_columns *, int64_t *version,
		       struct dblock_error *err);

/* *version: the one that the row must have; then the one that it has, also after DBLOCK_STALE. */
int dbl_versioned_update(struct dblock_tx *, const struct dbl_versioned *,
			 const struct dbl_versioned_columns *, int64_t *version,
			 struct dblock_error *err);
int dbl_versioned_delete(struct dblock_tx *, const struct dbl_versioned *, int64_t *version,
			 struct dblock_error *err);

#endif
