/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "migrate/lint/own.h"

bool dbl_alter_begin(const struct dbl_words *w, char table[DBL_KEY], size_t *at)
{
	struct dbl_match m;

	if (!dbl_words_match(w, "alter [online] [ignore] [foreign] table [if exists] [only] @", &m))
		return false;
	strcpy(table, m.table);
	*at = m.end + (dbl_words_is(w, m.end, "*") ? 1 : 0);
	return true;
}

bool dbl_alter_next(const struct dbl_words *w, size_t *at, struct dbl_words *action)
{
	size_t end = dbl_words_part_end(w, *at);

	if (*at >= w->n)
		return false;
	*action = dbl_words_part(w, *at, end);
	*at = end + 1;
	return true;
}

/* What ADD can be about that is no column. */
#define NO_COLUMN                                                                                  \
	"constraint|primary|unique|foreign|check|exclude|index|key|fulltext|spatial|partition|"    \
	"period|system|value|generated|not"

bool dbl_alter_column(const struct dbl_words *action, char column[DBL_KEY], struct dbl_words *def)
{
	struct dbl_match m;

	if (!dbl_words_match(action, "add column [if not exists] *", &m) &&
	    (dbl_words_is(action, 1, NO_COLUMN) ||
	     !dbl_words_match(action, "add [if not exists] *", &m)))
		return false;
	strcpy(column, m.name);
	*def = dbl_words_part(action, m.end, action->n);
	return true;
}

bool dbl_alter_modify(const struct dbl_words *action, char from[DBL_KEY], char to[DBL_KEY],
		      struct dbl_words *def)
{
	bool change = dbl_words_is(action, 0, "change");
	struct dbl_match m;
	size_t at;

	if (!dbl_words_match(action, "modify|change [column] [if exists]", &m))
		return false;
	at = m.end;
	if (!dbl_words_name(action, &at, from))
		return false;
	strcpy(to, from);
	if (change && !dbl_words_name(action, &at, to))
		return false;
	*def = dbl_words_part(action, at, action->n);
	return true;
}
