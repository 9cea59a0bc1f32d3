/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "migrate/lint/own.h"

struct learning {
	struct dbl_facts *facts;
	bool past;
	struct dbl_words w;
	char table[DBL_KEY]; /* of which it is */
};

bool dbl_is_new(const struct dbl_facts *facts, const char *table)
{
	const char *made = dbl_facts_find(facts, DBL_FACT_TABLE, table);

	return made && *made;
}

/* ---- constraints ---------------------------------------------------------------------------- */

/* Learns of all that these words name; that some are no columns does not matter. */
static void learn_names(const struct learning *l, const struct dbl_words *w, size_t at,
			enum dbl_fact_kind kind)
{
	char column[DBL_KEY];

	while (at < w->n)
		if (dbl_words_name(w, &at, column))
			dbl_facts_add_of(l->facts, kind, l->table, column, "");
		else
			at++;
}

/* Learns of "(a IS NOT NULL)". */
static void learn_not_null(const struct learning *l, const struct dbl_words *w, size_t at,
			   const char *constraint)
{
	char column[DBL_KEY];

	while (dbl_words_is(w, at, "("))
		at++;
	if (!dbl_words_name(w, &at, column) || dbl_words_seek(w, at, "is not null") != at ||
	    !dbl_words_is(w, at + 3, ")"))
		return;
	dbl_facts_add_of(l->facts, DBL_FACT_NOT_NULL, l->table, constraint, column);
	if (!dbl_words_have(w, "not valid"))
		dbl_facts_add_of(l->facts, DBL_FACT_PROVEN, l->table, column, "");
}

/* Learns of "CONSTRAINT c CHECK (..)" and the like, with a name or without. */
static bool learn_constraint(const struct learning *l, const struct dbl_words *w)
{
	struct dbl_match m;

	if (dbl_words_match(w, "[constraint *] primary|unique|exclude", &m)) {
		learn_names(l, w, m.end, DBL_FACT_INDEXED);
	} else if (dbl_words_match(w, "[constraint *] check", &m)) {
		learn_names(l, w, m.end, DBL_FACT_CHECKED);
		learn_not_null(l, w, m.end, m.name);
	} else if (!dbl_words_match(w, "[constraint *] foreign|not", &m)) {
		return false;
	}
	if (dbl_words_have(w, "not valid"))
		dbl_facts_add_of(l->facts, DBL_FACT_UNVALIDATED, l->table, m.name, "");
	return true;
}

/* ---- CREATE TABLE --------------------------------------------------------------------------- */

static void learn_column(const struct learning *l, const char *column, const struct dbl_words *def)
{
	char type[DBL_TYPE];

	dbl_type_read(def, type);
	dbl_facts_add_of(l->facts, DBL_FACT_COLUMN, l->table, column, type);
	if (dbl_words_have(def, "not null"))
		dbl_facts_add_of(l->facts, DBL_FACT_PROVEN, l->table, column, "");
	if (dbl_words_have(def, "primary|unique"))
		dbl_facts_add_of(l->facts, DBL_FACT_INDEXED, l->table, column, "");
	if (dbl_words_have(def, "check"))
		dbl_facts_add_of(l->facts, DBL_FACT_CHECKED, l->table, column, "");
}

/* Learns of the definitions in parentheses, the first of which begins at `at`. */
static void learn_columns(const struct learning *l, size_t at)
{
	while (at < l->w.n) {
		size_t end = dbl_words_part_end(&l->w, at);
		struct dbl_words def = dbl_words_part(&l->w, at, end);
		char column[DBL_KEY];
		size_t from = 0;

		if (!learn_constraint(l, &def) &&
		    !dbl_words_is(&def, 0, "like|index|key|fulltext|spatial|period") &&
		    dbl_words_name(&def, &from, column)) {
			def = dbl_words_part(&def, from, def.n);
			learn_column(l, column, &def);
		}
		if (dbl_words_is(&l->w, end, ")"))
			return;
		at = end + 1;
	}
}

