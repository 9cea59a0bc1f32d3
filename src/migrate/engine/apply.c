/* SPDX-License-Identifier: MIT */
#include "migrate/engine/job.h"

/* The file is run: read what the history says now, and tell. */
static int tell(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	struct dbl_runner on = dbl_run_runner(run);
	struct dbl_past row;
	bool there;
	int rc;

	run->history.there = true;
	if (job->down) {
		dbl_run_done(run, job->file, NULL);
		return 0;
	}
	rc = dbl_history_row(&on, run->set.scope, job->file->version, &row, &there, err);
	if (rc == 0 && there)
		dbl_run_done(run, job->file, &row);
	return dbl_run_lost(run, rc);
}

static int run_job(struct dbl_job *job, const struct dbl_past *past, struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	int rc = dbl_job_open(job, past, err);

	if (rc == 0 && !run->set.own)
		rc = dbl_run_lost(run, dbl_run_session(run, err));
	if (rc)
		return rc;
	rc = job->script->stepwise ? dbl_job_stepwise(job, err) : dbl_job_in_tx(job, err);
	return rc ? rc : tell(job, err);
}

int dbl_apply(struct dbl_run *run, const struct dbl_file *file, const struct dbl_past *past,
	      bool down, struct dblock_error *err)
{
	struct dbl_job job = {
		.run = run,
		.file = file,
		.script = down ? &file->down : &file->up,
		.down = down,
	};
	int rc = run_job(&job, past, err);

	/* Not refused by the database: then the message says nothing of the file. And of the
	 * library's own files the user has no folder. */
	if (rc < 0 && (run->set.own ||
		       (rc != DBLOCK_E_REPAIR && rc != DBLOCK_E_MIGRATION && job.about.at == 0)))
		dbl_err_prefix(err, "migration %04lld_%s", (long long)file->version, file->name);
	dbl_job_close(&job);
	return rc;
}
