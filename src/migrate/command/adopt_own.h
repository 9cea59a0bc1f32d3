/* SPDX-License-Identifier: MIT */
/* What the files adopt*.c share: a tool's history beside the set. */
#ifndef DBL_MIGRATE_ADOPT_OWN_H
#define DBL_MIGRATE_ADOPT_OWN_H

#include "migrate/command/adopt.h"

struct adoption {
	const struct dbl_run *run;
	const struct dbl_tool *tool;
	struct dbl_foreign_rows rows;
	int64_t *versions; /* of the files that it has applied, in the set's order */
	size_t n;
};

/* Whether the tool has applied the file. */
bool dbl_adopt_has(const struct adoption *, const struct dbl_file *);

/* Checks that each row of the tool's is a file of the set, with that text, and all is finished. */
int dbl_adopt_check(const struct adoption *, struct dblock_error *err);

#endif
