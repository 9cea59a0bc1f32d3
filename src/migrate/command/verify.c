/* SPDX-License-Identifier: MIT */
/* Compares a set with what was applied: status shows each version as it is, verify shows all that
 * is wrong, not only the first of it. */
#include <stdio.h>

#include "base/err.h"
#include "migrate/command/migrate.h"
#include "migrate/engine/run.h"
#include "migrate/report/words.h"

/* ---- status --------------------------------------------------------------------------------- */

/* What is unfinished where nobody is at it. */
static enum dblock_migration_state left(const struct dbl_step *step)
{
	if (step->past->begun > step->past->done)
		return DBLOCK_MIGRATION_IN_DOUBT;
	return step->state == DBLOCK_MIGRATION_RUNNING ? DBLOCK_MIGRATION_STOPPED : step->state;
}

static bool may_be_left(const struct dbl_run *run, const struct dbl_step *step)
{
	return !run->set.own && !run->target->dialect->is_file &&
	       (step->state == DBLOCK_MIGRATION_RUNNING ||
		step->state == DBLOCK_MIGRATION_REVERTING);
}

static int say(struct dbl_run *run, struct dbl_step *step, struct dblock_error *err)
{
	char holder[16];
	int rc = 0;

	if (may_be_left(run, step)) {
		rc = dbl_gate_holder(run, holder, sizeof(holder), err);
		if (rc == 0 && !*holder)
			step->state = left(step);
	}
	if (rc == 0)
		dbl_run_tell(run, step, -1);
	return rc;
}

static int say_all(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;
	int rc = 0;

	(void)ctx;
	while (rc == 0 && run->said == 0 && dbl_plan_next(&plan, &step))
		rc = say(run, &step, err);
	return rc;
}

int dbl_migrate_status(const struct dbl_migrate *ask, struct dblock_error *err)
{
	struct dbl_migrate lenient = *ask;

	lenient.lenient = true;
	return dbl_run_once(&lenient, say_all, NULL, err);
}

/* ---- verify --------------------------------------------------------------------------------- */

struct verifying {
	struct dbl_run *run;
	dblock_migrate_problem_cb *cb;
	void *arg;
	int said;      /* what the callback returned */
	int wrong;     /* the worst outcome so far */
	unsigned many; /* problems that are not harmless */
};

static int count(void *ctx, const struct dblock_migrate_problem *problem)
{
	struct verifying *v = ctx;

	if (!problem->harmless) {
		v->many++;
		if (v->wrong != DBLOCK_E_REPAIR)
			v->wrong = problem->kind == DBLOCK_PROBLEM_IN_DOUBT ? DBLOCK_E_REPAIR
									    : DBLOCK_E_DRIFT;
	}
	if (v->said == 0)
		v->said = v->cb(v->arg, problem);
	return 0;
}

/* Tells the callback of a problem. The detail says what is wrong, and what to do. */
static DBL_PRINTF(5, 6) void tell(struct verifying *v, const struct dbl_step *step,
				  enum dblock_migrate_problem_kind kind, bool harmless,
				  const char *detail, ...)
{
	char text[500];
	const struct dblock_migrate_problem problem = {
		.size = sizeof(problem),
		.kind = kind,
		.harmless = harmless,
		.version = step->version,
		.name = step->name,
		.detail = text,
	};
	va_list args;

	va_start(args, detail);
	vsnprintf(text, sizeof(text), detail, args);
	va_end(args);
	if (v->run->set.own)
		dbl_words_own(text);
	(void)count(v, &problem);
}

static void tell_changed(struct verifying *v, const struct dbl_step *step)
{
	tell(v, step, DBLOCK_PROBLEM_CHANGED, false,
	     "was applied with SHA-256 %.12s, the file has %.12s; restore it and write a new "
	     "migration, or, if the change does not matter, run 'dblock migrate repair %lld "
	     "--rechecksum'",
	     step->past->checksum, step->file->up.checksum, (long long)step->version);
}

static void tell_absent(struct verifying *v, const struct dbl_step *step)
{
	if (step->newer)
		tell(v, step, DBLOCK_PROBLEM_NEWER, !v->run->which.strict,
		     "is applied, and newer than all of this set: run the newer program, or bring "
		     "its file here");
	else
		tell(v, step, DBLOCK_PROBLEM_MISSING, false,
		     "is applied, but its file is not in this set; bring it back");
}

