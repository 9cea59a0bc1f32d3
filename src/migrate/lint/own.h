/* SPDX-License-Identifier: MIT */
/* What the files of this module share. */
#ifndef DBL_MIGRATE_LINT_OWN_H
#define DBL_MIGRATE_LINT_OWN_H

#include "migrate/lint/facts.h"
#include "migrate/lint/lint.h"
#include "migrate/lint/words.h"

/* A statement, or one action of an ALTER TABLE, before a rule. */
struct dbl_case {
	const struct dbl_facts *facts;
	const char *dialect;
	bool stepwise;
	struct dbl_words all;  /* the statement */
	struct dbl_words part; /* the action; else the statement */
	char table[DBL_KEY];   /* of the ALTER TABLE; else "" */
	struct dbl_match match;
};

struct dbl_rule {
	const char *id;
	enum dblock_migrate_severity severity;
	const char *dialects; /* the first letters of their names */
	const char *begins;   /* a pattern (words.h) */
	const char *has_not;  /* phrases, with ; between, none of which it has; NULL: whatever */
	bool (*when)(const struct dbl_case *); /* what else has to be so; NULL: nothing */
	const char *hint;
};

/* The rules for statements, and for the actions of ALTER TABLE; both end with an id of NULL. */
extern const struct dbl_rule dbl_rules_statement[], dbl_rules_postgresql_action[],
	dbl_rules_mysql_action[], dbl_rules_sqlite_action[];

/* ---- conditions: when*.c -------------------------------------------------------------------- */

bool dbl_when_drop_table(const struct dbl_case *);
bool dbl_when_old_index(const struct dbl_case *); /* or a table */
bool dbl_when_drop_column(const struct dbl_case *);
bool dbl_when_rename_column(const struct dbl_case *);
bool dbl_when_column(const struct dbl_case *);             /* it adds a column */
bool dbl_when_no_default(const struct dbl_case *);         /* NOT NULL, and no value */
bool dbl_when_default_volatile(const struct dbl_case *);   /* PostgreSQL: one value for each row */
bool dbl_when_column_referencing(const struct dbl_case *); /* with a value that is checked */
bool dbl_when_column_check(const struct dbl_case *);
bool dbl_when_column_unique(const struct dbl_case *);
bool dbl_when_type_rewrites(const struct dbl_case *);
bool dbl_when_nulls_unknown(const struct dbl_case *);
bool dbl_when_validated_at_once(const struct dbl_case *);
bool dbl_when_copies(const struct dbl_case *); /* MySQL: and ALGORITHM does not forbid it */
bool dbl_when_locks(const struct dbl_case *);  /* MySQL: and LOCK does not forbid it */
bool dbl_when_copies_column(const struct dbl_case *);
bool dbl_when_copies_modify(const struct dbl_case *);
bool dbl_when_locks_auto_increment(const struct dbl_case *);
bool dbl_when_copies_drop_key(const struct dbl_case *);
bool dbl_when_copies_engine(const struct dbl_case *);
bool dbl_when_renamed_column(const struct dbl_case *); /* MySQL: CHANGE with another name */

/* ---- ALTER TABLE: alter.c ------------------------------------------------------------------- */

/* Reads "ALTER TABLE t"; *at: where its first action begins. */
bool dbl_alter_begin(const struct dbl_words *, char table[DBL_KEY], size_t *at);
/* Gives the next action, and moves on; false behind the last. */
bool dbl_alter_next(const struct dbl_words *, size_t *at, struct dbl_words *action);
/* Reads "ADD COLUMN c ..."; false: it adds no column. `def` is what follows the name. */
bool dbl_alter_column(const struct dbl_words *action, char column[DBL_KEY], struct dbl_words *def);
/* Reads MySQL's "MODIFY c ...", "CHANGE c d ...". */
bool dbl_alter_modify(const struct dbl_words *action, char from[DBL_KEY], char to[DBL_KEY],
		      struct dbl_words *def);

/* ---- types: types.c ------------------------------------------------------------------------- */

enum { DBL_TYPE = 400 };

/* Writes the type that a column's definition begins with, like "varchar ( 20 )". */
void dbl_type_read(const struct dbl_words *def, char type[DBL_TYPE]);
/* Whether PostgreSQL, or MySQL, makes `to` of `from` without touching the rows. */
bool dbl_type_grows(const char *dialect, const char *from, const char *to);

/* ---- what a statement makes: learn.c -------------------------------------------------------- */

void dbl_learn(struct dbl_facts *, const struct dbl_words *, bool past);

/* Whether this plan makes the table. */
bool dbl_is_new(const struct dbl_facts *, const char *table);

/* ---- allow.c -------------------------------------------------------------------------------- */

/* Whether a line right above the byte `at` allows the rule. */
bool dbl_allowed(const char *text, size_t at, const char *rule);

#endif
