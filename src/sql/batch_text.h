/* SPDX-License-Identifier: MIT */
/* The arguments of batch.sql, as texts. */
#ifndef DBL_SQL_BATCH_TEXT_H
#define DBL_SQL_BATCH_TEXT_H

#include "base/str.h"
#include "sql/batch.h"
#include "sql/dialect.h"

/* How many arguments are the same for all members; and how many are lists: of what each member is,
 * and of its values. */
enum { DBL_BATCH_SCALARS = 4, DBL_BATCH_COLUMNS = 10 };
enum { DBL_BATCH_ARGS = DBL_BATCH_SCALARS + DBL_BATCH_COLUMNS };

struct dbl_batch_table {
	struct dbl_value cells[DBL_BATCH_MAX][DBL_BATCH_COLUMNS];
	unsigned n;
};

/* Write the lists to `text`, which owns them, and point `lists` at them: one for each column, or
 * all in the first one, and NULL in the others. False: there is no memory. */
bool dbl_batch_write(struct dbl_str *text, enum dbl_batch_form, const struct dbl_batch_table *,
		     struct dbl_value lists[DBL_BATCH_COLUMNS]);

#endif
