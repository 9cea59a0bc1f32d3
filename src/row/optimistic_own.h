/* SPDX-License-Identifier: MIT */
/* Inside optimistic locking: one call, and its statements. */
#ifndef DBL_ROW_OPTIMISTIC_OWN_H
#define DBL_ROW_OPTIMISTIC_OWN_H

#include "row/optimistic.h"

/* One call: in a transaction that is open, behind a savepoint; else each statement is one. */
struct dbl_optimistic {
	struct dblock_tx *tx;
	enum dbl_op op; /* read, update or delete */
	const struct dbl_versioned *row;
	const struct dbl_versioned_columns *columns; /* NULL: none */
	int64_t *version;
	int64_t wait; /* us: for the locks of others */
	int64_t deadline;
	unsigned form; /* of a version that is a time: see optimistic_column.sql */
	bool in_tx;
};

/* A time has microseconds. Sets the form. */
int dbl_version_check_time(struct dbl_optimistic *, struct dbl_db *, struct dblock_error *err);

/* A number can be counted on. */
int dbl_version_check_largest(const struct dbl_optimistic *, struct dbl_db *,
			      struct dblock_error *err);

/* What was in the column. */
int dbl_version_take(const struct dbl_optimistic *, const struct dbl_value *, int64_t *version,
		     struct dblock_error *err);

/* Read the row's version, and by DBL_OP_optimistic_read its columns. */
int dbl_optimistic_look(const struct dbl_optimistic *, struct dbl_db *, enum dbl_op,
			int64_t *version, struct dblock_error *err);

/* The update or the delete; *changed: so many rows. Sets the version that it has now. */
int dbl_optimistic_send(const struct dbl_optimistic *, struct dbl_db *, int64_t *changed,
			struct dblock_error *err);

int dbl_optimistic_not_unique(const struct dbl_optimistic *, int64_t n, struct dblock_error *err);

/* ---- the statements, for a table of the caller's: optimistic_text.c -------------------------- */

/* Their arguments, from $1: the key's values, the version expected, how long to wait for a lock (a
 * text: ms with its unit), the values to set. */
static inline unsigned dbl_optimistic_old(const struct dbl_versioned *row)
{
	return row->n_key + 1;
}

/* The statement of operation `op`, to be freed. */
int dbl_optimistic_text(const struct dbl_optimistic *, enum dbl_op, char **text,
			struct dblock_error *err);

/* What is asked after it, if it changed something; NULL: nothing. */
const char *dbl_optimistic_answer(const struct dbl_dialect *, enum dbl_op);

/* Has the operation's script a statement? */
bool dbl_optimistic_says(const struct dbl_dialect *, enum dbl_op);

#endif
