/* SPDX-License-Identifier: MIT */
/*
 * Runs a file whose statements cannot be one transaction: on MySQL with DDL, on PostgreSQL after
 * `-- no-transaction`. Two counters in its row say how far it came: `begun` is written before a
 * statement is sent, `done` after. If both are equal it stopped between two statements, and a later
 * call goes on. If they differ, the outcome of one statement is not known, and only a person can
 * find it out. A statement that can be in a transaction is in one with its count, so that this does
 * not happen to it.
 *
 * Each write of a counter names the values that it changes from: if two processes run the file,
 * because the gate failed, only one of them gets through.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "migrate/engine/job.h"

#include "migrate/report/words.h"

/* Writes how many statements were sent, and how many are done. */
static int count(struct dbl_job *job, unsigned begun, unsigned done, struct dblock_error *err)
{
	struct dbl_past row = job->row;
	int rc;

	row.begun = begun;
	row.done = done;
	row.error[0] = '\0';
	dbl_pieces_sum_on(job->pieces, (unsigned)job->row.done, done, row.prefix);
	rc = dbl_job_move(job, &row, err);
	/* Whatever the row says now, this process knows the outcome of that statement. */
	if (rc < 0 && dbl_db_broken(job->run->db))
		job->run->known = (struct dbl_known){job->file->version, begun, begun == done};
	return rc;
}

/* Reports a statement that was refused, and so had no effect, and writes that to the row. */
static int refused(struct dbl_job *job, int rc, struct dblock_error *err)
{
	struct dblock_error local;
	struct dbl_past row = job->row;
	bool noted;

	job->blocked = rc == DBLOCK_E_BLOCKED;
	rc = dbl_report_refused(job, rc, err);
	row.state = job->down ? DBL_ROW_REVERTING : DBL_ROW_FAILED;
	row.done = job->at - 1;
	row.begun = job->down ? row.done : job->at;
	dbl_utf8_cut(row.error, sizeof(row.error), err->message);
	row.error[strcspn(row.error, "\n")] = '\0'; /* the file has the statement */
	(void)dbl_run_own_role(job->run, NULL);
	noted = dbl_job_move(job, &row, &local) == 0;
	if (!noted)
		job->run->again = DBL_AGAIN_NEVER;
	dbl_report_stopped(job, !noted, err);
	dbl_job_blocked(job, err);
	if (!noted)
		dbl_err_line(err, DBL_LINE_MORE,
			     "(that it stopped there could not be noted: %.200s)", local.message);
	dbl_note_failure(job, rc, err->message);
	return rc;
}

static int lost(struct dbl_job *job, int rc, struct dblock_error *err)
{
	if (job->own)
		return dbl_run_lost(job->run, rc);
	rc = dbl_job_stop(job, dbl_report_lost(job, rc, err));
	dbl_report_stopped(job, true, err);
	return rc;
}

/* ---- statements with their count ------------------------------------------------------------ */

static int in_small_tx(struct dbl_job *job, unsigned k, unsigned n, bool *sent,
		       struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	int rc = dbl_gate_begin(run, err);

	*sent = false;
	if (rc)
		return rc;
	for (unsigned i = 0; rc == 0 && i < n && dbl_db_in_tx(run->db); i++)
		rc = dbl_job_send(job, k + i, err);
	*sent = rc < 0;
	/* The statement has ended its transaction, by a commit or a rollback. */
	if (rc == 0 && !dbl_db_in_tx(run->db)) {
		rc = count(job, job->at, job->at - 1, err);
		return rc ? rc : dbl_job_stop(job, dbl_report_in_doubt(job, err));
	}
	if (rc == 0)
		rc = count(job, job->at, job->at, err);
	if (rc == 0 || dbl_db_broken(run->db) || dbl_db_in_tx(run->db))
		rc = dbl_db_end(run->db, rc, dbl_run_deadline(run), err);
	return *sent ? rc : dbl_run_lost(run, rc);
}

/* A refusal undoes all that went together. They are done again one by one: that counts those before
 * it, and says which it is. */
static int shared_step(struct dbl_job *job, unsigned k, struct dblock_error *err)
{
	struct dbl_past row = job->row;
	int64_t rows = *job->rows;
	unsigned n;
	bool sent;
	int rc = dbl_job_rows(job, k, &n, err);

	if (rc)
		return rc;
	do {
		job->row = row;
		*job->rows = rows;
		rc = in_small_tx(job, k, n, &sent, err);
	} while (rc < 0 && job->run->again == DBL_AGAIN_NOT && n == 1 && dbl_job_again(job, rc));
	if (rc >= 0 || job->run->again != DBL_AGAIN_NOT)
		return rc;
	job->row = row;
	*job->rows = rows;
	if (dbl_db_broken(job->run->db))
		return lost(job, dbl_db_undone(job->run->db, rc, dbl_run_deadline(job->run), err),
			    err);
	if (n > 1) {
		job->singly = k + n - 1;
		return 0;
	}
	return refused(job, rc, err);
}

/* ---- a statement that stands alone ---------------------------------------------------------- */

struct search {
	const char *sql;
	char found[100];
};

static int take_index(void *ctx, const struct dbl_value *row)
{
	struct search *search = ctx;
	char name[sizeof(search->found)];

	snprintf(name, sizeof(name), "%.*s", (int)row[0].len, row[0].text);
	if (strstr(search->sql, name))
		memcpy(search->found, name, sizeof(name));
	return 0;
}

