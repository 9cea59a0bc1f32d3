/* SPDX-License-Identifier: MIT */
/*
 * Row locks on InnoDB, where a statement locks each row that it looks at. One statement for several
 * rows may look at the whole table (with a list of keys and a small table it does), and locks in an
 * order of its own. So each row is locked by a statement of its own, by a unique index; before that
 * a statement that reads no table finds the order of the keys, as the database compares them.
 */
#include <stdio.h>

#include "base/mem.h"
#include "row/rows_shape.h"

/* ---- order ----------------------------------------------------------------------------------- */

struct order {
	unsigned rows[DBLOCK_VALUES_MAX];
	unsigned n;
};

static int note_next(void *ctx, const struct dbl_value *row, unsigned n)
{
	struct order *order = ctx;

	order->rows[order->n++] = (unsigned)row[n - 1].i;
	return 0;
}

static void add_key(struct dbl_str *sql, const struct dbl_rows_job *job,
		    const struct dbl_rows_shape *shape, unsigned row)
{
	unsigned n = job->rows->of->n_key;

	dbl_str_add(sql, row ? " UNION ALL SELECT " : "SELECT ");
	for (unsigned i = 0; i < n; i++) {
		dbl_rows_value(sql, &shape->columns[i], &job->rows->keys[row * n + i],
			       row * n + i + 1);
		dbl_str_addf(sql, " AS k%u, ", i);
	}
	dbl_str_addf(sql, "%u AS i", row);
}

static int find_order(struct dbl_rows_job *job, const struct dbl_rows_shape *shape,
		      struct order *order, struct dblock_error *err)
{
	const struct dbl_rows *rows = job->rows;
	struct dbl_str sql = {0};

	if (rows->of->n_rows == 1) {
		*order = (struct order){.n = 1};
		return 0;
	}
	for (unsigned i = 0; i < rows->of->n_rows; i++)
		add_key(&sql, job, shape, i);
	dbl_str_add(&sql, " ORDER BY ");
	for (unsigned i = 0; i < rows->of->n_key; i++)
		dbl_str_addf(&sql, "k%u, ", i);
	dbl_str_add(&sql, "i");
	return dbl_rows_query(job, dbl_str_take(&sql), rows->keys,
			      rows->of->n_rows * rows->of->n_key, note_next, order, err);
}

/* ---- one row --------------------------------------------------------------------------------- */

/* FOR SHARE would lock only the entry of an index that has all selected columns, not the row: so
 * all columns are selected. */
static int compose(struct dbl_str *sql, const struct dbl_rows_job *job,
		   const struct dbl_rows_shape *shape, const struct dbl_value *key,
		   const char *wait, struct dblock_error *err)
{
	bool share = job->rows->strength == DBLOCK_FOR_SHARE;
	int rc;

	dbl_str_addf(sql, "SELECT %s FROM %s", share && !shape->is_primary ? "*" : "1",
		     job->names.table);
	rc = dbl_rows_add_key(sql, job, shape, key, 1, err);
	dbl_str_addf(sql, " %s%s",
		     !share              ? "FOR UPDATE"
		     : shape->is_mariadb ? "LOCK IN SHARE MODE"
					 : "FOR SHARE",
		     wait);
	return rc;
}

int dbl_rows_add_key(struct dbl_str *sql, const struct dbl_rows_job *job,
		     const struct dbl_rows_shape *shape, const struct dbl_value *key, unsigned at,
		     struct dblock_error *err)
{
	int rc;

	dbl_str_add(sql, " FORCE INDEX (");
	rc = dbl_quote_name(sql, job->tx->target->dialect, "index", shape->index, err);
	dbl_str_add(sql, ") WHERE ");
	for (unsigned i = 0; rc == 0 && i < job->names.n_key; i++) {
		dbl_str_add(sql, i ? " AND " : "");
		rc = dbl_rows_equals(sql, job, shape, i, &key[i], at + i, err);
	}
	return rc;
}

/* Locks one row. The text `head` comes before the statement, `wait` behind it. */
static int send(struct dbl_rows_job *job, const struct dbl_rows_shape *shape, unsigned row,
		const char *head, const char *wait, struct dblock_error *err)
{
	const struct dbl_rows *rows = job->rows;
	const struct dbl_value *key = &rows->keys[row * rows->of->n_key];
	struct dbl_str sql = {0};
	int rc;

	dbl_str_add(&sql, head);
	rc = compose(&sql, job, shape, key, wait, err);
	if (rc) {
		dbl_str_free(&sql);
		return rc;
	}
	rows->states[row] = DBLOCK_GONE;
	rc = dbl_rows_query(job, dbl_str_take(&sql), key, rows->of->n_key, dbl_rows_found,
			    &rows->states[row], err);
	if (rc)
		rows->states[row] = rc == DBLOCK_BUSY ? DBLOCK_BUSY : DBLOCK_WAITING;
	return rc;
}

