/* SPDX-License-Identifier: MIT */
/* The end of a global transaction. Home's row is the decision: before it stands all can be rolled back, and from then on
 * nothing is. */
#include <string.h>

#include "base/mem.h"
#include "driver/value.h"
#include "global/global.h"
#include "lock/core/context.h"
#include "lock/core/make_durable.h"
#include "lock/tx/histories.h"

/* ---- the branches ---------------------------------------------------------------------------- */

static int prepare_all(struct dblock_global *g, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < g->xid.n && rc == 0; i++) {
		rc = dbl_branch_prepare(&g->branches[i], err);
		/* Whatever became of it: nothing is decided, and it is rolled back. */
		if (rc == DBLOCK_E_UNSURE)
			rc = dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the connection was lost");
		if (rc)
			dbl_err_prefix(err, "branch %u", i + 1);
	}
	return rc;
}

static void roll_back_all(struct dblock_global *g)
{
	for (unsigned i = 0; i < g->xid.n; i++)
		(void)dbl_branch_rollback(&g->branches[i]);
}

/* In their order, and none before the one before it: the last may have the lock. */
static void commit_all(struct dblock_global *g)
{
	unsigned i = 0;

	while (i < g->xid.n && dbl_branch_commit(&g->branches[i], NULL) == 0)
		i++;
	g->unfinished = g->xid.n - i;
}

/* ---- the decision ---------------------------------------------------------------------------- */

static int make_decision(struct dblock_global *g, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(g->xid.id), dbl_int(g->xid.n),
				   dbl_text(g->xid.history)};
	struct dbl_request request = {.op = DBL_OP_decision_make,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_tx_deadline(g->home)};

	return dbl_db_run(g->home->db, &request, err);
}

static int take_state(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

static int read_state(struct dblock_global *g, struct dblock_tx *tx, int64_t *state)
{
	struct dbl_value id = dbl_text(g->xid.id);
	struct dbl_request request = {
		.op = DBL_OP_decision_read, .args = DBL_ARG(id), .row = take_state, .ctx = state};
	struct dbl_locks *locks = g->home->pool->locks;

	*state = 0;
	request.deadline = tx ? dbl_tx_deadline(tx) : dbl_locks_deadline(locks);
	return tx ? dbl_db_run(tx->db, &request, NULL) : dbl_link_run(locks->link, &request, NULL);
}

/* As the recovery does it: unless there is a commit, an abort is written; and what stands then, seen by a new statement,
 * counts. All on one connection: where home is restored, or fails over, that ends, and no other history gets the abort. */
static int write_abort(struct dblock_global *g, struct dblock_tx *tx, int64_t *state)
{
	struct dbl_value args[] = {dbl_text(g->xid.id), dbl_text(g->xid.history)};
	struct dbl_request request = {.op = DBL_OP_decision_abort, .args = DBL_ARGS(args)};
	struct dbl_histories h = {.newest = ""};

	if (dbl_histories_read(tx, false, &h, NULL) || strcmp(h.newest, g->xid.history) != 0)
		return DBLOCK_E_UNSURE;
	request.deadline = dbl_tx_deadline(tx);
	return dbl_db_run(tx->db, &request, NULL) || read_state(g, tx, state) ? DBLOCK_E_UNSURE : 0;
}

/* It may be seen before it is on home's disk. */
static int secure(struct dblock_global *g)
{
	struct dbl_locks *locks = g->home->pool->locks;

	return dbl_make_all_durable(locks, dbl_locks_deadline(locks), NULL) ? DBLOCK_E_UNSURE : 0;
}

/* The answer to home's COMMIT was lost. The abort may be one that was written when all was done and forgotten. But nothing
 * is forgotten before all branches have committed: if one is rolled back now, there was no commit. 0: it is committed. */
static int settle(struct dblock_global *g, struct dblock_error *err)
{
	struct dblock_tx *tx = NULL;
	int64_t state = 0;
	bool any = false;
	int rc = DBLOCK_E_UNSURE;

	/* This waits for a home that restarts. */
	if (!g->home->pool || !g->home->pool->locks || read_state(g, NULL, &state))
		return rc;
	if (state == 1)
		return secure(g);
	if (dbl_tx_take(&tx, g->home->pool, g->home->timeout, NULL) == 0)
		rc = write_abort(g, tx, &state);
	dbl_tx_close(tx);
	if (rc || state == 0)
		return DBLOCK_E_UNSURE;
	if (state == 1)
		return secure(g);
	for (unsigned i = 0; i < g->xid.n; i++)
		any |= dbl_branch_rollback(&g->branches[i]);
	return any ? dbl_fail(err, DBLOCK_E_UNAVAILABLE,
			      "home: the connection was lost before it was committed")
		   : DBLOCK_E_UNSURE;
}

/* SQLITE_CONSTRAINT; the others have an SQLSTATE, of class 23. */
enum { SQLITE_HAS_IT = 19 };

static bool is_taken(const struct dblock_global *g, const struct dblock_error *err)
{
	return g->home->target->dialect->is_file ? (err->native & 0xff) == SQLITE_HAS_IT
						 : strncmp(err->sqlstate, "23", 2) == 0;
}

/* Whatever became of that statement: its transaction is not committed. By a row that is there already a recovery says that
 * it never will be. */
static int not_decided(const struct dblock_global *g, int rc, struct dblock_error *err)
{
	if (rc == DBLOCK_E_UNSURE)
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "home: the connection was lost");
	if (err && is_taken(g, err))
		return dbl_fail(err, DBLOCK_E_CONFLICT,
				"it took so long that a recovery has rolled it back: begin again");
	return rc;
}

