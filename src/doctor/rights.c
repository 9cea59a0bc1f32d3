/* SPDX-License-Identifier: MIT */
/* Finds whether this user may do what dblock does, by trying it: with statements that touch no row,
 * in transactions that are rolled back. */
#include "doctor/exam.h"

static const char topic[] = "rights";

/* An outcome that no driver returns: it rolls the transaction back though all went well. */
enum { UNDO = 1 };

static int attempt(struct dbl_exam *exam, enum dbl_op op, struct dblock_error *err)
{
	int rc = dbl_db_begin(exam->db, exam->deadline, err);

	if (rc)
		return rc;
	rc = dbl_db_script(exam->db, op, exam->deadline, err);
	rc = dbl_db_end(exam->db, rc ? rc : UNDO, exam->deadline, err);
	return rc == UNDO ? 0 : rc;
}

static int complain(struct dbl_exam *exam, int rc, const struct dblock_error *err)
{
	if (rc == DBLOCK_E_DENIED)
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
				    "grant this user what docs/operator/sql.md lists",
				    "a right is missing: %s", err->message);
	if (rc == DBLOCK_E_READONLY)
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, "writable",
				    "connect to the primary, or make the database writable",
				    "the database cannot be written: %s", err->message);
	if (rc == DBLOCK_E_SCHEMA)
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, "schema",
				    "put back what is missing, or drop all and migrate anew",
				    "the tables are not what the history says: %s", err->message);
	if (rc == DBLOCK_E_BLOCKED || rc == DBLOCK_E_NO_ANSWER)
		return dbl_exam_say(exam, DBLOCK_FINDING_WARNING, "writable",
				    "find out who keeps it locked, and for how long",
				    "the tables are locked by somebody else: %s", err->message);
	return dbl_exam_say(
		exam, DBLOCK_FINDING_WRONG, "writable",
		"connect to a server that takes writes, or see docs/operator/operations.md",
		"what dblock writes is refused: %s", err->message);
}

int dbl_exam_rights(struct dbl_exam *exam)
{
	static const enum dbl_op daily[] = {DBL_OP_doctor_select, DBL_OP_doctor_insert,
					    DBL_OP_doctor_update, DBL_OP_doctor_delete};
	const struct dbl_doctor_schema *schema = exam->schema;
	struct dblock_error err = {0};
	int rc = 0;

	if (schema->rc || schema->pending || schema->running)
		return 0;
	for (size_t i = 0; i < sizeof(daily) / sizeof(daily[0]) && rc == 0; i++)
		rc = attempt(exam, daily[i], &err);
	if (rc)
		return complain(exam, rc, &err);
	rc = dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
			  "this user may read and write the tables");
	if (rc)
		return rc;
	rc = attempt(exam, DBL_OP_doctor_reap, &err);
	if (rc && rc != DBLOCK_E_DENIED)
		return complain(exam, rc, &err);
	return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
			    rc ? "this user may not run 'dblock reap', as an application need not"
			       : "this user may run 'dblock reap'");
}