/* A file that stopped between two statements goes on by itself. If it stopped in one of them, or
 * while it was undone, a person has to say how. */
static int tell_unfinished(struct verifying *v, const struct dbl_step *step,
			   struct dblock_error *err)
{
	bool own = v->run->set.own || v->run->target->dialect->is_file;
	bool doubt = step->state == DBLOCK_MIGRATION_REVERTING ||
		     (step->state == DBLOCK_MIGRATION_RUNNING && !own &&
		      step->past->begun != step->past->done);
	char holder[128] = "";
	int rc = 0;

	if (step->state == DBLOCK_MIGRATION_RUNNING)
		rc = dbl_gate_holder(v->run, holder, sizeof(holder), err);
	if (rc == 0 && *holder)
		tell(v, step, DBLOCK_PROBLEM_UNFINISHED, true,
		     "is being applied by %.120s; wait for it", holder);
	else if (rc == 0)
		tell(v, step, doubt ? DBLOCK_PROBLEM_IN_DOUBT : DBLOCK_PROBLEM_UNFINISHED, false,
		     "%s after statement %lld of %lld%s; run 'dblock migrate %s', which goes on "
		     "there or says what to do",
		     step->state == DBLOCK_MIGRATION_FAILED ? "failed" : "stopped",
		     (long long)step->past->done, (long long)step->past->steps,
		     doubt && step->past->begun != step->past->done
			     ? ", and the outcome of the next one is not known"
			     : "",
		     step->state == DBLOCK_MIGRATION_REVERTING ? "down" : "up");
	return rc;
}

static int check_step(struct verifying *v, const struct dbl_step *step, struct dblock_error *err)
{
	if (step->changed)
		tell_changed(v, step);
	if (step->out_of_order)
		tell(v, step, DBLOCK_PROBLEM_OUT_OF_ORDER, false,
		     "is not applied, but one with a larger number is; give it a number above "
		     "that, or run 'dblock migrate up --allow-out-of-order'");
	if (!step->file && step->state != DBLOCK_MIGRATION_APPLIED)
		tell_absent(v, step);
	if (step->past && step->past->state != DBL_ROW_APPLIED)
		return tell_unfinished(v, step, err);
	return 0;
}

/* Tells of an index that a failed CREATE INDEX CONCURRENTLY has left. */
static int take_index(void *v, const struct dbl_value *row)
{
	char name[160];

	snprintf(name, sizeof(name), "%.*s", (int)row[0].len, row[0].text);
	tell(v, &(struct dbl_step){.name = name}, DBLOCK_PROBLEM_INVALID_INDEX, false,
	     "the index %s is INVALID: it costs on each write, and serves nobody; drop it, and "
	     "make it again",
	     name);
	return 0;
}

static int check_indexes(struct verifying *v, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = DBL_OP_migrate_invalid,
		.row = take_index,
		.ctx = v,
		.deadline = dbl_run_deadline(v->run),
	};

	return v->run->set.own ? 0 : dbl_db_run(v->run->db, &request, err);
}

static int check_all(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct verifying *v = ctx;
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;
	int rc = 0;

	v->run = run;
	while (rc == 0 && dbl_plan_next(&plan, &step))
		rc = check_step(v, &step, err);
	if (rc == 0)
		rc = check_indexes(v, err);
	if (rc == 0)
		rc = v->said;
	if (rc || v->wrong == 0)
		return rc;
	return dbl_words_refuse(err, v->wrong,
				"%u thing%s not as %s should be" DBL_NEXT
				"do what is said above, then run 'dblock migrate verify%s'",
				v->many, v->many == 1 ? " is" : "s are",
				v->many == 1 ? "it" : "they", run->which.strict ? " --strict" : "");
}

int dbl_migrate_verify(const struct dbl_migrate *ask, dblock_migrate_problem_cb *cb, void *arg,
		       struct dblock_error *err)
{
	struct verifying v = {.cb = cb, .arg = arg};
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dbl_migrate told = *ask;

	if (ask->which)
		which = *ask->which;
	which.warned = count;
	which.warned_arg = &v;
	told.which = &which;
	return dbl_run_once(&told, check_all, &v, err);
}
