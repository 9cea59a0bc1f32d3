/* SPDX-License-Identifier: MIT */
/* A set that does not fit what was applied: pure, no connection. */
#ifndef DBL_MIGRATE_DRIFT_H
#define DBL_MIGRATE_DRIFT_H

#include "migrate/history/history.h"

/* May this set be applied to this history at all? DBLOCK_E_DRIFT: a file was changed or is missing
 * after it was applied, or one comes too late; the library's own are free of that. E_SCHEMA: they
 * cannot be applied to these tables of an older dblock. E_INVALID: which->to is not in the set. */
int dbl_drift_check(const struct dbl_set *, const struct dbl_history *,
		    const struct dblock_migrate_options *which, struct dblock_error *err);

#endif
