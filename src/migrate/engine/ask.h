/* SPDX-License-Identifier: MIT */
#ifndef DBL_MIGRATE_ASK_H
#define DBL_MIGRATE_ASK_H

#include <dblock/migrate.h>

#include "sql/target.h"

/* What a call asks for; see include/dblock/migrate.h for what the calls do. */
struct dbl_migrate {
	const struct dbl_target *target;
	const struct dblock_migrate_options *which; /* NULL: the library's own */
	bool lenient;     /* nothing is run: a text that cannot be run is told, and no more */
	int64_t timeout;  /* us for each reply, except to users' statements */
	int64_t deadline; /* of the whole call; 0: none */
	dblock_migration_cb *cb; /* told of each; may be NULL. If it returns not 0, it is not called
				  * again, and the call, which goes on, returns that */
	void *arg;
};

#endif
