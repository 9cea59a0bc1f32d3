/* SPDX-License-Identifier: MIT */
/* Baseline and repair change the history as a person says. Neither runs a statement of a file. */
#include <string.h>

#include "migrate/command/migrate.h"
#include "migrate/command/record.h"
#include "migrate/engine/job.h"
#include "migrate/report/words.h"

/* ---- baseline ------------------------------------------------------------------------------- */

static bool up_to(const struct dbl_file *file, void *version)
{
	return file->version <= *(int64_t *)version;
}

static int baseline(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	int64_t version = *(int64_t *)ctx;
	int rc;

	if (!dbl_set_find(&run->set, version))
		return dbl_words_unknown(version, err);
	rc = dbl_gate_enter(run, NULL, NULL, err);
	return rc ? rc : dbl_record(run, up_to, ctx, err);
}

int dbl_migrate_baseline(const struct dbl_migrate *ask, int64_t version, struct dblock_error *err)
{
	struct dbl_migrate lenient = *ask;

	lenient.lenient = true;
	return dbl_run_attempts(&lenient, baseline, &version, err);
}

/* ---- repair --------------------------------------------------------------------------------- */

struct repair {
	int64_t version;
	enum dblock_migrate_verdict verdict;
	bool tried;           /* the change was sent */
	struct dbl_past want; /* the row as it is to be, unless it is to be forgotten */
};

static bool is_in_doubt(const struct dbl_past *row)
{
	return (row->state == DBL_ROW_RUNNING || row->state == DBL_ROW_REVERTING) &&
	       row->begun == row->done + 1;
}

static bool fits(const struct dbl_past *row, enum dblock_migrate_verdict verdict)
{
	switch (verdict) {
	case DBLOCK_MIGRATE_DONE: /* also of one that was refused, and done by hand, or said not to be */
		return row->state != DBL_ROW_APPLIED && row->done < row->steps;
	case DBLOCK_MIGRATE_NOT_DONE:
		return is_in_doubt(row);
	case DBLOCK_MIGRATE_APPLIED:
		return row->state != DBL_ROW_APPLIED;
	case DBLOCK_MIGRATE_RECHECKSUM:
		return row->state == DBL_ROW_APPLIED;
	case DBLOCK_MIGRATE_FORGET:
		return true;
	}
	return false;
}

static int unfit(const struct dbl_past *row, struct dblock_error *err)
{
	static const char *const states[] = {
		[DBL_ROW_APPLIED] = "is applied",
		[DBL_ROW_RUNNING] = "was begun to be applied",
		[DBL_ROW_FAILED] = "failed",
		[DBL_ROW_REVERTING] = "was begun to be undone",
	};

	char label[DBL_LABEL];
	const char *can =
		row->state == DBL_ROW_APPLIED ? "one that is applied, --forget and --rechecksum"
		: is_in_doubt(row) ? "one in doubt, --done, --not-done, --applied and --forget"
				   : "one that is not finished, --done (its next statement is "
				     "done by hand), --applied and --forget";

	return dbl_words_refuse(err, DBLOCK_STALE,
				"%s %s (%lld of %lld statements are done%s): that "
				"verdict does not fit" DBL_NOTHING_DONE
				"see 'dblock migrate status'; of %s can be said",
				dbl_label(label, row->version, row->name), states[row->state],
				(long long)row->done, (long long)row->steps,
				is_in_doubt(row) ? ", one is in doubt" : "", can);
}

/* Counts the statement in doubt, or the next one, as done, so it belongs to the sum. */
static int take_for_done(struct dbl_run *run, const struct dbl_file *file, struct dbl_past *row,
			 struct dblock_error *err)
{
	const struct dbl_script *script = row->state == DBL_ROW_REVERTING ? &file->down : &file->up;
	struct dbl_pieces *pieces = NULL;
	unsigned n = 0;
	int rc = 0;

