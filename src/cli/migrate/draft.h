/* SPDX-License-Identifier: MIT */
/* What `dblock migrate new` writes into the files: nothing yet, or a template of sql/templates/
 * with the user's names in it. Names are checked as identifiers and quoted; a lock's name is a
 * string. */
#ifndef DBL_CLI_MIGRATE_DRAFT_H
#define DBL_CLI_MIGRATE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include <dblock/error.h>

/* Made by cmake/templates.cmake; {word} in a text is replaced by one of the user's names. */
struct dbl_template {
	const char *dialect, *name, *up, *down;
};

extern const struct dbl_template dbl_templates[]; /* ends with NULLs */

struct dbl_draft {
	const char *template; /* "version", "fence"; NULL: the user writes the text */
	const char *table;    /* perhaps with its schema: app.account */
	const char *column;
	const char *lock;
	const char *schema, *prefix; /* of dblock's own tables; NULL: the default */
};

/* Can it be written for that dialect? DBLOCK_E_INVALID and the reason. */
int dbl_draft_check(const struct dbl_draft *, const char *dialect, struct dblock_error *err);

/* The text of the up file, or of the down file; to be freed. The draft has been checked. NULL:
 * there is no memory. */
char *dbl_draft_text(const struct dbl_draft *, const char *dialect, bool up);

/* The name of a migration that the user has not named, such as account_version; to be freed. NULL:
 * there is no memory. */
char *dbl_draft_name(const struct dbl_draft *);

#endif
