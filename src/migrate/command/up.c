/* SPDX-License-Identifier: MIT */
/*
 * Applies what is missing, exactly once with any number of processes at it:
 *
 *   look   whether anything is pending: mostly not, and then nothing is locked or written; and before
 *          the first file of all, whether the database is another tool's (occupied.c)
 *   gate   only one process at a time (gate.c), which looks again
 *   run    each file as one transaction (tx.c), or statement by statement (stepwise.c)
 */
#include "migrate/command/adopt.h"
#include "migrate/command/down_own.h"
#include "migrate/command/migrate.h"
#include "migrate/report/drift.h"

static bool next(struct dbl_run *run, void *plan, struct dbl_step *step)
{
	return dbl_plan_wanted(plan, &run->which, run->done, step);
}

/* Whether there is something to do. *closed: somebody undoes the tables, or was stopped halfway. */
static bool wanted(struct dbl_run *run, void *closed)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;

	return *(bool *)closed || next(run, &plan, &step);
}

/* A process that has closed the tables is gone by now: it was in the gate, where we are. */
static int apply(struct dbl_run *run, struct dblock_error *err)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	/* If possible the library's own schema is one transaction, so nobody sees half of it. */
	bool whole = run->set.own && run->target->dialect->ddl_in_tx && run->which.to <= 0 &&
		     run->which.count <= 0;
	int rc = dbl_reopen(run, err);

	/* A table of somebody else's may have the name of one of ours. */
	if (rc == 0 && run->set.own)
		rc = dbl_shape_check(dbl_run_on(run), err);
	if (rc)
		return rc;
	return whole ? dbl_apply_together(run, next, &plan, NULL, err)
		     : dbl_apply_each(run, next, &plan, err);
}

/* What another tool has applied here is not applied again. */
static int take_over(struct dbl_run *run, const struct dbl_tool *tool, struct dblock_error *err)
{
	struct dbl_adopt want = {.from = NULL};
	int rc = 0;

	if (tool && run->history.n == 0)
		rc = dbl_adopt(run, tool, &want, err);
	if (rc == 0 && tool)
		rc = dbl_run_look(run, err);
	return rc;
}

static int attempt(struct dbl_run *run, void *closed, struct dblock_error *err)
{
	const struct dbl_tool *tool = NULL;
	int rc = dbl_run_look(run, err);

	if (rc == 0)
		rc = dbl_see_closed(run, closed, err);
	if (rc == 0)
		rc = dbl_drift_check(&run->set, &run->history, &run->which, err);
	if (rc || !wanted(run, closed))
		return rc;
	rc = dbl_occupied_check(run, &tool, err);
	if (rc == 0)
		rc = dbl_note_begin(run, err);
	if (rc == 0)
		rc = dbl_gate_enter(run, wanted, closed, err);
	if (rc == 0)
		rc = take_over(run, tool, err);
	if (rc == 0)
		rc = dbl_drift_check(&run->set, &run->history, &run->which, err);
	return rc || !wanted(run, closed) ? rc : apply(run, err);
}

int dbl_migrate_up(const struct dbl_migrate *ask, struct dblock_error *err)
{
	bool closed = false;

	return dbl_run_attempts(ask, attempt, &closed, err);
}
