/* SPDX-License-Identifier: MIT */
/* What the library knows against what the database has had: pure, no connection. */
#ifndef DBL_MIGRATE_PLAN_H
#define DBL_MIGRATE_PLAN_H

#include <dblock/migrate.h>

#include "sql/dialect.h"

/* One row of the history. */
struct dbl_past {
	int64_t version;
	int64_t finished; /* us; 0 while it is running */
	bool applied;
	char name[201];
	char checksum[65];
	char by[401];
};

/* The history of one set of files, in order of version. */
struct dbl_history {
	struct dbl_past *rows;
	size_t n;
};

/* One version: known, or in the history, or both. */
struct dbl_step {
	const struct dbl_migration_text *text; /* NULL: a newer dblock's */
	const struct dbl_past *past;           /* NULL: never begun */
	enum dblock_migration_state state;
	bool changed; /* applied from another text than this library's */
};

/* A walk over all versions, in order. Begin with {known, history}. */
struct dbl_plan {
	const struct dbl_migration_text *known;
	const struct dbl_history *history;
	size_t at; /* in the history */
};

/* The next version; false at the end. */
bool dbl_plan_next(struct dbl_plan *, struct dbl_step *);

/* The next version that this library knows and that is not applied; false at the end. */
bool dbl_plan_pending(struct dbl_plan *, struct dbl_step *);

/* How many are pending. */
unsigned dbl_plan_count(const struct dbl_migration_text *known, const struct dbl_history *);

#endif
