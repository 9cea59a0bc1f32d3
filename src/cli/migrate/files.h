/* SPDX-License-Identifier: MIT */
/* Making files of migrations, without a database. Every failure is told in err, as the library
 * does; files that were made by then are removed. */
#ifndef DBL_CLI_MIGRATE_FILES_H
#define DBL_CLI_MIGRATE_FILES_H

#include <stdbool.h>
#include <time.h>

#include <dblock/migrate.h>

#include "cli/migrate/draft.h"
#include "cli/migrate/file/file.h"

/* Called with the path of each file that was made. */
typedef void dbl_made_cb(void *arg, const char *path);

/* A migration that is to be made. */
struct dbl_making {
	const char *dir, *name;
	bool seq; /* number it with four digits, else with `now` */
	time_t now;
	/* The dialects that it is for. None: those with a folder in dir; if there is no such
	 * folder, and it matters, the URL's. */
	const char *const *dialects;
	size_t n_dialects;
	const char *url_dialect;
	struct dbl_draft draft;
};

/* Make NNNN_name.up.sql and NNNN_name.down.sql in a folder, or in those of its folders sqlite,
 * postgresql and mysql that exist; the folder is made if it does not exist. The number is `now` as
 * YYYYMMDDHHMMSS in UTC, or with `seq` four digits, and always above all that exist. No file is
 * overwritten. */
int dbl_migrate_new(const struct dbl_making *, dbl_made_cb *made, void *arg,
		    struct dblock_error *err);

/* Write a folder of migrations as C source: an array `symbol`, and the number of its elements,
 * `symbol`_count. `dialect` NULL: one array, symbol_<dialect>, for each of the folders sqlite,
 * postgresql and mysql that exist. They are checked first. The file is replaced as a whole, or left
 * as it was. */
int dbl_migrate_embed(const char *dir, const char *dialect, const char *symbol, const char *file,
		      struct dblock_error *err);

#endif
