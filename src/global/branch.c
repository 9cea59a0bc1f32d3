/* SPDX-License-Identifier: MIT */
/* One branch: begun, prepared, committed or rolled back, on the connection that it was joined with. */
#include <string.h>

#include "driver/value.h"
#include "global/global.h"

static int run(struct dbl_global_branch *b, enum dbl_op op, struct dblock_error *err)
{
	return dbl_db_branch(b->tx->db, op, b->xid.gtrid, b->xid.bqual, dbl_tx_deadline(b->tx),
			     err);
}

static int run_by_name(struct dbl_global_branch *b, enum dbl_op op, int64_t *found,
		       struct dblock_error *err)
{
	struct dbl_value name = dbl_text(b->xid.all);
	struct dbl_request request = {
		.op = op, .args = DBL_ARG(name), .deadline = dbl_tx_deadline(b->tx)};
	int rc = dbl_db_run(b->tx->db, &request, err);

	if (found)
		*found = rc == 0 ? request.rows : 0;
	return rc;
}

int dbl_branch_begin(struct dbl_global_branch *b, struct dblock_error *err)
{
	b->state = DBL_BRANCH_OPEN;
	return run(b, DBL_OP_branch_begin, err);
}

int dbl_branch_prepare(struct dbl_global_branch *b, struct dblock_error *err)
{
	int rc = dbl_tx_check_open(b->tx, err);

	if (rc == 0)
		rc = dbl_db_branch_check(b->tx->db, dbl_tx_deadline(b->tx), err);
	if (rc == 0)
		rc = run_by_name(b, DBL_OP_branch_mark, NULL, err);
	if (rc == 0)
		rc = run(b, DBL_OP_branch_end, err);
	if (rc)
		return rc;
	b->state = DBL_BRANCH_PREPARED;
	return run(b, DBL_OP_branch_prepare, err);
}

/* An error does not say that it is not committed: a recovery may have done it. */
int dbl_branch_commit(struct dbl_global_branch *b, struct dblock_error *err)
{
	int rc = run(b, DBL_OP_branch_commit, err);
	int64_t seen = 0;

	if (rc)
		(void)run_by_name(b, DBL_OP_branch_seen, &seen, NULL);
	if (rc && !seen)
		return rc;
	b->state = DBL_BRANCH_OVER;
	return 0;
}

/* PostgreSQL, whose word counts, unlike XAER_NOTA: nothing of that name is prepared. */
static bool is_gone(const struct dblock_error *err)
{
	return strcmp(err->sqlstate, "42704") == 0;
}

/* If it was not prepared after all, and its transaction has failed, that is ended first. */
static int roll_back_prepared(struct dbl_global_branch *b, bool *was_prepared)
{
	struct dblock_error err = {0};
	int rc = run(b, DBL_OP_branch_rollback, &err);

	if (rc && !is_gone(&err)) {
		(void)run(b, DBL_OP_branch_abandon, NULL);
		dbl_err_clear(&err);
		rc = run(b, DBL_OP_branch_rollback, &err);
	}
	*was_prepared = rc == 0;
	return rc && is_gone(&err) ? 0 : rc;
}

static int roll_back_open(struct dbl_global_branch *b)
{
	(void)run(b, DBL_OP_branch_end, NULL);
	return run(b, DBL_OP_branch_abandon, NULL);
}

bool dbl_branch_rollback(struct dbl_global_branch *b)
{
	bool was_prepared = false;
	int rc;

	if (b->state == DBL_BRANCH_OVER)
		return false;
	rc = b->state == DBL_BRANCH_OPEN ? roll_back_open(b) : roll_back_prepared(b, &was_prepared);
	if (rc == 0)
		b->state = DBL_BRANCH_OVER;
	return was_prepared;
}

void dbl_branch_forget(struct dbl_global_branch *b)
{
	(void)run_by_name(b, DBL_OP_branch_unmark, NULL, NULL);
}
