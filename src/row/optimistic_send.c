/* SPDX-License-Identifier: MIT */
/* Sends the statements of optimistic locking. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "driver/value.h"
#include "row/optimistic_own.h"

/* What a statement's one row has shown; its first value is the version. */
struct seen_version {
	const struct dbl_optimistic *call;
	int64_t version;
	bool has_version;
	unsigned rows;
	struct dblock_error *err;
};

static int see(void *ctx, const struct dbl_value *values, unsigned n)
{
	struct seen_version *seen = ctx;
	const struct dbl_versioned_columns *columns = seen->call->columns;
	int rc;

	/* The caller fails if there is more than one row. */
	if (seen->rows++ > 0)
		return 0;
	rc = dbl_version_take(seen->call, &values[0], &seen->version, seen->err);
	seen->has_version = rc == 0;
	return rc || n == 1 || !columns->found ? rc
					       : columns->found(columns->ctx, values + 1, n - 1);
}

static int run(const struct dbl_optimistic *call, struct dbl_db *db, enum dbl_op op,
	       struct dbl_query *query, struct dblock_error *err)
{
	char *sql;
	int rc = dbl_optimistic_text(call, op, &sql, err);

	query->sql = sql;
	query->row = see;
	query->deadline = call->deadline;
	if (rc == 0)
		rc = dbl_db_query(db, query, err);
	dbl_free(sql);
	return rc;
}

int dbl_optimistic_not_unique(const struct dbl_optimistic *call, int64_t n,
			      struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_INVALID,
			"the key is that of %" PRId64 " rows or more of '%.80s'; name columns that "
			"are unique together",
			n, call->row->table);
}

int dbl_optimistic_look(const struct dbl_optimistic *call, struct dbl_db *db, enum dbl_op op,
			int64_t *version, struct dblock_error *err)
{
	struct seen_version seen = {.call = call, .err = err};
	struct dbl_query query = {
		.args = call->row->key_values, .n = call->row->n_key, .reads = true, .ctx = &seen};
	int rc = run(call, db, op, &query, err);

	if (seen.has_version)
		*version = seen.version;
	if (rc)
		return rc;
	if (seen.rows > 1)
		return dbl_optimistic_not_unique(call, seen.rows, err);
	if (seen.rows == 0)
		return dbl_fail(err, DBLOCK_GONE, "there is no such row in '%.80s'",
				call->row->table);
	return 0;
}

/* Asks the database for the new version if it is a time, which the database has made. */
static int ask_answer(const struct dbl_optimistic *call, struct dbl_db *db,
		      struct seen_version *seen, struct dblock_error *err)
{
	struct dbl_query query = {.sql = dbl_optimistic_answer(call->tx->target->dialect, call->op),
				  .reads = true,
				  .row = see,
				  .ctx = seen,
				  .deadline = call->deadline};
	int rc;

	if (!query.sql || !call->row->is_time)
		return 0;
	seen->rows = 0;
	rc = dbl_db_query(db, &query, err);
	if (rc >= 0 || call->in_tx)
		return rc;
	/* The update is done, but its new version is not known. */
	if (err)
		err->code = DBLOCK_E_UNSURE;
	return DBLOCK_E_UNSURE;
}

int dbl_optimistic_send(const struct dbl_optimistic *call, struct dbl_db *db, int64_t *changed,
			struct dblock_error *err)
{
	struct seen_version seen = {.call = call, .version = *call->version + 1, .err = err};
	unsigned n = dbl_optimistic_old(call->row) + 1;
	struct dbl_value args[DBL_VERSIONED_VALUES_MAX];
	struct dbl_query query = {.args = args, .ctx = &seen};
	char wait[32];
	int rc;

	for (unsigned i = 0; i < call->row->n_key; i++)
		args[i] = call->row->key_values[i];
	snprintf(wait, sizeof(wait), "%" PRId64 "ms", call->wait / 1000);
	args[n - 2] = dbl_int(*call->version);
	args[n - 1] = dbl_text(wait);
	for (unsigned i = 0; call->columns && i < call->columns->n; i++)
		args[n++] = call->columns->values[i];
	query.n = n;
	rc = run(call, db, call->op, &query, err);
	*changed = query.changed;
	if (rc || *changed != 1 || call->op == DBL_OP_optimistic_delete)
		return rc;
	rc = ask_answer(call, db, &seen, err);
	if (rc == 0)
		*call->version = seen.version;
	return rc;
}
