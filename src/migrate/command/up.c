/* SPDX-License-Identifier: MIT */
/*
 * Applying what is missing, exactly once with any number of processes at it:
 *
 *   look   is anything pending? Mostly not, and then nothing is locked or written
 *   gate   one at a time (gate.c), and look again
 *   run    each file as one transaction (tx.c), or statement by statement (stepwise.c)
 */
#include "migrate/command/down_own.h"
#include "migrate/command/migrate.h"
#include "migrate/report/drift.h"

static bool next(struct dbl_run *run, void *plan, struct dbl_step *step)
{
	return dbl_plan_wanted(plan, &run->which, run->done, step);
}

/* *closed: nobody can take a lock: one who undoes them is at it, or was stopped. */
static bool wanted(struct dbl_run *run, void *closed)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;

	return *(bool *)closed || next(run, &plan, &step);
}

/* Who has closed the tables has gone: he was in the gate, as we are now. */
static int apply(struct dbl_run *run, struct dblock_error *err)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	/* Nobody ever sees half of the library's own schema, where that is to be had. */
	bool whole = run->set.own && run->target->dialect->ddl_in_tx && run->which.to <= 0 &&
		     run->which.count <= 0;
	int rc = dbl_reopen(run, err);

	/* A stranger's table in the place of one of ours? */
	if (rc == 0 && run->set.own)
		rc = dbl_shape_check(dbl_run_on(run), err);
	if (rc)
		return rc;
	return whole ? dbl_apply_together(run, next, &plan, NULL, err)
		     : dbl_apply_each(run, next, &plan, err);
}

static int attempt(struct dbl_run *run, void *closed, struct dblock_error *err)
{
	int rc = dbl_run_look(run, err);

	if (rc == 0)
		rc = dbl_see_closed(run, closed, err);
	if (rc == 0)
		rc = dbl_drift_check(&run->set, &run->history, &run->which, err);
	if (rc || !wanted(run, closed))
		return rc;
	rc = dbl_note_begin(run, err);
	if (rc == 0)
		rc = dbl_gate_enter(run, wanted, closed, err);
	if (rc == 0)
		rc = dbl_drift_check(&run->set, &run->history, &run->which, err);
	return rc || !wanted(run, closed) ? rc : apply(run, err);
}

int dbl_migrate_up(const struct dbl_migrate *ask, struct dblock_error *err)
{
	bool closed = false;

	return dbl_run_attempts(ask, attempt, &closed, err);
}
