/* SPDX-License-Identifier: MIT */
/* A table with aligned columns. It collects all cells first: widths are known at the end only. */
#ifndef DBL_CLI_TABLE_H
#define DBL_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct dbl_table {
	const char *const *heads; /* of the columns; ends with NULL */
	char **cells;
	size_t count, room;
	const char *spare; /* head of a column that is left out if all its cells say `usual` */
	const char *usual;
};

/* The next row: as many texts as there are columns, copied, and made safe for a terminal. -1: out
 * of memory. */
int dbl_table_add(struct dbl_table *, ...);

/* Print heads and cells on stdout, nothing if there are no cells; and free them. */
void dbl_table_print(struct dbl_table *);

#endif
