/* SPDX-License-Identifier: MIT */
/* What locking rows by their keys, and taking them, have in common on InnoDB. */
#ifndef DBL_ROW_ROWS_SCANNED_H
#define DBL_ROW_ROWS_SCANNED_H

#include "row/rows_shape.h"

/* The table's shape, on a server that can do what is asked for. */
int dbl_rows_find_shape(struct dbl_rows_job *, const char *table, const char *const *key,
			const struct dbl_rows_shape **, struct dblock_error *err);

/* Append which index, and WHERE the key is these values, which are $at and so on. */
int dbl_rows_add_key(struct dbl_str *, const struct dbl_rows_job *, const struct dbl_rows_shape *,
		     const struct dbl_value *key, unsigned at, struct dblock_error *err);

#endif
