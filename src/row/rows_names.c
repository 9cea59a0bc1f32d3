/* SPDX-License-Identifier: MIT */
/* The names of a caller's table and its columns, as they are written into SQL. */
#include <string.h>

#include "base/mem.h"
#include "row/rows_own.h"

static int add_column(struct dbl_rows_names *names, const struct dbl_dialect *dialect,
		      const char *column, struct dblock_error *err)
{
	struct dbl_str text = {0};
	int rc;

	dbl_str_add(&text, names->table);
	dbl_str_add(&text, ".");
	rc = dbl_quote_name(&text, dialect, "column", column, err);
	names->columns[names->n] = dbl_str_take(&text);
	if (rc == 0 && !names->columns[names->n])
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	names->n++;
	return rc;
}

static int quote_bare(struct dbl_rows_names *names, const struct dbl_dialect *dialect,
		      const char *table, struct dblock_error *err)
{
	const char *dot = strchr(table, '.');
	struct dbl_str text = {0};
	int rc = dbl_quote_name(&text, dialect, "table", dot ? dot + 1 : table, err);

	names->bare = dbl_str_take(&text);
	return rc || names->bare ? rc : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

int dbl_rows_names_init(struct dbl_rows_names *names, const struct dblock_tx *tx, const char *table,
			const char *const *key, unsigned n_key, const char *const *columns,
			unsigned n_columns, struct dblock_error *err)
{
	const struct dbl_dialect *dialect = tx->target->dialect;
	struct dbl_str text = {0};
	int rc = dbl_quote_table(&text, dialect, table, err);

	*names = (struct dbl_rows_names){.table = dbl_str_take(&text), .n_key = n_key};
	if (rc == 0 && !names->table)
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (rc == 0)
		rc = quote_bare(names, dialect, table, err);
	for (unsigned i = 0; rc == 0 && i < n_key; i++)
		rc = add_column(names, dialect, key[i], err);
	for (unsigned i = 0; rc == 0 && i < n_columns; i++)
		rc = add_column(names, dialect, columns[i], err);
	return rc;
}

void dbl_rows_names_free(struct dbl_rows_names *names)
{
	for (unsigned i = 0; i < names->n; i++)
		dbl_free(names->columns[i]);
	dbl_free(names->table);
	dbl_free(names->bare);
}

void dbl_rows_list(struct dbl_str *to, const struct dbl_rows_names *names, unsigned n,
		   const char *between)
{
	for (unsigned i = 0; i < n; i++) {
		dbl_str_add(to, i ? between : "");
		dbl_str_add(to, names->columns[i]);
	}
}
