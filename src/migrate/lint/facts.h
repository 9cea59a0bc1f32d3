/* SPDX-License-Identifier: MIT */
/* What the files so far have made, by kind and name. A column, or a constraint, is TABLE.NAME. */
#ifndef DBL_MIGRATE_LINT_FACTS_H
#define DBL_MIGRATE_LINT_FACTS_H

#include <stdbool.h>
#include <stddef.h>

enum dbl_fact_kind {
	DBL_FACT_TABLE,      /* a table; value: "new", as this plan makes it, else "" */
	DBL_FACT_INDEX,      /* an index of a new table */
	DBL_FACT_COPIED,     /* a table whose rows were put into a new one */
	DBL_FACT_UTC,        /* PostgreSQL: this file has set the time zone to UTC; key: "" */
	DBL_FACT_COLUMN,     /* a column; value: its type */
	DBL_FACT_INDEXED,    /* a column that an index, or a key, names */
	DBL_FACT_CHECKED,    /* a column that a CHECK names */
	DBL_FACT_ADDED,      /* a column that this plan adds */
	DBL_FACT_NOT_NULL,   /* a constraint that says so; value: of which column */
	DBL_FACT_PROVEN,     /* a column in which the database knows that there is no NULL */
	DBL_FACT_UNVALIDATED /* a constraint that this file has added as NOT VALID */
};

struct dbl_fact {
	enum dbl_fact_kind kind;
	bool gone;
	char *key, *value;
};

struct dbl_facts {
	struct dbl_fact *list;
	size_t n;
	bool failed; /* there was no memory */
};

void dbl_facts_free(struct dbl_facts *);

void dbl_facts_add(struct dbl_facts *, enum dbl_fact_kind, const char *key, const char *value);

/* Returns the value of the newest such fact, or NULL. */
const char *dbl_facts_find(const struct dbl_facts *, enum dbl_fact_kind, const char *key);

/* The same of a column, or a constraint, of a table. */
void dbl_facts_add_of(struct dbl_facts *, enum dbl_fact_kind, const char *table, const char *name,
		      const char *value);
const char *dbl_facts_find_of(const struct dbl_facts *, enum dbl_fact_kind, const char *table,
			      const char *name);

void dbl_facts_forget_of(struct dbl_facts *, enum dbl_fact_kind, const char *table,
			 const char *name);
/* Forgets all about a column. */
void dbl_facts_forget_column(struct dbl_facts *, const char *table, const char *column);

void dbl_facts_forget(struct dbl_facts *, enum dbl_fact_kind, const char *key); /* NULL: all */

/* Forgets a table and all that is in it; and knows all of `from` as `to`. */
void dbl_facts_forget_table(struct dbl_facts *, const char *table);
void dbl_facts_rename_table(struct dbl_facts *, const char *from, const char *to);

#endif
