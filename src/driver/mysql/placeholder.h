/* SPDX-License-Identifier: MIT */
/* dblock's statements have $1 .. $n, in any order and repeated; MySQL has only `?`, in order. */
#ifndef DBL_DRIVER_MYSQL_PLACEHOLDER_H
#define DBL_DRIVER_MYSQL_PLACEHOLDER_H

#include <stdbool.h>

#include "driver/driver.h"

enum { DBL_MYSQL_ARGS_MAX = 99 };

struct dbl_mysql_text {
	char *sql;            /* with ? for every $n */
	unsigned char *order; /* order[k]: the argument, from 0, for the k-th ? */
	unsigned n_places;    /* how many ? */
	unsigned n_args;      /* the largest n; an argument may be unused */
};

/* DBLOCK_E_BUG: $0, a number above DBL_MYSQL_ARGS_MAX, or a bare ?; then nothing is to be freed. */
int dbl_mysql_rewrite(const char *sql, struct dbl_mysql_text *out, struct dblock_error *err);

/* The statement with its arguments, which have to be numbers, in the text: for servers that do not
 * prepare it. The caller frees *out, also after a failure. DBLOCK_E_INVALID: one is no number. */
int dbl_mysql_fill(const struct dbl_mysql_text *, const struct dbl_value *args, char **out,
		   struct dblock_error *err);

void dbl_mysql_text_free(struct dbl_mysql_text *);

/* Is there nothing but space and comments? MariaDB takes that for a statement. */
bool dbl_mysql_is_empty(const char *sql);

/* Is it SAVEPOINT, ROLLBACK or RELEASE, which MySQL does not prepare, or SHOW, whose warnings are those of the
 * statement before: and to prepare it would be one? They have no arguments. */
bool dbl_mysql_is_text_only(const char *sql);

#endif
