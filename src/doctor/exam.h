/* SPDX-License-Identifier: MIT */
/* Inside src/doctor: one examination, and its topics. Each topic returns 0 to go on. */
#ifndef DBL_DOCTOR_EXAM_H
#define DBL_DOCTOR_EXAM_H

#include "doctor/doctor.h"
#include "sql/db.h"

struct dbl_exam {
	const struct dbl_target *target;
	const struct dbl_doctor_schema *schema;
	struct dbl_db *db;
	int endured;             /* 0: that is as durable as the target says; */
	struct dblock_error why; /* why not */
	int64_t deadline;
	dblock_finding_cb *found;
	void *arg;
};

/* A finding. remedy may be NULL. */
int dbl_exam_say(struct dbl_exam *, enum dblock_severity, const char *topic, const char *remedy,
		 const char *fmt, ...) DBL_PRINTF(5, 6);

/* Something could not be looked at: good to know where a right is missing, else a warning. */
int dbl_exam_blind(struct dbl_exam *, const char *topic, const char *what, int rc,
		   const struct dblock_error *err);

/* Run an operation on the connection. */
int dbl_exam_run(struct dbl_exam *, struct dbl_db *, enum dbl_op, struct dbl_args args,
		 int (*row)(void *, const struct dbl_value *), void *ctx, struct dblock_error *err);

int dbl_exam_facts(struct dbl_exam *);      /* facts.c: what rules.def is about */
int dbl_exam_durability(struct dbl_exam *); /* durability.c: of this client */
int dbl_exam_schema(struct dbl_exam *);     /* schema.c */
int dbl_exam_rights(struct dbl_exam *);     /* rights.c: on our tables, by trying */
int dbl_exam_clock(struct dbl_exam *);      /* clock.c */
int dbl_exam_pool(struct dbl_exam *);       /* pool.c: is the connection ours alone? */
int dbl_exam_file(struct dbl_exam *);       /* file.c: of databases that are a file */

/* wake.c, within pool.c: is our second connection rung, if it listens? */
int dbl_exam_wake(struct dbl_exam *, struct dbl_db *second);

#endif
