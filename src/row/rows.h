/* SPDX-License-Identifier: MIT */
/* Row locks in the caller's transaction; see dblock/rows.h, whose structs these are. */
#ifndef DBL_ROW_ROWS_H
#define DBL_ROW_ROWS_H

#include <dblock/rows.h>

#include "link/tx.h"

/* What to do about a row that somebody else has locked. */
enum dbl_row_patience {
	DBL_ROW_WAIT,
	DBL_ROW_NO_WAIT,    /* BUSY, and none is locked */
	DBL_ROW_SKIP_LOCKED /* lock the others */
};

struct dbl_rows {
	const struct dblock_rows *of;
	const struct dbl_value *keys; /* those of `of`; at most DBLOCK_VALUES_MAX */
	enum dblock_row_strength strength;
	enum dbl_row_patience wait;
	int64_t timeout; /* us; 0: the database's own limit; below 0: none is waited for */
	int *states;     /* out: an outcome for each row */
};

int dbl_rows_lock(struct dblock_tx *, const struct dbl_rows *, struct dblock_error *err);

struct dbl_rows_wanted {
	const struct dblock_rows_wanted *of;
	const struct dbl_value *values; /* those of `of` */
	int64_t timeout; /* us to wait for a file; 0: the transaction's timeout; below 0: none */
	/* Called with n_key + n_columns values; if it returns not 0, that ends the call with it. */
	int (*row)(void *ctx, const struct dbl_value *row, unsigned n);
	void *ctx;
	int64_t taken; /* out */
};

int dbl_rows_take(struct dblock_tx *, struct dbl_rows_wanted *, struct dblock_error *err);

#endif
