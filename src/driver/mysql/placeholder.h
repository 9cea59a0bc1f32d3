/* SPDX-License-Identifier: MIT */
/* The library's texts say $1 .. $n, in any order and repeated; MySQL knows only `?`, in order. */
#ifndef DBL_DRIVER_MYSQL_PLACEHOLDER_H
#define DBL_DRIVER_MYSQL_PLACEHOLDER_H

#include <stdbool.h>

#include "driver/driver.h"

enum { DBL_MYSQL_ARGS_MAX = 99 };

struct dbl_mysql_text {
	char *sql;            /* with ? for every $n */
	unsigned char *order; /* order[k]: which argument, from 0, the k-th ? stands for */
	unsigned n_places;    /* how many ? */
	unsigned n_args;      /* the largest n; an argument may have no place */
};

/* DBLOCK_E_BUG: $0, a number above DBL_MYSQL_ARGS_MAX, or a bare ?. On failure there is nothing
 * to free. */
int dbl_mysql_rewrite(const char *sql, struct dbl_mysql_text *out, struct dblock_error *err);

/* The text with the arguments, which have to be numbers, in it: for what a server does not prepare.
 * The caller frees *out, also after a failure. DBLOCK_E_INVALID: it is no number. */
int dbl_mysql_fill(const struct dbl_mysql_text *, const struct dbl_value *args, char **out,
		   struct dblock_error *err);

void dbl_mysql_text_free(struct dbl_mysql_text *);

/* Nothing but space and comments: MariaDB takes that for a statement. */
bool dbl_mysql_is_empty(const char *sql);

/* SAVEPOINT, ROLLBACK or RELEASE: it has neither arguments nor rows, and MySQL does not prepare it.
 */
bool dbl_mysql_is_savepoint(const char *sql);

#endif