/* Finds an INVALID index that this statement names. CREATE INDEX CONCURRENTLY leaves one if it
 * fails, and with IF NOT EXISTS then passes over it. */
static int find_invalid(struct dbl_job *job, struct search *search, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = DBL_OP_migrate_invalid,
		.row = take_index,
		.ctx = search,
		.deadline = dbl_run_deadline(job->run),
	};

	*search = (struct search){.sql = ""};
	if (job->own)
		return 0;
	search->sql = dbl_piece_sql(job->pieces, job->at);
	if (!search->sql)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return dbl_db_run(job->run->db, &request, err);
}

static int check_alone(struct dbl_job *job, struct dblock_error *err)
{
	struct search search;
	int rc;

	if (dbl_db_in_tx(job->run->db)) {
		(void)dbl_db_script(job->run->db, DBL_OP_tx_rollback, dbl_run_deadline(job->run),
				    NULL);
		return dbl_fail(err, DBLOCK_E_MIGRATION, "it left a transaction open");
	}
	rc = find_invalid(job, &search, err);
	if (rc == 0 && search.found[0])
		rc = dbl_fail(err, DBLOCK_E_MIGRATION, "the index is there, but INVALID");
	return rc;
}

/* Whether a statement of our own files, which can be run again from anywhere, was done before.
 * MySQL has no ADD COLUMN IF NOT EXISTS, and fails with these codes. */
static bool was_done_before(const struct dbl_job *job, const struct dblock_error *err)
{
	enum { DUPLICATE_COLUMN = 1060, NO_SUCH_COLUMN = 1091 };

	return job->own && !job->target->dialect->ddl_in_tx &&
	       (err->native == DUPLICATE_COLUMN || err->native == NO_SUCH_COLUMN);
}

static int send_alone(struct dbl_job *job, unsigned k, struct dblock_error *err)
{
	bool once = dbl_piece(job->pieces, k)->kind == DBL_STATEMENT_ALONE;
	int rc;

	do {
		rc = dbl_job_send(job, k, err);
	} while (!once && dbl_job_again(job, rc));
	if (rc < 0 && was_done_before(job, err))
		rc = 0;
	return rc == 0 ? check_alone(job, err) : rc;
}

static int alone_refused(struct dbl_job *job, int rc, struct dblock_error *err)
{
	struct dblock_error ignored;
	struct search search;

	if (find_invalid(job, &search, &ignored) == 0 && search.found[0]) {
		job->leaves = true;
		dbl_err_suffix(err, "; it leaves the INVALID index '%s' behind: drop it first",
			       search.found);
	}
	return refused(job, rc, err);
}

static int alone_step(struct dbl_job *job, unsigned k, struct dblock_error *err)
{
	int rc = count(job, k, k - 1, err);

	if (rc)
		return rc;
	rc = send_alone(job, k, err);
	if (rc == 0)
		return count(job, k, k, err);
	if (dbl_db_broken(job->run->db))
		return dbl_job_repeatable(job) ? lost(job, rc, err)
					       : dbl_job_stop(job, dbl_report_in_doubt(job, err));
	return rc < 0 ? alone_refused(job, rc, err) : rc;
}

/* ---- the file ------------------------------------------------------------------------------- */

bool dbl_job_alone(const struct dbl_job *job, unsigned k)
{
	return job->own || job->target->dialect->is_file ||
	       dbl_piece(job->pieces, k)->kind != DBL_STATEMENT_ORDINARY;
}

/* Fails behind a pooler, where each statement may run in another session, without settings. */
static int check_session(const struct dbl_job *job, struct dblock_error *err)
{
	char command[DBL_COMMAND_TEXT];

	if (job->run->inside || job->own || !job->target->dialect->ddl_in_tx)
		return 0;
	dbl_fail(err, DBLOCK_E_INVALID,
		 "%s: a file that is not one transaction needs the server itself, and this "
		 "connection goes through a pooler",
		 job->script->path);
	dbl_err_line(err, DBL_LINE_NEXT,
		     "run 'dblock migrate %s' with the URL of the server itself",
		     dbl_words_again(command, job->down, job->which, job->done));
	return DBLOCK_E_INVALID;
}

static int begin(struct dbl_job *job, struct dblock_error *err)
{
	int rc = check_session(job, err);

	if (rc == 0)
		rc = dbl_run_make_history(job->run, err);
	if (rc == 0)
		rc = dbl_note_heed(job, err);
	return rc ? rc : dbl_job_claim(job, err);
}

/* Sets again what the statements that are done have set in another session. */
static int set_again(struct dbl_job *job, struct dblock_error *err)
{
	int rc = dbl_job_settings(job, err);

	if (rc == 0 || dbl_db_broken(job->run->db))
		return dbl_run_lost(job->run, rc);
	rc = dbl_report_refused(job, rc, err);
	dbl_report_not_set(job, err);
	return rc;
}

int dbl_job_stepwise(struct dbl_job *job, struct dblock_error *err)
{
	int rc = begin(job, err);

	if (rc == 0)
		rc = set_again(job, err);
	if (rc == 0)
		job->run->which.allow_tables = false; /* it is recorded: no need to say so again */
	while (rc == 0 && job->row.done < job->pieces->n) {
		unsigned k = (unsigned)job->row.done + 1;

		job->tries = 0;
		rc = dbl_run_canceled(job->run, err);
		if (rc)
			return rc;
		rc = dbl_job_alone(job, k) ? alone_step(job, k, err) : shared_step(job, k, err);
	}
	return rc ? rc : dbl_job_finish(job, err);
}
