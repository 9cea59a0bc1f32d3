/* SPDX-License-Identifier: MIT */
/* What the files set*.c share. */
#ifndef DBL_MIGRATE_SET_OWN_H
#define DBL_MIGRATE_SET_OWN_H

#include "base/err.h"
#include "migrate/set/set.h"

enum { DBL_MIGRATION_NAME_MAX = 200 }; /* bytes: the column in the history has no more */

#define DBL_SCRIPT_MAX ((size_t)64 << 20)

/* ---- set.c ---------------------------------------------------------------------------------- */

/* Take over what dbl_alloc() gave: it is freed with the set. Without memory to note it down it is
 * freed at once, and NULL returned; NULL stays NULL. */
void *dbl_set_keep(struct dbl_set *, void *p);

int dbl_set_no_memory(struct dblock_error *err);

/* Make a text that of the script, whose path must be set: it is kept with the set, and brought into
 * its one form. NULL: out of memory. */
int dbl_script_take(struct dbl_set *, struct dbl_script *, char *text, size_t len,
		    struct dblock_error *err);

/* ---- set_name.c: the names of files --------------------------------------------------------- */

enum dbl_way {
	DBL_WAY_UP,
	DBL_WAY_ONLY_UP, /* NNNN_name.sql: cannot be undone */
	DBL_WAY_DOWN
};

/* A file's name taken apart; `name` points into it, and has no NUL behind it. */
struct dbl_file_name {
	int64_t version;
	enum dbl_way way;
	const char *name;
	size_t len;
};

/* E_INVALID says what is wrong with it, but not which file it is. */
int dbl_file_name_read(struct dbl_file_name *, const char *file, struct dblock_error *err);

/* [A-Za-z0-9][A-Za-z0-9_.-]*, and no longer than allowed. */
bool dbl_migration_name_fits(const char *name, size_t len);

/* ---- set_steps.c: the statements in it ------------------------------------------------------ */

/* Check them, and set what depends on them and on the dialect. */
int dbl_script_plan(struct dbl_set *, struct dbl_script *, const struct dbl_dialect *,
		    struct dblock_error *err);

/* ---- set_dir.c ------------------------------------------------------------------------------ */

/* Fill the set with all that lies in a folder; the texts are taken, not yet planned. */
int dbl_set_read_dir(struct dbl_set *, const char *dir, const struct dbl_dialect *,
		     struct dblock_error *err);

#endif
