/* SPDX-License-Identifier: MIT */
/*
 * Row locks on PostgreSQL, which locks the rows of a statement's result in the result's order. Its
 * plan always has LockRows above the Sort (transform: "FOR UPDATE is applied after ORDER BY"), so
 * one statement locks them all in the order of their keys, and rows of equal keys as they lie.
 */
#include "base/mem.h"
#include "row/rows_own.h"

/* Adds the keys as a table that has the columns' own types, which a VALUES list would not have: the
 * first branch of the UNION, which gives no rows, determines them. */
static void add_keys(struct dbl_str *sql, const struct dbl_rows_job *job)
{
	const struct dbl_rows_names *names = &job->names;
	unsigned at = 1;

	dbl_str_add(sql, "(SELECT ");
	for (unsigned i = 0; i < names->n_key; i++)
		dbl_str_addf(sql, "%s AS k%u, ", names->columns[i], i);
	dbl_str_addf(sql, "0 AS i FROM %s WHERE false", names->table);
	for (unsigned row = 0; row < job->rows->of->n_rows; row++) {
		dbl_str_add(sql, " UNION ALL SELECT ");
		for (unsigned i = 0; i < names->n_key; i++)
			dbl_str_addf(sql, "$%u, ", at++);
		dbl_str_addf(sql, "%u", row);
	}
	dbl_str_add(sql, ") AS keys_of_dblock");
}

static void add_lock(struct dbl_str *sql, const struct dbl_rows_job *job)
{
	static const char *const strengths[] = {"UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE"};
	const struct dbl_rows_names *names = &job->names;

	dbl_rows_order(sql, names);
	dbl_str_addf(sql, ", %s.tableoid, %s.ctid FOR %s OF %s%s", names->table, names->table,
		     strengths[job->rows->strength], names->bare,
		     job->wait == DBL_ROW_WAIT ? "" : " SKIP LOCKED");
}

/* Makes the statement that finds which rows are there, and, with `locks`, locks them. */
static char *compose(const struct dbl_rows_job *job, bool locks)
{
	struct dbl_str sql = {0};

	dbl_str_add(&sql, "SELECT keys_of_dblock.i FROM ");
	add_keys(&sql, job);
	dbl_str_addf(&sql, " JOIN %s ON ", job->names.table);
	for (unsigned i = 0; i < job->names.n_key; i++)
		dbl_str_addf(&sql, "%s%s = keys_of_dblock.k%u", i ? " AND " : "",
			     job->names.columns[i], i);
	if (locks)
		add_lock(&sql, job);
	return dbl_str_take(&sql);
}

static int mark(void *ctx, const struct dbl_value *row, unsigned n)
{
	bool *seen = ctx;

	(void)n;
	seen[row[0].i] = true;
	return 0;
}

static int run(struct dbl_rows_job *job, bool locks, bool seen[DBLOCK_VALUES_MAX],
	       struct dblock_error *err)
{
	const struct dbl_rows *rows = job->rows;

	return dbl_rows_query(job, compose(job, locks), rows->keys,
			      rows->of->n_rows * rows->of->n_key, mark, seen, err);
}

/* Locks all rows in time. The limit is the statement's: one for locks would begin anew at each. */
static int lock(struct dbl_rows_job *job, bool locked[DBLOCK_VALUES_MAX], struct dblock_error *err)
{
	int64_t left = job->until - dbl_now(job->tx->target->env);
	int rc;

	if (!job->timeout)
		return run(job, true, locked, err);
	if (left <= 0)
		return dbl_fail(err, DBLOCK_TIMEOUT, "no time left");
	rc = dbl_rows_set(job, DBL_OP_rows_enter, (left + 999) / 1000, err);
	if (rc == 0)
		rc = run(job, true, locked, err);
	/* If this failed, what was set is undone by the rollback to the savepoint. */
	return rc ? rc : dbl_rows_set(job, DBL_OP_rows_leave, 0, err);
}

/* Sets the states, and returns how many rows are there but not locked: somebody else has them
 * locked, or, if that was waited for, they were deleted meanwhile and made anew. */
static unsigned settle(const struct dbl_rows_job *job, const bool *locked, const bool *there)
{
	unsigned n = 0;

	for (unsigned i = 0; i < job->rows->of->n_rows; i++) {
		job->rows->states[i] = locked[i] ? DBLOCK_OK : there[i] ? DBLOCK_BUSY : DBLOCK_GONE;
		n += !locked[i] && there[i];
	}
	return n;
}

static bool are_all(const bool *locked, unsigned n)
{
	unsigned i = 0;

	while (i < n && locked[i])
		i++;
	return i == n;
}

int dbl_rows_lock_result(struct dbl_rows_job *job, struct dblock_error *err)
{
	unsigned left;
	int rc;

	do {
		bool locked[DBLOCK_VALUES_MAX] = {0}, there[DBLOCK_VALUES_MAX] = {0};

		rc = lock(job, locked, err);
		if (rc == 0 && !are_all(locked, job->rows->of->n_rows))
			rc = run(job, false, there, err);
		if (rc)
			return rc;
		left = settle(job, locked, there);
	} while (left > 0 && job->wait == DBL_ROW_WAIT);
	return dbl_rows_verdict(job, err);
}

int dbl_rows_take_result(struct dbl_rows_job *job, struct dblock_error *err)
{
	const struct dbl_rows_wanted *wanted = job->wanted;
	struct dbl_str sql = {0};

	dbl_rows_select_wanted(&sql, job);
	dbl_str_addf(&sql, " LIMIT %lld FOR UPDATE OF %s SKIP LOCKED", (long long)wanted->of->limit,
		     job->names.bare);
	return dbl_rows_query(job, dbl_str_take(&sql), wanted->values, wanted->of->n_values,
			      dbl_rows_hand, job, err);
}
