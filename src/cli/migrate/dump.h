/* SPDX-License-Identifier: MIT */
/* The schema as text, by the database's own program, and the history of what is applied behind it. */
#ifndef DBL_CLI_MIGRATE_DUMP_H
#define DBL_CLI_MIGRATE_DUMP_H

#include "cli/migrate/call.h"

/* Can FILE be one, and is the program there? To be asked before anything is done. */
int dbl_dump_check(struct dbl_migrate_call *, const char *file);

/* Writes it to FILE, if that has another text, or to standard output for "-". */
int dbl_dump_write(struct dbl_migrate_call *, const char *file);

/* DBLOCK_E_DRIFT: FILE has another text; the difference is told. */
int dbl_dump_compare(struct dbl_migrate_call *, const char *file);

/* ---- dump_tool.c: the programs ------------------------------------------------------------------- */

/* The program of that dialect, "pg_dump"; NULL: it has none, or none is there, which err says. */
struct dbl_dump_tool {
	const char *name;
	bool mariadb;
};
int dbl_dump_tool_find(struct dbl_dump_tool *, const char *dialect, struct dblock_error *err);

struct dblock_dump;
/* Write what it says of the database, without what differs though the schema is the same. */
int dbl_dump_tool_run(const struct dbl_dump_tool *, const struct dblock_dump *, FILE *out,
		      struct dblock_error *err);

#endif
