/* SPDX-License-Identifier: MIT */
#include "migrate/plan.h"

#include <string.h>

static enum dblock_migration_state state_of(const struct dbl_step *step)
{
	if (!step->past)
		return DBLOCK_MIGRATION_PENDING;
	if (!step->past->applied)
		return DBLOCK_MIGRATION_RUNNING;
	return step->text ? DBLOCK_MIGRATION_APPLIED : DBLOCK_MIGRATION_NEWER;
}

bool dbl_plan_next(struct dbl_plan *plan, struct dbl_step *step)
{
	const struct dbl_migration_text *text = plan->known->version ? plan->known : NULL;
	const struct dbl_past *past =
		plan->at < plan->history->n ? &plan->history->rows[plan->at] : NULL;

	if (!text && !past)
		return false;
	*step = (struct dbl_step){0};
	if (text && (!past || text->version <= past->version)) {
		step->text = text;
		plan->known++;
	}
	if (past && (!text || past->version <= text->version)) {
		step->past = past;
		plan->at++;
	}
	step->state = state_of(step);
	step->changed = step->state == DBLOCK_MIGRATION_APPLIED &&
			strcmp(past->checksum, text->checksum) != 0;
	return true;
}

bool dbl_plan_pending(struct dbl_plan *plan, struct dbl_step *step)
{
	while (dbl_plan_next(plan, step)) {
		if (step->text && step->state != DBLOCK_MIGRATION_APPLIED)
			return true;
	}
	return false;
}

unsigned dbl_plan_count(const struct dbl_migration_text *known, const struct dbl_history *history)
{
	struct dbl_plan plan = {known, history, 0};
	struct dbl_step step;
	unsigned n = 0;

	while (dbl_plan_pending(&plan, &step))
		n++;
	return n;
}
