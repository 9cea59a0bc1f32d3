/* SPDX-License-Identifier: MIT */
#include "sql/ident.h"

#include <string.h>

static bool add_char(char *name, size_t *len, char c)
{
	if (*len == DBL_IDENT_MAX)
		return false;
	name[(*len)++] = c;
	return true;
}

/* The quoted part at `at`, to name. What follows its end; NULL: it has none, or is too long. */
static const char *read_quoted(const char *at, char *name)
{
	size_t len = 0;

	for (at++; *at; at++) {
		if (*at == '"' && *++at != '"')
			return at;
		if (!*at || !add_char(name, &len, *at))
			return NULL;
	}
	return NULL;
}

static const char *read_plain(const char *at, char *name)
{
	size_t len = strcspn(at, ".");

	if (len > DBL_IDENT_MAX)
		return NULL;
	memcpy(name, at, len);
	return at + len;
}

static const char *read_part(const char *at, char *name)
{
	return *at == '"' ? read_quoted(at, name) : read_plain(at, name);
}

int dbl_ident_table_read(struct dbl_ident_table *table, const char *text, struct dblock_error *err)
{
	const char *end;

	memset(table, 0, sizeof(*table));
	if (!text)
		return dbl_fail(err, DBLOCK_E_INVALID, "table is NULL");
	end = read_part(text, table->name);
	if (end && *end == '.' && table->name[0]) {
		memcpy(table->schema, table->name, sizeof(table->schema));
		memset(table->name, 0, sizeof(table->name));
		end = read_part(end + 1, table->name);
	}
	if (end && !*end && table->name[0])
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"table '%.80s' is neither table nor schema.table; a name with a dot in it, "
			"or with a double quote at its head, stands in double quotes",
			text);
}

int dbl_ident_check(const char *name, struct dblock_error *err)
{
	if (name && *name && strlen(name) <= DBL_IDENT_MAX)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%.80s' is not the name of a column; it has 1 to %d bytes",
			name ? name : "", DBL_IDENT_MAX);
}

void dbl_ident_add(struct dbl_str *to, const struct dbl_dialect *dialect, const char *name)
{
	dbl_str_addn(to, &dialect->quote, 1);
	for (; *name; name++) {
		dbl_str_addn(to, name, 1);
		if (*name == dialect->quote)
			dbl_str_addn(to, name, 1);
	}
	dbl_str_addn(to, &dialect->quote, 1);
}

void dbl_ident_table_add(struct dbl_str *to, const struct dbl_dialect *dialect,
		   const struct dbl_ident_table *table)
{
	if (table->schema[0]) {
		dbl_ident_add(to, dialect, table->schema);
		dbl_str_add(to, ".");
	}
	dbl_ident_add(to, dialect, table->name);
}

void dbl_ident_column_add(struct dbl_str *to, const struct dbl_dialect *dialect,
		    const struct dbl_ident_table *table, const char *column)
{
	dbl_ident_add(to, dialect, table->name);
	dbl_str_add(to, ".");
	dbl_ident_add(to, dialect, column);
}
