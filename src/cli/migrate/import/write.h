/* SPDX-License-Identifier: MIT */
/* Writing what was read: into a folder beside OUT, which is checked, and renamed. */
#ifndef DBL_CLI_MIGRATE_IMPORT_WRITE_H
#define DBL_CLI_MIGRATE_IMPORT_WRITE_H

#include "cli/migrate/import/import_own.h"

int dbl_import_write(struct dbl_import *);

#endif
