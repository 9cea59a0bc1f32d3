/* SPDX-License-Identifier: MIT */
#include "migrate/command/record.h"

#include <string.h>

#include "migrate/report/words.h"

static int record(struct dbl_run *run, const struct dbl_file *file, struct dblock_error *err)
{
	struct dbl_past row = dbl_past_of(file, DBL_ROW_APPLIED, run->by);
	int rc = dbl_note_forget(run, file->version, err);

	row.baseline = true;
	row.steps = row.done = file->up.steps;
	return rc ? rc : dbl_history_claim(dbl_run_on(run), &row, err);
}

static int record_all(struct dbl_run *run, bool (*wanted)(const struct dbl_file *, void *ctx),
		      void *ctx, struct dblock_error *err)
{
	int rc = dbl_gate_begin(run, err);

	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < run->set.n; i++) {
		if (wanted(&run->set.files[i], ctx))
			rc = record(run, &run->set.files[i], err);
	}
	rc = dbl_db_undone(run->db, rc, dbl_run_deadline(run), err);
	return dbl_db_end(run->db, rc, dbl_run_deadline(run), err);
}

static bool is_version(const struct dbl_file *file, void *version)
{
	return file->version == *(int64_t *)version;
}

int dbl_record_one(struct dbl_run *run, int64_t version, struct dblock_error *err)
{
	int rc = dbl_run_make_history(run, err);

	return rc ? rc : record_all(run, is_version, &version, err);
}

bool dbl_record_is_done(const struct dbl_run *run)
{
	const struct dbl_past *row = run->history.rows;

	return run->lost_since && run->history.n > 0 && row->baseline &&
	       strcmp(row->by, run->by) == 0;
}

int dbl_record_refuse(const struct dbl_run *run, struct dblock_error *err)
{
	bool one = run->history.n == 1;

	return dbl_words_refuse(
		err, DBLOCK_E_DRIFT,
		"%zu migration%s of '%s' %s recorded already, so there is nothing to take for "
		"granted" DBL_NOTHING_DONE "see with 'dblock migrate status' which they are",
		run->history.n, one ? "" : "s", run->set.scope, one ? "is" : "are");
}

int dbl_record(struct dbl_run *run, bool (*wanted)(const struct dbl_file *, void *ctx), void *ctx,
	       struct dblock_error *err)
{
	int rc;

	if (dbl_record_is_done(run))
		return 0;
	if (run->history.n > 0)
		return dbl_record_refuse(run, err);
	rc = dbl_run_make_history(run, err);
	return rc ? rc : record_all(run, wanted, ctx, err);
}
