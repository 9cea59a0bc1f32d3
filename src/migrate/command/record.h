/* SPDX-License-Identifier: MIT */
/* Records files as applied, without running them. */
#ifndef DBL_MIGRATE_RECORD_H
#define DBL_MIGRATE_RECORD_H

#include "migrate/engine/run.h"

/* Records all files for which `wanted` is true, in one transaction. The call must be inside the gate.
 * E_DRIFT: something of the scope is recorded already, and not by an earlier try of this call. */
int dbl_record(struct dbl_run *, bool (*wanted)(const struct dbl_file *, void *ctx), void *ctx,
	       struct dblock_error *err);

/* Records one file, whatever else is recorded. The call must be inside the gate. */
int dbl_record_one(struct dbl_run *, int64_t version, struct dblock_error *err);

/* Fails with E_DRIFT, as the scope has a history of its own. */
int dbl_record_refuse(const struct dbl_run *, struct dblock_error *err);

/* Whether an earlier try of this call, whose reply was lost, has recorded all. */
bool dbl_record_is_done(const struct dbl_run *);

#endif
