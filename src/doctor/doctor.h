/* SPDX-License-Identifier: MIT */
/* Examines a database, topic by topic. What it knows of each kind of database is in
 * sql/<dialect>/doctor/, sql/common/doctor/ and rules.def. */
#ifndef DBL_DOCTOR_DOCTOR_H
#define DBL_DOCTOR_DOCTOR_H

#include <dblock/doctor.h>

#include "base/err.h"
#include "sql/target.h"

/* What the history of migrations says; the caller reads it, as src/doctor cannot. */
struct dbl_doctor_schema {
	int rc; /* the outcome of reading it */
	struct dblock_error err;
	int applied, pending, running, newer, changed;
	char first[128]; /* the first one that is pending or running */
};

/* The outcomes are those of dblock_doctor(). The deadline is for all topics together. */
int dbl_doctor(const struct dbl_target *, const struct dbl_doctor_schema *, int64_t deadline,
	       dblock_finding_cb *found, void *arg, struct dblock_error *err);

#endif
