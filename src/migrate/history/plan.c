/* SPDX-License-Identifier: MIT */
#include "migrate/history/history.h"

#include <string.h>

const struct dbl_past *dbl_plan_older(const struct dbl_set *set, const struct dbl_history *history)
{
	size_t n = 0;

	while (set->own && n < history->n && history->rows[n].version < set->files[0].version)
		n++;
	return n > 0 ? &history->rows[n - 1] : NULL;
}

bool dbl_plan_is_0_1_0(const struct dbl_past *older)
{
	return older->version == DBL_LAST_OF_0_1_0 && older->state == DBL_ROW_APPLIED;
}

/* Whether the set has a file for the step. The first file covers all of version 0.1.0. */
static bool has_file(const struct dbl_set *set, const struct dbl_step *step)
{
	return step->file || (set->own && dbl_plan_is_0_1_0(step->past));
}

static enum dblock_migration_state state_of(const struct dbl_set *set, const struct dbl_step *step)
{
	if (!step->past)
		return DBLOCK_MIGRATION_PENDING;
	switch (step->past->state) {
	case DBL_ROW_APPLIED:
		return has_file(set, step) ? DBLOCK_MIGRATION_APPLIED : DBLOCK_MIGRATION_MISSING;
	case DBL_ROW_FAILED:
		return DBLOCK_MIGRATION_FAILED;
	case DBL_ROW_REVERTING:
		return DBLOCK_MIGRATION_REVERTING;
	case DBL_ROW_RUNNING:
		break;
	}
	return DBLOCK_MIGRATION_RUNNING;
}

/* Whether the texts are the same, byte for byte or token for token: an editor, a formatter or a new
 * comment changes nothing that matters. */
static bool is_same_text(const struct dbl_step *step)
{
	const struct dbl_past *past = step->past;
	const struct dbl_script *up = &step->file->up;

	return strcmp(past->checksum, up->checksum) == 0 ||
	       (*past->token_checksum && strcmp(past->token_checksum, up->token_checksum) == 0);
}

/* A changed one is pending; but not to a program that is older than the database, as its text is, too. */
static void repeat(const struct dbl_plan *plan, struct dbl_step *step)
{
	bool older = dbl_history_last(plan->history) > dbl_set_last(plan->set);

	if (step->changed && !older)
		step->state = DBLOCK_MIGRATION_PENDING;
	step->changed = step->out_of_order = false;
}

static void describe(const struct dbl_plan *plan, struct dbl_step *step)
{
	const struct dbl_set *set = plan->set;

	step->version = step->file ? step->file->version : step->past->version;
	step->name = step->file ? step->file->name : step->past->name;
	step->state = state_of(set, step);
	step->changed =
		step->file && step->state == DBLOCK_MIGRATION_APPLIED && !is_same_text(step);
	step->out_of_order = !set->own && step->state == DBLOCK_MIGRATION_PENDING &&
			     step->version < dbl_history_last(plan->history);
	step->newer = !step->file && step->version > dbl_set_last(set);
	if (dbl_is_repeatable(step->version))
		repeat(plan, step);
}

bool dbl_plan_next(struct dbl_plan *plan, struct dbl_step *step)
{
	const struct dbl_set *set = plan->set;
	const struct dbl_history *history = plan->history;
	const struct dbl_file *file = plan->file_at < set->n ? &set->files[plan->file_at] : NULL;
	const struct dbl_past *past, *older = dbl_plan_older(set, history);

	if (older && plan->past_at == 0)
		plan->past_at = (size_t)(older - history->rows);
	past = plan->past_at < history->n ? &history->rows[plan->past_at] : NULL;
	if (past && dbl_is_repeatable(past->version)) /* its file's order is another one */
		past = NULL;
	if (!file && !past)
		return false;
	*step = (struct dbl_step){.version = 0};
	if (file && !past && dbl_is_repeatable(file->version))
		step->past = dbl_history_find(history, file->version);
	if (file && (!past || file->version <= past->version)) {
		step->file = file;
		plan->file_at++;
	}
	if (past && (!file || past->version <= file->version)) {
		step->past = past;
		plan->past_at++;
	}
	describe(plan, step);
	return true;
}

bool dbl_plan_pending(struct dbl_plan *plan, struct dbl_step *step)
{
	while (dbl_plan_next(plan, step)) {
		if (step->file && step->state != DBLOCK_MIGRATION_APPLIED)
			return true;
	}
	return false;
}

bool dbl_plan_wanted(struct dbl_plan *plan, const struct dblock_migrate_options *which,
		     int64_t done, struct dbl_step *step)
{
	return (which->count <= 0 || done < which->count) && dbl_plan_pending(plan, step) &&
	       (which->to <= 0 || step->version <= which->to);
}

unsigned dbl_plan_count(const struct dbl_set *set, const struct dbl_history *history)
{
	struct dbl_plan plan = {set, history, 0, 0};
	struct dbl_step step;
	unsigned n = 0;

	while (dbl_plan_pending(&plan, &step))
		n++;
	return n;
}
