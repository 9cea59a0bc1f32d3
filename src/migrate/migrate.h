/* SPDX-License-Identifier: MIT */
/* The library's own schema: bring it up to date, say what is applied, check it at open. Works
 * before any of our tables exists. Waits obey the deadline, on env->now(). */
#ifndef DBL_MIGRATE_MIGRATE_H
#define DBL_MIGRATE_MIGRATE_H

#include <dblock/migrate.h>

#include "link/link.h"

/* Apply what is missing, each file exactly once however many run this at once, on a connection of
 * its own. `applied` is called for each file that this call applied; what it returns other than 0
 * is returned, but everything has been applied by then. */
int dbl_migrate_up(const struct dbl_target *, dblock_migration_cb *applied, void *arg,
		   int64_t deadline, struct dblock_error *err);

/* What is applied and what is not, in order of version. Writes nothing. */
int dbl_migrate_status(const struct dbl_target *, dblock_migration_cb *found, void *arg,
		       int64_t deadline, struct dblock_error *err);

/* Is everything applied that this library needs? DBLOCK_E_SCHEMA says what is not and how to help
 * it. A schema that is newer is fine. What is missing is applied here if `asked` (the user wants
 * that), or if the database is a file with nothing in it. */
int dbl_migrate_check(struct dbl_link *, bool asked, int64_t deadline, struct dblock_error *err);

#endif
