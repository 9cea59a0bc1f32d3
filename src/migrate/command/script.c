/* SPDX-License-Identifier: MIT */
/*
 * `plan --sql` writes what tx.c and stepwise.c would send, for a person to send it. The history is
 * written at the same points, so a script that stops in the middle leaves what `up` would have
 * left, and `up` goes on from there.
 */
#include "migrate/command/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver/value.h"

enum { BLOCK = 1 << 18 }; /* so many bytes are kept before they are moved on */

struct script {
	struct dbl_str *out;
	struct dbl_spool spool; /* what of it is written */
	const struct dbl_job *job;
	struct dbl_past row; /* the file's row once the script was run up to here */
};

static void put_op(const struct script *script, enum dbl_op op, const struct dbl_value *args)
{
	dbl_script_put(script->out, script->job->target, op, args);
}

/* ---- the row -------------------------------------------------------------------------------- */

/* Takes the place of a connection: adds what a change of the history would send. A claim becomes an
 * INSERT, which fails if there is a row, so a script cannot be run twice. */
static int put_request(void *script, struct dbl_request *request, struct dblock_error *err)
{
	bool claims = request->op == DBL_OP_migration_claim;

	(void)err;
	put_op(script, claims ? DBL_OP_migration_insert : request->op, request->args.list);
	request->changed = 1;
	return 0;
}

static struct dbl_runner on_paper(struct script *script)
{
	const struct dbl_run *run = script->job->run;

	return (struct dbl_runner){put_request, script, run->target, run->set.scope, 0};
}

static void put_move(struct script *script, const struct dbl_past *to)
{
	(void)dbl_history_move(on_paper(script), &script->row, to, NULL);
	script->row = *to;
}

/* Adds statements that fail if the row is not as it is now, so a script cannot be run twice. */
static void put_guard(const struct script *script)
{
	const struct dbl_past *row = &script->row;
	struct dbl_args args =
		DBL_ARGS_OF(dbl_text(script->job->run->set.scope), dbl_int(row->version),
			    dbl_text(dbl_row_state_text(row->state)), dbl_int(row->begun),
			    dbl_int(row->done), dbl_text(row->by));

	put_op(script, DBL_OP_migration_hold, args.list);
	put_op(script, DBL_OP_migration_guard, args.list);
}

static void put_claim(struct script *script)
{
	const struct dbl_job *job = script->job;
	struct dbl_past row = dbl_past_of(job->file, DBL_ROW_RUNNING, "");

	row.steps = job->pieces->n;
	if (!dbl_is_repeatable(job->file->version)) { /* which begins anew */
		row.begun = row.done = job->row.done;
		snprintf(row.prefix, sizeof(row.prefix), "%s", job->row.prefix);
	}
	snprintf(row.by, sizeof(row.by), "by hand, with a script of %.350s", job->run->by);
	if (job->has_row) {
		put_guard(script);
		put_move(script, &row);
		return;
	}
	(void)dbl_history_claim(on_paper(script), &row, NULL);
	script->row = row;
}

static void put_count(struct script *script, unsigned begun, unsigned done)
{
	struct dbl_past row = script->row;

	row.begun = begun;
	row.done = done;
	dbl_pieces_sum_on(script->job->pieces, (unsigned)script->row.done, done, row.prefix);
	put_move(script, &row);
}

static void put_applied(struct script *script)
{
	struct dbl_past row = script->row;

	row.state = DBL_ROW_APPLIED;
	row.begun = row.done = script->job->pieces->n;
	put_move(script, &row);
}

/* ---- the user's statements ------------------------------------------------------------------ */

/* mysql(1) cuts at each `;`, so a statement that has one in it needs another delimiter. */
static const char *delimiter_for(const struct script *script, const char *sql)
{
	static const char *const others[] = {"//", "$$", "@@", "~~~~"};

	if (script->job->target->dialect->ddl_in_tx || !strchr(sql, ';'))
		return ";";
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strstr(sql, others[i]))
			return others[i];
	}
	return "~~~~";
}

/* Moves what is written on, as all of it may be larger than memory. */
static void drain(struct script *script)
{
	if (script->out->len < BLOCK)
		return;
	(void)dbl_spool_add(&script->spool, script->out->text, script->out->len);
	script->out->len = 0;
}

static void put_data(struct script *script, const struct dbl_statement *statement)
{
	const char *data = statement->text + statement->data;

	for (size_t at = 0, n; at < statement->data_len; at += n) {
		n = statement->data_len - at;
		n = n < BLOCK ? n : BLOCK;
		dbl_str_addn(script->out, data + at, n);
		drain(script);
	}
	dbl_str_add(script->out, "\\.\n");
}

