/* SPDX-License-Identifier: MIT */
#ifndef DBL_MIGRATE_ASK_H
#define DBL_MIGRATE_ASK_H

#include <dblock/migrate.h>

#include "sql/target.h"

/* What is asked for; see include/dblock/migrate.h for what the calls do. */
struct dbl_migrate {
	const struct dbl_target *target;
	const struct dblock_migrate_options *which; /* NULL: the library's own */
	int64_t timeout;         /* us: of each answer, but those to users' statements */
	int64_t deadline;        /* of all of it; 0: none */
	dblock_migration_cb *cb; /* told of each; may be NULL. What it returns other than 0 is
				  * returned in the end: it stops the telling, not the work */
	void *arg;
};

#endif
