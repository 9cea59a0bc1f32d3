/* SPDX-License-Identifier: MIT */
/* Names of our tables: the texts say dblock_lock, a client may have asked for another prefix and
 * schema. Both are checked once and quoted; user text never becomes SQL in any other way. */
#ifndef DBL_SQL_NAMES_H
#define DBL_SQL_NAMES_H

#include <dblock/client.h>

#include "sql/dialect.h"

#define DBL_PREFIX_MAX DBLOCK_PREFIX_MAX

struct dbl_names {
	char schema[DBLOCK_SCHEMA_MAX + 1]; /* "" = not qualified */
	char prefix[DBL_PREFIX_MAX + 1];
	char quote;
};

/* NULL stands for the dialect's default. DBLOCK_E_INVALID: not an identifier, or too long. */
int dbl_names_init(struct dbl_names *, const struct dbl_dialect *, const char *schema,
		   const char *prefix, struct dblock_error *err);

/* The text with every word dblock_* made into a qualified, quoted name. NULL: out of memory. */
char *dbl_names_apply(const struct dbl_names *, const char *sql);

#endif
