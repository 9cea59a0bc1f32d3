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

struct up {
	struct dbl_run run; /* first: the attempt gets its address */
	bool closed; /* nobody can take a lock: one who undoes them is at it, or was stopped */
};

/* The next one that this call shall apply. */
static bool next_wanted(struct dbl_run *run, struct dbl_plan *plan, struct dbl_step *step)
{
	const struct dblock_migrate_options *which = &run->which;

	if (which->count > 0 && run->done >= which->count)
		return false;
	return dbl_plan_pending(plan, step) && (which->to <= 0 || step->version <= which->to);
}

static bool wanted(struct dbl_run *run)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;

	return ((struct up *)run)->closed || next_wanted(run, &plan, &step);
}

static int apply_each(struct dbl_run *run, struct dblock_error *err)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;
	int rc = 0;

	while (rc == 0 && next_wanted(run, &plan, &step)) {
		rc = dbl_run_canceled(run, err);
		if (rc == 0)
			rc = dbl_apply(run, step.file, step.past, false, err);
	}
	return rc;
}

/* Nobody ever sees half of the library's own schema, where that is to be had. */
static bool as_a_whole(const struct dbl_run *run)
{
	return run->set.own && run->target->dialect->ddl_in_tx && run->which.to <= 0 &&
	       run->which.count <= 0;
}

static bool next_pending(struct dbl_run *run, void *plan, struct dbl_step *step)
{
	(void)run;
	return dbl_plan_pending(plan, step);
}

static int apply_as_a_whole(struct dbl_run *run, struct dblock_error *err)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};

	return dbl_apply_together(run, next_pending, &plan, NULL, err);
}

/* A stranger's table in the place of one of ours? */
static int check_shapes(struct dbl_run *run, struct dblock_error *err)
{
	struct dbl_runner on = dbl_run_runner(run);

	return run->set.own ? dbl_run_lost(run, dbl_shape_check(&on, err)) : 0;
}

/* Who has closed the tables has gone: he was in the gate, as we are now. */
static int apply(struct dbl_run *run, struct dblock_error *err)
{
	int rc = dbl_reopen(run, err);

	if (rc == 0)
		rc = check_shapes(run, err);
	if (rc)
		return rc;
	return as_a_whole(run) ? apply_as_a_whole(run, err) : apply_each(run, err);
}

static int attempt(struct dbl_run *run, struct dblock_error *err)
{
	int rc = dbl_run_look(run, err);

	if (rc == 0)
		rc = dbl_see_closed(run, &((struct up *)run)->closed, err);
	if (rc == 0)
		rc = dbl_drift_check(&run->set, &run->history, &run->which, err);
	if (rc || !wanted(run))
		return rc;
	rc = dbl_note_begin(run, err);
	if (rc == 0)
		rc = dbl_gate_enter(run, wanted, err);
	if (rc == 0)
		rc = dbl_drift_check(&run->set, &run->history, &run->which, err);
	return rc || !wanted(run) ? rc : apply(run, err);
}

int dbl_migrate_up(const struct dbl_migrate *ask, struct dblock_error *err)
{
	struct up it = {.closed = false};
	int rc = dbl_run_open(&it.run, ask, err);

	if (rc == 0)
		rc = dbl_run_attempts(&it.run, attempt, err);
	dbl_run_close(&it.run);
	return rc;
}
