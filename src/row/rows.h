/* SPDX-License-Identifier: MIT */
/* Row locks in the caller's transaction; see dblock/rows.h, whose enumerators these are. */
#ifndef DBL_ROW_ROWS_H
#define DBL_ROW_ROWS_H

#include "link/tx.h"

enum dbl_row_strength { DBL_FOR_UPDATE, DBL_FOR_NO_KEY_UPDATE, DBL_FOR_SHARE, DBL_FOR_KEY_SHARE };

enum dbl_row_wait { DBL_ROW_WAIT, DBL_ROW_NOWAIT, DBL_ROW_SKIP };

struct dbl_rows {
	const char *table;
	const char *const *key;
	unsigned n_key;
	const struct dbl_value *keys; /* n * n_key; at most DBLOCK_VALUES_MAX */
	unsigned n;
	enum dbl_row_strength strength;
	enum dbl_row_wait wait;
	int64_t timeout; /* us; 0: the database's own */
	int *states;     /* out: n outcomes */
};

int dbl_rows_lock(struct dblock_tx *, const struct dbl_rows *, struct dblock_error *err);

struct dbl_rows_wanted {
	const char *table;
	const char *const *key;
	unsigned n_key;
	const char *const *columns;
	unsigned n_columns;
	const char *where; /* NULL: all */
	const struct dbl_value *values;
	unsigned n_values;
	unsigned limit;
	int64_t timeout; /* us: for a file; 0: the transaction's */
	/* n_key + n_columns values; not 0 takes no more, and is returned */
	int (*row)(void *ctx, const struct dbl_value *row, unsigned n);
	void *ctx;
	unsigned taken; /* out */
};

int dbl_rows_take(struct dblock_tx *, struct dbl_rows_wanted *, struct dblock_error *err);

#endif
