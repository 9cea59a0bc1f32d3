/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "row/optimistic_own.h"
#include "sql/words.h"

/* Finds why no row was changed. *again: the row has the expected version now. */
static int tell_stale(const struct dbl_optimistic *call, struct dbl_db *db, bool *again,
		      struct dblock_error *err)
{
	int64_t old = *call->version, now;
	int rc = dbl_optimistic_look(call, db, DBL_OP_optimistic_newest, &now, err);

	if (rc)
		return rc;
	*again = now == old;
	if (*again)
		return dbl_fail(err, DBLOCK_E_REFUSED,
				"the row in '%.80s' has the version %" PRId64 ", but the database "
				"lets it not be changed: a policy, or a trigger",
				call->row->table, old);
	*call->version = now;
	return dbl_fail(err, DBLOCK_STALE,
			"the row in '%.80s' has changed since it was read: its version is %" PRId64
			", not %" PRId64,
			call->row->table, now, old);
}

static int change(const struct dbl_optimistic *call, struct dbl_db *db, struct dblock_error *err)
{
	bool again = false;
	int rc;

	/* The row may have been deleted and made anew between the two statements: then try
	 * again. */
	for (int tries = 0; tries == 0 || (again && tries < 2); tries++) {
		int64_t changed;

		again = false;
		rc = dbl_optimistic_send(call, db, &changed, err);
		if (rc || changed == 1)
			return rc;
		if (changed > 1)
			return dbl_optimistic_not_unique(call, changed, err);
		rc = tell_stale(call, db, &again, err);
	}
	return rc;
}

static int enter(const struct dbl_optimistic *call, struct dbl_db *db, struct dblock_error *err)
{
	const char *text = call->tx->target->dialect->sql[DBL_OP_optimistic_enter];
	char ms[24], *sql;
	const struct dbl_word words[] = {{":ms", ms}, {NULL, NULL}};
	int rc;

	snprintf(ms, sizeof(ms), "%" PRId64, call->wait / 1000);
	sql = dbl_words_put(text, strlen(text), words);
	rc = sql ? dbl_db_send(db, sql, call->deadline, err)
		 : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_free(sql);
	return rc;
}

/* Sets back what was set for an update. On PostgreSQL the update sets it, and the savepoint takes
 * it back if that fails; on MySQL nothing else sets it back. */
static int leave(const struct dbl_optimistic *call, struct dbl_db *db, bool entered, int rc,
		 struct dblock_error *err)
{
	const struct dbl_dialect *dialect = call->tx->target->dialect;
	int left;

	if (!dbl_optimistic_says(dialect, DBL_OP_optimistic_leave) ||
	    !(entered || (call->in_tx && rc == 0)))
		return rc;
	left = dbl_db_put_back(db, DBL_OP_optimistic_leave, rc ? NULL : err);
	/* Outside a transaction the update is committed by now, whatever comes of this. */
	return rc == 0 && call->in_tx ? left : rc;
}

static int write_row(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct dbl_optimistic *call = ctx;
	bool enters = dbl_optimistic_says(call->tx->target->dialect, DBL_OP_optimistic_enter);
	int rc = dbl_version_check_time(call, db, err);

	if (rc == 0)
		rc = dbl_version_check_largest(call, db, err);
	if (rc == 0 && enters)
		rc = enter(call, db, err);
	return rc ? rc : leave(call, db, enters, change(call, db, err), err);
}

static int read_row(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct dbl_optimistic *call = ctx;
	int rc = dbl_version_check_time(call, db, err);

	return rc ? rc : dbl_optimistic_look(call, db, call->op, call->version, err);
}

/* Runs the call. If a transaction is lost, the call is certainly not done. */
static int run(struct dbl_optimistic *call,
	       int (*body)(void *, struct dbl_db *, struct dblock_error *),
	       struct dblock_error *err)
{
	struct dblock_tx *tx = call->tx;
	int rc;

	call->wait = tx->timeout;
	call->deadline = dbl_tx_deadline(tx);
	/* A server ends its wait by itself, after whole seconds, and the transaction stays
	 * intact. */
	if (!tx->target->dialect->is_file)
		call->deadline = dbl_add(call->deadline, dbl_add(tx->timeout, 1000000));
	call->in_tx = dbl_db_state(tx->db) != DBL_TX_NONE;
	if (call->in_tx) {
		rc = dbl_tx_guarded(tx, body, call, call->deadline, err);
		return dbl_db_undone(tx->db, rc, call->deadline, err);
	}
	/* Those who took part in a transaction that was ended elsewhere are told so. */
	(void)dbl_tx_check_open(tx, NULL);
	return body(call, tx->db, err);
}

int dbl_versioned_read(struct dblock_tx *tx, const struct dbl_versioned *row,
		       const struct dbl_versioned_columns *columns, int64_t *version,
		       struct dblock_error *err)
{
	struct dbl_optimistic call = {.tx = tx,
				      .op = DBL_OP_optimistic_read,
				      .row = row,
				      .columns = columns,
				      .version = version};

	return run(&call, read_row, err);
}

/* Sets *version only if the call succeeds, or the version was stale. */
static int write_call(const struct dbl_optimistic *asked, int64_t *version,
		      struct dblock_error *err)
{
	struct dbl_optimistic call = *asked;
	int64_t seen = *version;
	int rc;

	call.version = &seen;
	rc = run(&call, write_row, err);
	if (rc == 0 || rc == DBLOCK_STALE)
		*version = seen;
	return rc;
}

int dbl_versioned_update(struct dblock_tx *tx, const struct dbl_versioned *row,
			 const struct dbl_versioned_columns *columns, int64_t *version,
			 struct dblock_error *err)
{
	struct dbl_optimistic call = {
		.tx = tx, .op = DBL_OP_optimistic_update, .row = row, .columns = columns};

	return write_call(&call, version, err);
}

int dbl_versioned_delete(struct dblock_tx *tx, const struct dbl_versioned *row, int64_t *version,
			 struct dblock_error *err)
{
	struct dbl_optimistic call = {.tx = tx, .op = DBL_OP_optimistic_delete, .row = row};

	return write_call(&call, version, err);
}
