/* SPDX-License-Identifier: MIT */
#include "link/tx.h"

#include "base/host.h"
#include "base/mem.h"
#include "driver/value.h"

static struct dblock_tx *make(int64_t timeout, struct dblock_error *err)
{
	struct dblock_tx *tx = dbl_alloc(sizeof(*tx));

	if (tx) {
		tx->pid = dbl_host_pid();
		tx->timeout = timeout;
	} else {
		dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	return tx;
}

/* Close the transaction unless rc is 0. */
static int keep(struct dblock_tx **tx, int rc)
{
	if (rc) {
		dbl_tx_close(*tx);
		*tx = NULL;
	}
	return rc;
}

int dbl_tx_take(struct dblock_tx **out, struct dbl_pool *pool, int64_t timeout,
		struct dblock_error *err)
{
	struct dblock_tx *tx = *out = make(timeout, err);

	if (!tx)
		return DBLOCK_E_NOMEM;
	tx->pool = pool;
	tx->target = pool->target;
	return keep(out, dbl_pool_take(pool, dbl_tx_deadline(tx), &tx->db, err));
}

int dbl_tx_adopt(struct dblock_tx **out, const char *dialect, void *handle, const char *schema,
		 const char *prefix, int64_t timeout, const struct dbl_env *env,
		 struct dblock_error *err)
{
	struct dblock_tx *tx = *out = make(timeout, err);
	int rc;

	if (!tx)
		return DBLOCK_E_NOMEM;
	tx->target = &tx->own;
	rc = dbl_target_adopt(&tx->own, dialect, schema, prefix, env, err);
	return keep(out, rc ? rc : dbl_db_adopt(&tx->db, &tx->own, handle, err));
}

int64_t dbl_tx_deadline(const struct dblock_tx *tx)
{
	return dbl_add(dbl_now(tx->target->env), tx->timeout);
}

int64_t dbl_tx_patience(const struct dblock_tx *tx)
{
	return tx->timeout / 1000 * 3 / 4;
}

/* ---- who takes part -------------------------------------------------------------------------- */

void dbl_tx_join(struct dblock_tx *tx, struct dbl_tx_part *part)
{
	part->next = tx->parts;
	tx->parts = part;
}

void dbl_tx_tell(struct dblock_tx *tx, enum dbl_tx_end end)
{
	tx->begun_here = false;
	while (tx->parts) {
		struct dbl_tx_part *part = tx->parts;

		tx->parts = part->next;
		part->ended(part, end);
	}
}

/* ---- begin and end --------------------------------------------------------------------------- */

int dbl_tx_begin(struct dblock_tx *tx, int isolation, bool read_only, struct dblock_error *err)
{
	enum dbl_tx_state state = dbl_db_state(tx->db);
	int rc;

	if (state == DBL_TX_OPEN || state == DBL_TX_FAILED)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"a transaction is open already; end it first");
	dbl_tx_tell(tx, DBL_TX_UNKNOWN);
	rc = dbl_db_start(tx->db, isolation, read_only, dbl_tx_deadline(tx), err);
	tx->begun_here = rc == 0;
	/* It has changed nothing yet. */
	return dbl_db_undone(tx->db, rc, dbl_tx_deadline(tx), err);
}

static int not_open(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_INVALID,
			"no transaction is open on this connection; begin one first");
}

int dbl_tx_check_open(struct dblock_tx *tx, struct dblock_error *err)
{
	switch (dbl_db_state(tx->db)) {
	case DBL_TX_OPEN:
		return 0;
	case DBL_TX_NONE:
		dbl_tx_tell(tx, DBL_TX_UNKNOWN);
		return not_open(err);
	case DBL_TX_FAILED:
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the transaction has failed before; it can only be rolled back");
	case DBL_TX_IN_USE:
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the connection is in the middle of another statement; fetch or "
				"free its result first");
	default:
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the connection is lost");
	}
}

/* If the transaction was begun elsewhere, it may not be the one that they took part in. */
static enum dbl_tx_end rolled_back(const struct dblock_tx *tx)
{
	return tx->begun_here ? DBL_TX_ROLLED_BACK : DBL_TX_ASK;
}

/* A transaction that has failed is not committed: PostgreSQL answers its COMMIT with ROLLBACK, and
 * calls that a success. */
