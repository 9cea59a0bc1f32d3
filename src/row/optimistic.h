/* SPDX-License-Identifier: MIT */
/* Rows of a caller's tables that have a version: changed only if it is the one that was read. */
#ifndef DBL_ROW_OPTIMISTIC_H
#define DBL_ROW_OPTIMISTIC_H

#include "link/tx.h"

/* Of the key, and to set: together at most so many. */
enum { DBL_VERSIONED_VALUES_MAX = 64, DBL_VERSIONED_SET_MAX = DBL_VERSIONED_VALUES_MAX - 2 };

/* A row, as the caller names it. Strings are borrowed. */
struct dbl_versioned {
	const char *schema, *table; /* NULL: wherever the connection looks */
	const char *const *key;     /* columns, and their values: n_key of each */
	const struct dbl_value *key_values;
	unsigned n_key;
	const char *version; /* column */
	bool is_time;
};

/* What to read of it, or to set. */
struct dbl_versioned_columns {
	const char *const *names;
	const struct dbl_value *values; /* to set */
	unsigned n;
	/* To read: called with their values, which live until it returns. Not 0: the call's
	 * outcome. */
	int (*found)(void *ctx, const struct dbl_value *values, unsigned n);
	void *ctx;
};

/* DBLOCK_GONE: there is no such row. */
int dbl_versioned_read(struct dblock_tx *, const struct dbl_versioned *,
		       const struct dbl_versioned_columns *, int64_t *version,
		       struct dblock_error *err);

/* *version: the one that it must have; then the one that it has now, also after DBLOCK_STALE. */
int dbl_versioned_update(struct dblock_tx *, const struct dbl_versioned *,
			 const struct dbl_versioned_columns *, int64_t *version,
			 struct dblock_error *err);
int dbl_versioned_delete(struct dblock_tx *, const struct dbl_versioned *, int64_t *version,
			 struct dblock_error *err);

#endif
