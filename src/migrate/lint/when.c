/* SPDX-License-Identifier: MIT */
/* Conditions of rules that are more than words. */
#include <stdlib.h>
#include <string.h>

#include "migrate/lint/own.h"

/* ---- what is dropped, renamed ---------------------------------------------------------------- */

/* Whether one of the tables is neither new, nor one whose rows are in a new one by now. */
bool dbl_when_drop_table(const struct dbl_case *c)
{
	char table[DBL_KEY];

	for (size_t at = c->match.end; dbl_words_name(&c->part, &at, table); at++)
		if (!dbl_is_new(c->facts, table) &&
		    !dbl_facts_find(c->facts, DBL_FACT_COPIED, table))
			return true;
	return false;
}

/* Whether one of the things is neither a new table nor an index of one. */
bool dbl_when_old_index(const struct dbl_case *c)
{
	char name[DBL_KEY];

	for (size_t at = c->match.end; dbl_words_name(&c->part, &at, name); at++)
		if (!dbl_is_new(c->facts, name) && !dbl_facts_find(c->facts, DBL_FACT_INDEX, name))
			return true;
	return false;
}

static bool is_added(const struct dbl_case *c, const char *column)
{
	return dbl_facts_find_of(c->facts, DBL_FACT_ADDED, c->table, column);
}

bool dbl_when_drop_column(const struct dbl_case *c)
{
	return !dbl_words_is(&c->part, 1,
			     "constraint|index|key|primary|foreign|check|partition|default|system|"
			     "period") &&
	       !is_added(c, c->match.name);
}

bool dbl_when_rename_column(const struct dbl_case *c)
{
	return !dbl_words_is(&c->part, 1, "constraint|index|key") && !is_added(c, c->match.name);
}

/* ---- ADD COLUMN ------------------------------------------------------------------------------ */

static bool column_has(const struct dbl_case *c, const char *phrase)
{
	struct dbl_words def;
	char column[DBL_KEY];

	return dbl_alter_column(&c->part, column, &def) && dbl_words_have(&def, phrase);
}

/* Whether a value for each row is made that is not the same in all. */
static bool is_serial(const struct dbl_case *c)
{
	return column_has(c, "smallserial|serial|bigserial|serial2|serial4|serial8") ||
	       column_has(c, "as identity");
}

static bool is_generated(const struct dbl_case *c)
{
	return column_has(c, "generated") || column_has(c, "as (");
}

static bool has_default(const struct dbl_case *c)
{
	return column_has(c, "default") && !column_has(c, "set default");
}

bool dbl_when_no_default(const struct dbl_case *c)
{
	return (column_has(c, "not null") || column_has(c, "primary key")) && !has_default(c) &&
	       !is_serial(c) && !is_generated(c);
}

bool dbl_when_column_unique(const struct dbl_case *c)
{
	return column_has(c, "unique|primary");
}

bool dbl_when_column_check(const struct dbl_case *c)
{
	return column_has(c, "check");
}

/* A column that is NULL in all rows refers to nothing: PostgreSQL checks that only if a default is
 * given, be it NULL (parse_utilcmd.c, transformAlterTableStmt: skipValidation). */
bool dbl_when_column_referencing(const struct dbl_case *c)
{
	return column_has(c, "references") && has_default(c);
}

/* Functions of PostgreSQL that are not volatile (pg_proc.provolatile) and that defaults are made
 * of. Each other one may be: that is what CREATE FUNCTION makes unless told otherwise. */
#define STEADY                                                                                     \
	"now|transaction_timestamp|statement_timestamp|current_timestamp|localtimestamp|"          \
	"current_time|localtime|to_timestamp|to_date|date_trunc|date_part|extract|timezone|age|"   \
	"make_date|make_interval|make_timestamptz|floor|ceil|round|abs|coalesce|nullif|greatest|"  \
	"least|lower|upper|md5|sha256|encode|decode|concat|length|substring|replace|format|"       \
	"to_char|to_json|to_jsonb|json_build_object|jsonb_build_object|json_build_array|"          \
	"jsonb_build_array|array_fill|cast|row|current_setting|uuid_nil|int4range|int8range|"      \
	"numrange|daterange|tsrange|tstzrange|power|and|or|in|any|varchar|char|numeric|decimal|"   \
	"time|timestamp|interval|bit|case|when|then|else|not"

