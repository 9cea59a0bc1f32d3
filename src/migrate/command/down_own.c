/* SPDX-License-Identifier: MIT */
/*
 * Taking the library's own tables away, while others would like to lock something. Whether somebody
 * holds a lock is asked where nobody can take one (schema_hold), and that has to stay so until the
 * tables are gone: where CREATE and DROP are part of a transaction, it is one for all of it; where
 * they end it, the tables are closed before (schema_close), for good, and opened again if some of
 * them are left.
 */
#include "migrate/command/down_own.h"

#include "base/err.h"
#include "driver/value.h"

#define PAUSE_US 50000

enum { TRIES_MAX = 8 };

struct undoing {
	int64_t done; /* first: next() gets its address */
	bool held;    /* nobody can take a lock meanwhile */
};

static int check_locks(struct dbl_run *run, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(""), dbl_int(0), dbl_int(0), dbl_int(1)};
	struct dbl_request request = {
		.op = DBL_OP_list, .args = DBL_ARGS(args), .deadline = dbl_run_deadline(run)};
	int rc = dbl_db_run(run->db, &request, err);

	if (rc || request.rows == 0)
		return rc;
	dbl_fail(err, DBLOCK_BUSY, "somebody holds a lock");
	dbl_err_line(err, DBL_LINE_STATE, "nothing was done");
	dbl_err_line(err, DBL_LINE_NEXT,
		     "see with 'dblock ls' who that is, and run 'dblock migrate down' when nobody "
		     "does");
	return DBLOCK_BUSY;
}

static int hold(struct dbl_run *run, void *undoing, struct dblock_error *err)
{
	int rc = dbl_db_script(run->db, DBL_OP_schema_hold, dbl_run_deadline(run), err);

	((struct undoing *)undoing)->held = rc == 0;
	return rc ? rc : check_locks(run, err);
}

/* ---- where DROP TABLE can be rolled back ---------------------------------------------------- */

static int undo_together(struct dbl_run *run, dbl_next_cb *next, bool whole, struct undoing *it,
			 struct dblock_error *err)
{
	it->done = run->done;
	return dbl_apply_together(run, next, it, whole ? hold : NULL, err);
}

/* ---- where it ends the transaction ---------------------------------------------------------- */

static int close_tables(struct dbl_run *run, struct undoing *it, struct dblock_error *err)
{
	int64_t deadline = dbl_run_deadline(run);
	int rc = dbl_db_begin(run->db, deadline, err);

	if (rc)
		return dbl_db_undone(run->db, rc, deadline, err);
	rc = hold(run, it, err);
	if (rc == 0)
		rc = dbl_db_script(run->db, DBL_OP_schema_close, deadline, err);
	return dbl_db_end(run->db, rc, deadline, err);
}

static int undo_apart(struct dbl_run *run, dbl_next_cb *next, bool whole, struct undoing *it,
		      struct dblock_error *err)
{
	struct dbl_step step;
	int rc = whole ? close_tables(run, it, err) : 0;

	it->done = run->done;
	if (rc)
		return dbl_run_lost(run, rc);
	while (rc == 0 && next(run, it, &step)) {
		rc = dbl_run_canceled(run, err);
		if (rc == 0)
			rc = dbl_apply(run, step.file, step.past, true, err);
	}
	if (!dbl_db_broken(run->db))
		(void)dbl_reopen(run, NULL);
	return rc;
}

/* Of the library's own, where DROP ends the transaction, and if there may be any. */
static bool can_be_closed(const struct dbl_run *run)
{
	return run->set.own && !run->target->dialect->ddl_in_tx && run->history.n > 0;
}

/* There is no floor yet, or not any more; or who may only look is not who stopped. */
static bool is_not_ours_to_open(int rc)
{
	return dbl_is_shape_error(rc) || rc == DBLOCK_E_DENIED || rc == DBLOCK_E_READONLY;
}

int dbl_see_closed(struct dbl_run *run, bool *closed, struct dblock_error *err)
{
	struct dbl_runner on = dbl_run_runner(run);
	struct dblock_error local;
	int64_t found = 0;
	int rc = 0;

	if (can_be_closed(run))
		rc = dbl_ask(&on, DBL_OP_schema_closed, DBL_NO_ARGS, &found, &local);
	*closed = rc == 0 && found;
	if (rc == 0 || is_not_ours_to_open(rc))
		return 0;
	return dbl_run_lost(run, dbl_fail_lines(err, rc, local.message));
}

int dbl_reopen(struct dbl_run *run, struct dblock_error *err)
{
	int64_t deadline = dbl_run_deadline(run);
	struct dblock_error local;
	int rc;

	if (!can_be_closed(run))
		return 0;
	rc = dbl_db_begin(run->db, deadline, &local);
	if (rc == 0)
		rc = dbl_db_end(run->db,
				dbl_db_script(run->db, DBL_OP_schema_reopen, deadline, &local),
				deadline, &local);
	if (is_not_ours_to_open(rc))
		return 0;
	return rc ? dbl_run_lost(run, dbl_fail_lines(err, rc, local.message)) : 0;
}

/* ---- either way ----------------------------------------------------------------------------- */

static bool in_the_way(const struct dbl_run *run, bool held, int rc)
{
	return (rc == DBLOCK_E_LOCKED || rc == DBLOCK_E_CONFLICT) && !held &&
	       !dbl_db_broken(run->db) && run->again == DBL_AGAIN_NOT;
}

static int still_in_use(struct dblock_error *err)
{
	dbl_err_prefix(err, "the tables are in use");
	dbl_err_line(err, DBL_LINE_STATE, "nothing was done");
	dbl_err_line(err, DBL_LINE_NEXT,
		     "see with 'dblock ls' who has a lock, and in the database who has the tables, "
		     "and run 'dblock migrate down' when nobody does");
	if (err)
		err->code = DBLOCK_BUSY;
	return DBLOCK_BUSY;
}

int dbl_down_own(struct dbl_run *run, dbl_next_cb *next, struct dblock_error *err)
{
	const struct dbl_env *env = run->target->env;
	bool together = run->target->dialect->ddl_in_tx, whole;
	int tries = 0, rc = check_locks(run, err);
	struct undoing it = {.held = false};

	/* If they are not all there, nobody holds anything. */
	whole = !dbl_is_shape_error(rc);
	if (rc && whole)
		return rc;
	it.held = !whole;
	while (rc == 0 || !whole) {
		rc = together ? undo_together(run, next, whole, &it, err)
			      : undo_apart(run, next, whole, &it, err);
		if (!in_the_way(run, it.held, rc))
			return rc;
		if (++tries == TRIES_MAX)
			return still_in_use(err);
		dbl_sleep_until(env, dbl_add(dbl_now(env), dbl_jitter(env, PAUSE_US << tries)));
		rc = dbl_run_look(run, err);
	}
	return dbl_run_lost(run, rc);
}
