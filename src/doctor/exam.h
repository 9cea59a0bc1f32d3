/* SPDX-License-Identifier: MIT */
/* For src/doctor only: one examination, and its topics. A topic returns 0 to go on. */
#ifndef DBL_DOCTOR_EXAM_H
#define DBL_DOCTOR_EXAM_H

#include "doctor/doctor.h"
#include "sql/db.h"

struct dbl_exam {
	const struct dbl_target *target;
	const struct dbl_doctor_schema *schema;
	struct dbl_db *db;
	int endured;             /* 0: the connection is as durable as the target asks for */
	struct dblock_error why; /* why it is not, else */
	int64_t deadline;
	dblock_finding_cb *found;
	void *arg;
};

/* Reports a finding. The remedy may be NULL. */
int dbl_exam_say(struct dbl_exam *, enum dblock_severity, const char *topic, const char *remedy,
		 const char *fmt, ...) DBL_PRINTF(5, 6);

/* Reports that something could not be read: that is OK if a right is missing, else a warning. */
int dbl_exam_blind(struct dbl_exam *, const char *topic, const char *what, int rc,
		   const struct dblock_error *err);

/* In words, rounded down. */
enum { DBL_SPAN_TEXT = 64 };
void dbl_exam_span(int64_t us, char text[DBL_SPAN_TEXT]);

/* Runs an operation on the connection. */
int dbl_exam_run(struct dbl_exam *, struct dbl_db *, enum dbl_op, struct dbl_args args,
		 int (*row)(void *, const struct dbl_value *), void *ctx, struct dblock_error *err);

int dbl_exam_facts(struct dbl_exam *);      /* facts.c: what rules.def says of the settings */
int dbl_exam_durability(struct dbl_exam *); /* durability.c: what this client may rely on */
int dbl_exam_schema(struct dbl_exam *);     /* schema.c */
int dbl_exam_rights(struct dbl_exam *);     /* rights.c: tries what this user may do */
int dbl_exam_clock(struct dbl_exam *);      /* clock.c */
int dbl_exam_pool(struct dbl_exam *);       /* pool.c: whether the connection is ours alone */
int dbl_exam_outbox(struct dbl_exam *);     /* outbox.c: whether messages are delivered */
int dbl_exam_global(struct dbl_exam *);     /* global.c: what is left of them */
int dbl_exam_file(struct dbl_exam *);       /* file.c: for a database that is a file */

/* wake.c, called by pool.c: whether a notification reaches our second connection. */
int dbl_exam_wake(struct dbl_exam *, struct dbl_db *second);

#endif
