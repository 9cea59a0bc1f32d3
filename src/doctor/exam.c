/* SPDX-License-Identifier: MIT */
#include "doctor/exam.h"

#include <inttypes.h>
#include <stdio.h>

int dbl_exam_say(struct dbl_exam *exam, enum dblock_severity severity, const char *topic,
		 const char *remedy, const char *fmt, ...)
{
	char text[1024];
	struct dblock_finding finding = {.size = sizeof(finding),
					 .severity = severity,
					 .topic = topic,
					 .text = text,
					 .remedy = remedy ? remedy : ""};
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return exam->found(exam->arg, &finding);
}

int dbl_exam_blind(struct dbl_exam *exam, const char *topic, const char *what, int rc,
		   const struct dblock_error *err)
{
	if (rc == DBLOCK_E_DENIED)
		return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
				    "this user may not see %s (%s)", what, err->message);
	return dbl_exam_say(exam, DBLOCK_FINDING_WARNING, topic, "see whether it happens again",
			    "%s could not be read: %s", what, err->message);
}

void dbl_exam_span(int64_t us, char text[DBL_SPAN_TEXT])
{
	int64_t minutes = us / INT64_C(60000000), hours = minutes / 60;

	if (hours >= 48)
		snprintf(text, DBL_SPAN_TEXT, "%" PRId64 " days", hours / 24);
	else
		snprintf(text, DBL_SPAN_TEXT, "%" PRId64 " h %" PRId64 " min", hours, minutes % 60);
}

int dbl_exam_run(struct dbl_exam *exam, struct dbl_db *db, enum dbl_op op, struct dbl_args args,
		 int (*row)(void *, const struct dbl_value *), void *ctx, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .args = args, .row = row, .ctx = ctx, .deadline = exam->deadline};

	return dbl_db_run(db, &request, err);
}
