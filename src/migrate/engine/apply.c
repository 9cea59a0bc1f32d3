/* SPDX-License-Identifier: MIT */
/* Runs files: each by itself, or all of the library's own in one transaction. */
#include <string.h>

#include "base/err.h"
#include "driver/value.h"
#include "migrate/engine/job.h"

/* Tells the caller of a file that was run, with its row as the history has it now. */
static int tell(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	struct dbl_past row;
	bool there;
	int rc;

	run->history.there = true;
	if (job->down) {
		dbl_run_done(run, job->file, NULL);
		return 0;
	}
	rc = dbl_history_row(dbl_run_on(run), job->file->version, &row, &there, err);
	if (rc == 0 && there)
		dbl_run_done(run, job->file, &row);
	return dbl_run_lost(run, rc);
}

/* ---- what a user's file begins with ----------------------------------------------------------- */

static int set(struct dbl_run *run, enum dbl_op op, struct dblock_error *err)
{
	struct dbl_value ms = dbl_int(run->which.lock_timeout_ms);
	struct dbl_request request = {
		.op = op, .args = DBL_ARG(ms), .deadline = dbl_run_deadline(run)};

	return dbl_run_lost(run, dbl_db_run(run->db, &request, err));
}

int dbl_run_set_session(struct dbl_run *run, struct dblock_error *err)
{
	int rc;

	if (dbl_db_pooled(run->db))
		return 0;
	rc = dbl_db_script(run->db, DBL_OP_migrate_reset, dbl_run_deadline(run), err);
	return rc ? dbl_run_lost(run, rc) : set(run, DBL_OP_migrate_session, err);
}

int dbl_run_set_local(struct dbl_run *run, struct dblock_error *err)
{
	return dbl_db_pooled(run->db) ? set(run, DBL_OP_migrate_local, err) : 0;
}

int dbl_run_own_role(struct dbl_run *run, struct dblock_error *err)
{
	if (!dbl_db_pooled(run->db))
		return dbl_db_script(run->db, DBL_OP_migrate_role, dbl_run_deadline(run), err);
	return dbl_db_in_tx(run->db) ? set(run, DBL_OP_migrate_local, err) : 0;
}

int dbl_run_as_file(struct dbl_run *run, dbl_run_cb *cb, void *ctx, struct dblock_error *err)
{
	int rc;

	if (!dbl_db_pooled(run->db)) {
		rc = dbl_run_set_session(run, err);
		return rc ? rc : cb(run, ctx, err);
	}
	rc = dbl_db_begin(run->db, dbl_run_deadline(run), err);
	if (rc)
		return rc;
	rc = dbl_run_set_local(run, err);
	if (rc == 0)
		rc = cb(run, ctx, err);
	return dbl_db_end(run->db, rc, dbl_run_deadline(run), err);
}

/* ---- one after another ------------------------------------------------------------------------ */

static int run_alone(struct dbl_job *job, struct dblock_error *err)
{
	int rc = job->own ? 0 : dbl_run_set_session(job->run, err);

	if (rc)
		return rc;
	rc = job->script->stepwise ? dbl_job_stepwise(job, err) : dbl_job_in_tx(job, err);
	return rc ? rc : tell(job, err);
}

static int run_among(struct dbl_job *job, struct dblock_error *err)
{
	int rc = dbl_job_within(job, err);

	return rc < 0 && job->at > 0 && !dbl_db_broken(job->run->db)
		       ? dbl_report_refused(job, rc, err)
		       : rc;
}

static int apply(struct dbl_run *run, const struct dbl_step *step,
		 int (*how)(struct dbl_job *, struct dblock_error *err), struct dblock_error *err)
{
	struct dbl_job job;
	char label[DBL_LABEL];
	int rc = dbl_job_open(&job, run, step, err);

	if (rc == 0)
		rc = how(&job, err);
	/* The message names no file if the database did not refuse a statement, nor for the
	 * library's own files, of which the user has no folder. */
	if (rc < 0 &&
	    (job.own || (rc != DBLOCK_E_REPAIR && rc != DBLOCK_E_MIGRATION && job.at == 0)))
		dbl_err_prefix(err, "migration %s",
			       dbl_label(label, job.file->version, job.file->name));
	dbl_pieces_free(job.pieces);
	return rc;
}

int dbl_apply_each(struct dbl_run *run, dbl_next_cb *next, void *ctx, struct dblock_error *err)
{
	struct dbl_step step;
	int rc = 0;

	while (rc == 0 && next(run, ctx, &step)) {
		rc = dbl_run_canceled(run, err);
		if (rc == 0)
			rc = apply(run, &step, run_alone, err);
	}
	return rc;
}

int dbl_apply_together(struct dbl_run *run, dbl_next_cb *next, void *ctx, dbl_run_cb *before,
		       struct dblock_error *err)
{
	struct dbl_step step;
	int rc = dbl_gate_begin(run, err);

	if (rc)
		return rc;
	if (before)
		rc = before(run, ctx, err);
	while (rc == 0 && next(run, ctx, &step))
		rc = apply(run, &step, run_among, err);
	rc = dbl_db_undone(run->db, rc, dbl_run_deadline(run), err);
	rc = dbl_run_lost(run, dbl_db_end(run->db, rc, dbl_run_deadline(run), err));
	if (rc && rc != DBLOCK_E_UNSURE)
		memset(run->began, 0, run->set.n * sizeof(*run->began)); /* it was rolled back */
	else if (rc == 0)
		rc = dbl_run_lost(run, dbl_run_look(run, err));
	return rc;
}
