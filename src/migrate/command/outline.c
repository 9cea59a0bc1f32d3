/* SPDX-License-Identifier: MIT */
/* Shows a person what `up` would do. Nothing is written, and nobody is waited for. */
#include <stdio.h>

#include "base/mem.h"
#include "migrate/command/adopt.h"
#include "migrate/command/migrate.h"
#include "migrate/command/script.h"
#include "migrate/lint/lint.h"
#include "migrate/report/drift.h"
#include "migrate/report/words.h"

struct telling {
	struct dbl_run *run;
	dblock_migrate_planned_cb *cb;
	void *arg;
	bool make_history; /* the next script makes the history; only the first one does */
	struct dbl_lint *lint;
	size_t read;       /* so many files of the set have been read by it */
	unsigned n_alarms; /* that `strict` does not stand */
	char first[200];   /* where the first of them is */
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

/* Returns how many statements of the file are not to be run. */
static unsigned done_of(const struct dbl_job *job)
{
	return dbl_is_repeatable(job->file->version) ? 0 : (unsigned)job->row.done;
}

/* ---- what it does to others ----------------------------------------------------------------- */

static bool lint(struct telling *telling, const struct dbl_script *script, size_t past,
		 struct dbl_alarm *alarms, unsigned n)
{
	const struct dbl_lint_text text = {script->text, script->len, past, script->stepwise};

	return dbl_lint_read(telling->lint, &text, alarms, n);
}

/* Reads what lies before this file, as it makes a difference. */
static bool lint_before(struct telling *telling, const struct dbl_file *file)
{
	const struct dbl_set *set = &telling->run->set;
	bool fine = true;

	for (; fine && &set->files[telling->read] != file; telling->read++)
		fine = lint(telling, &set->files[telling->read].up, DBL_LINT_APPLIED, NULL, 0);
	telling->read++;
	return fine;
}

static void count(struct telling *telling, const struct dbl_job *job,
		  const struct dblock_migrate_statement *statements)
{
	for (unsigned i = done_of(job); i < job->pieces.n; i++) {
		if (statements[i].severity > DBLOCK_SEVERITY_WAITS && telling->n_alarms++ == 0)
			snprintf(telling->first, sizeof(telling->first), "%.120s:%lld: %s",
				 job->script->path, (long long)statements[i].line,
				 statements[i].rule);
	}
}

static int refuse(const struct telling *telling, struct dblock_error *err)
{
	return dbl_words_refuse(
		err, DBLOCK_E_MIGRATION,
		"%u statement%s would lose something, break it or block it, the first in "
		"%s" DBL_NOTHING_DONE "change what it says, or write '-- dblock:allow RULE reason' "
		"right above the statement",
		telling->n_alarms, telling->n_alarms == 1 ? "" : "s", telling->first);
}

/* ---- each file ------------------------------------------------------------------------------ */

static bool describe(struct telling *telling, const struct dbl_job *job,
		     struct dblock_migrate_statement *statements)
{
	unsigned n = job->pieces.n;
	struct dbl_alarm *alarms = dbl_alloc((n + 1) * sizeof(*alarms));
	bool fine = alarms && lint_before(telling, job->file) &&
		    lint(telling, job->script, done_of(job), alarms, n);

	for (unsigned i = 0; fine && i < n; i++) {
		const struct dbl_piece *piece = &job->pieces.list[i];

		statements[i] = (struct dblock_migrate_statement){
			.line = (int64_t)piece->statement.line,
			.text = piece->sql,
			.hint = alarms[i].hint,
			.rule = alarms[i].rule,
			.severity = alarms[i].severity,
		};
	}
	if (fine)
		count(telling, job, statements);
	dbl_free(alarms);
	return fine;
}

static int tell_job(struct telling *telling, const struct dbl_job *job, struct dblock_error *err)
{
	struct dblock_migrate_statement *statements =
		dbl_alloc((job->pieces.n + 1) * sizeof(*statements));
	struct dblock_migrate_planned planned = {
		.size = sizeof(planned),
		.version = job->file->version,
		.name = job->file->name,
		.path = job->script->path,
		.stepwise = job->script->stepwise,
		.step_done = done_of(job),
		.statements = statements,
		.n_statements = job->pieces.n,
	};
	struct dbl_str script = {0};
	int rc;

	dbl_script_write(&script, job, telling->make_history);
	planned.script = script.text;
	rc = statements && !script.failed && describe(telling, job, statements)
		     ? telling->cb(telling->arg, &planned)
		     : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_str_free(&script);
	dbl_free(statements);
	return rc;
}

static int tell(struct telling *telling, const struct dbl_step *step, struct dblock_error *err)
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
	return rc == 0 && run->which.strict && telling->n_alarms ? refuse(telling, err) : rc;
}

int dbl_migrate_plan(const struct dbl_migrate *ask, dblock_migrate_planned_cb *cb, void *arg,
		     struct dblock_error *err)
{
	struct telling telling = {
		.cb = cb, .arg = arg, .lint = dbl_lint_new(ask->target->dialect->name)};
	int rc = telling.lint ? dbl_run_once(ask, tell_all, &telling, err)
			      : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");

	dbl_lint_free(telling.lint);
	return rc;
}
