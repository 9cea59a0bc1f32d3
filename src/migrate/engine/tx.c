/* SPDX-License-Identifier: MIT */
/*
 * Runs a file as one transaction, its row included. The row is written first: the process that
 * inserts it runs the file. Others find it once this transaction is committed, or insert it
 * themselves if it is rolled back. So nothing is ever left half done.
 */
#include <string.h>

#include "base/str.h"
#include "migrate/engine/job.h"

/* ---- SQLite: references --------------------------------------------------------------------- */

static int take_line(void *ctx, const struct dbl_value *row)
{
	struct dbl_str *lines = ctx;

	dbl_str_addn(lines, row[0].text, row[0].len);
	dbl_str_add(lines, "\n");
	return 0;
}

/* Reads the rows whose foreign key refers to nothing, one a line. */
static int read_dangling(struct dbl_job *job, struct dbl_str *lines, struct dblock_error *err)
{
	struct dbl_request request = {.op = DBL_OP_foreign_key_check,
				      .row = take_line,
				      .ctx = lines,
				      .deadline = DBL_NEVER};
	int rc;

	dbl_str_add(lines, "\n");
	rc = job->script->hoisted ? dbl_db_run(job->run->db, &request, err) : 0;
	return rc == 0 && lines->failed ? dbl_fail(err, DBLOCK_E_NOMEM, "out of memory") : rc;
}

/* Fails if one was not there before. A line is searched for with the line ends around it. */
static int compare_dangling(struct dbl_job *job, const struct dbl_str *before,
			    struct dbl_str *after, struct dblock_error *err)
{
	for (char *at = after->text; at[1];) {
		char *end = strchr(at + 1, '\n'), next = end[1];
		bool known;

		end[1] = '\0';
		known = strstr(before->text, at) != NULL;
		if (!known) {
			*end = '\0';
			job->at = job->pieces->n + 1;
			return dbl_fail(err, DBLOCK_E_MIGRATION,
					"afterwards a row would refer to nothing (table, row, "
					"parent, key): %s",
					at + 1);
		}
		end[1] = next;
		at = end;
	}
	return 0;
}

/* ---- the transaction ------------------------------------------------------------------------ */

/* A statement has ended the transaction: looks at the history to find what was committed. */
static int surprise(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_past row;
	bool there = false;
	int rc = dbl_history_row(dbl_run_on(job->run), job->file->version, &row, &there, err);

	if (rc == 0 && (!there || row.state == DBL_ROW_APPLIED))
		rc = dbl_fail(err, DBLOCK_E_MIGRATION,
			      "it ended the transaction that it is part of; leave that out: "
			      "dblock begins and ends it itself");
	if (rc)
		return rc;
	job->row = row;
	row.begun = job->at;
	row.done = job->at - 1;
	dbl_pieces_sum(job->pieces, job->at - 1, row.prefix);
	rc = dbl_job_move(job, &row, err);
	return rc ? rc : dbl_job_stop(job, dbl_report_in_doubt(job, err));
}

static int send_all(struct dbl_job *job, struct dblock_error *err)
{
	unsigned first = (unsigned)job->row.done + 1;
	int rc = dbl_job_settings(job, err);

	if (first <= job->script->hoisted)
		first = job->script->hoisted + 1;
	for (unsigned k = first; rc == 0 && k <= job->pieces->n; k++) {
		rc = dbl_run_canceled(job->run, err);
		if (rc == 0)
			rc = dbl_job_send(job, k, err);
		if (rc == 0 && !dbl_db_in_tx(job->run->db))
			return surprise(job, err);
	}
	return rc;
}

/* Makes the history within the transaction for the library's own files, so that they leave nothing
 * if they fail, and for a database file, where the transaction is the gate. Else it is made before:
 * CREATE TABLE may end a transaction, and other scopes would wait until a user's file is done. */
static int make_history(struct dbl_job *job, bool in_tx, struct dblock_error *err)
{
	const struct dbl_dialect *dialect = job->target->dialect;
	bool inside = dialect->ddl_in_tx && (job->own || dialect->is_file);

	return in_tx == inside ? dbl_run_make_history(job->run, err) : 0;
}

/* Whether only the transaction keeps other processes out. */
static bool is_own_gate(const struct dbl_job *job)
{
	return job->target->dialect->is_file && !job->own && !job->down;
}

static int take_row(struct dbl_job *job, struct dblock_error *err)
{
	int rc = make_history(job, true, err);

	if (rc == 0)
		rc = dbl_note_heed(job, err);
	if (rc == 0 && is_own_gate(job))
		rc = dbl_run_lost(job->run, dbl_db_send(job->run->db, "SAVEPOINT dblock_file",
							dbl_run_deadline(job->run), err));
	return rc ? rc : dbl_job_claim(job, err);
}

