/* SPDX-License-Identifier: MIT */
/* Conditions for MySQL and MariaDB: what an ALTER TABLE copies, and what it locks. */
#include <string.h>

#include "migrate/lint/own.h"

/* Whether the server refuses to do it otherwise than so: "algorithm = instant". The sign may be left
 * out. */
static bool says(const struct dbl_case *c, const char *what, const char *how)
{
	for (size_t at = 0; at < c->all.n; at++) {
		size_t behind = at + (dbl_words_is(&c->all, at + 1, "=") ? 2 : 1);

		if (dbl_words_is(&c->all, at, what) && dbl_words_is(&c->all, behind, how))
			return true;
	}
	return false;
}

bool dbl_when_locks(const struct dbl_case *c)
{
	return !says(c, "lock", "none") && !says(c, "algorithm", "instant");
}

bool dbl_when_copies(const struct dbl_case *c)
{
	return dbl_when_locks(c) && !says(c, "algorithm", "inplace|nocopy");
}

bool dbl_when_copies_column(const struct dbl_case *c)
{
	struct dbl_words def;
	char column[DBL_KEY];

	return dbl_alter_column(&c->part, column, &def) &&
	       (dbl_words_have(&def, "stored|persistent|references|check") ||
		dbl_words_have(&def, "default (")) &&
	       dbl_when_copies(c);
}

bool dbl_when_locks_auto_increment(const struct dbl_case *c)
{
	struct dbl_words def;
	char column[DBL_KEY];

	return dbl_alter_column(&c->part, column, &def) && dbl_words_have(&def, "auto_increment") &&
	       dbl_when_locks(c);
}

bool dbl_when_copies_modify(const struct dbl_case *c)
{
	char from[DBL_KEY], to[DBL_KEY], type[DBL_TYPE];
	const char *known;
	struct dbl_words def;

	if (!dbl_alter_modify(&c->part, from, to, &def) || !dbl_when_copies(c))
		return false;
	dbl_type_read(&def, type);
	known = dbl_facts_find_of(c->facts, DBL_FACT_COLUMN, c->table, from);
	return !known || !dbl_type_grows(c->dialect, known, type);
}

bool dbl_when_renamed_column(const struct dbl_case *c)
{
	char from[DBL_KEY], to[DBL_KEY];
	struct dbl_words def;

	return dbl_alter_modify(&c->part, from, to, &def) && strcmp(from, to) != 0 &&
	       !dbl_facts_find_of(c->facts, DBL_FACT_ADDED, c->table, from);
}

/* With another primary key in the same ALTER TABLE, it is done in place. */
bool dbl_when_copies_drop_key(const struct dbl_case *c)
{
	return !dbl_words_have(&c->all, "add primary key") && dbl_when_copies(c);
}

bool dbl_when_copies_engine(const struct dbl_case *c)
{
	return !says(c, "engine", "innodb") && dbl_when_copies(c);
}
