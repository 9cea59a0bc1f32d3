/* SPDX-License-Identifier: MIT */
/* Names of our tables: our statements say dblock_lock, but a client may have another prefix and
 * schema. Both are checked once and quoted; no other text of a user's ever becomes SQL. */
#ifndef DBL_SQL_NAMES_H
#define DBL_SQL_NAMES_H

#include <dblock/client.h>

#include "sql/dialect.h"

#define DBL_PREFIX_MAX DBLOCK_PREFIX_MAX

struct dbl_names {
	char schema[DBLOCK_SCHEMA_MAX + 1]; /* "": names are not qualified */
	char prefix[DBL_PREFIX_MAX + 1];
	char quote;
};

/* NULL stands for the dialect's default. DBLOCK_E_INVALID: not an identifier, or too long. */
int dbl_names_init(struct dbl_names *, const struct dbl_dialect *, const char *schema,
		   const char *prefix, struct dblock_error *err);

/* The text with each word dblock_* replaced by a qualified, quoted name. NULL: no memory. */
char *dbl_names_apply(const struct dbl_names *, const char *sql);

#endif
