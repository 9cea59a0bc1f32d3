/* SPDX-License-Identifier: MIT */
/* For optimistic locking only: one call, and its statements. */
#ifndef DBL_ROW_OPTIMISTIC_OWN_H
#define DBL_ROW_OPTIMISTIC_OWN_H

#include "row/optimistic.h"

/* One call. In an open transaction a savepoint guards it; else each statement is a transaction. */
struct dbl_optimistic {
	struct dblock_tx *tx;
	enum dbl_op op; /* read, update or delete */
	const struct dbl_versioned *row;
	const struct dbl_versioned_columns *columns; /* may be NULL */
	int64_t *version;
	int64_t wait; /* us to wait for locks of others */
	int64_t deadline;
	unsigned form; /* the form of a version that is a time: see optimistic_column.sql */
	bool in_tx;
};

/* Fails if a version is a time without microseconds. Sets the form. */
int dbl_version_check_time(struct dbl_optimistic *, struct dbl_db *, struct dblock_error *err);

/* Fails if a version is a number that is the largest that its column can hold. */
int dbl_version_check_largest(const struct dbl_optimistic *, struct dbl_db *,
			      struct dblock_error *err);

/* Converts the column's value to a version. */
int dbl_version_take(const struct dbl_optimistic *, const struct dbl_value *, int64_t *version,
		     struct dblock_error *err);

/* Reads the row's version, and by DBL_OP_optimistic_read its columns, too. */
int dbl_optimistic_look(const struct dbl_optimistic *, struct dbl_db *, enum dbl_op,
			int64_t *version, struct dblock_error *err);

/* Sends the update or the delete. *changed is the number of rows; an update of one sets
 * *version. */
int dbl_optimistic_send(const struct dbl_optimistic *, struct dbl_db *, int64_t *changed,
			struct dblock_error *err);

int dbl_optimistic_not_unique(const struct dbl_optimistic *, int64_t n, struct dblock_error *err);

/* ---- the statements, for a table of the caller's: optimistic_text.c -------------------------- */

/* The arguments from $1 are the key's values, the expected version, how long to wait for a lock (a
 * text: ms with its unit) and the values to set. Returns the number of the expected version. */
static inline unsigned dbl_optimistic_old(const struct dbl_versioned *row)
{
	return row->n_key + 1;
}

/* Makes the statement of operation `op`. The caller frees it. */
int dbl_optimistic_text(const struct dbl_optimistic *, enum dbl_op, char **text,
			struct dblock_error *err);

/* Returns the query to run after the statement if it changed a row, or NULL. */
const char *dbl_optimistic_answer(const struct dbl_dialect *, enum dbl_op);

/* Whether the operation's script has a statement. */
bool dbl_optimistic_says(const struct dbl_dialect *, enum dbl_op);

#endif
