/* SPDX-License-Identifier: MIT */
#include "migrate/report/drift.h"

#include "migrate/report/words.h"

static int check_older(const struct dbl_set *set, const struct dbl_history *history,
		       struct dblock_error *err)
{
	const struct dbl_past *older = dbl_plan_older(set, history);

	if (!older || dbl_plan_is_0_1_0(older) || dbl_history_find(history, set->files[0].version))
		return 0;
	return dbl_words_refuse(
		err, DBLOCK_E_SCHEMA,
		"the tables are of no released dblock: their last migration is %04lld_%.80s (%s), "
		"and that of version 0.1.0 is %04d" DBL_NOTHING_DONE
		"let version 0.1.0 bring them up to that, or the dblock that made them down: "
		"'dblock schema down --to %d'; then run 'dblock schema up' here",
		(long long)older->version, older->name, dbl_row_state_text(older->state),
		DBL_LAST_OF_0_1_0, DBL_LAST_OF_0_1_0);
}

enum trouble { NO_TROUBLE, CHANGED, MISSING, LATE };

static enum trouble trouble_of(const struct dbl_step *step,
			       const struct dblock_migrate_options *which)
{
	if (step->changed)
		return CHANGED;
	if (!step->file && !which->allow_missing && (!step->newer || which->strict))
		return MISSING;
	if (step->out_of_order && !which->allow_out_of_order &&
	    (which->to <= 0 || step->version <= which->to))
		return LATE;
	return NO_TROUBLE;
}

static const char *const troubles[] = {
	[CHANGED] = "changed after they were applied",
	[MISSING] = "applied, but not in this set",
	[LATE] = "out of order: not applied, but one with a larger number is",
};

/* Adds what to do; `version` is the first one that the message names. */
static void tell_next(enum trouble trouble, int64_t version,
		      const struct dblock_migrate_options *which, struct dblock_error *err)
{
	struct dblock_migrate_options with = *which;
	char command[DBL_COMMAND_TEXT];

	with.allow_out_of_order |= trouble == LATE;
	with.allow_missing |= trouble == MISSING;
	if (trouble == CHANGED) {
		dbl_err_line(err, DBL_LINE_NEXT,
			     "restore what was changed, and write a new migration for the change");
		dbl_err_line(err, DBL_LINE_MORE,
			     "or, if it does not matter: 'dblock migrate repair %lld --rechecksum'",
			     (long long)version);
	} else {
		dbl_err_line(err, DBL_LINE_NEXT, "%s, or accept it: 'dblock migrate %s'",
			     trouble == MISSING ? "bring the files back"
						: "give them numbers above that",
			     dbl_words_again(command, false, &with, 0));
	}
}

/* A message names so many versions at most, and counts the others. */
enum { NAMED = 5 };

static int tell(enum trouble trouble, const struct dbl_set *set, const struct dbl_history *history,
		const struct dblock_migrate_options *which, struct dblock_error *err)
{
	struct dbl_plan plan = {set, history, 0, 0};
	struct dbl_step step;
	int64_t first = 0;
	int n = 0;

	dbl_fail(err, DBLOCK_E_DRIFT, "%s:", troubles[trouble]);
	while (dbl_plan_next(&plan, &step)) {
		if (trouble_of(&step, which) != trouble || n++ >= NAMED)
			continue;
		first = first ? first : step.version;
		dbl_err_suffix(err, "%s %04lld_%.80s", n > 1 ? "," : "", (long long)step.version,
			       step.name);
		if (trouble == CHANGED)
			dbl_err_suffix(err, " (was %.12s, is %.12s)", step.past->checksum,
				       step.file->up.checksum);
	}
	if (n > NAMED)
		dbl_err_suffix(err, ", and %d more", n - NAMED);
	if (trouble == LATE)
		dbl_err_suffix(err, "; %04lld is applied", (long long)dbl_history_last(history));
	dbl_err_line(err, DBL_LINE_STATE, "nothing was done");
	tell_next(trouble, first, which, err);
	return DBLOCK_E_DRIFT;
}

/* Who has made a file, and not filled it in, would never see it run. */
static int check_drafts(const struct dbl_set *set, const struct dbl_history *history,
			const struct dblock_migrate_options *which, struct dblock_error *err)
{
	struct dbl_plan plan = {set, history, 0, 0};
	struct dbl_step step;

	for (int64_t n = 0; dbl_plan_wanted(&plan, which, n, &step); n++) {
		if (dbl_script_is_draft(&step.file->up))
			return dbl_words_refuse(
				err, DBLOCK_E_INVALID,
				"%.300s: it is as 'migrate new' made it, and does "
				"nothing" DBL_NOTHING_DONE
				"write into it what it does, or one more comment if that is "
				"nothing; then run the same command",
				step.file->up.path);
	}
	return 0;
}

int dbl_drift_check(const struct dbl_set *set, const struct dbl_history *history,
		    const struct dblock_migrate_options *which, struct dblock_error *err)
{
	struct dbl_plan plan = {set, history, 0, 0};
	struct dbl_step step;

	if (which->to > 0 && !dbl_set_find(set, which->to))
		return dbl_words_unknown(which->to, err);
	/* A newer library may have applied more, and the library's own files have no order. */
	if (set->own)
		return check_older(set, history, err);
	while (dbl_plan_next(&plan, &step)) {
		enum trouble trouble = trouble_of(&step, which);

		if (trouble)
			return tell(trouble, set, history, which, err);
	}
	return check_drafts(set, history, which, err);
}
