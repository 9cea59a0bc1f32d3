/* SPDX-License-Identifier: MIT */
/* The statements of optimistic locking, for a table of the caller's. */
#ifndef DBL_ROW_OPTIMISTIC_TEXT_H
#define DBL_ROW_OPTIMISTIC_TEXT_H

#include "row/optimistic.h"

/* Their arguments, from $1: the key's values, the version expected, how long to wait for a lock (a
 * text: ms with its unit), the values to set. */
static inline unsigned dbl_optimistic_old(const struct dbl_versioned *row)
{
	return row->n_key + 1;
}

/* The statement of operation `op`, to be freed. form: of a version that is a time, see
 * optimistic_column.sql; columns: NULL if there are none. */
int dbl_optimistic_text(const struct dbl_dialect *, enum dbl_op, const struct dbl_versioned *,
			unsigned form, const struct dbl_versioned_columns *, char **text,
			struct dblock_error *err);

/* What is asked after it, if it changed something; NULL: nothing. */
const char *dbl_optimistic_answer(const struct dbl_dialect *, enum dbl_op);

/* Has the operation's script a statement? */
bool dbl_optimistic_says(const struct dbl_dialect *, enum dbl_op);

#endif
