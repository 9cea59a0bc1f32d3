/* SPDX-License-Identifier: MIT */
/* Names of the caller's tables and columns, as identifiers: nothing in them is read as SQL. */
#ifndef DBL_SQL_QUOTE_H
#define DBL_SQL_QUOTE_H

#include "base/str.h"
#include "sql/dialect.h"

/* Append a name, quoted. `what` is what the message calls it. DBLOCK_E_INVALID: empty, no UTF-8,
 * with control characters, or longer than the database keeps (PostgreSQL would cut it, and find
 * another table). */
int dbl_quote_name(struct dbl_str *, const struct dbl_dialect *, const char *what, const char *name,
		   struct dblock_error *err);

/* A table, or "schema.table": its parts, NULL and the whole if there is no dot. Both are
 * dbl_free()d by the caller, also after a failure. DBLOCK_E_INVALID: more than one dot. */
int dbl_quote_split(const char *table, char **schema, char **name, struct dblock_error *err);

/* Append a table, quoted, with its schema if it has one. */
int dbl_quote_table(struct dbl_str *, const struct dbl_dialect *, const char *table,
		    struct dblock_error *err);

#endif
