/* SPDX-License-Identifier: MIT */
/* Undoes migrations in the reverse of the order in which they were applied. A file's row is deleted
 * in the same transaction, or says `reverting` until the last statement is done. */
#include "base/err.h"
#include "migrate/command/down_own.h"
#include "migrate/command/migrate.h"
#include "migrate/report/words.h"

/* Returns the row whose undoing was begun, else the one applied last. NULL: no other one is to be
 * undone after the `done` ones. */
static const struct dbl_past *next_victim(const struct dbl_run *run, int64_t done)
{
	const struct dblock_migrate_options *which = &run->which;
	const struct dbl_past *last = NULL, *older = dbl_plan_older(&run->set, &run->history);

	if (!which->all && which->to <= 0 && done >= (which->count > 0 ? which->count : 1))
		return NULL;
	if (which->count > 0 && done >= which->count)
		return NULL;
	for (size_t i = 0; i < run->history.n; i++) {
		const struct dbl_past *row = &run->history.rows[i];

		if (row->undone || (older && row <= older) || dbl_is_repeatable(row->version))
			continue;
		if (row->state == DBL_ROW_REVERTING)
			return row;
		if (row->state == DBL_ROW_APPLIED && (!last || row->seq >= last->seq))
			last = row;
	}
	return last && which->to > 0 && last->version == which->to ? NULL : last;
}

/* Returns a row whose applying has stopped halfway: nothing can be undone before that one, unless it is
 * repeatable, which is forgotten. */
static const struct dbl_past *find_unfinished(const struct dbl_run *run)
{
	for (size_t i = 0; i < run->history.n; i++) {
		const struct dbl_past *row = &run->history.rows[i];

		if ((row->state == DBL_ROW_RUNNING || row->state == DBL_ROW_FAILED) &&
		    !dbl_is_repeatable(row->version))
			return row;
	}
	return NULL;
}

/* Whether the tables are of an older dblock, and out of date: holders cannot be read from them. */
static bool is_outdated(const struct dbl_run *run)
{
	const struct dbl_past *row = next_victim(run, run->done);

	return dbl_plan_older(&run->set, &run->history) &&
	       dbl_plan_count(&run->set, &run->history) > 0 &&
	       !(row && row->state == DBL_ROW_REVERTING);
}

static bool wanted(struct dbl_run *run, void *ctx)
{
	(void)ctx;
	return is_outdated(run) || next_victim(run, run->done) || find_unfinished(run);
}

static int check_one(const struct dbl_run *run, const struct dbl_past *row,
		     struct dblock_error *err)
{
	const struct dbl_file *file = dbl_set_find(&run->set, row->version);

	bool draft = file && dbl_script_is_draft(&file->down);

	if (file && file->down.text.text && !draft)
		return 0;
	return dbl_words_refuse(err, DBLOCK_E_DRIFT,
				"%04lld_%.100s cannot be undone: %s" DBL_NOTHING_DONE
				"%s, or undo it by hand and run 'dblock migrate repair %lld "
				"--forget'",
				(long long)row->version, row->name,
				draft  ? "its .down.sql is as 'migrate new' made it"
				: file ? "it has no .down.sql"
				       : "it is not in this set",
				draft  ? "write into that what undoes it"
				: file ? "write one"
				       : "bring its files back",
				(long long)row->version);
}

/* Checks all that are to be undone; it marks them in the history, which is read anew after that. */
static int check_all(struct dbl_run *run, struct dblock_error *err)
{
	const struct dbl_past *row;
	int64_t done = run->done;
	int rc = 0;

	if (run->set.own && run->which.to > 0 && !dbl_set_find(&run->set, run->which.to))
		return dbl_words_unknown(run->which.to, err);
	if (run->which.to > 0 && !dbl_history_find(&run->history, run->which.to))
		return dbl_words_refuse(err, DBLOCK_E_INVALID,
					"migration %lld is not applied: there is no way down to "
					"it" DBL_NEXT "see with 'dblock migrate status' which are",
					(long long)run->which.to);
	while (rc == 0 && (row = next_victim(run, done++)) != NULL) {
		rc = check_one(run, row, err);
		run->history.rows[row - run->history.rows].undone = true;
	}
	return rc ? rc : dbl_run_look(run, err);
}

static int check_unfinished(const struct dbl_run *run, struct dblock_error *err)
{
	const struct dbl_past *row = find_unfinished(run);
	const struct dbl_past *older = dbl_plan_older(&run->set, &run->history);

	if (is_outdated(run))
		return dbl_words_refuse(
			err, DBLOCK_E_SCHEMA,
			"the tables are of an older dblock (%04lld_%.100s), and not "
			"brought up to date" DBL_NOTHING_DONE
			"run 'dblock schema up' first, then this again",
			(long long)older->version, older->name);
	if (!row)
		return 0;
	return dbl_words_refuse(
		err, DBLOCK_E_REPAIR,
		"%04lld_%.100s was begun to be applied, and is not finished\n" DBL_LINE_STATE
		"%lld of %lld statements are done" DBL_NEXT
		"run 'dblock migrate up' first, or undo it by hand and run 'dblock migrate repair "
		"%lld --forget'",
		(long long)row->version, row->name, (long long)row->done, (long long)row->steps,
		(long long)row->version);
}

/* Gives each file once, also if dbl_run_done() is called only at the end of all. */
static bool next(struct dbl_run *run, void *done, struct dbl_step *step)
{
	const struct dbl_past *row = next_victim(run, *(int64_t *)done);

	if (!row)
		return false;
	++*(int64_t *)done;
	*step = (struct dbl_step){.file = dbl_set_find(&run->set, row->version), .past = row};
	run->history.rows[row - run->history.rows].undone = true;
	return true;
}

/* What a repeatable file made may go with a table: the next `up` is to make it anew. */
static int forget_repeatable(struct dbl_run *run, struct dblock_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < run->history.n; i++) {
		if (dbl_is_repeatable(run->history.rows[i].version))
			rc = dbl_history_move(dbl_run_on(run), &run->history.rows[i], NULL, err);
	}
	return dbl_run_lost(run, rc);
}

static int attempt(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	int64_t done;
	int rc;

	run->down = true;
	rc = dbl_run_look(run, err);
	if (rc || !wanted(run, ctx))
		return rc;
	rc = dbl_gate_enter(run, wanted, ctx, err);
	if (rc == 0)
		rc = check_unfinished(run, err);
	if (rc == 0)
		rc = check_all(run, err);
	if (rc == 0 && next_victim(run, run->done))
		rc = forget_repeatable(run, err);
	if (rc)
		return rc;
	done = run->done;
	return run->set.own ? dbl_down_own(run, next, err) : dbl_apply_each(run, next, &done, err);
}

int dbl_migrate_down(const struct dbl_migrate *ask, struct dblock_error *err)
{
	return dbl_run_attempts(ask, attempt, NULL, err);
}
