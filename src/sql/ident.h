/* SPDX-License-Identifier: MIT */
/* Names of a caller's tables and columns: whatever they are made of, they go into a text quoted,
 * and stay names. */
#ifndef DBL_SQL_IDENT_H
#define DBL_SQL_IDENT_H

#include "base/str.h"
#include "sql/dialect.h"

enum { DBL_IDENT_MAX = 255 };

struct dbl_ident_table {
	char schema[DBL_IDENT_MAX + 1]; /* "": wherever the connection looks */
	char name[DBL_IDENT_MAX + 1];
};

/* table or schema.table, each as the catalogue has it. What has a dot in it, or begins with a
 * double quote, stands in double quotes, and those that are part of it twice: "a.b"."c""d". */
int dbl_ident_table_read(struct dbl_ident_table *, const char *text, struct dblock_error *err);

/* A column, as the catalogue has it: it is not empty and not too long. */
int dbl_ident_check(const char *name, struct dblock_error *err);

void dbl_ident_add(struct dbl_str *, const struct dbl_dialect *, const char *name);
void dbl_ident_table_add(struct dbl_str *, const struct dbl_dialect *, const struct dbl_ident_table *);

/* The table's column. Qualified it is nothing but a column: to SQLite "name" alone, where there is
 * no such column, would be a text. */
void dbl_ident_column_add(struct dbl_str *, const struct dbl_dialect *, const struct dbl_ident_table *,
		    const char *column);

#endif