static void put_statement(struct script *script, unsigned k)
{
	const struct dbl_statement *statement = dbl_piece(script->job->pieces, k);
	const char *sql = dbl_piece_sql(script->job->pieces, k);
	const char *delimiter = delimiter_for(script, sql ? sql : "");
	bool other = *delimiter != ';';

	script->out->failed = script->out->failed || !sql;
	if (script->out->failed)
		return;
	if (other)
		dbl_str_addf(script->out, "DELIMITER %s\n", delimiter);
	dbl_str_add(script->out, sql);
	dbl_str_addf(script->out, "%s\n", delimiter);
	if (statement->head)
		put_data(script, statement);
	if (other)
		dbl_str_add(script->out, "DELIMITER ;\n");
	drain(script);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Adds again the statements that are done and set something in a session that is over. */
static void put_settings(struct script *script)
{
	for (unsigned k = 1; k <= script->row.done; k++) {
		if (dbl_job_is_setting(script->job, k))
			put_statement(script, k);
	}
}

static void put_as_tx(struct script *script)
{
	unsigned n = script->job->pieces->n, hoisted = script->job->script->hoisted;

	for (unsigned k = 1; k <= hoisted; k++)
		put_statement(script, k);
	put_op(script, DBL_OP_tx_begin, NULL);
	put_claim(script);
	put_settings(script);
	for (unsigned k = hoisted + 1; k <= n; k++) {
		if (k > script->row.done)
			put_statement(script, k);
	}
	put_applied(script);
	put_op(script, DBL_OP_tx_commit, NULL);
}

static void put_step(struct script *script, unsigned k)
{
	bool alone = dbl_job_alone(script->job, k);

	if (alone)
		put_count(script, k, k - 1);
	else
		put_op(script, DBL_OP_tx_begin, NULL);
	put_statement(script, k);
	put_count(script, k, k);
	if (!alone)
		put_op(script, DBL_OP_tx_commit, NULL);
}

static void put_stepwise(struct script *script)
{
	/* One transaction, so that nobody changes the row between the guard and the claim. */
	if (script->job->has_row)
		put_op(script, DBL_OP_tx_begin, NULL);
	put_claim(script);
	if (script->job->has_row)
		put_op(script, DBL_OP_tx_commit, NULL);
	put_settings(script);
	for (unsigned k = (unsigned)script->row.done + 1; k <= script->job->pieces->n; k++)
		put_step(script, k);
	put_applied(script);
}

static void put_file(struct script *script, bool make_history)
{
	const struct dbl_job *job = script->job;
	const struct dbl_run *run = job->run;
	const struct dbl_value timeout = dbl_int(run->which.lock_timeout_ms);
	char label[DBL_LABEL];

	dbl_str_addf(script->out, "-- %s: %u statement%s, %s\n",
		     dbl_label(label, job->file->version, job->file->name), job->pieces->n,
		     job->pieces->n == 1 ? "" : "s",
		     job->script->stepwise ? "step by step" : "one transaction");
	if (make_history)
		put_op(script, DBL_OP_migration_table, NULL);
	if (!job->target->dialect->is_file && !run->set.own)
		put_op(script, DBL_OP_migrate_session, &timeout);
	if (job->script->stepwise)
		put_stepwise(script);
	else
		put_as_tx(script);
}

int dbl_script_write(struct dbl_text *text, const struct dbl_job *job, bool make_history,
		     struct dblock_error *err)
{
	struct dbl_str out = {0};
	struct script script = {.out = &out, .job = job, .row = job->row};
	int rc;

	dbl_spool_begin(&script.spool, DBL_TEXT_STRIDE);
	put_file(&script, make_history);
	rc = out.failed ? ENOMEM : dbl_spool_add(&script.spool, out.text, out.len);
	if (rc)
		dbl_spool_drop(&script.spool);
	else
		rc = dbl_spool_end(&script.spool, text);
	dbl_str_free(&out);
	if (rc && rc != ENOMEM)
		return dbl_fail_native(err, DBLOCK_E_INVALID, rc, NULL,
				       "the script cannot be written to %s: %s; let TMPDIR name a "
				       "folder with room for it",
				       dbl_spool_folder(), strerror(rc));
	return rc ? dbl_fail(err, DBLOCK_E_NOMEM, "out of memory") : 0;
}

/* ---- the history alone ---------------------------------------------------------------------- */

/* Nothing that differs between two databases with the same files: no time, host or version. */
static void put_past(struct dbl_str *out, const struct dbl_run *run, const struct dbl_step *step,
		     int64_t place)
{
	bool same = step->file && !step->changed && step->state == DBLOCK_MIGRATION_APPLIED;
	struct dbl_past row = same ? dbl_past_of(step->file, DBL_ROW_APPLIED, "") : *step->past;
	int64_t steps = same ? step->file->up.steps : row.steps;

	dbl_script_put(out, run->target, DBL_OP_migration_dump,
		       DBL_ARGS_OF(dbl_text(run->set.scope), dbl_int(row.version),
				   dbl_text(row.name), dbl_int(place), dbl_text(row.checksum),
				   dbl_text(row.token_checksum), dbl_int(steps))
			       .list);
}

void dbl_script_history(struct dbl_str *out, const struct dbl_run *run)
{
	struct dbl_plan plan = {&run->set, &run->history, 0, 0};
	struct dbl_step step;
	int64_t place = 0;

	dbl_str_addf(out, "-- What is applied of '%s'.\n", run->set.scope);
	dbl_script_put(out, run->target, DBL_OP_migration_table, NULL);
	while (dbl_plan_next(&plan, &step)) {
		if (step.past && step.past->state == DBL_ROW_APPLIED)
			put_past(out, run, &step, ++place);
	}
}
