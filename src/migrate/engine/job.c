/* SPDX-License-Identifier: MIT */
/* What running a file as one transaction and running it step by step share. */
#include "migrate/engine/job.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define PAUSE_US 100000

enum { TRIES_MAX = 5 };

int dbl_job_open(struct dbl_job *job, struct dbl_run *run, const struct dbl_step *step,
		 struct dblock_error *err)
{
	const struct dbl_file *file = step->file;
	int64_t *began = &run->began[file - run->set.files];
	int64_t *rows = &run->rows[file - run->set.files];

	if (!*began) {
		*began = dbl_now(run->target->env);
		*rows = 0;
	}
	*job = (struct dbl_job){
		.run = run,
		.target = run->target,
		.which = &run->which,
		.own = run->set.own,
		.down = run->down,
		.done = run->done,
		.file = file,
		.rows = rows,
		.script = run->down ? &file->down : &file->up,
		.has_row = step->past != NULL,
	};
	if (step->past)
		job->row = *step->past;
	return dbl_pieces_open(&job->pieces, job->script, job->own, job->target, err);
}

/* Returns the row as it is while the file runs, before the first statement. */
static struct dbl_past begin_row(const struct dbl_job *job)
{
	struct dbl_past row = dbl_past_of(
		job->file, job->down ? DBL_ROW_REVERTING : DBL_ROW_RUNNING, job->run->by);

	row.steps = job->pieces->n;
	return row;
}

/* Sets how to go on if a change of the history fails, as somebody else was faster or is at it. */
static int judge_change(struct dbl_job *job, int rc)
{
	struct dbl_run *run = job->run;

	if (rc == DBLOCK_E_CONFLICT)
		run->again = DBL_AGAIN_LOOK;
	else if (rc == DBLOCK_E_BLOCKED)
		run->again = DBL_AGAIN_WAIT;
	return dbl_run_lost(run, rc);
}

int dbl_job_move(struct dbl_job *job, const struct dbl_past *to, struct dblock_error *err)
{
	int rc = dbl_history_move(dbl_run_on(job->run), &job->row, to, err);

	if (rc == 0 && to)
		job->row = *to;
	return judge_change(job, rc);
}

bool dbl_job_repeatable(const struct dbl_job *job)
{
	return job->own || job->target->dialect->is_file || dbl_is_repeatable(job->file->version);
}

int dbl_job_stop(struct dbl_job *job, int rc)
{
	job->run->again = DBL_AGAIN_NEVER;
	return rc;
}

/* Corrects the row by what this process knows of a statement whose count it could not write. */
static void apply_known(struct dbl_job *job, struct dbl_past *row)
{
	struct dbl_known *known = &job->run->known;

	if (known->version != row->version || known->step != row->begun ||
	    row->begun != row->done + 1 || strcmp(row->by, job->run->by) != 0)
		return;
	if (known->done)
		dbl_pieces_sum(job->pieces, (unsigned)++row->done, row->prefix);
	else
		row->begun--;
}

/* The file goes on in another session, where what earlier statements have set is gone. Settings are
 * made again. Fails if something else was made, of which a person has to say how to go on. */
static int check_session(struct dbl_job *job, int64_t done, struct dblock_error *err)
{
	unsigned k = job->script->makes;

	return k && k <= done ? dbl_job_stop(job, dbl_report_session(job, k, err)) : 0;
}

int dbl_job_check(struct dbl_job *job, const struct dbl_past *row, struct dblock_error *err)
{
	bool repeatable = dbl_job_repeatable(job);
	char sum[DBL_SHA256_HEX + 1];

	if (!repeatable && row->state != DBL_ROW_FAILED && row->begun != row->done)
		return dbl_job_stop(job, dbl_report_in_doubt(job, err));
	if (row->done > job->pieces->n)
		return dbl_job_stop(job, dbl_report_edited(job, err));
	dbl_pieces_sum(job->pieces, (unsigned)row->done, sum);
	if (strcmp(sum, row->prefix) != 0)
		return dbl_job_stop(job, dbl_report_edited(job, err));
	return repeatable ? 0 : check_session(job, row->done, err);
}

static int go_on(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_past seen = job->row, row = begin_row(job);
	int rc = 0;

	apply_known(job, &seen);
	if (!dbl_job_repeatable(job)) {
		rc = dbl_job_check(job, &seen, err);
		row.begun = row.done = seen.done;
		memcpy(row.prefix, seen.prefix, sizeof(row.prefix));
	}
	return rc ? rc : dbl_job_move(job, &row, err);
}

int dbl_job_claim(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_past row = begin_row(job);

	if (!job->has_row) {
		job->row = row;
		return judge_change(job, dbl_history_claim(dbl_run_on(job->run), &row, err));
	}
	if (job->row.state == DBL_ROW_APPLIED) /* to be undone, or repeated */
		return dbl_job_move(job, &row, err);
	/* The process that wrote the row may be alive. */
	if (!job->run->inside && !dbl_job_repeatable(job) && job->row.state != DBL_ROW_FAILED &&
	    strcmp(job->row.by, job->run->by) != 0) {
		job->run->again = DBL_AGAIN_WAIT;
		return dbl_fail(err, DBLOCK_E_CONFLICT, "%s is at it", job->row.by);
	}
	if ((job->row.state == DBL_ROW_REVERTING) != job->down)
		return dbl_job_stop(job, dbl_report_reverting(job, err));
	return go_on(job, err);
}