/* ---- waiting for a time ---------------------------------------------------------------------- */

static int64_t left(const struct dbl_rows_job *job)
{
	return job->until - dbl_now(job->tx->target->env);
}

/* MariaDB has a limit for one statement, in microseconds; 0 would be no limit. */
static int wait_within(struct dbl_rows_job *job, const struct dbl_rows_shape *shape, unsigned row,
		       struct dblock_error *err)
{
	int64_t us = left(job);
	char head[128];

	if (us <= 0)
		return dbl_fail(err, DBLOCK_TIMEOUT, "no time left");
	snprintf(head, sizeof(head),
		 "SET STATEMENT max_statement_time = %lld.%06lld, innodb_lock_wait_timeout = %lld "
		 "FOR ",
		 (long long)(us / 1000000), (long long)(us % 1000000),
		 (long long)(us / 1000000 + 2));
	return send(job, shape, row, head, "", err);
}

/* MySQL's limit is in whole seconds, and it may take one more to notice that it is over. */
static int wait_seconds(struct dbl_rows_job *job, const struct dbl_rows_shape *shape, unsigned row,
			struct dblock_error *err)
{
	int rc = dbl_db_prepare(job->db, DBL_OP_rows_leave, job->deadline, err), back;

	if (rc == 0)
		rc = dbl_rows_set(job, DBL_OP_rows_enter, left(job) / 1000000 - 1, err);
	if (rc)
		return rc;
	rc = send(job, shape, row, "", "", err);
	back = dbl_db_put_back(job->db, DBL_OP_rows_leave, rc ? NULL : err);
	return rc ? rc : back;
}

/* The rest of the time, which is less than MySQL's limit can say, is spent trying. */
static int wait_in_pieces(struct dbl_rows_job *job, const struct dbl_rows_shape *shape,
			  unsigned row, struct dblock_error *err)
{
	enum { PAUSE_US = 4000 };
	const struct dbl_env *env = job->tx->target->env;
	int rc = DBLOCK_TIMEOUT;

	if (left(job) >= 2000000 && !shape->rolls_back)
		rc = wait_seconds(job, shape, row, err);
	while (rc == DBLOCK_TIMEOUT) {
		int64_t next = dbl_add(dbl_now(env), dbl_jitter(env, PAUSE_US));

		/* A row that is locked is DBLOCK_TIMEOUT here, since job->wait is DBL_ROW_WAIT. */
		rc = send(job, shape, row, "", " NOWAIT", err);
		if (rc == DBLOCK_TIMEOUT && left(job) <= 0)
			break;
		if (rc == DBLOCK_TIMEOUT)
			dbl_sleep_until(env, next < job->until ? next : job->until);
	}
	return rc;
}

static int lock_row(struct dbl_rows_job *job, const struct dbl_rows_shape *shape, unsigned row,
		    struct dblock_error *err)
{
	if (job->wait != DBL_ROW_WAIT)
		return send(job, shape, row, "", " NOWAIT", err);
	if (!job->timeout)
		return send(job, shape, row, "", "", err);
	return shape->is_mariadb ? wait_within(job, shape, row, err)
				 : wait_in_pieces(job, shape, row, err);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Rows are taken by SKIP LOCKED. They are locked by their keys by NOWAIT, which tells a locked row
 * from a missing one, but fails. */
static int check_skip(const struct dbl_rows_job *job, const struct dbl_rows_shape *shape,
		      struct dblock_error *err)
{
	if (!shape->rolls_back || !shape->is_mariadb || job->wait != DBL_ROW_SKIP_LOCKED ||
	    job->wanted)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"on this server a row that is locked ends the whole transaction "
			"(innodb_rollback_on_timeout): it cannot be skipped");
}

int dbl_rows_find_shape(struct dbl_rows_job *job, const char *table, const char *const *key,
			const struct dbl_rows_shape **shape, struct dblock_error *err)
{
	int rc = dbl_rows_shape(job, table, key, shape, err);

	return rc ? rc : check_skip(job, *shape, err);
}

/* Rows stay locked whatever follows: the first that is in the way ends it, unless it is skipped. */
int dbl_rows_lock_scanned(struct dbl_rows_job *job, struct dblock_error *err)
{
	const struct dbl_rows *rows = job->rows;
	const struct dbl_rows_shape *shape;
	struct order order = {.n = 0};
	int rc = dbl_rows_find_shape(job, rows->of->table, rows->of->key, &shape, err);

	if (rc == 0)
		rc = find_order(job, shape, &order, err);
	for (unsigned i = 0; rc == 0 && i < order.n; i++) {
		rc = lock_row(job, shape, order.rows[i], err);
		if (rc == DBLOCK_BUSY)
			rc = 0;
		if (rc == 0 && rows->states[order.rows[i]] != DBLOCK_OK &&
		    rows->wait != DBL_ROW_SKIP_LOCKED)
			break;
	}
	return rc ? rc : dbl_rows_verdict(job, err);
}
