/* SPDX-License-Identifier: MIT */
/* What others keep in the database: other tools' histories, known by name and shape, and tables that we
 * did not make. */
#ifndef DBL_MIGRATE_FOREIGN_H
#define DBL_MIGRATE_FOREIGN_H

#include "migrate/history/history.h"

/* Which digest of a file's bytes a history has, that we can compare. */
enum dbl_foreign_sum { DBL_SUM_NONE, DBL_SUM_SHA256, DBL_SUM_SHA384 };

/* A tool, by the table that it keeps its history in. */
struct dbl_tool {
	const char *name;
	const char *table;
	const char *columns; /* some that it has, as "a,b" */
	const char *beside;  /* another table of the tool's; NULL: none tells it apart */
	bool reads;          /* `op` reads its history; else the table is known, and that is all */
	bool adopts; /* its rows are our files; else they tell where it is, and that is all */
	enum dbl_op op;
	enum dbl_foreign_sum sum;
};

enum { DBL_FOREIGN_TOOLS = 4 };

struct dbl_foreign {
	const struct dbl_tool *tools[DBL_FOREIGN_TOOLS]; /* those whose tables are there */
	unsigned n_tools;
	unsigned n_tables; /* all others but our own */
	char table[65];    /* the first of these */
	bool history;      /* a history of dblock's by another prefix is there */
};

/* What a row of another tool's history says. */
enum dbl_foreign_kind {
	DBL_FOREIGN_FAILED,  /* the file failed, or is being run */
	DBL_FOREIGN_APPLIED, /* the file is applied */
	DBL_FOREIGN_UP_TO,   /* it is, and all with smaller numbers */
	DBL_FOREIGN_OWN      /* it is, and the tool made it: it may have been left behind */
};

struct dbl_foreign_row {
	int64_t version; /* the number in it, as our files have one; 0: it has none */
	char text[201];  /* the version, as the tool has it */
	char name[201];  /* "": it has none beside */
	enum dbl_foreign_kind kind;
	char checksum[DBL_SHA384_HEX + 1]; /* "": it has none that we know */
};

struct dbl_foreign_rows {
	struct dbl_foreign_row *rows; /* in the tool's order */
	size_t n;
};

/* Looks which tables there are. */
int dbl_foreign_look(struct dbl_runner, struct dbl_foreign *, struct dblock_error *err);

/* Reads the tool's history. DBLOCK_E_SCHEMA or DBLOCK_E_BUG: it is not as we know it.
 * dbl_foreign_free() is due in any case; the struct must be zero or filled before. */
int dbl_foreign_read(struct dbl_runner, const struct dbl_tool *, struct dbl_foreign_rows *,
		     struct dblock_error *err);
void dbl_foreign_free(struct dbl_foreign_rows *);

/* ---- tools.c: no connection ------------------------------------------------------------------ */

/* Returns the tool that has a table of that name with these columns ("a,b,c"), or NULL.
 * `seen` says whether another table is there; a table's name has any case. */
const struct dbl_tool *dbl_tool_of(const char *table, const char *columns,
				   bool (*seen)(void *, const char *table), void *arg);

/* Whether it is a history of dblock's, by any prefix. */
bool dbl_tool_is_dblock(const char *table, const char *columns);

/* Returns the tool of that name, in any case, or NULL. */
const struct dbl_tool *dbl_tool_find(const char *name);

/* Lists the names of all whose histories can be read, as "a, b". */
void dbl_tool_names(char *to, size_t room);

#endif
