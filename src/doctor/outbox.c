/* SPDX-License-Identifier: MIT */
/* Finds whether messages are delivered, and whether what was delivered is cleared away. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <dblock/outbox.h>

#include "doctor/exam.h"
#include "driver/value.h"

static const char topic[] = "outbox";

#define HOUR_US INT64_C(3600000000)
#define AGE_US  (DBLOCK_OUTBOX_AGE_MS * 1000LL)

/* So many transactions that have yet to be cleared away are told of. */
enum { BEHIND = 1000000, TOLD_MAX = 20 };

struct rows {
	struct dbl_exam *exam;
	int told;
	int rc; /* what the caller's callback returned */
};

/* ---- what waits ------------------------------------------------------------------------------ */

static int say_age(struct rows *rows, const char *name, int64_t age)
{
	static const char remedy[] = "see that a relay of this topic runs (dblock_outbox_relay(), "
				     "'dblock outbox run'), and "
				     "what it says";
	enum dblock_severity severity =
		age >= AGE_US ? DBLOCK_FINDING_WRONG : DBLOCK_FINDING_WARNING;
	char span[DBL_SPAN_TEXT];

	dbl_exam_span(age, span);
	if (age < AGE_US / 2)
		return dbl_exam_say(rows->exam, severity, topic, remedy,
				    "topic '%s': a message has waited for %s: nobody delivers it, "
				    "or it does not get through",
				    name, span);
	return dbl_exam_say(rows->exam, severity, topic, remedy,
			    "topic '%s': a message has waited for %s to be delivered: behind one "
			    "that has for a week none is put (DBLOCK_E_FULL)",
			    name, span);
}

static int say_parked(struct rows *rows, const char *name, int64_t keys)
{
	return dbl_exam_say(rows->exam, DBLOCK_FINDING_WARNING, topic,
			    "see why with 'dblock outbox ls TOPIC'; then 'dblock outbox retry' "
			    "or 'drop'",
			    "topic '%s': keys that are parked: %" PRId64
			    ": of these nothing is delivered until somebody says so",
			    name, keys);
}

static int take_topic(void *ctx, const struct dbl_value *row)
{
	struct rows *rows = ctx;
	int64_t age = row[1].type == DBL_NULL ? 0 : row[1].i, parked = row[2].i;
	char name[DBLOCK_TOPIC_MAX + 1];

	if (rows->rc || rows->told >= TOLD_MAX || (age < HOUR_US && parked == 0))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)row[0].len, row[0].text);
	rows->told++;
	if (age >= HOUR_US)
		rows->rc = say_age(rows, name, age);
	if (rows->rc == 0 && parked > 0)
		rows->rc = say_parked(rows, name, parked);
	return 0;
}

/* ---- what was delivered ---------------------------------------------------------------------- */

static const char *remedy_of(const char *what)
{
	if (strcmp(what, "prepared transaction") == 0)
		return "COMMIT PREPARED or ROLLBACK PREPARED it";
	if (strcmp(what, "replication slot") == 0)
		return "let its standby come, or end that one's long queries; or "
		       "pg_drop_replication_slot()";
	if (strcmp(what, "history list") == 0)
		return "end the transactions that are open for long, and let the purge threads "
		       "come after";
	return "see why it is open for so long; end it";
}

static int take_holder(void *ctx, const struct dbl_value *row)
{
	struct rows *rows = ctx;
	char what[32], span[DBL_SPAN_TEXT], since[DBL_SPAN_TEXT + 8] = "";

	if (rows->rc)
		return 0;
	snprintf(what, sizeof(what), "%.*s", (int)row[0].len, row[0].text);
	if (row[2].type != DBL_NULL) {
		dbl_exam_span(row[2].i, span);
		snprintf(since, sizeof(since), ", for %s", span);
	}
	rows->told++;
	rows->rc = dbl_exam_say(rows->exam, DBLOCK_FINDING_WARNING, topic, remedy_of(what),
				"messages that were delivered are not cleared away, which makes "
				"delivering slow: kept by a %s %.*s%s",
				what, (int)row[1].len, row[1].text, since);
	return 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int look(struct rows *rows, enum dbl_op op, struct dbl_args args,
		int (*take)(void *, const struct dbl_value *), const char *what)
{
	struct dblock_error err = {0};
	int rc = dbl_exam_run(rows->exam, rows->exam->db, op, args, take, rows, &err);

	return rc ? dbl_exam_blind(rows->exam, topic, what, rc, &err) : rows->rc;
}

int dbl_exam_outbox(struct dbl_exam *exam)
{
	const struct dbl_doctor_schema *schema = exam->schema;
	struct rows rows = {.exam = exam};
	int rc;

	if (schema->rc || schema->pending || schema->running || !schema->applied)
		return 0;
	rc = look(&rows, DBL_OP_doctor_outbox, DBL_NO_ARGS, take_topic,
		  "what waits to be delivered");
	if (rc == 0)
		rc = look(&rows, DBL_OP_doctor_held_back,
			  DBL_ARGS_OF(dbl_int(HOUR_US), dbl_int(BEHIND)), take_holder,
			  "what keeps deleted rows");
	if (rc || rows.told)
		return rc;
	return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
			    "no message has waited for an hour, and no key is parked");
}