/* Learns of which tables all rows go into a new one. */
static void learn_copied(const struct learning *l)
{
	char table[DBL_KEY];

	if (dbl_words_have(&l->w, "where|limit|having|distinct"))
		return;
	for (size_t i = 0; i < l->w.n; i++) {
		size_t at = i + 1;

		if (dbl_words_is(&l->w, i, "from|join") && dbl_words_name(&l->w, &at, table))
			dbl_facts_add(l->facts, DBL_FACT_COPIED, table, "");
	}
}

static bool learn_create(struct learning *l)
{
	struct dbl_match m;
	bool old;

	if (!dbl_words_match(&l->w,
			     "create [or replace] [global|local] "
			     "[temp|temporary|unlogged|foreign|virtual] table [if not exists] @",
			     &m) &&
	    !dbl_words_match(&l->w, "create materialized view [if not exists] @", &m))
		return false;
	/* The database has it, if the set has made it before. */
	old = dbl_facts_find(l->facts, DBL_FACT_TABLE, m.table) &&
	      dbl_words_have(&l->w, "if not exists");
	if (!old)
		dbl_facts_add(l->facts, DBL_FACT_TABLE, m.table, l->past ? "" : "new");
	strcpy(l->table, m.table);
	if (!old && dbl_words_is(&l->w, m.end, "("))
		learn_columns(l, m.end + 1);
	if (!l->past && !old && dbl_words_have(&l->w, "select"))
		learn_copied(l);
	return true;
}

static bool learn_schema(const struct learning *l)
{
	struct dbl_match m;

	if (!dbl_words_match(&l->w, "create schema|database [if not exists] @", &m))
		return false;
	dbl_facts_add(l->facts, DBL_FACT_TABLE, m.table, l->past ? "" : "new");
	return true;
}

/* With that, a timestamp and a timestamptz are the same number. */
static bool learn_utc(const struct learning *l)
{
	struct dbl_match m;

	if (!dbl_words_match(&l->w, "set [session|local] timezone|time [zone] [to|=] 'utc'", &m))
		return false;
	dbl_facts_add(l->facts, DBL_FACT_UTC, "", "");
	return true;
}

static bool learn_index(struct learning *l)
{
	struct dbl_match m;

	if (!dbl_words_match(
		    &l->w,
		    "create [unique|fulltext|spatial] index [concurrently] [if not exists] "
		    "[*] on [only] @",
		    &m))
		return false;
	if (dbl_is_new(l->facts, m.table))
		dbl_facts_add(l->facts, DBL_FACT_INDEX, m.name, "");
	strcpy(l->table, m.table);
	learn_names(l, &l->w, m.end, DBL_FACT_INDEXED);
	return true;
}

static bool learn_insert(const struct learning *l)
{
	struct dbl_match m;

	if (!dbl_words_match(&l->w, "insert|replace [or replace|ignore] [ignore] into @", &m))
		return false;
	if (dbl_is_new(l->facts, m.table))
		learn_copied(l);
	return true;
}

/* ---- DROP, RENAME --------------------------------------------------------------------------- */

static bool learn_drop(const struct learning *l)
{
	char table[DBL_KEY];
	struct dbl_match m;

	if (!dbl_words_match(&l->w, "drop [temporary] table|materialized [view] [if exists]", &m))
		return false;
	for (size_t at = m.end; dbl_words_name(&l->w, &at, table); at++)
		dbl_facts_forget_table(l->facts, table);
	return true;
}

/* MySQL's RENAME TABLE a TO b, c TO d. */
static bool learn_rename(const struct learning *l)
{
	char from[DBL_KEY], to[DBL_KEY];
	struct dbl_match m;
	size_t at;

	if (!dbl_words_match(&l->w, "rename table [if exists]", &m))
		return false;
	for (at = m.end; dbl_words_name(&l->w, &at, from); at++) {
		at++;
		if (dbl_words_name(&l->w, &at, to))
			dbl_facts_rename_table(l->facts, from, to);
	}
	return true;
}

/* ---- ALTER TABLE ---------------------------------------------------------------------------- */

