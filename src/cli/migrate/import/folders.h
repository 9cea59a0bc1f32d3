/* SPDX-License-Identifier: MIT */
/* Tools that have a folder for each migration, with up.sql and down.sql, or migration.sql, in it, and a few
 * words about it in a file beside. */
#ifndef DBL_CLI_MIGRATE_IMPORT_FOLDERS_H
#define DBL_CLI_MIGRATE_IMPORT_FOLDERS_H

#include "cli/migrate/import/formats.h"

/* A migration that is being read: its folder, and the files in it. */
struct dbl_one {
	struct dbl_import *im;
	const struct dbl_entry *entry;
	struct dbl_folder files;
	struct dbl_record *record;
};

/* Whether there is a folder with a file of that name in it, and, unless it is NULL, with the other. */
bool dbl_has_folder(struct dbl_import *im, const char *file, const char *other);

/* Reads `up`, which must be there, and down.sql. */
void dbl_read_parts(struct dbl_one *one, const char *up);

/* Reads each folder, by name; what is no folder is told of, if it looks like a migration. */
void dbl_read_folders(struct dbl_import *im, void (*read)(struct dbl_one *));

/* Finds `KEY = value` or `KEY: value` at the beginning of a line; false: there is none. Quotes around
 * the value, and a comment behind it, are cut off. */
bool dbl_find_value(const struct dbl_entry *entry, const char *key, struct dbl_line *line,
		    const char **value, size_t *len);

/* Whether the value is that word. */
bool dbl_is_word(const char *value, size_t len, const char *word);

#endif
