/* SPDX-License-Identifier: MIT */
/* The formats, and what several of them share. */
#ifndef DBL_CLI_MIGRATE_IMPORT_FORMATS_H
#define DBL_CLI_MIGRATE_IMPORT_FORMATS_H

#include "cli/migrate/import/import_own.h"

/* For `is` and `read` of struct dbl_format. */
#define DBL_IMPORT_FORMAT(name)                                                                    \
	bool dbl_##name##_is(struct dbl_import *);                                                 \
	void dbl_##name##_read(struct dbl_import *)

DBL_IMPORT_FORMAT(goose);
DBL_IMPORT_FORMAT(dbmate);
DBL_IMPORT_FORMAT(flyway);
DBL_IMPORT_FORMAT(liquibase);
DBL_IMPORT_FORMAT(diesel);
DBL_IMPORT_FORMAT(prisma);
DBL_IMPORT_FORMAT(sourcegraph);
DBL_IMPORT_FORMAT(rails);
DBL_IMPORT_FORMAT(pairs);
DBL_IMPORT_FORMAT(plain);

/* Whether one of the folder's .sql files has a comment line with that in it. */
bool dbl_folder_has_mark(struct dbl_import *, const char *mark);

/* Reads each NNNN_name.sql of the folder into a record; tells of what is none. */
void dbl_numbered_read(struct dbl_import *,
		       void (*read)(struct dbl_import *, const struct dbl_entry *,
				    struct dbl_record *));

/* Adds a record with the number in these digits, or tells that they are none. NULL: then, or without
 * memory. */
struct dbl_record *dbl_import_add_number(struct dbl_import *, const struct dbl_entry *,
					 const char *digits, size_t len);

#endif