int dbl_tx_commit(struct dblock_tx *tx, struct dblock_error *err)
{
	int rc = dbl_tx_check_open(tx, err);

	if (rc)
		return rc;
	rc = dbl_db_end(tx->db, 0, dbl_tx_deadline(tx), err);
	if (rc == DBLOCK_E_BUG)
		rc = DBLOCK_E_REFUSED;
	if (rc && err)
		err->code = rc;
	if (rc == 0)
		dbl_tx_tell(tx, tx->begun_here ? DBL_TX_COMMITTED : DBL_TX_ASK);
	else
		dbl_tx_tell(tx, rc == DBLOCK_E_UNSURE ? DBL_TX_UNKNOWN : rolled_back(tx));
	return rc;
}

int dbl_tx_rollback(struct dblock_tx *tx, struct dblock_error *err)
{
	enum dbl_tx_state state = dbl_db_state(tx->db);
	int rc;

	if (state == DBL_TX_NONE)
		return not_open(err);
	if (state == DBL_TX_IN_USE)
		return dbl_tx_check_open(tx, err);
	rc = dbl_db_script(tx->db, DBL_OP_tx_rollback, dbl_tx_deadline(tx), err);
	/* A lost connection rolls back too; unless it was lost on a COMMIT of the caller's. */
	rc = dbl_db_undone(tx->db, rc, dbl_tx_deadline(tx), err);
	dbl_tx_tell(tx, state == DBL_TX_LOST ? DBL_TX_UNKNOWN : rolled_back(tx));
	return rc;
}

int dbl_tx_guarded(struct dblock_tx *tx,
		   int (*body)(void *, struct dbl_db *, struct dblock_error *), void *ctx,
		   int64_t deadline, struct dblock_error *err)
{
	int rc = dbl_tx_check_open(tx, err);

	return rc ? rc : dbl_db_guarded(tx->db, body, ctx, deadline, err);
}

struct waiting {
	int64_t ms, deadline;
	int (*body)(void *, struct dbl_db *, struct dblock_error *);
	void *ctx;
};

/* Not every database rolls settings back with the transaction, so they are put back after a failure
 * too; where the transaction has failed, the savepoint does that. */
static int with_settings(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct waiting *w = ctx;
	struct dbl_value ms = dbl_int(w->ms);
	struct dbl_request enter = {
		.op = DBL_OP_tx_enter, .args = DBL_ARG(ms), .deadline = w->deadline};
	int rc = dbl_db_prepare(db, DBL_OP_tx_leave, w->deadline, err);

	if (rc == 0)
		rc = dbl_db_run(db, &enter, err);
	if (rc)
		return rc;
	rc = w->body(w->ctx, db, err);
	return rc ? (dbl_db_put_back(db, DBL_OP_tx_leave, NULL), rc)
		  : dbl_db_put_back(db, DBL_OP_tx_leave, err);
}

int dbl_tx_guarded_waiting(struct dblock_tx *tx, int64_t ms,
			   int (*body)(void *, struct dbl_db *, struct dblock_error *), void *ctx,
			   int64_t deadline, struct dblock_error *err)
{
	struct waiting waiting = {.ms = ms, .deadline = deadline, .body = body, .ctx = ctx};

	if (tx->target->dialect->is_file)
		return dbl_tx_guarded(tx, body, ctx, deadline, err);
	return dbl_tx_guarded(tx, with_settings, &waiting, deadline, err);
}

static int run_request(void *request, struct dbl_db *db, struct dblock_error *err)
{
	return dbl_db_run(db, request, err);
}

int dbl_tx_run_guarded(struct dblock_tx *tx, int64_t ms, struct dbl_request *request,
		       struct dblock_error *err)
{
	int rc;

	if (!tx->target->dialect->pipelines)
		return dbl_tx_guarded_waiting(tx, ms, run_request, request, request->deadline, err);
	rc = dbl_tx_check_open(tx, err);
	return rc ? rc : dbl_db_run_guarded(tx->db, request, ms, err);
}

/* ---- close ----------------------------------------------------------------------------------- */

static void give_back(struct dblock_tx *tx)
{
	if (dbl_db_state(tx->db) != DBL_TX_NONE)
		(void)dbl_tx_rollback(tx, NULL);
	dbl_tx_tell(tx, DBL_TX_UNKNOWN);
	dbl_pool_give(tx->pool, tx->db, tx->used, dbl_tx_deadline(tx));
}

void dbl_tx_close(struct dblock_tx *tx)
{
	if (!tx)
		return;
	if (tx->db && tx->pool)
		give_back(tx);
	else
		dbl_db_close(tx->db);
	dbl_tx_tell(tx, DBL_TX_UNKNOWN);
	dbl_target_free(&tx->own);
	dbl_free(tx);
}
