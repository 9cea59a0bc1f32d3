/* SPDX-License-Identifier: MIT */
/*
 * "Row locks" on SQLite, which has none: a writer locks the whole file. A statement that would
 * write, but reaches no row, takes the file's write lock, unless the transaction has it from its
 * BEGIN. Then the rows are looked up, which nobody else can change under that lock.
 */
#include "base/mem.h"
#include "row/rows_own.h"

#define PAUSE_US 1000

static int try_file(struct dbl_rows_job *job, struct dblock_error *err)
{
	struct dbl_str sql = {0};
	struct dbl_query query = {.deadline = job->until};
	int rc;

	dbl_str_addf(&sql, "DELETE FROM %s WHERE 0", job->names.table);
	query.sql = sql.text;
	rc = sql.failed ? dbl_fail(err, DBLOCK_E_NOMEM, "out of memory")
			: dbl_db_query(job->db, &query, err);
	dbl_str_free(&sql);
	return rc;
}

/* SQLite does not call its busy handler in a transaction that has read, as that may be in the way
 * of the writer that it waits for. With a WAL it is not, so it waits here. */
static int take_file(struct dbl_rows_job *job, struct dblock_error *err)
{
	const struct dbl_env *env = job->tx->target->env;
	int64_t now = dbl_now(env);
	int rc;

	if (job->wait != DBL_ROW_WAIT || job->timeout < 0)
		job->until = now;
	else if (!job->timeout)
		job->until = dbl_add(now, job->tx->timeout);
	while ((rc = try_file(job, err)) == DBLOCK_E_BLOCKED && now < job->until) {
		int64_t next = dbl_add(now, dbl_jitter(env, PAUSE_US));

		dbl_sleep_until(env, next < job->until ? next : job->until);
		now = dbl_now(env);
	}
	if (rc == DBLOCK_E_BLOCKED)
		err->code = rc = job->wait == DBL_ROW_WAIT ? DBLOCK_TIMEOUT : DBLOCK_BUSY;
	job->deadline = dbl_tx_deadline(job->tx);
	return rc;
}

static int look_up(struct dbl_rows_job *job, unsigned at, struct dblock_error *err)
{
	const struct dbl_rows_names *names = &job->names;
	struct dbl_str sql = {0};

	dbl_str_addf(&sql, "SELECT 1 FROM %s WHERE ", names->table);
	for (unsigned i = 0; i < names->n_key; i++)
		dbl_str_addf(&sql, "%s%s = $%u", i ? " AND " : "", names->columns[i], i + 1);
	job->rows->states[at] = DBLOCK_GONE;
	return dbl_rows_query(job, dbl_str_take(&sql), &job->rows->keys[at * names->n_key],
			      names->n_key, dbl_rows_found, &job->rows->states[at], err);
}

int dbl_rows_lock_file(struct dbl_rows_job *job, struct dblock_error *err)
{
	int rc = take_file(job, err);

	for (unsigned i = 0; rc == DBLOCK_BUSY && i < job->rows->of->n_rows; i++)
		job->rows->states[i] = DBLOCK_BUSY;
	for (unsigned i = 0; rc == 0 && i < job->rows->of->n_rows; i++)
		rc = look_up(job, i, err);
	return rc ? rc : dbl_rows_verdict(job, err);
}

int dbl_rows_take_file(struct dbl_rows_job *job, struct dblock_error *err)
{
	const struct dbl_rows_wanted *wanted = job->wanted;
	struct dbl_str sql = {0};
	int rc;

	job->wait = DBL_ROW_WAIT;
	job->timeout = wanted->timeout;
	if (job->timeout > 0)
		job->until = dbl_add(dbl_now(job->tx->target->env), job->timeout);
	rc = take_file(job, err);
	if (rc == DBLOCK_TIMEOUT)
		err->code = rc = DBLOCK_BUSY;
	if (rc)
		return rc;
	dbl_rows_select_wanted(&sql, job);
	dbl_str_addf(&sql, " LIMIT %lld", (long long)wanted->of->limit);
	return dbl_rows_query(job, dbl_str_take(&sql), wanted->values, wanted->of->n_values,
			      dbl_rows_hand, job, err);
}
