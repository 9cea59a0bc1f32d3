/* SPDX-License-Identifier: MIT */
#include "sql/names.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sqlscan.h"
#include "base/str.h"

static const char our[] = "dblock_";

static bool is_identifier(const char *text)
{
	if (*text >= '0' && *text <= '9')
		return false;
	for (; *text; text++) {
		if (!dbl_sql_is_word(*text))
			return false;
	}
	return true;
}

static int check(const char *what, const char *text, size_t max, struct dblock_error *err)
{
	if (*text && strlen(text) <= max && is_identifier(text))
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"%s '%.80s' is not an identifier; use 1 to %zu letters, digits and "
			"underscores, not beginning with a digit",
			what, text, max);
}

int dbl_names_init(struct dbl_names *names, const struct dbl_dialect *dialect, const char *schema,
		   const char *prefix, struct dblock_error *err)
{
	int rc;

	*names = (struct dbl_names){.quote = dialect->quote};
	prefix = prefix ? prefix : our;
	rc = check("prefix", prefix, DBL_PREFIX_MAX, err);
	if (rc)
		return rc;
	snprintf(names->prefix, sizeof(names->prefix), "%s", prefix);
	if (schema && !dialect->has_schemas)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"schema '%.80s': %s has no schemas; leave it out, and use a prefix",
				schema, dialect->name);
	schema = schema ? schema : dialect->default_schema;
	if (!schema)
		return 0;
	snprintf(names->schema, sizeof(names->schema), "%s", schema);
	return check("schema", schema, sizeof(names->schema) - 1, err);
}

static size_t word_len(const char *at)
{
	size_t len = 0;

	while (dbl_sql_is_word(at[len]))
		len++;
	return len;
}

static bool is_ours(const char *word)
{
	return *word == *our && strncmp(word, our, sizeof(our) - 1) == 0;
}

/* No printf() here: this runs for each name in each statement of a new connection. */
static void add_name(struct dbl_str *out, const struct dbl_names *names, const char *word,
		     size_t len)
{
	const char q = names->quote;
	size_t skip = sizeof(our) - 1;

	dbl_str_addn(out, &q, 1);
	if (names->schema[0]) {
		dbl_str_add(out, names->schema);
		dbl_str_addn(out, &q, 1);
		dbl_str_addn(out, ".", 1);
		dbl_str_addn(out, &q, 1);
	}
	dbl_str_add(out, names->prefix);
	dbl_str_addn(out, word + skip, len - skip);
	dbl_str_addn(out, &q, 1);
}

/* How many bytes are copied as they are, up to the next name of ours, or the end. */
static size_t plain_len(const char *sql)
{
	const char *at = sql;

	while (*at) {
		size_t len = word_len(at);

		if (len > 0 && is_ours(at))
			break;
		if (len == 0 && *at == '@') /* a variable of MySQL's */
			len = 1 + word_len(at + 1);
		else if (len == 0 && *at != ' ')
			len = dbl_sql_skip(at);
		at += len ? len : 1;
	}
	return (size_t)(at - sql);
}

char *dbl_names_apply(const struct dbl_names *names, const char *sql)
{
	struct dbl_str out = {0};

	while (*sql) {
		size_t len = plain_len(sql);

		dbl_str_addn(&out, sql, len);
		sql += len;
		len = word_len(sql);
		if (len > 0)
			add_name(&out, names, sql, len);
		sql += len;
	}
	return dbl_str_take(&out);
}
