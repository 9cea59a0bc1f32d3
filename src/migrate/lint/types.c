/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/lint/own.h"

/* What can follow a column's type in its definition. */
#define BEHIND_TYPE                                                                                \
	"not|null|default|primary|unique|key|references|check|constraint|generated|as|comment|"    \
	"auto_increment|autoincrement|on|first|after|visible|invisible|using|storage|compression|" \
	"column_format"

void dbl_type_read(const struct dbl_words *def, char type[DBL_TYPE])
{
	size_t n = 0;

	type[0] = '\0';
	for (size_t i = 0; i < def->n; i++) {
		char name[DBL_KEY];
		size_t at = i;

		if (dbl_words_is(def, i, BEHIND_TYPE))
			break;
		if (!dbl_words_name(def, &at, name) || at > i + 1)
			snprintf(name, sizeof(name), "%s", def->list[i]);
		n += (size_t)snprintf(type + n, DBL_TYPE - n, "%s%s", n ? " " : "", name);
		if (n >= DBL_TYPE) { /* a list of values: never the same as another */
			type[0] = '\0';
			return;
		}
	}
}

struct type {
	char family[DBL_TYPE];
	long args[2]; /* -1: not given */
};

/* What one type is called. */
static const struct {
	const char *alias, *name;
} names[] = {
	{"character varying", "varchar"},
	{"decimal", "numeric"},
	{"bit varying", "varbit"},
	{"timestamp with time zone", "timestamptz"},
	{"timestamp without time zone", "timestamp"},
	{"time without time zone", "time"},
	{"int", "integer"},
	{"int4", "integer"},
	{"serial", "integer"},
	{"int8", "bigint"},
	{"bigserial", "bigint"},
	{"bool", "boolean"},
};

static void take(struct type *t, const char *type)
{
	const char *open = strstr(type, " ("), *close = open ? strchr(open, ')') : NULL;
	size_t len = open ? (size_t)(open - type) : strlen(type);

	*t = (struct type){.args = {-1, -1}};
	if (open)
		sscanf(open, " ( %ld , %ld", &t->args[0], &t->args[1]);
	/* timestamp (3) with time zone */
	snprintf(t->family, sizeof(t->family), "%.*s%s", (int)len, type, close ? close + 1 : "");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(t->family, names[i].alias) == 0)
			strcpy(t->family, names[i].name);
}

static bool is(const struct type *t, const char *family)
{
	return strcmp(t->family, family) == 0;
}

static bool is_text(const struct type *t)
{
	return is(t, "text") || is(t, "varchar");
}

/* PostgreSQL, ALTER TABLE: "if [..] the old type is either binary coercible to the new type or an
 * unconstrained domain over the new type, a table rewrite is not needed"; and the length functions
 * of these types, for which it knows that more room changes nothing (varchar_support,
 * numeric_support, varbit_support, timestamp_support in its source). */
static bool grows_postgresql(const struct type *from, const struct type *to)
{
	if (is_text(from) && is_text(to))
		return to->args[0] < 0 || (from->args[0] >= 0 && to->args[0] >= from->args[0]);
	if (is(from, "cidr") && is(to, "inet"))
		return true;
	if (strcmp(from->family, to->family) != 0)
		return false;
	if (is(to, "numeric"))
		return to->args[0] < 0 || (from->args[0] >= 0 && to->args[0] >= from->args[0] &&
					   (to->args[1] < 0 ? 0 : to->args[1]) ==
						   (from->args[1] < 0 ? 0 : from->args[1]));
	if (is(to, "varbit") || is(to, "timestamp") || is(to, "timestamptz") || is(to, "time") ||
	    is(to, "interval"))
		return to->args[0] < 0 || (from->args[0] >= 0 && to->args[0] >= from->args[0]);
	return from->args[0] == to->args[0] && from->args[1] == to->args[1];
}

/* MySQL, Online DDL Operations, "Modifying the definition of an ENUM or SET column": values at the
 * end, as long as the number of bytes stays; where that changes is left out. */
static bool appends(const char *from, const char *to)
{
	size_t len = strlen(from) - 1; /* without the parenthesis */

	return (strncmp(from, "enum (", 6) == 0 || strncmp(from, "set (", 5) == 0) &&
	       strncmp(from, to, len) == 0 && strncmp(to + len, ", ", 2) == 0;
}

/* MySQL, Online DDL Operations: a VARCHAR can grow in place while its length takes one byte (up to
 * 255 bytes: 63 characters of utf8mb4), or takes two before and after. */
static bool grows_mysql(const struct type *from, const struct type *to)
{
	enum { ONE_BYTE = 63 };

	if (strcmp(from->family, to->family) != 0)
		return false;
	if (is(to, "varchar"))
		return to->args[0] >= from->args[0] &&
		       (from->args[0] > ONE_BYTE || to->args[0] <= ONE_BYTE);
	/* What an integer says in parentheses is for display only. */
	return strstr(to->family, "int") ||
	       (from->args[0] == to->args[0] && from->args[1] == to->args[1]);
}

bool dbl_type_grows(const char *dialect, const char *from, const char *to)
{
	struct type a, b;

	if (!*from || !*to)
		return false;
	if (strcmp(from, to) == 0)
		return true;
	if (*dialect == 'm' && appends(from, to))
		return true;
	if (strpbrk(from, "['") || strpbrk(to, "['"))
		return false;
	take(&a, from);
	take(&b, to);
	return *dialect == 'p' ? grows_postgresql(&a, &b) : grows_mysql(&a, &b);
}