static void learn_validated(const struct learning *l, const char *constraint)
{
	const char *column = dbl_facts_find_of(l->facts, DBL_FACT_NOT_NULL, l->table, constraint);

	if (column)
		dbl_facts_add_of(l->facts, DBL_FACT_PROVEN, l->table, column, "");
}

static void learn_column_rename(const struct learning *l, const char *from, const char *to)
{
	const enum dbl_fact_kind kinds[] = {DBL_FACT_COLUMN, DBL_FACT_INDEXED, DBL_FACT_CHECKED,
					    DBL_FACT_ADDED, DBL_FACT_PROVEN};

	if (strcmp(from, to) == 0)
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *value = dbl_facts_find_of(l->facts, kinds[i], l->table, from);

		if (value)
			dbl_facts_add_of(l->facts, kinds[i], l->table, to, value);
	}
	dbl_facts_forget_column(l->facts, l->table, from);
}

/* A column that goes, and a CHECK, prove nothing any more. */
static bool learn_gone(const struct learning *l, const struct dbl_words *action)
{
	const char *column;
	struct dbl_match m;

	if (dbl_words_match(action, "drop constraint|check [if exists] *", &m)) {
		column = dbl_facts_find_of(l->facts, DBL_FACT_NOT_NULL, l->table, m.name);
		if (column)
			dbl_facts_forget_of(l->facts, DBL_FACT_PROVEN, l->table, column);
	} else if (dbl_words_match(action, "drop [column] [if exists] *", &m)) {
		dbl_facts_forget_column(l->facts, l->table, m.name);
	} else {
		return false;
	}
	return true;
}

static void learn_change(const struct learning *l, const struct dbl_words *action)
{
	char from[DBL_KEY], to[DBL_KEY];
	struct dbl_words def;
	struct dbl_match m;
	size_t at;

	if (dbl_words_match(action, "alter [column] * [set data] type", &m)) {
		def = dbl_words_part(action, m.end, action->n);
		learn_column(l, m.name, &def);
	} else if (dbl_words_match(action, "alter [column] * set not null", &m)) {
		dbl_facts_add_of(l->facts, DBL_FACT_PROVEN, l->table, m.name, "");
	} else if (dbl_words_match(action, "alter [column] * drop not null", &m)) {
		dbl_facts_forget_of(l->facts, DBL_FACT_PROVEN, l->table, m.name);
	} else if (dbl_alter_modify(action, from, to, &def)) {
		learn_column_rename(l, from, to);
		learn_column(l, to, &def);
	} else if (dbl_words_match(action, "rename [column] * to", &m)) {
		at = m.end;
		if (dbl_words_name(action, &at, to))
			learn_column_rename(l, m.name, to);
	}
}

static void learn_action(const struct learning *l, const struct dbl_words *action)
{
	char column[DBL_KEY];
	struct dbl_words def;
	struct dbl_match m;

	if (dbl_alter_column(action, column, &def)) {
		learn_column(l, column, &def);
		if (!l->past)
			dbl_facts_add_of(l->facts, DBL_FACT_ADDED, l->table, column, "");
	} else if (dbl_words_match(action, "validate constraint *", &m)) {
		learn_validated(l, m.name);
	} else if (dbl_words_match(action, "rename [to|as] @", &m) && m.end == action->n) {
		dbl_facts_rename_table(l->facts, l->table, m.table);
	} else if (dbl_words_is(action, 0, "add")) {
		def = dbl_words_part(action, 1, action->n);
		(void)learn_constraint(l, &def);
	} else if (!learn_gone(l, action)) {
		learn_change(l, action);
	}
}

static void learn_alter(struct learning *l)
{
	struct dbl_words action;
	size_t at;

	if (!dbl_alter_begin(&l->w, l->table, &at))
		return;
	while (dbl_alter_next(&l->w, &at, &action))
		learn_action(l, &action);
}

void dbl_learn(struct dbl_facts *facts, const struct dbl_words *w, bool past)
{
	struct learning l = {facts, past, *w, ""};

	if (learn_create(&l) || learn_schema(&l) || learn_utc(&l) || learn_index(&l) ||
	    learn_insert(&l) || learn_drop(&l) || learn_rename(&l))
		return;
	learn_alter(&l);
}
