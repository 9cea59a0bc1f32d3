/* SPDX-License-Identifier: MIT */
/* What `migrate new`, `embed` and `import` do with files, and how they tell what went wrong. */
#ifndef DBL_CLI_MIGRATE_FILE_H
#define DBL_CLI_MIGRATE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <dblock/error.h>

/* The default folder, for `new` and for the other commands. */
#define DBL_MIGRATE_DIR "migrations"

/* The dialects that have folders; NULL at the end. */
extern const char *const dbl_migrate_dialects[];

/* Is it one of them? 0, or DBLOCK_E_INVALID. */
int dbl_migrate_check_dialect(const char *dialect, struct dblock_error *err);

/* "dir/name", to be freed; NULL: there is no memory, and err says so. */
char *dbl_migrate_path(const char *dir, const char *name, struct dblock_error *err);

bool dbl_migrate_is_folder(const char *path);

/* Is it letters, digits and underscores, with no digit first? */
bool dbl_migrate_is_identifier(const char *text, size_t len);

/* Make a file with this text, which must not exist yet; after a failure there is none. made: the
 * verb of the message, as "made". */
int dbl_migrate_make_file(const char *path, const char *text, size_t len, const char *made,
			  struct dblock_error *err);

/* Write the whole file, or leave it as it was. */
int dbl_migrate_replace_file(const char *path, const char *text, size_t len,
			     struct dblock_error *err);

/* These fill err and return its code. The first is DBLOCK_E_INVALID. */
int dbl_migrate_refuse(struct dblock_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int dbl_migrate_no_memory(struct dblock_error *err);

/* "FILE: cannot be `done`: ...", with errno. */
int dbl_migrate_cannot(struct dblock_error *err, const char *file, const char *done);

#endif
