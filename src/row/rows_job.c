/* SPDX-License-Identifier: MIT */
/* All ways to lock rows share these: to run a statement, to hand on a row, to judge the outcome. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "row/rows_own.h"

/* ---- statements ------------------------------------------------------------------------------ */

static bool is_deadlock(const struct dblock_error *err)
{
	enum { MYSQL_DEADLOCK = 1213 };

	return err->native == MYSQL_DEADLOCK || strcmp(err->sqlstate, "40P01") == 0;
}

/* Whether the limit that we set for the statement has ended it: MariaDB's max_statement_time, or
 * PostgreSQL's statement_timeout. A limit of the caller's own ends it before `until`. */
static bool is_late(const struct dbl_rows_job *job, const struct dblock_error *err)
{
	enum { MARIADB_LATE = 1969 };

	return (err->native == MARIADB_LATE || strcmp(err->sqlstate, "57014") == 0) &&
	       dbl_now(job->tx->target->env) >= job->until;
}

static int outcome_of(const struct dbl_rows_job *job, int rc, const struct dblock_error *err)
{
	if (rc == DBLOCK_E_BLOCKED)
		return job->wait == DBL_ROW_WAIT ? DBLOCK_TIMEOUT : DBLOCK_BUSY;
	if (rc == DBLOCK_E_CONFLICT && is_deadlock(err))
		return DBLOCK_DEADLOCK;
	if (rc == DBLOCK_E_NO_ANSWER && is_late(job, err))
		return DBLOCK_TIMEOUT;
	return rc;
}

int dbl_rows_query(struct dbl_rows_job *job, char *sql, const struct dbl_value *args, unsigned n,
		   int (*row)(void *, const struct dbl_value *, unsigned), void *ctx,
		   struct dblock_error *err)
{
	struct dbl_query query = {.sql = sql,
				  .args = args,
				  .n = n,
				  .reads = true, /* a lock is lost with its connection */
				  .row = row,
				  .ctx = ctx,
				  .deadline = job->deadline};
	int rc;

	if (!sql)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_db_query(job->db, &query, err);
	dbl_free(sql);
	if (rc && !job->called)
		err->code = rc = outcome_of(job, rc, err);
	return rc;
}

int dbl_rows_set(struct dbl_rows_job *job, enum dbl_op op, int64_t number, struct dblock_error *err)
{
	struct dbl_value arg = {.type = DBL_INT, .i = number};
	struct dbl_request request = {
		.op = op, .args = DBL_ARG(arg), .deadline = dbl_tx_deadline(job->tx)};

	return dbl_db_run(job->db, &request, err);
}

int dbl_rows_found(void *state, const struct dbl_value *row, unsigned n)
{
	(void)row, (void)n;
	*(int *)state = DBLOCK_OK;
	return 0;
}

/* ---- take ------------------------------------------------------------------------------------ */

int dbl_rows_hand(void *ctx, const struct dbl_value *row, unsigned n)
{
	struct dbl_rows_job *job = ctx;
	int rc;

	job->wanted->taken++;
	rc = job->wanted->row ? job->wanted->row(job->wanted->ctx, row, n) : 0;
	job->called = rc != 0;
	return rc;
}

void dbl_rows_select(struct dbl_str *sql, const struct dbl_rows_names *names, unsigned n)
{
	dbl_str_add(sql, "SELECT ");
	dbl_rows_list(sql, names, n, ", ");
	dbl_str_addf(sql, " FROM %s", names->table);
}

void dbl_rows_order(struct dbl_str *sql, const struct dbl_rows_names *names)
{
	dbl_str_add(sql, " ORDER BY ");
	dbl_rows_list(sql, names, names->n_key, ", ");
}

/* The caller's condition may end in a comment, which the line break ends. */
void dbl_rows_select_wanted(struct dbl_str *sql, const struct dbl_rows_job *job)
{
	dbl_rows_select(sql, &job->names, job->names.n);
	if (job->wanted->of->where)
		dbl_str_addf(sql, " WHERE (%s\n)", job->wanted->of->where);
	dbl_rows_order(sql, &job->names);
}

/* ---- what the states come to ----------------------------------------------------------------- */

static unsigned count_state(const struct dbl_rows *rows, int state, unsigned *first)
{
	unsigned n = 0;

	for (unsigned i = rows->of->n_rows; i-- > 0;) {
		if (rows->states[i] == state) {
			*first = i;
			n++;
		}
	}
	return n;
}

static void add_value(struct dblock_error *err, const struct dbl_value *value)
{
	enum { SHOWN = 60 };

	if (value->type == DBL_INT)
		dbl_err_suffix(err, "%" PRId64, value->i);
	else
		dbl_err_suffix(err, "'%.*s'", (int)(value->len < SHOWN ? value->len : SHOWN),
			       value->len ? value->text : "");
}

int dbl_rows_fail_row(const struct dbl_rows *rows, unsigned at, int code, const char *why,
		      struct dblock_error *err)
{
	dbl_fail(err, code, "%.100s, row %u (", rows->of->table, at);
	for (unsigned i = 0; i < rows->of->n_key; i++) {
		dbl_err_suffix(err, "%s%.63s = ", i ? ", " : "", rows->of->key[i]);
		add_value(err, &rows->keys[at * rows->of->n_key + i]);
	}
	dbl_err_suffix(err, ") %s", why);
	return code;
}

int dbl_rows_verdict(const struct dbl_rows_job *job, struct dblock_error *err)
{
	const struct dbl_rows *rows = job->rows;
	unsigned first, busy = count_state(rows, DBLOCK_BUSY, &first);

	if (rows->wait == DBL_ROW_SKIP_LOCKED && count_state(rows, DBLOCK_OK, &first) > 0)
		return 0;
	if (busy > 0 && rows->wait == DBL_ROW_SKIP_LOCKED)
		return dbl_fail(err, DBLOCK_BUSY,
				"%.100s: every row that is there is locked by somebody else",
				rows->of->table);
	if (count_state(rows, DBLOCK_GONE, &first) > 0)
		return dbl_rows_fail_row(rows, first, DBLOCK_GONE, "is not there", err);
	if (count_state(rows, DBLOCK_BUSY, &first) > 0)
		return dbl_rows_fail_row(rows, first, DBLOCK_BUSY, "is locked by somebody else",
					 err);
	return 0;
}
