/* SPDX-License-Identifier: MIT */
/* Examines a database, topic by topic. What it knows of kinds of databases stands in
 * sql/<dialect>/doctor/, sql/common/doctor/ and rules.def. */
#ifndef DBL_DOCTOR_DOCTOR_H
#define DBL_DOCTOR_DOCTOR_H

#include <dblock/doctor.h>

#include "base/err.h"
#include "sql/target.h"

/* What the history of migrations says; it comes from above, since migrations are another wing. */
struct dbl_doctor_schema {
	int rc; /* of reading it */
	struct dblock_error err;
	int applied, pending, running, newer, changed;
	char first[128]; /* the first one that is pending or running */
};

/* Outcomes as dblock_doctor(). The deadline is for all of it. */
int dbl_doctor(const struct dbl_target *, const struct dbl_doctor_schema *, int64_t deadline,
	       dblock_finding_cb *found, void *arg, struct dblock_error *err);

#endif
