/* SPDX-License-Identifier: MIT */
/* The lists that batch.sql takes, as texts. */
#ifndef DBL_SQL_BATCH_TEXT_H
#define DBL_SQL_BATCH_TEXT_H

#include "base/str.h"
#include "sql/batch.h"
#include "sql/dialect.h"

/* Its arguments: what is the same for all members; and lists, of what each is, and of ten values.
 */
enum { DBL_BATCH_SCALARS = 3, DBL_BATCH_COLUMNS = 10 };
enum { DBL_BATCH_ARGS = DBL_BATCH_SCALARS + DBL_BATCH_COLUMNS };

struct dbl_batch_table {
	struct dbl_value cells[DBL_BATCH_MAX][DBL_BATCH_COLUMNS];
	unsigned n;
};

/* Write them to `text`, which keeps them, and point `lists` at them: one for each column, or all of
 * it in the first one, the others null. False: out of memory. */
bool dbl_batch_write(struct dbl_str *text, enum dbl_batch_form, const struct dbl_batch_table *,
		     struct dbl_value lists[DBL_BATCH_COLUMNS]);

#endif
