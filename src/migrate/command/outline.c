/* SPDX-License-Identifier: MIT */
/* Shows a person what `up` would do. Nothing is written, and nobody is waited for. */
#include <stdint.h>
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

/* ---- its statements ------------------------------------------------------------------------- */

/* One file, of which a person is to be told. */
struct outline {
	struct telling *telling;
	const struct dbl_job *job;
	struct dblock_migrate_statement *list;
	size_t n;
};

/* What is not run is not among the pieces. */
static bool left_out(const void *ctx, const struct dbl_statement *statement, unsigned before)
{
	const struct outline *outline = ctx;
	struct dbl_pieces *pieces = outline->job->pieces;

	return before == pieces->n || dbl_piece(pieces, before + 1)->offset != statement->offset;
}

/* Reads what lies before this file, as it makes a difference. */
static bool lint_before(struct telling *telling, const struct dbl_file *file)
{
	const struct dbl_set *set = &telling->run->set;
	bool fine = true;

	for (; fine && &set->files[telling->read] != file; telling->read++) {
		const struct dbl_script *script = &set->files[telling->read].up;
		const struct dbl_lint_text text = {.text = script->text,
						   .past = DBL_LINT_APPLIED,
						   .stepwise = script->stepwise};

		fine = dbl_lint_read(telling->lint, &text, NULL, NULL);
	}
	telling->read++;
	return fine;
}

static void count(struct telling *telling, const char *path,
		  const struct dblock_migrate_statement *statement)
{
	if (statement->severity > DBLOCK_SEVERITY_WAITS && telling->n_alarms++ == 0)
		snprintf(telling->first, sizeof(telling->first), "%.120s:%lld: %s", path,
			 (long long)statement->line, statement->rule);
}

/* Adds a statement, with a text of its own. False: out of memory. */
static bool add(struct outline *outline, const struct dblock_migrate_statement *statement)
{
	size_t n = outline->n;
	struct dblock_migrate_statement *list = outline->list;

	if ((n & (n - 1)) == 0) /* twice the room, at each power of two */
		list = dbl_realloc(list, (n ? 2 * n : 1) * sizeof(*list));
	if (!list)
		return false;
	outline->list = list;
	list[n] = *statement;
	list[n].text = dbl_strdup(statement->text);
	outline->n += list[n].text != NULL;
	return list[n].text != NULL;
}

/* Of a file that is too large for memory only those are told of which there is something to tell. */
static bool take(void *arg, unsigned k, const struct dbl_alarm *alarm)
{
	struct outline *outline = arg;
	const struct dbl_job *job = outline->job;
	struct dblock_migrate_statement statement = {
		.hint = alarm->hint, .rule = alarm->rule, .severity = alarm->severity};

	if (job->script->text.mapped && !*alarm->rule)
		return true;
	statement.line = (int64_t)dbl_piece(job->pieces, k)->line;
	statement.text = dbl_piece_sql(job->pieces, k);
	count(outline->telling, job->script->path, &statement);
	return statement.text && add(outline, &statement);
}

static bool describe(struct outline *outline)
{
	struct telling *telling = outline->telling;
	const struct dbl_job *job = outline->job;
	const struct dbl_lint_text text = {job->script->text, done_of(job), job->script->stepwise,
					   left_out, outline};

	return lint_before(telling, job->file) &&
	       dbl_lint_read(telling->lint, &text, take, outline);
}

static void done_with(struct outline *outline)
{
	for (size_t i = 0; i < outline->n; i++)
		dbl_free((char *)(uintptr_t)outline->list[i].text);
	dbl_free(outline->list);
}

/* ---- each file ------------------------------------------------------------------------------ */

static int refuse(const struct telling *telling, struct dblock_error *err)
{
	return dbl_words_refuse(
		err, DBLOCK_E_MIGRATION,
		"%u statement%s would lose something, break it or block it, the first in "
		"%s" DBL_NOTHING_DONE "change what it says, or write '-- dblock:allow RULE reason' "
		"right above the statement",
		telling->n_alarms, telling->n_alarms == 1 ? "" : "s", telling->first);
}

static int tell_job(struct telling *telling, const struct dbl_job *job, struct dblock_error *err)
{
	struct outline outline = {.telling = telling, .job = job};
	struct dblock_migrate_planned planned = {
		.size = sizeof(planned),
		.version = job->file->version,
		.name = job->file->name,
		.path = job->script->path,
		.stepwise = job->script->stepwise,
		.steps = job->pieces->n,
		.step_done = done_of(job),
	};
	struct dbl_text script;
	int rc = dbl_script_write(&script, job, telling->make_history, err);

	if (rc)
		return rc;
	if (describe(&outline)) {
		planned.script = script.text;
		planned.statements = outline.list;
		planned.n_statements = outline.n;
		rc = telling->cb(telling->arg, &planned);
	} else {
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	dbl_text_free(&script);
	done_with(&outline);
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
	dbl_pieces_free(job.pieces);
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