/* Tell the caller what the database says of a statement of the user's. */
static void tell_notice(struct dbl_job *job, const char *text)
{
	char detail[1200];
	struct dblock_migrate_problem problem = {
		.size = sizeof(problem),
		.kind = DBLOCK_PROBLEM_NOTICE,
		.harmless = true,
		.version = job->file->version,
		.name = job->file->name,
		.detail = detail,
	};

	snprintf(detail, sizeof(detail), "%s:%zu: %s", job->script->path,
		 dbl_piece(job->pieces, job->at)->line, text);
	if (job->which->warned)
		(void)job->which->warned(job->which->warned_arg, &problem);
}

/* Keep what it says of one that it refuses, for the report: a line each. */
static void keep_said(struct dbl_job *job, const char *text)
{
	size_t at = strlen(job->said);
	char line[200];

	dbl_utf8_cut(line, sizeof(line), text);
	for (char *end = line; (end = strpbrk(end, "\r\n")) != NULL;)
		*end = ' ';
	if (at + strlen(line) + 2 <= sizeof(job->said))
		sprintf(job->said + at, "%s\n", line);
}

static void on_told(void *ctx, bool refused, const char *text)
{
	(refused ? keep_said : tell_notice)(ctx, text);
}

/* What a COPY still has to read of its data. */
struct data {
	const struct dbl_script *script;
	const char *at, *end;
};

static size_t next_data(void *ctx, const char **part)
{
	struct data *data = ctx;
	size_t left = (size_t)(data->end - data->at);

	dbl_text_passed(data->script->text.text, data->script->text.mapped);
	left = left < DBL_TEXT_STRIDE ? left : DBL_TEXT_STRIDE;
	*part = data->at;
	data->at += left;
	return left;
}

int dbl_job_send(struct dbl_job *job, unsigned k, struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	const struct dbl_statement *statement = dbl_piece(job->pieces, k);
	const char *sql = dbl_piece_sql(job->pieces, k), *from = statement->text + statement->data;
	struct data data = {job->script, from, from + statement->data_len};
	int64_t deadline = job->own ? dbl_run_deadline(run) : DBL_NEVER;
	int rc;

	if (!sql)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");

	job->at = k;
	job->sent = dbl_now(job->target->env);
	dbl_job_say(job, NULL);
	job->said[0] = '\0';
	dbl_db_tell(run->db, job->own ? NULL : on_told, job);
	dbl_db_copy(run->db, statement->head ? next_data : NULL, &data);
	dbl_job_ticks(job, true);
	rc = dbl_db_send(run->db, sql, deadline, err);
	dbl_job_ticks(job, false);
	*job->rows += rc == 0 ? dbl_db_changed(run->db) : 0;
	dbl_db_copy(run->db, NULL, NULL);
	dbl_db_tell(run->db, NULL, NULL);
	job->error_at = rc < 0 ? dbl_db_error_at(run->db) : 0;
	return rc;
}

bool dbl_job_is_setting(const struct dbl_job *job, unsigned k)
{
	return k <= job->row.done && dbl_piece(job->pieces, k)->session == DBL_SESSION_SETTING;
}

int dbl_job_settings(struct dbl_job *job, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned k = 1; rc == 0 && k <= job->row.done; k++) {
		if (dbl_job_is_setting(job, k))
			rc = dbl_job_send(job, k, err);
	}
	if (rc == 0)
		job->at = 0;
	return rc;
}

/* Deletes the rows of an older dblock with the first file, whose undoing drops all tables. The last
 * row goes last, since it tells whose tables they are. */
static int forget_older(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	const struct dbl_past *older = dbl_plan_older(&run->set, &run->history);
	int rc = 0;

	if (!older || !job->down || job->file != run->set.files)
		return 0;
	for (const struct dbl_past *row = run->history.rows; rc == 0 && row <= older; row++)
		rc = dbl_history_move(dbl_run_on(run), row, NULL, err);
	return judge_change(job, rc);
}

int dbl_job_finish(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	struct dbl_past row = job->row;
	int rc = 0;

	job->at = 0;
	if (!job->own)
		rc = dbl_run_own_role(run, err);
	if (rc == 0 && job->has_note)
		rc = dbl_note_forget(run, job->file->version, err);
	if (rc)
		return dbl_run_lost(run, rc);
	rc = forget_older(job, err);
	if (rc)
		return rc;
	row.state = DBL_ROW_APPLIED;
	row.begun = row.done = job->pieces->n;
	row.error[0] = '\0';
	return dbl_job_move(job, job->down ? NULL : &row, err);
}

bool dbl_job_again(struct dbl_job *job, int rc)
{
	const struct dbl_env *env = job->target->env;

	if ((rc != DBLOCK_E_BLOCKED && rc != DBLOCK_E_CONFLICT) || dbl_db_broken(job->run->db) ||
	    ++job->tries >= TRIES_MAX)
		return false;
	dbl_sleep_until(env, dbl_add(dbl_now(env), dbl_jitter(env, PAUSE_US << (job->tries - 1))));
	return true;
}
