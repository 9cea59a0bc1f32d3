/* SPDX-License-Identifier: MIT */
/* What `dblock migrate new` writes into the files: nothing yet, or one of sql/templates/ with the
 * user's names in it. Names are checked as identifiers and quoted; a lock is a string. */
#ifndef DBL_CLI_MIGRATE_DRAFT_H
#define DBL_CLI_MIGRATE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include <dblock/error.h>

/* Made by cmake/templates.cmake; {word} in a text stands for a name of the user's. */
struct dbl_template {
	const char *dialect, *name, *up, *down;
};

extern const struct dbl_template dbl_templates[]; /* ends with NULLs */

struct dbl_draft {
	const char *template; /* "version", "fence"; NULL: the user writes it */
	const char *table;    /* also with its schema: app.account */
	const char *column;
	const char *lock;
	const char *schema, *prefix; /* of dblock's own tables; NULL: the default */
};

/* Can it be written for that kind of database? DBLOCK_E_INVALID and the reason. */
int dbl_draft_check(const struct dbl_draft *, const char *dialect, struct dblock_error *err);

/* The text that applies it, or the one that undoes it; to be freed. It has been checked. NULL: out
 * of memory. */
char *dbl_draft_text(const struct dbl_draft *, const char *dialect, bool up);

/* What to call a migration that nobody gave a name: account_version; to be freed. NULL: out of
 * memory. */
char *dbl_draft_name(const struct dbl_draft *);

#endif
