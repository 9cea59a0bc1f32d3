/* SPDX-License-Identifier: MIT */
#include "migrate/command/migrate.h"
#include "migrate/engine/run.h"

static bool may_be_in_doubt(const struct dbl_run *run, const struct dbl_step *step)
{
	return !run->set.own && !run->target->dialect->is_file && step->past &&
	       step->past->begun > step->past->done &&
	       (step->state == DBLOCK_MIGRATION_RUNNING ||
		step->state == DBLOCK_MIGRATION_REVERTING);
}

static int tell(struct dbl_run *run, struct dbl_step *step, struct dblock_error *err)
{
	char holder[16];
	int rc = 0;

	if (may_be_in_doubt(run, step)) {
		rc = dbl_gate_holder(run, holder, sizeof(holder), err);
		if (rc == 0 && !*holder)
			step->state = DBLOCK_MIGRATION_IN_DOUBT;
	}
	if (rc == 0)
		dbl_run_tell(run, step, -1);
	return rc;
}

static int tell_all(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;
	int rc = 0;

	(void)ctx;
	while (rc == 0 && run->said == 0 && dbl_plan_next(&plan, &step))
		rc = tell(run, &step, err);
	return rc;
}

int dbl_migrate_status(const struct dbl_migrate *ask, struct dblock_error *err)
{
	return dbl_run_once(ask, tell_all, NULL, err);
}
