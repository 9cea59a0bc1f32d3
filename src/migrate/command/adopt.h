/* SPDX-License-Identifier: MIT */
/* Another tool's history, or its tables, where we have none of our own. */
#ifndef DBL_MIGRATE_ADOPT_H
#define DBL_MIGRATE_ADOPT_H

#include <dblock/adopt.h>

#include "migrate/engine/run.h"
#include "migrate/foreign/foreign.h"

/* What the caller of an adoption wants. */
struct dbl_adopt {
	const char *from;              /* NULL: whichever tool is there */
	dblock_migrate_adopt_cb *told; /* may be NULL */
	void *arg;
};

/* Takes the history over that the tool has here. The call must be inside the gate. */
int dbl_adopt(struct dbl_run *, const struct dbl_tool *, struct dbl_adopt *,
	      struct dblock_error *err);

/* Before the first file of a scope is run: refuses a database that another tool has migrated, or
 * that has tables of which nobody knows who made them. *tool: it is to be adopted; NULL: it is not. */
int dbl_occupied_check(struct dbl_run *, const struct dbl_tool **tool, struct dblock_error *err);

#endif
