/* SPDX-License-Identifier: MIT */
/* What a set has against what the database has had: pure, no connection. */
#ifndef DBL_MIGRATE_PLAN_H
#define DBL_MIGRATE_PLAN_H

#include "migrate/history/history.h"
#include "migrate/set/set.h"

/* One version: in the set, or in the history, or both. */
struct dbl_step {
	int64_t version;
	const char *name;
	const struct dbl_file *file; /* NULL: not in this set */
	const struct dbl_past *past; /* NULL: never begun */
	enum dblock_migration_state state;
	bool changed;      /* applied from another text than the one in the set */
	bool out_of_order; /* not applied, though one with a larger number is */
	bool newer;        /* not in this set, and above all that is */
};

/* A walk over all versions, in order. Begin with {set, history}. */
struct dbl_plan {
	const struct dbl_set *set;
	const struct dbl_history *history;
	size_t file_at, past_at;
};

/* The last row of an older dblock, below all of the library's own set; NULL: there is none. Version
 * 0.1.0 has applied 1 to 15, and the set makes of its tables what they are now. */
const struct dbl_past *dbl_plan_older(const struct dbl_set *, const struct dbl_history *);

/* It is that of version 0.1.0, and done. */
bool dbl_plan_is_0_1_0(const struct dbl_past *older);
enum { DBL_LAST_OF_0_1_0 = 15 };

/* The next version; false at the end. Of those of an older dblock there is only the last one. */
bool dbl_plan_next(struct dbl_plan *, struct dbl_step *);

/* The next version that is in the set and not applied; false at the end. */
bool dbl_plan_pending(struct dbl_plan *, struct dbl_step *);

/* The same of those that `up` shall apply, once so many are done. */
bool dbl_plan_wanted(struct dbl_plan *, const struct dblock_migrate_options *, int64_t done,
		     struct dbl_step *);

/* How many are pending. */
unsigned dbl_plan_count(const struct dbl_set *, const struct dbl_history *);

#endif
