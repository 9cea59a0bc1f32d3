/* SPDX-License-Identifier: MIT */
/* Shows a person what `up` would do. Nothing is written, and nobody is waited for. */
#include "base/mem.h"
#include "migrate/command/adopt.h"
#include "migrate/command/migrate.h"
#include "migrate/command/script.h"
#include "migrate/parse/hint.h"
#include "migrate/report/drift.h"

struct telling {
	struct dbl_run *run;
	dblock_migrate_planned_cb *cb;
	void *arg;
	bool make_history; /* the next script makes the history; only the first one does */
};

/* Fails where `up` would fail because of the file's row. */
static int check_past(struct dbl_job *job, struct dblock_error *err)
{
	if (!job->has_row || dbl_is_repeatable(job->file->version))
		return 0;
	if (job->row.state == DBL_ROW_REVERTING)
		return dbl_report_reverting(job, err);
	return dbl_job_check(job, &job->row, err);
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
		.step_done = dbl_is_repeatable(job->file->version) ? 0 : job->row.done,
		.statements = statements,
		.n_statements = job->pieces.n,
	};
	struct dbl_str script = {0};
	int rc;

	dbl_script_write(&script, job, telling->make_history);
	planned.script = script.text;
	if (statements)
		describe(job, statements);
	rc = statements && !script.failed ? telling->cb(telling->arg, &planned)
					  : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_str_free(&script);
	dbl_free(statements);
	return rc;
}

static int tell(const struct telling *telling, const struct dbl_step *step,
		struct dblock_error *err)
{
	struct dbl_job job;
	int rc = dbl_job_open(&job, telling->run, step, err);

	if (rc == 0)
		rc = check_past(&job, err);
	if (rc == 0)
		rc = tell_job(telling, &job, err);
	dbl_pieces_free(&job.pieces);
	return rc;
}

static int tell_all(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct telling *telling = ctx;
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	const struct dbl_tool *tool;
	struct dbl_step step;
	int rc = dbl_drift_check(&run->set, &run->history, &run->which, err);

	if (rc == 0 && dbl_plan_wanted(&plan, &run->which, 0, &step))
		rc = dbl_occupied_check(run, &tool, err);
	plan = (struct dbl_plan){&run->set, &run->history, 0, 0};
	telling->run = run;
	telling->make_history = !run->history.there;
	for (int64_t n = 0; rc == 0 && dbl_plan_wanted(&plan, &run->which, n, &step); n++) {
		rc = tell(telling, &step, err);
		telling->make_history = false;
	}
	return rc;
}

int dbl_migrate_plan(const struct dbl_migrate *ask, dblock_migrate_planned_cb *cb, void *arg,
		     struct dblock_error *err)
{
	struct telling telling = {.cb = cb, .arg = arg};

	return dbl_run_once(ask, tell_all, &telling, err);
}
