/* SPDX-License-Identifier: MIT */
/*
 * Undoes the library's own tables, while others may want to take locks. Whether somebody holds a
 * lock is asked when nobody can take one (schema_hold), and that has to last until the tables are
 * gone. Where CREATE and DROP are part of a transaction, all is one transaction. Where they end it,
 * the tables are closed before (schema_close), and opened again if some of them are left.
 */
#include "migrate/command/down_own.h"

#include "base/err.h"
#include "driver/value.h"
#include "migrate/report/words.h"

#define PAUSE_US 50000

enum { TRIES_MAX = 8 };

struct undoing {
	int64_t done; /* the first member, since next() gets the struct as its counter */
	bool held;    /* nobody can take a lock */
};

static int check_locks(struct dbl_run *run, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(""), dbl_int(0), dbl_int(0), dbl_int(1)};
	struct dbl_request request = {
		.op = DBL_OP_list, .args = DBL_ARGS(args), .deadline = dbl_run_deadline(run)};
	int rc = dbl_db_run(run->db, &request, err);

	if (rc || request.rows == 0)
		return rc;
	return dbl_words_refuse(err, DBLOCK_BUSY,
				"somebody holds a lock" DBL_NOTHING_DONE
				"see with 'dblock ls' who that is, and run 'dblock migrate down' "
				"when nobody does");
}

static int hold(struct dbl_run *run, void *undoing, struct dblock_error *err)
{
	int rc = dbl_db_script(run->db, DBL_OP_schema_hold, dbl_run_deadline(run), err);

	((struct undoing *)undoing)->held = rc == 0;
	return rc ? rc : check_locks(run, err);
}

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

/* Undoes the tables where DROP TABLE ends the transaction. */
static int undo_apart(struct dbl_run *run, dbl_next_cb *next, bool whole, struct undoing *it,
		      struct dblock_error *err)
{
	int rc = whole ? close_tables(run, it, err) : 0;

	if (rc)
		return rc;
	rc = dbl_apply_each(run, next, it, err);
	if (!dbl_db_broken(run->db))
		(void)dbl_reopen(run, NULL);
	return rc;
}

/* Whether tables are there that can be closed: the library's own, if DROP ends a transaction. */
static bool can_be_closed(const struct dbl_run *run)
{
	return run->set.own && !run->target->dialect->ddl_in_tx && run->history.n > 0;
}

/* Whether a failure to read or write the floor does no harm: there is none, or this user may only
 * read, and so has not closed the tables. */
static bool is_fine(int rc)
{
	return rc == 0 || dbl_is_shape_error(rc) || rc == DBLOCK_E_DENIED ||
	       rc == DBLOCK_E_READONLY;
}

int dbl_see_closed(struct dbl_run *run, bool *closed, struct dblock_error *err)
{
	struct dblock_error local;
	int64_t found = 0;
	int rc = 0;

	if (can_be_closed(run))
		rc = dbl_ask(dbl_run_on(run), DBL_OP_schema_closed, DBL_NO_ARGS, &found, &local);
	*closed = rc == 0 && found;
	return is_fine(rc) ? 0 : dbl_fail_lines(err, rc, local.message);
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
	return is_fine(rc) ? 0 : dbl_fail_lines(err, rc, local.message);
}

static int still_in_use(struct dblock_error *err)
{
	dbl_err_prefix(err, "the tables are in use");
	dbl_err_line(err, DBL_LINE_STATE, "nothing was done");
	dbl_err_line(err, DBL_LINE_NEXT,
		     "see with 'dblock ls' who has a lock, and in the database who has the tables, "
		     "and run 'dblock migrate down' when nobody does");
	return err->code = DBLOCK_BUSY;
}

int dbl_down_own(struct dbl_run *run, dbl_next_cb *next, struct dblock_error *err)
{
	const struct dbl_env *env = run->target->env;
	bool together = run->target->dialect->ddl_in_tx;
	int tries = 0, rc = check_locks(run, err);
	/* If some of the tables are missing, nobody holds a lock. */
	bool whole = !dbl_is_shape_error(rc);
	struct undoing it = {.held = !whole};

	if (rc && whole)
		return rc;
	do {
		it.done = run->done;
		rc = together ? dbl_apply_together(run, next, &it, whole ? hold : NULL, err)
			      : undo_apart(run, next, whole, &it, err);
		if ((rc != DBLOCK_E_BLOCKED && rc != DBLOCK_E_CONFLICT) || it.held ||
		    dbl_db_broken(run->db) || run->again != DBL_AGAIN_NOT)
			return rc;
		if (++tries == TRIES_MAX)
			return still_in_use(err);
		dbl_sleep_until(env, dbl_add(dbl_now(env), dbl_jitter(env, PAUSE_US << tries)));
		rc = dbl_run_look(run, err);
	} while (rc == 0);
	return rc;
}