int dbl_job_within(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_str before = {0}, after = {0};
	int rc = take_row(job, err);

	if (rc == 0)
		rc = read_dangling(job, &before, err);
	if (rc == 0)
		rc = send_all(job, err);
	if (rc == 0)
		rc = read_dangling(job, &after, err);
	if (rc == 0)
		rc = compare_dangling(job, &before, &after, err);
	if (rc == 0)
		rc = dbl_job_finish(job, err);
	dbl_str_free(&before);
	dbl_str_free(&after);
	return rc;
}

/* Where only the transaction keeps others out, a refused file is undone, and that is noted, in the
 * same transaction, before they get in. */
static void note_inside(struct dbl_job *job, int rc, const struct dblock_error *err)
{
	struct dbl_db *db = job->run->db;
	int64_t deadline = dbl_run_deadline(job->run);
	struct dblock_error said = *err;

	if (!is_own_gate(job) || job->at == 0 || rc >= 0 || rc == DBLOCK_E_REPAIR ||
	    rc == DBLOCK_E_BLOCKED || rc == DBLOCK_E_CONFLICT || dbl_db_broken(db) ||
	    dbl_db_send(db, "ROLLBACK TO dblock_file", deadline, NULL))
		return;
	rc = dbl_report_refused(job, rc, &said);
	dbl_report_rolled_back(job, false, &said);
	dbl_note_failure(job, rc, said.message);
	(void)dbl_db_end(db, 0, deadline, NULL);
}

static int transact(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	int rc = make_history(job, false, err);

	if (rc == 0)
		rc = dbl_gate_begin(run, err);
	if (rc)
		return rc;
	if (!job->own)
		rc = dbl_run_set_local(run, err);
	rc = rc ? rc : dbl_job_within(job, err);
	if (rc == 0) {
		/* COMMIT checks deferred constraints, which may take long. */
		job->at = job->pieces->n + 1;
		rc = dbl_db_end(run->db, 0, job->own ? dbl_run_deadline(run) : DBL_NEVER, err);
		return dbl_run_lost(run, rc);
	}
	/* COMMIT was not sent, so if the connection is lost, nothing was done. */
	rc = dbl_db_undone(run->db, rc, dbl_run_deadline(run), err);
	note_inside(job, rc, err);
	if (dbl_db_broken(run->db) || dbl_db_in_tx(run->db))
		rc = dbl_db_end(run->db, rc, dbl_run_deadline(run), err);
	return rc;
}

/* ---- before and behind it ------------------------------------------------------------------- */

static void set_references(struct dbl_job *job, int64_t on)
{
	if (job->script->hoisted && !dbl_db_broken(job->run->db) &&
	    dbl_db_send(job->run->db, on ? "PRAGMA foreign_keys = ON" : "PRAGMA foreign_keys = OFF",
			dbl_run_deadline(job->run), NULL))
		job->run->again = DBL_AGAIN_CONNECT;
}

static int attempt(struct dbl_job *job, struct dblock_error *err)
{
	int64_t references = 0;
	int rc = 0;

	job->at = 0;
	*job->rows = 0;
	if (job->script->hoisted)
		rc = dbl_ask(dbl_run_on(job->run), DBL_OP_foreign_keys, DBL_NO_ARGS, &references,
			     err);
	for (unsigned k = 1; rc == 0 && k <= job->script->hoisted; k++)
		rc = dbl_job_send(job, k, err);
	if (rc == 0) {
		job->at = 0;
		rc = transact(job, err);
	}
	set_references(job, references);
	return rc;
}

int dbl_job_in_tx(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_past row = job->row;
	bool lost;
	int rc;

	do {
		job->row = row;
		rc = attempt(job, err);
		/* Only the failure of a statement is reported below, not that of the history. */
		if (rc >= 0 || job->run->again != DBL_AGAIN_NOT || job->at == 0)
			return rc;
	} while (dbl_job_again(job, rc));
	if (rc == DBLOCK_E_REPAIR)
		return rc;
	lost = dbl_db_broken(job->run->db);
	if (lost && job->own)
		return dbl_run_lost(job->run, rc);
	job->blocked = rc == DBLOCK_E_BLOCKED;
	rc = lost ? dbl_job_stop(job, dbl_report_lost(job, rc, err))
		  : dbl_report_refused(job, rc, err);
	dbl_report_rolled_back(job, lost, err);
	dbl_job_blocked(job, err);
	dbl_note_failure(job, rc, err->message);
	return rc;
}
