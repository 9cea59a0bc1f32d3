/* SPDX-License-Identifier: MIT */
#include "sql/quote.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static bool is_clean(const char *name, size_t len)
{
	while (len > 0) {
		uint32_t character;
		size_t n = dbl_utf8_next(name, len, &character);

		if (n == 0 || dbl_utf8_is_control(character))
			return false;
		name += n;
		len -= n;
	}
	return true;
}

static int check(const struct dbl_dialect *dialect, const char *what, const char *name,
		 struct dblock_error *err)
{
	size_t len = name ? strlen(name) : 0;

	if (len == 0)
		return dbl_fail(err, DBLOCK_E_INVALID, "%s: the name is empty", what);
	if (len > dialect->name_max)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s '%.80s...': the name has %zu bytes; %s takes %u", what, name,
				len, dialect->name, dialect->name_max);
	if (!is_clean(name, len))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: the name is not UTF-8, or has control characters", what);
	return 0;
}

int dbl_quote_name(struct dbl_str *to, const struct dbl_dialect *dialect, const char *what,
		   const char *name, struct dblock_error *err)
{
	char q = dialect->quote;
	int rc = check(dialect, what, name, err);

	if (rc)
		return rc;
	dbl_str_addn(to, &q, 1);
	for (; *name; name++) {
		if (*name == q)
			dbl_str_addn(to, &q, 1);
		dbl_str_addn(to, name, 1);
	}
	dbl_str_addn(to, &q, 1);
	return to->failed ? dbl_fail(err, DBLOCK_E_NOMEM, "out of memory") : 0;
}

int dbl_quote_split(const char *table, char **schema, char **name, struct dblock_error *err)
{
	const char *dot = table ? strchr(table, '.') : NULL;

	*schema = *name = NULL;
	if (!table || !*table)
		return dbl_fail(err, DBLOCK_E_INVALID, "table: the name is empty");
	if (dot && strchr(dot + 1, '.'))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"table '%.80s': more than one dot; write TABLE or SCHEMA.TABLE",
				table);
	*name = dbl_strdup(dot ? dot + 1 : table);
	if (dot)
		*schema = dbl_strndup(table, (size_t)(dot - table));
	if (!*name || (dot && !*schema))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return 0;
}

int dbl_quote_table(struct dbl_str *to, const struct dbl_dialect *dialect, const char *table,
		    struct dblock_error *err)
{
	char *schema, *name;
	int rc = dbl_quote_split(table, &schema, &name, err);

	if (rc == 0 && schema) {
		rc = dbl_quote_name(to, dialect, "schema", schema, err);
		dbl_str_add(to, ".");
	}
	if (rc == 0)
		rc = dbl_quote_name(to, dialect, "table", name, err);
	dbl_free(schema);
	dbl_free(name);
	return rc;
}
