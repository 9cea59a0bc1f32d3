/* SPDX-License-Identifier: MIT */
/* Row locks and work queues. */
#include <dblock/rows.h>

#include "api/tx.h"
#include "row/rows.h"

static int check_columns(const char *what, const char *const *columns, size_t n,
			 struct dblock_error *err)
{
	if (n > DBLOCK_VALUES_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID, "%s: %zu columns; at most %d", what, n,
				DBLOCK_VALUES_MAX);
	if (n > 0 && !columns)
		return dbl_fail(err, DBLOCK_E_INVALID, "%s is NULL", what);
	return 0;
}

static int check_key(const char *const *key, size_t n, struct dblock_error *err)
{
	return n == 0 ? dbl_fail(err, DBLOCK_E_INVALID, "n_key is 0; name the columns of the key")
		      : check_columns("key", key, n, err);
}

static int check_rows(const struct dblock_rows *rows, struct dblock_error *err)
{
	int rc;

	if (!rows)
		return dbl_fail(err, DBLOCK_E_INVALID, "rows is NULL");
	rc = check_key(rows->key, rows->n_key, err);
	if (rc == 0 && rows->n_rows == 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "n_rows is 0");
	if (rc == 0 && rows->n_rows > DBLOCK_VALUES_MAX / rows->n_key)
		rc = dbl_fail(
			err, DBLOCK_E_INVALID,
			"%zu rows of %zu key columns; at most %d values, so lock them in several "
			"calls, those of the least keys first",
			rows->n_rows, rows->n_key, DBLOCK_VALUES_MAX);
	return rc;
}

static int check_options(const struct dblock_rows_options *o, struct dblock_error *err)
{
	if ((unsigned)o->strength > DBLOCK_FOR_KEY_SHARE)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"strength is %d; see enum dblock_row_strength", (int)o->strength);
	if (o->skip_locked && o->wait_ms && o->wait_ms != DBLOCK_NO_WAIT)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"wait_ms does not go with skip_locked, which never waits");
	return 0;
}

/* 0: the default; below 0: not at all. */
static int read_wait(int64_t *us, int64_t wait_ms, struct dblock_error *err)
{
	int rc = dbl_wait_ms_read(&wait_ms, err);

	if (rc)
		return rc;
	if (wait_ms > DBLOCK_TIMEOUT_MAX_MS)
		wait_ms = DBLOCK_TIMEOUT_MAX_MS;
	*us = -1;
	return wait_ms < 0
		       ? 0
		       : dbl_time_read(us, "wait_ms", wait_ms, 1, DBLOCK_TIMEOUT_MAX_MS, 0, err);
}

/* NULL equals nothing, not even NULL. */
static int check_nulls(const struct dbl_value *values, size_t n, struct dblock_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (values[i].type == DBL_NULL)
			return dbl_fail(err, DBLOCK_E_INVALID,
					"value %zu is NULL, which no key is equal to", i + 1);
	}
	return 0;
}

static int read_rows(struct dbl_rows *ours, struct dbl_value *values,
		     const struct dblock_rows *rows, const struct dblock_rows_options *given,
		     struct dblock_error *err)
{
	struct dblock_rows_options o;
	int rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_ROWS_OPTIONS", err);

	if (rc == 0)
		rc = check_rows(rows, err);
	if (rc == 0)
		rc = check_options(&o, err);
	if (rc)
		return rc;
	*ours = (struct dbl_rows){
		.of = rows, .keys = values, .strength = o.strength, .states = o.states};
	rc = dbl_values_read(values, rows->keys, rows->n_rows * rows->n_key, err);
	if (rc == 0)
		rc = check_nulls(values, rows->n_rows * rows->n_key, err);
	if (rc == 0)
		rc = read_wait(&ours->timeout, o.wait_ms, err);
	ours->wait = o.skip_locked       ? DBL_ROW_SKIP_LOCKED
		     : ours->timeout < 0 ? DBL_ROW_NO_WAIT
					 : DBL_ROW_WAIT;
	return rc;
}

int dblock_rows_lock(struct dblock_tx *tx, const struct dblock_rows *rows,
		     const struct dblock_rows_options *options, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_value values[DBLOCK_VALUES_MAX];
	int states[DBLOCK_VALUES_MAX];
	struct dbl_rows ours;
	int rc = dbl_tx_check(tx, &heard);

	if (rc == 0)
		rc = read_rows(&ours, values, rows, options, &heard);
	if (rc)
		return dbl_tell(err, &heard, rc);
	if (!ours.states)
		ours.states = states;
	rc = dbl_rows_lock(tx, &ours, &heard);
	return dbl_tell(err, &heard, rc);
}

/* ---- take ------------------------------------------------------------------------------------ */

static int check_wanted(const struct dblock_rows_wanted *o, struct dblock_error *err)
{
	int rc = check_key(o->key, o->n_key, err);

	if (rc == 0)
		rc = check_columns("columns", o->columns, o->n_columns, err);
	if (rc == 0 && o->n_key + o->n_columns > DBLOCK_VALUES_MAX)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "%zu columns; at most %d",
			      o->n_key + o->n_columns, DBLOCK_VALUES_MAX);
	if (rc == 0 && 2 * o->n_key + o->n_values > DBLOCK_VALUES_MAX)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "%zu values beside %zu key columns; at most %d less two for each of "
			      "these",
			      o->n_values, o->n_key, DBLOCK_VALUES_MAX);
	if (rc == 0 && (o->limit < 0 || o->limit > DBLOCK_TAKE_MAX))
		rc = dbl_fail(err, DBLOCK_E_INVALID, "limit is %lld; 0 to %d", (long long)o->limit,
			      DBLOCK_TAKE_MAX);
	return rc;
}

/* *o becomes the options as this library knows them. */
static int read_wanted(struct dbl_rows_wanted *ours, struct dblock_rows_wanted *o,
		       struct dbl_value *values, const struct dblock_rows_wanted *given,
		       struct dblock_error *err)
{
	int rc = dbl_options_read(o, sizeof(*o), given, "DBLOCK_ROWS_WANTED", err);

	if (rc == 0)
		rc = check_wanted(o, err);
	if (rc == 0)
		rc = dbl_values_read(values, o->values, o->n_values, err);
	if (o->limit == 0)
		o->limit = 1;
	*ours = (struct dbl_rows_wanted){.of = o, .values = values};
	return rc ? rc : read_wait(&ours->timeout, o->wait_ms, err);
}

int dblock_rows_take(struct dblock_tx *tx, const struct dblock_rows_wanted *wanted,
		     int (*row)(void *arg, const struct dblock_value *row, size_t n), void *arg,
		     int64_t *taken, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_value values[DBLOCK_VALUES_MAX];
	struct dbl_reader reader = {row, arg, &heard};
	struct dblock_rows_wanted o;
	struct dbl_rows_wanted ours;
	int rc = dbl_tx_check(tx, &heard);

	if (taken)
		*taken = 0;
	if (rc == 0 && !row)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "row is NULL");
	if (rc == 0)
		rc = read_wanted(&ours, &o, values, wanted, &heard);
	if (rc)
		return dbl_tell(err, &heard, rc);
	ours.row = dbl_values_pass;
	ours.ctx = &reader;
	rc = dbl_rows_take(tx, &ours, &heard);
	if (taken)
		*taken = ours.taken;
	return dbl_tell(err, &heard, rc);
}