	row->begun = row->done + 1;
	if (script->text.text)
		rc = dbl_pieces_open(&pieces, script, run->set.own, run->target, err);
	if (rc == 0 && pieces)
		n = pieces->n;
	if (rc == 0 && row->begun > n)
		rc = dbl_fail(
			err, DBLOCK_E_INVALID,
			"%s: it has only %u statements, and this is about number %lld: restore "
			"it, or use another verdict",
			script->path ? script->path : file->name, n, (long long)row->begun);
	if (rc == 0)
		dbl_pieces_sum(pieces, (unsigned)row->begun, row->prefix);
	row->done = row->begun;
	row->error[0] = '\0';
	if (row->state == DBL_ROW_FAILED)
		row->state = DBL_ROW_RUNNING;
	dbl_pieces_free(pieces);
	return rc;
}

static void take_for_applied(const struct dbl_file *file, struct dbl_past *row)
{
	row->state = DBL_ROW_APPLIED;
	row->steps = row->begun = row->done = file->up.steps;
	row->error[0] = '\0';
	dbl_past_take(row, &file->up);
}

static int judge(struct dbl_run *run, const struct dbl_past *seen,
		 enum dblock_migrate_verdict verdict, struct dbl_past *row,
		 struct dblock_error *err)
{
	const struct dbl_file *file = dbl_set_find(&run->set, seen->version);

	*row = *seen;
	if (!fits(seen, verdict))
		return unfit(seen, err);
	if (!file && verdict != DBLOCK_MIGRATE_FORGET && verdict != DBLOCK_MIGRATE_NOT_DONE)
		return dbl_words_refuse(err, DBLOCK_E_INVALID,
					"migration %lld is not in this set" DBL_NEXT
					"bring its file back, or run 'dblock migrate repair %lld "
					"--forget'",
					(long long)seen->version, (long long)seen->version);
	if (verdict == DBLOCK_MIGRATE_DONE)
		return take_for_done(run, file, row, err);
	if (verdict == DBLOCK_MIGRATE_NOT_DONE)
		row->begun = row->done;
	else if (verdict != DBLOCK_MIGRATE_FORGET)
		take_for_applied(file, row);
	return 0;
}

/* Whether the change, whose reply was lost, was carried out: the verdict fits no more then. */
static bool is_so(const struct repair *it, const struct dbl_past *seen)
{
	const struct dbl_past *want = &it->want;

	if (!seen || it->verdict == DBLOCK_MIGRATE_FORGET)
		return !seen && it->verdict == DBLOCK_MIGRATE_FORGET;
	return seen->state == want->state && seen->begun == want->begun &&
	       seen->done == want->done && strcmp(seen->checksum, want->checksum) == 0;
}

/* Of one without a row only that it is applied can be said: it was done by hand, or by another tool. */
static int mark(struct dbl_run *run, struct repair *it, struct dblock_error *err)
{
	const struct dbl_file *file = dbl_set_find(&run->set, it->version);

	if (it->verdict != DBLOCK_MIGRATE_APPLIED)
		return dbl_words_refuse(
			err, DBLOCK_STALE,
			"migration %lld was never begun: only --applied can be said of "
			"it, if it is in place" DBL_NOTHING_DONE
			"see with 'dblock migrate status' which were",
			(long long)it->version);
	if (!file)
		return dbl_words_unknown(it->version, err);
	it->want = dbl_past_of(file, DBL_ROW_APPLIED, run->by);
	it->want.begun = it->want.done = file->up.steps;
	it->tried = true;
	return dbl_record_one(run, it->version, err);
}

static int repair(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct repair *it = ctx;
	const struct dbl_past *seen;
	int rc = dbl_gate_enter(run, NULL, NULL, err);

	if (rc)
		return rc;
	seen = dbl_history_find(&run->history, it->version);
	if (it->tried && run->lost_since && is_so(it, seen))
		return 0;
	if (!seen)
		return mark(run, it, err);
	rc = judge(run, seen, it->verdict, &it->want, err);
	if (rc == 0)
		rc = dbl_note_forget(run, it->version, err);
	if (rc)
		return rc;
	it->tried = true;
	return dbl_history_move(dbl_run_on(run), seen,
				it->verdict == DBLOCK_MIGRATE_FORGET ? NULL : &it->want, err);
}

int dbl_migrate_repair(const struct dbl_migrate *ask, int64_t version,
		       enum dblock_migrate_verdict verdict, struct dblock_error *err)
{
	struct repair it = {.version = version, .verdict = verdict};

	return dbl_run_attempts(ask, repair, &it, err);
}
