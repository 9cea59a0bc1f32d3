/* SPDX-License-Identifier: MIT */
/* Files of migrations, made without a database. Every failure is told in err, as the library does;
 * what was begun by then is removed again. */
#ifndef DBL_CLI_MIGRATE_FILES_H
#define DBL_CLI_MIGRATE_FILES_H

#include <stdbool.h>
#include <time.h>

#include <dblock/migrate.h>

#include "cli/migrate/draft.h"

/* Told the path of each file that was made. */
typedef void dbl_made_cb(void *arg, const char *path);

/* A migration to be begun. */
struct dbl_making {
	const char *dir, *name;
	bool seq; /* number it with four digits, else with `now` */
	time_t now;
	/* What kinds of databases it is for; none: those that have a folder in dir, or if there is
	 * no such folder, and it matters, the one of the URL. */
	const char *const *dialects;
	size_t n_dialects;
	const char *url_dialect;
	struct dbl_draft draft;
};

/* Begin a migration: make NNNN_name.up.sql and NNNN_name.down.sql in a folder, or in each of its
 * folders sqlite, postgresql and mysql that are there; the folder is made if it is not. The number
 * is `now` as YYYYMMDDHHMMSS in UTC, or with `seq` four digits; in any case it is above all that
 * are there. No file is overwritten. */
int dbl_migrate_new(const struct dbl_making *, dbl_made_cb *made, void *arg,
		    struct dblock_error *err);

/* Write a folder of migrations as C source: an array `symbol`, and the number of its elements,
 * `symbol`_count. `dialect` NULL: one array, symbol_<dialect>, for each of the folders sqlite,
 * postgresql and mysql that are there. They are checked first. The file is replaced as a whole, or
 * left as it was. */
int dbl_migrate_embed(const char *dir, const char *dialect, const char *symbol, const char *file,
		      struct dblock_error *err);

/* ---- what both need ------------------------------------------------------------------------- */

/* Where `new` makes files, and the others find them, unless they are told. */
#define DBL_MIGRATE_DIR "migrations"

/* The kinds of databases that have folders; NULL at the end. */
extern const char *const dbl_migrate_dialects[];

/* "dir/name", to be freed; NULL: no memory, and err says so. */
char *dbl_migrate_path(const char *dir, const char *name, struct dblock_error *err);

bool dbl_migrate_is_folder(const char *path);

/* Letters, digits and underscores, and no digit first? */
bool dbl_migrate_is_identifier(const char *text, size_t len);

/* Make a file with this text, which must not be there yet; or none is left. made: what could not be
 * done, if it cannot be made. */
int dbl_migrate_make_file(const char *path, const char *text, size_t len, const char *made,
			  struct dblock_error *err);

/* These return the code. The first is DBLOCK_E_INVALID. */
int dbl_migrate_refuse(struct dblock_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int dbl_migrate_no_memory(struct dblock_error *err);

/* "FILE: cannot be made: ...", with errno. */
int dbl_migrate_cannot(struct dblock_error *err, const char *file, const char *done);

#endif
