/* SPDX-License-Identifier: MIT */
/* What the files adopt*.c share: a tool's history beside the set. */
#ifndef DBL_MIGRATE_ADOPT_OWN_H
#define DBL_MIGRATE_ADOPT_OWN_H

#include "migrate/command/adopt.h"

struct adoption {
	const struct dbl_run *run;
	const struct dbl_tool *tool;
	struct dbl_foreign_rows rows;
	bool *applied;     /* for each file of the set: the tool has applied it */
	int64_t *versions; /* of these, in the set's order */
	size_t n;
};

/* Marks, by their places in the set, the files that the tool has applied. */
void dbl_adopt_mark(const struct adoption *, bool *applied);

/* Checks that each row of the tool's is a file of the set, with that text, and all is finished. */
int dbl_adopt_check(const struct adoption *, struct dblock_error *err);

#endif
