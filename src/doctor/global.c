/* SPDX-License-Identifier: MIT */
/* Finds transactions over several databases that were left: their rows stay locked until a recovery comes. */
#include <inttypes.h>
#include <stdio.h>

#include "doctor/exam.h"
#include "driver/value.h"
#include "sql/tx.h"
#include "sql/xid.h"

static const char topic[] = "global";
static const char remedy[] =
	"run 'dblock recover' from a timer, with all databases that take part; "
	"'dblock global ls' says what each one waits for";

/* A recovery that runs each minute has done it by then. */
#define OLD_US INT64_C(600000000)

/* doctor_global reads no more. */
enum { SOME = 20 };

struct left {
	int64_t now, n, oldest; /* us */
	char id[17];            /* of the oldest */
};

static int take_prepared(void *ctx, const struct dbl_value *row)
{
	struct left *left = ctx;
	char all[DBL_GTRID_LEN + DBL_BQUAL_MAX + 1];
	struct dbl_xid xid;
	int64_t age;

	snprintf(all, sizeof(all), "%.*s", (int)row[3].len, row[3].text);
	if (row[1].i != DBL_GTRID_LEN || !dbl_xid_read(&xid, all))
		return 0;
	age = left->now - xid.since * 1000000;
	left->n += age >= OLD_US;
	if (age < OLD_US || age <= left->oldest)
		return 0;
	left->oldest = age;
	memcpy(left->id, xid.id, sizeof(left->id));
	return 0;
}

static int say_prepared(struct dbl_exam *exam, const struct left *left)
{
	char span[DBL_SPAN_TEXT];

	dbl_exam_span(left->oldest, span);
	return dbl_exam_say(exam, DBLOCK_FINDING_WARNING, topic, remedy,
			    "branches of transactions over several databases that are prepared: "
			    "%" PRId64 ", the oldest (%s) for %s: their rows stay locked",
			    left->n, left->id, span);
}

static int take_decided(void *ctx, const struct dbl_value *row)
{
	struct left *left = ctx;

	left->n++;
	if (row[0].i > left->oldest)
		left->oldest = row[0].i;
	return 0;
}

static int say_decided(struct dbl_exam *exam, const struct left *left)
{
	char span[DBL_SPAN_TEXT];

	dbl_exam_span(left->oldest, span);
	return dbl_exam_say(exam, DBLOCK_FINDING_WARNING, topic, remedy,
			    "transactions over several databases that were decided here, and are "
			    "not finished everywhere: %" PRId64 "%s, the oldest for %s",
			    left->n, left->n == SOME ? " or more" : "", span);
}

int dbl_exam_global(struct dbl_exam *exam)
{
	const struct dbl_doctor_schema *schema = exam->schema;
	struct left prepared = {.now = dbl_wall(exam->target->env)}, decided = {.n = 0};
	struct dblock_error err = {0};
	int rc;

	if (schema->rc || schema->pending || schema->running || !schema->applied)
		return 0;
	rc = dbl_exam_run(exam, exam->db, DBL_OP_doctor_global, DBL_ARGS_OF(dbl_int(OLD_US)),
			  take_decided, &decided, &err);
	if (rc)
		return dbl_exam_blind(exam, topic, "what was decided", rc, &err);
	/* Said before the next look, which takes a right that few have. */
	if (decided.n)
		rc = say_decided(exam, &decided);
	if (rc)
		return rc;
	rc = dbl_db_branch_list(exam->db, take_prepared, &prepared, exam->deadline, &err);
	if (rc)
		return dbl_exam_blind(exam, topic, "what is prepared", rc, &err);
	if (prepared.n)
		return say_prepared(exam, &prepared);
	if (decided.n)
		return 0;
	return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
			    "no transaction over several databases has been left for ten minutes");
}
