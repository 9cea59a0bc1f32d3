/* SPDX-License-Identifier: MIT */
/* The caller's names of tables and columns, quoted so that nothing in them is read as SQL. */
#ifndef DBL_SQL_QUOTE_H
#define DBL_SQL_QUOTE_H

#include "base/str.h"
#include "sql/dialect.h"

/* Append a quoted name. `what` is what the message calls it. DBLOCK_E_INVALID: it is empty, not
 * UTF-8, has control characters, or is longer than the database keeps (PostgreSQL would cut it, and
 * find another table). */
int dbl_quote_name(struct dbl_str *, const struct dbl_dialect *, const char *what, const char *name,
		   struct dblock_error *err);

/* Split "schema.table", or "table", whose schema is NULL. The caller dbl_free()s both, also after a
 * failure. DBLOCK_E_INVALID: there is more than one dot. */
int dbl_quote_split(const char *table, char **schema, char **name, struct dblock_error *err);

/* Append a quoted table, with its schema if it has one. */
int dbl_quote_table(struct dbl_str *, const struct dbl_dialect *, const char *table,
		    struct dblock_error *err);

#endif
