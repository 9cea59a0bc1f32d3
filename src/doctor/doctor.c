/* SPDX-License-Identifier: MIT */
#include "doctor/doctor.h"

#include "doctor/exam.h"

static int examine(struct dbl_exam *exam)
{
	static int (*const topics[])(struct dbl_exam *) = {
		dbl_exam_facts,  dbl_exam_durability, dbl_exam_schema,
		dbl_exam_rights, dbl_exam_outbox,     dbl_exam_global,
		dbl_exam_clock,  dbl_exam_pool,       dbl_exam_file,
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]) && rc == 0; i++)
		rc = topics[i](exam);
	return rc;
}

int dbl_doctor(const struct dbl_target *target, const struct dbl_doctor_schema *schema,
	       int64_t deadline, dblock_finding_cb *found, void *arg, struct dblock_error *err)
{
	struct dbl_exam exam = {.target = target,
				.schema = schema,
				.deadline = deadline,
				.found = found,
				.arg = arg};
	int rc = dbl_db_open(&exam.db, target, deadline, err);

	if (rc)
		return rc;
	exam.endured = dbl_db_endure(exam.db, target->durability, deadline, &exam.why);
	rc = examine(&exam);
	dbl_db_close(exam.db);
	return rc;
}
