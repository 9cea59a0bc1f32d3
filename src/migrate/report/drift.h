/* SPDX-License-Identifier: MIT */
/* Finds whether a set does not fit what was applied. Pure functions, without a connection. */
#ifndef DBL_MIGRATE_DRIFT_H
#define DBL_MIGRATE_DRIFT_H

#include "migrate/history/history.h"

/* Fails if this set cannot be applied to this history. DBLOCK_E_DRIFT: a file was changed or is
 * missing after it was applied, or comes too late (not for the library's own). E_SCHEMA: the tables
 * of this older dblock cannot be migrated. E_INVALID: which->to is not in the set. */
int dbl_drift_check(const struct dbl_set *, const struct dbl_history *,
		    const struct dblock_migrate_options *which, struct dblock_error *err);

#endif
