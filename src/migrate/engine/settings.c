/* SPDX-License-Identifier: MIT */
/* What a user's file begins with: the session's own settings, and none that could end it early.
 * Behind a pooler the session is also that of others: there they last as long as a transaction. */
#include "driver/value.h"
#include "migrate/engine/run.h"

static int set(struct dbl_run *run, enum dbl_op op, struct dblock_error *err)
{
	struct dbl_value ms = dbl_int(run->which.lock_timeout_ms);
	struct dbl_request request = {
		.op = op, .args = DBL_ARG(ms), .deadline = dbl_run_deadline(run)};

	return dbl_run_lost(run, dbl_db_run(run->db, &request, err));
}

int dbl_run_set_session(struct dbl_run *run, struct dblock_error *err)
{
	int rc;

	if (dbl_db_pooled(run->db))
		return 0;
	rc = dbl_db_script(run->db, DBL_OP_migrate_reset, dbl_run_deadline(run), err);
	return rc ? dbl_run_lost(run, rc) : set(run, DBL_OP_migrate_session, err);
}

int dbl_run_set_local(struct dbl_run *run, struct dblock_error *err)
{
	return dbl_db_pooled(run->db) ? set(run, DBL_OP_migrate_local, err) : 0;
}

int dbl_run_own_role(struct dbl_run *run, struct dblock_error *err)
{
	if (!dbl_db_pooled(run->db))
		return dbl_db_script(run->db, DBL_OP_migrate_role, dbl_run_deadline(run), err);
	return dbl_db_in_tx(run->db) ? set(run, DBL_OP_migrate_local, err) : 0;
}
