/* SPDX-License-Identifier: MIT */
/* One of our own statements as a text, with its arguments in it. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/sqlscan.h"
#include "migrate/command/script.h"

/* SQLite's driver gives a statement the clock as an argument; a script has to compute it. */
static const char clock_of_sqlite[] =
	"CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000";

/* Doubled quotes are right in each dialect. A backslash is not, so it becomes a slash. */
static void put_text(struct dbl_str *out, const char *text)
{
	dbl_str_add(out, "'");
	for (; *text; text++) {
		if (*text == '\'')
			dbl_str_add(out, "'");
		dbl_str_addn(out, *text == '\\' ? "/" : text, 1);
	}
	dbl_str_add(out, "'");
}

static void put_value(struct dbl_str *out, const struct dbl_value *value)
{
	if (value->type == DBL_INT)
		dbl_str_addf(out, "%lld", (long long)value->i);
	else if (value->type == DBL_TEXT)
		put_text(out, value->text);
	else
		dbl_str_add(out, "NULL");
}

/* Adds the value of the argument at `at`. Returns the length of its name; 0: there is none. */
static size_t put_argument(struct dbl_str *out, const char *at, const struct dbl_value *args)
{
	size_t n = 1;
	unsigned number = 0;

	if (*at != '$')
		return 0;
	if (strncmp(at, "$wall", 5) == 0) {
		dbl_str_add(out, clock_of_sqlite);
		return 5;
	}
	for (; isdigit((unsigned char)at[n]); n++)
		number = number * 10 + (unsigned)(at[n] - '0');
	put_value(out, &args[number - 1]);
	return n;
}

static const char *past_comments(const char *sql)
{
	while (strncmp(sql, "--", 2) == 0) {
		sql += strcspn(sql, "\n");
		sql += *sql == '\n';
	}
	return sql;
}

void dbl_script_put(struct dbl_str *out, const struct dbl_target *target, enum dbl_op op,
		    const struct dbl_value *args)
{
	char *sql = dbl_names_apply(&target->names, target->dialect->sql[op]);
	const char *at = sql ? past_comments(sql) : "";

	out->failed = out->failed || !sql;
	while (*at) {
		size_t n = dbl_sql_skip(at);

		if (n > 0)
			dbl_str_addn(out, at, n);
		else
			n = put_argument(out, at, args);
		if (n == 0)
			dbl_str_addn(out, at, n = 1);
		at += n;
	}
	while (out->len > 0 && isspace((unsigned char)out->text[out->len - 1]))
		out->len--;
	dbl_str_add(out, ";\n");
	dbl_free(sql);
}
