/* SPDX-License-Identifier: MIT */
/* A global transaction begins, and branches join it. What would keep one from being prepared is found here, before
 * anything is written. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "driver/value.h"
#include "global/global.h"
#include "lock/tx/histories.h"

static int take_int(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

static int ask(struct dblock_tx *tx, enum dbl_op op, int (*row)(void *, const struct dbl_value *),
	       void *answer, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .row = row, .ctx = answer, .deadline = dbl_tx_deadline(tx)};

	return dbl_db_run(tx->db, &request, err);
}

static int check_idle(const struct dblock_tx *tx, struct dblock_error *err)
{
	if (tx->global)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"it is part of a global transaction already");
	if (dbl_db_state(tx->db) == DBL_TX_NONE)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"a transaction is open on the connection: it has to begin here");
}

/* ---- home ------------------------------------------------------------------------------------ */

/* By its history it is known later whether a decision may have been lost; and by the first one which database it is. */
static int read_histories(struct dblock_global *g, struct dblock_error *err)
{
	struct dbl_histories h;
	int rc = dbl_histories_read(g->home, true, &h, err);

	memcpy(g->xid.home, h.first, sizeof(g->xid.home));
	memcpy(g->xid.history, h.newest, sizeof(g->xid.history));
	return rc;
}

static int make_id(struct dblock_global *g, struct dblock_error *err)
{
	const struct dbl_env *env = g->home->target->env;
	char hex[33];

	if (dbl_random_hex(env, hex))
		return dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
	(void)snprintf(g->xid.id, sizeof(g->xid.id), "%.16s", hex);
	g->xid.since = dbl_wall(env) / 1000000;
	return 0;
}

static int begin_home(struct dblock_global *g, struct dblock_error *err)
{
	int64_t durable = 0;
	int rc = ask(g->home, DBL_OP_shape_decision, NULL, NULL, err);

	if (rc == 0)
		rc = read_histories(g, err);
	if (rc == 0)
		rc = make_id(g, err);
	if (rc == 0)
		rc = dbl_tx_begin(g->home, 0, false, err);
	if (rc)
		return rc;
	rc = ask(g->home, DBL_OP_decision_durable, take_int, &durable, err);
	if (rc == 0 && !durable)
		rc = dbl_fail(
			err, DBLOCK_E_INVALID,
			"home: a crash may make it forget the decision: set PRAGMA synchronous "
			"= FULL");
	if (rc)
		(void)dbl_tx_rollback(g->home, NULL);
	return rc;
}

int dbl_global_begin(struct dblock_tx *home, struct dblock_global **out, struct dblock_error *err)
{
	struct dblock_global *g;
	int rc = check_idle(home, err);

	if (rc)
		return rc;
	g = dbl_alloc(sizeof(*g));
	if (!g)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	g->home = home;
	rc = begin_home(g, err);
	if (rc) {
		dbl_free(g);
		return rc;
	}
	home->global = g;
	*out = g;
	return 0;
}

/* ---- branches -------------------------------------------------------------------------------- */

static const char *why_no_branch(const struct dbl_dialect *dialect)
{
	if (dialect->is_file)
		return "SQLite cannot prepare a transaction: it can be home only";
	return dialect->pools ? "max_prepared_transactions is 0 on that server: set it, and "
				"restart it"
			      : "before 8.0.30 MySQL may lose a prepared transaction in a crash "
				"while it has a binary log: update it";
}

static int check_branch(const struct dblock_global *g, struct dblock_tx *tx,
			struct dblock_error *err)
{
	int64_t may = 0;
	int rc = check_idle(tx, err);

	if (rc == 0 && g->over)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the global transaction is over");
	if (rc == 0 && g->xid.n == DBLOCK_BRANCHES)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "it has %d branches, and can have no more",
			      DBLOCK_BRANCHES);
	if (rc == 0 && dbl_db_pooled(tx->db))
		rc = dbl_fail(
			err, DBLOCK_E_INVALID,
			"there is a pooler before the database: join with a connection of the "
			"server's own");
	if (rc == 0)
		rc = ask(tx, DBL_OP_branch_may, take_int, &may, err);
	if (rc == 0 && !may)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "%s", why_no_branch(tx->target->dialect));
	return rc ? rc : ask(tx, DBL_OP_shape_branch, NULL, NULL, err);
}

int dbl_global_join(struct dblock_global *g, struct dblock_tx *tx, struct dblock_error *err)
{
	struct dbl_global_branch *b = &g->branches[g->xid.n];
	struct dbl_xid xid = g->xid;
	int rc = check_branch(g, tx, err);

	if (rc)
		return rc;
	xid.n = g->xid.n + 1;
	*b = (struct dbl_global_branch){.tx = tx};
	dbl_xid_write(&xid, &b->xid);
	dbl_tx_tell(tx, DBL_TX_UNKNOWN);
	rc = dbl_branch_begin(b, err);
	if (rc) {
		(void)dbl_branch_rollback(b);
		return rc;
	}
	tx->global = g;
	g->xid.n = xid.n;
	return 0;
}
