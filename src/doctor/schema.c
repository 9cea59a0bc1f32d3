/* SPDX-License-Identifier: MIT */
/* Finds whether dblock's tables are there, and up to date. */
#include <stdio.h>

#include "doctor/exam.h"
#include "driver/value.h"

static const char topic[] = "schema";

static int take_int(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

static bool is_new_file(struct dbl_exam *exam)
{
	int64_t is_new = 0;

	return dbl_exam_run(exam, exam->db, DBL_OP_is_new, DBL_NO_ARGS, take_int, &is_new, NULL) ==
		       0 &&
	       is_new;
}

struct place {
	char text[200];
};

static int take_place(void *ctx, const struct dbl_value *row)
{
	struct place *place = ctx;

	snprintf(place->text, sizeof(place->text), "%.*s", (int)row[0].len, row[0].text);
	return 0;
}

/* Looks for the tables in other schemas, as the user may have forgotten --schema. */
static int say_none(struct dbl_exam *exam)
{
	const struct dbl_names *names = &exam->target->names;
	char table[DBL_PREFIX_MAX + 16];
	struct place place = {.text = ""};

	snprintf(table, sizeof(table), "%slock", names->prefix);
	(void)dbl_exam_run(exam, exam->db, DBL_OP_migration_elsewhere,
			   DBL_ARGS_OF(dbl_text(names->schema), dbl_text(table)), take_place,
			   &place, NULL);
	if (place.text[0])
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
				    "give the --schema that they are in",
				    "the tables of dblock are not in schema %s, but in another "
				    "one: --schema %s",
				    names->schema, place.text);
	return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
			    "run 'dblock schema up', as a user who may create tables",
			    "the tables of dblock are not there");
}

static int say_pending(struct dbl_exam *exam)
{
	const struct dbl_doctor_schema *schema = exam->schema;
	int all = schema->applied + schema->pending + schema->running;

	if (schema->applied == 0 && schema->running == 0) {
		if (is_new_file(exam))
			return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
					    "the file is new: it gets its tables at first use");
		return say_none(exam);
	}
	return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
			    "run 'dblock schema up', as a user who may create tables",
			    "%d of %d migrations are not applied; the first is %s%s",
			    schema->pending + schema->running, all, schema->first,
			    schema->running ? ", which was begun and not finished" : "");
}

static int say_tickets(struct dbl_exam *exam)
{
	const struct dbl_names *names = &exam->target->names;
	char sequence[DBL_PREFIX_MAX + 32];
	struct dblock_error err = {0};
	int64_t behind = 0;
	int rc;

	snprintf(sequence, sizeof(sequence), "%squeue_ticket_seq", names->prefix);
	rc = dbl_exam_run(exam, exam->db, DBL_OP_doctor_tickets,
			  DBL_ARGS_OF(dbl_text(names->schema), dbl_text(sequence)), take_int,
			  &behind, &err);
	if (rc)
		return dbl_exam_blind(exam, topic, "what has been granted so far", rc, &err);
	if (!behind)
		return 0;
	return dbl_exam_say(exam, DBLOCK_FINDING_WARNING, topic,
			    "set the sequence, as its owner: docs/operator/high-availability.md",
			    "the tables were copied without the sequence that counts tickets: "
			    "until it is above what has been granted, each wait costs a "
			    "transaction more");
}

int dbl_exam_schema(struct dbl_exam *exam)
{
	const struct dbl_doctor_schema *schema = exam->schema;
	int rc = 0;

	if (schema->rc == DBLOCK_E_DENIED)
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
				    "grant this user SELECT on the history (docs/operator/sql.md)",
				    "the history of migrations may not be read: %s",
				    schema->err.message);
	if (schema->rc)
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
				    "choose another --prefix or --schema, if that is not ours",
				    "%s", schema->err.message);
	if (schema->pending || schema->running)
		rc = say_pending(exam);
	else
		rc = dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
				  "all %d migrations are applied", schema->applied);
	if (rc == 0 && schema->newer)
		rc = dbl_exam_say(exam, DBLOCK_FINDING_WARNING, topic, "update dblock here as well",
				  "%d migrations are of a newer dblock than this one",
				  schema->newer);
	if (rc == 0 && schema->changed)
		rc = dbl_exam_say(exam, DBLOCK_FINDING_WARNING, topic,
				  "compare the tables with migrations/ by hand",
				  "%d migrations were applied from another text than the one that "
				  "is built in",
				  schema->changed);
	if (rc == 0 && schema->applied)
		rc = say_tickets(exam);
	return rc;
}
