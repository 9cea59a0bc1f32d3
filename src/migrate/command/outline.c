/* SPDX-License-Identifier: MIT */
/* What `up` would do, for a person to look at before. Nothing is written, and nobody waited for. */
#include "base/mem.h"
#include "migrate/command/migrate.h"
#include "migrate/command/script.h"
#include "migrate/parse/hint.h"
#include "migrate/report/drift.h"

struct telling {
	struct dbl_run *run;
	dblock_migrate_planned_cb *cb;
	void *arg;
	bool make_history; /* only the first one does */
};

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

/* Where `up` would not go on, neither does this. */
static int check_past(struct dbl_job *job, struct dblock_error *err)
{
	if (!job->has_row)
		return 0;
	if (job->row.state == DBL_ROW_REVERTING)
		return dbl_report_reverting(&job->about, err);
	return dbl_resume_check(job, &job->row, err);
}

static void describe(const struct dbl_job *job, struct dblock_migrate_statement *statements)
{
	for (unsigned i = 0; i < job->pieces.n; i++) {
		const struct dbl_piece *piece = &job->pieces.list[i];

		statements[i] = (struct dblock_migrate_statement){
			.line = (int64_t)piece->statement.line,
			.text = piece->sql,
			.hint = dbl_hint(job->run->target->dialect->name, piece->sql),
		};
	}
}

static int tell_job(const struct telling *telling, const struct dbl_job *job,
		    struct dblock_error *err)
{
	struct dblock_migrate_statement *statements =
		dbl_alloc((job->pieces.n + 1) * sizeof(*statements));
	struct dblock_migrate_planned planned = {
		.size = sizeof(planned),
		.version = job->file->version,
		.name = job->file->name,
		.path = job->script->path,
		.stepwise = job->script->stepwise,
		.step_done = job->row.done,
		.statements = statements,
		.n_statements = job->pieces.n,
	};
	struct dbl_str script = {0};
	int rc;

	dbl_script_write(&script, job, telling->make_history);
	planned.script = script.text;
	if (statements)
		describe(job, statements);
	rc = statements && !script.failed ? telling->cb(telling->arg, &planned) : no_memory(err);
	dbl_str_free(&script);
	dbl_free(statements);
	return rc;
}

static int tell(const struct telling *telling, const struct dbl_step *step,
		struct dblock_error *err)
{
	struct dbl_job job = {.run = telling->run, .file = step->file, .script = &step->file->up};
	int rc = dbl_job_open(&job, step->past, err);

	if (rc == 0)
		rc = check_past(&job, err);
	if (rc == 0)
		rc = tell_job(telling, &job, err);
	dbl_job_close(&job);
	return rc;
}

static int tell_all(struct telling *telling, struct dblock_error *err)
{
	struct dbl_run *run = telling->run;
	const struct dblock_migrate_options *which = &run->which;
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;
	int64_t n = 0;
	int rc = 0;

	telling->make_history = !run->history.there;
	while (rc == 0 && (which->count <= 0 || n++ < which->count) &&
	       dbl_plan_pending(&plan, &step) && (which->to <= 0 || step.version <= which->to)) {
		rc = tell(telling, &step, err);
		telling->make_history = false;
	}
	return rc;
}

int dbl_migrate_plan(const struct dbl_migrate *ask, dblock_migrate_planned_cb *cb, void *arg,
		     struct dblock_error *err)
{
	struct dbl_run run;
	struct telling telling = {.run = &run, .cb = cb, .arg = arg};
	int rc = dbl_run_open(&run, ask, err);

	if (rc == 0)
		rc = dbl_run_connect(&run, err);
	if (rc == 0)
		rc = dbl_run_look(&run, err);
	if (rc == 0)
		rc = dbl_drift_check(&run.set, &run.history, &run.which, err);
	if (rc == 0)
		rc = tell_all(&telling, err);
	dbl_run_close(&run);
	return rc;
}
