/* SPDX-License-Identifier: MIT */
/* The two calls: to lock rows by their keys, and to take some. Each database has its way. */
#include "row/rows_own.h"

typedef int rows_way(void *, struct dbl_db *, struct dblock_error *);

static int refuse_strength(const struct dbl_rows *rows, enum dbl_row_locks locks,
			   struct dblock_error *err)
{
	if (rows->strength == DBL_FOR_UPDATE || locks == DBL_ROWS_AS_RESULT)
		return 0;
	if (locks == DBL_ROWS_AS_FILE)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"SQLite has one lock for the whole file, for one writer: ask for "
				"DBLOCK_FOR_UPDATE");
	if (rows->strength == DBL_FOR_SHARE)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"MySQL and MariaDB lock a row as a whole: ask for DBLOCK_FOR_UPDATE or "
			"DBLOCK_FOR_SHARE");
}

/* The connection ends a statement at its deadline, and itself with it: so that comes later than
 * what the server does by itself, and never where nothing is known of that. */
static void set_times(struct dbl_rows_job *job, int64_t timeout)
{
	int64_t now = dbl_now(job->tx->target->env), grace = job->tx->timeout;

	job->timeout = job->wait == DBL_ROW_WAIT ? timeout : 0;
	job->until = job->timeout ? dbl_add(now, job->timeout) : DBL_NEVER;
	job->deadline = dbl_add(job->wait == DBL_ROW_WAIT ? job->until : now, grace);
}

static int run_guarded(struct dbl_rows_job *job, const char *table, rows_way *const ways[],
		       struct dblock_error *err)
{
	rows_way *way = ways[job->tx->target->dialect->row_locks];
	int rc;

	job->db = job->tx->db;
	job->tx->used = true;
	rc = dbl_tx_guarded(job->tx, way, job, job->deadline, err);
	if (job->called)
		return rc;
	if (rc == DBLOCK_TIMEOUT)
		dbl_err_prefix(err, "%.100s: a row was not free in time", table);
	/* That it does not, the guard has said. */
	if ((rc == DBLOCK_DEADLOCK || rc == DBLOCK_E_CONFLICT) &&
	    dbl_db_state(job->db) == DBL_TX_OPEN)
		dbl_err_suffix(err, "; the transaction goes on, without these locks: roll it back "
				    "and run it again");
	return rc;
}

int dbl_rows_lock(struct dblock_tx *tx, const struct dbl_rows *rows, struct dblock_error *err)
{
	static rows_way *const ways[] = {
		[DBL_ROWS_AS_RESULT] = dbl_rows_lock_result,
		[DBL_ROWS_AS_SCANNED] = dbl_rows_lock_scanned,
		[DBL_ROWS_AS_FILE] = dbl_rows_lock_file,
	};
	struct dbl_rows_job job = {.tx = tx, .rows = rows, .wait = rows->wait};
	int rc = refuse_strength(rows, tx->target->dialect->row_locks, err);

	for (unsigned i = 0; i < rows->n; i++)
		rows->states[i] = DBLOCK_WAITING;
	if (rc == 0)
		rc = dbl_rows_names_init(&job.names, tx, rows->table, rows->key, rows->n_key, NULL,
					 0, err);
	set_times(&job, rows->timeout);
	if (rc == 0)
		rc = run_guarded(&job, rows->table, ways, err);
	dbl_rows_names_free(&job.names);
	return rc;
}

static int none_free(const struct dbl_rows_wanted *wanted, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_GONE, "%.100s: no row that nobody else has locked",
			wanted->table);
}

int dbl_rows_take(struct dblock_tx *tx, struct dbl_rows_wanted *wanted, struct dblock_error *err)
{
	static rows_way *const ways[] = {
		[DBL_ROWS_AS_RESULT] = dbl_rows_take_result,
		[DBL_ROWS_AS_SCANNED] = dbl_rows_take_scanned,
		[DBL_ROWS_AS_FILE] = dbl_rows_take_file,
	};
	struct dbl_rows_job job = {.tx = tx, .wanted = wanted, .wait = DBL_ROW_SKIP};
	int rc = dbl_rows_names_init(&job.names, tx, wanted->table, wanted->key, wanted->n_key,
				     wanted->columns, wanted->n_columns, err);

	set_times(&job, 0);
	if (rc == 0)
		rc = run_guarded(&job, wanted->table, ways, err);
	dbl_rows_names_free(&job.names);
	if (rc)
		wanted->taken = 0;
	return rc == 0 && wanted->taken == 0 ? none_free(wanted, err) : rc;
}
