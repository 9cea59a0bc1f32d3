/* SPDX-License-Identifier: MIT */
/* The two calls lock rows by their keys, and take some. Each kind of database has its own way. */
#include "row/rows_own.h"

static int refuse_strength(const struct dbl_rows *rows, enum dbl_row_locks locks,
			   struct dblock_error *err)
{
	if (rows->strength == DBLOCK_FOR_UPDATE || locks == DBL_ROWS_AS_RESULT)
		return 0;
	if (locks == DBL_ROWS_AS_FILE)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"SQLite has one lock for the whole file, for one writer: ask for "
				"DBLOCK_FOR_UPDATE");
	if (rows->strength == DBLOCK_FOR_SHARE)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"MySQL and MariaDB lock a row as a whole: ask for DBLOCK_FOR_UPDATE or "
			"DBLOCK_FOR_SHARE");
}

/* At its deadline a statement ends together with the connection: so the deadline is later than the
 * server's own limit, and never comes if the server's limit is not known. */
static void set_times(struct dbl_rows_job *job, int64_t timeout)
{
	int64_t now = dbl_now(job->tx->target->env), grace = job->tx->timeout;

	job->timeout = job->wait == DBL_ROW_WAIT ? timeout : 0;
	job->until = job->timeout ? dbl_add(now, job->timeout) : DBL_NEVER;
	job->deadline = dbl_add(job->wait == DBL_ROW_WAIT ? job->until : now, grace);
}

static int go(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct dbl_rows_job *job = ctx;

	job->db = db;
	return job->way(job, err);
}

static int run_guarded(struct dbl_rows_job *job, const char *table, dbl_rows_way *const ways[],
		       struct dblock_error *err)
{
	int rc;

	job->way = ways[job->tx->target->dialect->row_locks];
	job->tx->used = true;
	rc = dbl_tx_guarded(job->tx, go, job, job->deadline, err);
	if (job->called)
		return rc;
	if (rc == DBLOCK_TIMEOUT && job->rows && job->rows->of->n_rows == 1)
		dbl_rows_fail_row(job->rows, 0, rc, "was not free in time", err);
	else if (rc == DBLOCK_TIMEOUT)
		dbl_err_prefix(err, "%.100s: a row was not free in time", table);
	/* If the transaction does not go on, the guard's message says so. */
	if ((rc == DBLOCK_DEADLOCK || rc == DBLOCK_E_CONFLICT) &&
	    dbl_db_state(job->tx->db) == DBL_TX_OPEN)
		dbl_err_suffix(err, "; the transaction goes on, without these locks: roll it back "
				    "and run it again");
	return rc;
}

int dbl_rows_lock(struct dblock_tx *tx, const struct dbl_rows *rows, struct dblock_error *err)
{
	static dbl_rows_way *const ways[] = {
		[DBL_ROWS_AS_RESULT] = dbl_rows_lock_result,
		[DBL_ROWS_AS_SCANNED] = dbl_rows_lock_scanned,
		[DBL_ROWS_AS_FILE] = dbl_rows_lock_file,
	};
	struct dbl_rows_job job = {.tx = tx, .rows = rows, .wait = rows->wait};
	int rc = refuse_strength(rows, tx->target->dialect->row_locks, err);

	for (unsigned i = 0; i < rows->of->n_rows; i++)
		rows->states[i] = DBLOCK_WAITING;
	if (rc == 0)
		rc = dbl_rows_names_init(&job.names, tx, rows->of->table, rows->of->key,
					 rows->of->n_key, NULL, 0, err);
	set_times(&job, rows->timeout);
	if (rc == 0)
		rc = run_guarded(&job, rows->of->table, ways, err);
	dbl_rows_names_free(&job.names);
	return rc;
}

int dbl_rows_take(struct dblock_tx *tx, struct dbl_rows_wanted *wanted, struct dblock_error *err)
{
	static dbl_rows_way *const ways[] = {
		[DBL_ROWS_AS_RESULT] = dbl_rows_take_result,
		[DBL_ROWS_AS_SCANNED] = dbl_rows_take_scanned,
		[DBL_ROWS_AS_FILE] = dbl_rows_take_file,
	};
	struct dbl_rows_job job = {.tx = tx, .wanted = wanted, .wait = DBL_ROW_SKIP_LOCKED};
	int rc = dbl_rows_names_init(&job.names, tx, wanted->of->table, wanted->of->key,
				     wanted->of->n_key, wanted->of->columns, wanted->of->n_columns,
				     err);

	set_times(&job, 0);
	if (rc == 0)
		rc = run_guarded(&job, wanted->of->table, ways, err);
	dbl_rows_names_free(&job.names);
	if (rc)
		wanted->taken = 0;
	if (rc || wanted->taken > 0)
		return rc;
	return dbl_fail(err, DBLOCK_GONE, "%.100s: no row that nobody else has locked",
			wanted->of->table);
}