/* 0: it is decided. DBLOCK_E_UNSURE: perhaps. Else it is not, and never will be. */
static int decide(struct dblock_global *g, struct dblock_error *err)
{
	int rc = make_decision(g, err);

	if (rc) {
		(void)dbl_tx_rollback(g->home, NULL);
		rc = not_decided(g, rc, err);
	} else {
		rc = dbl_tx_commit(g->home, err);
		if (rc == DBLOCK_E_UNSURE)
			rc = settle(g, err);
	}
	return rc;
}

static void forget_decision(struct dblock_global *g)
{
	struct dbl_locks *locks = g->home->pool ? g->home->pool->locks : NULL;
	struct dbl_value id = dbl_text(g->xid.id);
	struct dbl_request request = {.op = DBL_OP_decision_forget,
				      .args = DBL_ARG(id),
				      .deadline = dbl_tx_deadline(g->home)};

	/* The decision first: who sees a mark and no decision knows that all is done. In a crash it comes back if its end is
	 * not on the disk; an adopted connection's is, or the recovery forgets it again. */
	if (dbl_db_run(g->home->db, &request, NULL) ||
	    (locks && dbl_make_durable(locks, dbl_locks_deadline(locks), NULL)))
		return;
	for (unsigned i = 0; i < g->xid.n; i++)
		dbl_branch_forget(&g->branches[i]);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void tell(struct dblock_tx *tx, enum dbl_tx_end end)
{
	tx->global = NULL;
	dbl_tx_tell(tx, end);
}

/* What was fenced in home's transaction stays so until the branches are finished. */
static int end_home(struct dblock_global *g,
		    int (*how)(struct dblock_global *, struct dblock_error *),
		    struct dbl_tx_part **parts, struct dblock_error *err)
{
	*parts = g->home->parts;
	g->home->parts = NULL;
	g->home->global = NULL;
	return how(g, err);
}

static enum dbl_tx_end end_of(const struct dbl_global_branch *b, int rc)
{
	if (b->state != DBL_BRANCH_OVER)
		return DBL_TX_LEFT;
	if (rc == DBLOCK_E_UNSURE)
		return DBL_TX_UNKNOWN;
	return rc ? DBL_TX_ROLLED_BACK : DBL_TX_COMMITTED;
}

static void tell_all(struct dblock_global *g, struct dbl_tx_part *home_parts, int rc)
{
	g->over = true;
	for (unsigned i = 0; i < g->xid.n; i++) {
		/* MySQL finishes it for nobody else as long as the connection is there. */
		if (g->branches[i].state != DBL_BRANCH_OVER)
			dbl_db_give_up(g->branches[i].tx->db);
		tell(g->branches[i].tx, end_of(&g->branches[i], rc));
	}
	g->home->parts = home_parts;
	tell(g->home, rc == 0 && g->unfinished == 0      ? DBL_TX_COMMITTED
		      : rc == 0 || rc == DBLOCK_E_UNSURE ? DBL_TX_UNKNOWN
							 : DBL_TX_ROLLED_BACK);
}

static int roll_back_home(struct dblock_global *g, struct dblock_error *err)
{
	return dbl_tx_rollback(g->home, err);
}

static int unsure(const struct dblock_global *g, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_UNSURE,
			"home's answer was lost: nobody knows whether it is committed; "
			"dblock_recover() finds out, and finishes it: %s",
			g->xid.id);
}

int dbl_global_commit(struct dblock_global *g, struct dblock_error *err)
{
	struct dbl_tx_part *parts = NULL;
	int rc = dbl_tx_check_open(g->home, err);

	if (rc == 0)
		rc = prepare_all(g, err);
	if (rc)
		(void)end_home(g, roll_back_home, &parts, NULL);
	else
		rc = end_home(g, decide, &parts, err);
	if (rc == DBLOCK_E_UNSURE)
		rc = unsure(g, err);
	else if (rc)
		roll_back_all(g);
	else
		commit_all(g);
	if (rc == 0 && g->unfinished == 0)
		forget_decision(g);
	tell_all(g, parts, rc);
	return rc;
}

int dbl_global_rollback(struct dblock_global *g, struct dblock_error *err)
{
	struct dbl_tx_part *parts = NULL;

	if (g->over)
		return dbl_fail(err, DBLOCK_E_INVALID, "the global transaction is over");
	roll_back_all(g);
	(void)end_home(g, roll_back_home, &parts, NULL);
	tell_all(g, parts, DBLOCK_E_REFUSED);
	return 0;
}

void dbl_global_close(struct dblock_global *g)
{
	if (!g->over)
		(void)dbl_global_rollback(g, NULL);
	dbl_free(g);
}