/* Whether the words from `at` on call a function that may give each row another value. */
static bool calls_volatile(const struct dbl_words *w, size_t at)
{
	char name[DBL_KEY];

	while (at < w->n) {
		bool cast = at >= 2 && dbl_words_is(w, at - 1, ":") && dbl_words_is(w, at - 2, ":");

		if (!dbl_words_name(w, &at, name)) {
			at++;
			continue;
		}
		if (!cast && dbl_words_is(w, at, "(")) {
			const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
			const struct dbl_words one = {&last, 1};

			if (!dbl_words_is(&one, 0, STEADY))
				return true;
		}
	}
	return false;
}

bool dbl_when_default_volatile(const struct dbl_case *c)
{
	size_t at = dbl_words_seek(&c->part, 0, "default");
	struct dbl_words value;
	char column[DBL_KEY];

	if (!dbl_alter_column(&c->part, column, &value))
		return false;
	if (is_serial(c) || column_has(c, "stored"))
		return true;
	value = dbl_words_part(
		&c->part, at + 1,
		dbl_words_seek(&c->part, at + 1, "references|check|unique|primary|constraint"));
	return at < c->part.n && calls_volatile(&value, 0);
}

/* ---- ALTER COLUMN --------------------------------------------------------------------------- */

/* Whether USING does more than cast the column to its new type. */
static bool computes(const struct dbl_case *c, const char *to)
{
	size_t using = dbl_words_seek(&c->part, 0, "using");
	struct dbl_words value = dbl_words_part(&c->part, using + 1, c->part.n);
	char column[DBL_KEY], type[DBL_TYPE];
	size_t at = 0;

	if (value.n == 0)
		return false;
	if (!dbl_words_name(&value, &at, column) || strcmp(column, c->match.name) != 0)
		return true;
	if (at == value.n)
		return false;
	value = dbl_words_part(&value, at + 2, value.n);
	dbl_type_read(&value, type);
	return strcmp(type, to) != 0;
}

static bool knows(const struct dbl_case *c, enum dbl_fact_kind kind)
{
	return dbl_facts_find_of(c->facts, kind, c->table, c->match.name);
}

bool dbl_when_type_rewrites(const struct dbl_case *c)
{
	const char *from = dbl_facts_find_of(c->facts, DBL_FACT_COLUMN, c->table, c->match.name);
	struct dbl_words def = dbl_words_part(&c->part, c->match.end, c->part.n);
	char to[DBL_TYPE];

	dbl_type_read(&def, to);
	/* A CHECK is held against all rows once more. */
	if (computes(c, to) || knows(c, DBL_FACT_CHECKED))
		return true;
	if (from && strstr(from, "timestamp") == from && strstr(to, "timestamp") == to &&
	    dbl_facts_find(c->facts, DBL_FACT_UTC, ""))
		return knows(c, DBL_FACT_INDEXED);
	/* What no file has made is taken for a varchar, which most that become text are. */
	return from ? !dbl_type_grows(c->dialect, from, to)
		    : strcmp(to, "text") != 0 && strcmp(to, "varchar") != 0 &&
			       strcmp(to, "character varying") != 0;
}

bool dbl_when_nulls_unknown(const struct dbl_case *c)
{
	return !knows(c, DBL_FACT_PROVEN);
}

bool dbl_when_validated_at_once(const struct dbl_case *c)
{
	return !c->stepwise &&
	       dbl_facts_find_of(c->facts, DBL_FACT_UNVALIDATED, c->table, c->match.name);
}
