/* SPDX-License-Identifier: MIT */
/* One transaction that was left: what was decided is done. If nothing was, an abort is written first, and what stands is
 * read by a new statement: so whoever was only slow cannot commit any more, or has. Where the home may have forgotten, a
 * person decides. */
#include "driver/value.h"
#include "global/recover.h"

#include <stdio.h>
#include <string.h>

#include "lock/core/context.h"
#include "lock/core/make_durable.h"

enum { COMMIT = DBLOCK_VERDICT_COMMIT, ROLL_BACK = DBLOCK_VERDICT_ROLL_BACK };

/* ---- what is decided ------------------------------------------------------------------------- */

/* On the connection on which home's history was read: where home fails over, that ends, and no other history gets it. It
 * need not be durable: in a crash the transaction that it stops is lost as well. */
static int write_abort(struct dbl_place *home, const struct dbl_xid *xid, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(xid->id), dbl_text(home->history)};

	return dbl_place_run(home, DBL_OP_decision_abort, DBL_ARGS(args), NULL, NULL, err);
}

/* Where another one has written meanwhile this fails, and what stands is read next. */
static int write_commit(struct dbl_recovery *r, struct dbl_place *home, const struct dbl_left *left,
			struct dblock_error *err)
{
	unsigned most = left->n ? left->list[left->n - 1].xid.n : 0;
	struct dbl_marks marks;
	struct dbl_value args[3];

	dbl_marks_read(r, left->xid, &marks);
	while (marks.seen >> most)
		most++;
	args[0] = dbl_text(left->xid->id);
	args[1] = dbl_int(most);
	args[2] = dbl_text(home->history);
	return dbl_place_run(home, DBL_OP_decision_make, DBL_ARGS(args), NULL, NULL, err);
}

/* It may be seen before it is on the home's disk. */
static int secure(struct dbl_place *home, const struct dbl_decision *d, struct dblock_error *err)
{
	struct dbl_locks *locks = home->pool->locks;

	return d->state == COMMIT ? dbl_make_all_durable(locks, dbl_locks_deadline(locks), err) : 0;
}

static const char too_young[] = "it has begun only now, and may go on";

static bool is_young(const struct dbl_recovery *r, const struct dbl_xid *xid)
{
	return dbl_wall(r->env) - xid->since * 1000000 < r->grace;
}

/* Nobody has decided: why it is left alone, or NULL. */
static const char *why_not(const struct dbl_recovery *r, const struct dbl_place *home,
			   const struct dbl_xid *xid, enum dblock_recovered *how)
{
	*how = DBLOCK_RECOVERED_NOT_YET;
	if (is_young(r, xid))
		return too_young;
	if (strcmp(home->history, xid->history) == 0)
		return NULL;
	*how = DBLOCK_RECOVERED_IN_DOUBT;
	return "its home was restored, or has failed over, since it began: the decision may be "
	       "lost";
}

static int decide(struct dbl_recovery *r, struct dbl_place *home, const struct dbl_xid *xid,
		  struct dbl_decision *d, struct dblock_error *err)
{
	int rc;

	d->state = ROLL_BACK;
	if (r->asked.look)
		return 0;
	rc = write_abort(home, xid, err);
	return rc ? rc : dbl_decision_read(home, xid, d, err);
}

/* Text: why it is not obeyed; NULL: it is. */
static const char *obtain_decision(struct dbl_recovery *r, struct dbl_place *home,
				   struct dbl_left *left, struct dbl_decision *d,
				   enum dblock_recovered *how)
{
	static const char not_asked[] = "its home could not be asked";
	int rc = dbl_decision_read(home, left->xid, d, &left->why);

	*how = DBLOCK_RECOVERED_NOT_YET;
	if (rc == 0 && d->state == 0) {
		const char *why = why_not(r, home, left->xid, how);

		if (why)
			return why;
		rc = decide(r, home, left->xid, d, &left->why);
	}
	if (rc == 0 && !r->asked.look)
		rc = secure(home, d, &left->why);
	return rc || d->state == 0 ? not_asked : NULL;
}

/* ---- what a person decides ------------------------------------------------------------------- */

static int refuse(const struct dbl_xid *xid, const char *why, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_INVALID, "%s: %s", xid->id, why);
}

static int write_verdict(struct dbl_recovery *r, struct dbl_place *home,
			 const struct dbl_left *left, struct dbl_decision *d,
			 struct dblock_error *err)
{
	int rc = 0;

	if (r->asked.verdict == DBLOCK_VERDICT_ROLL_BACK)
		rc = write_abort(home, left->xid, err);
	else if (strcmp(home->history, left->xid->history) == 0)
		rc = refuse(left->xid,
			    "its home has decided nothing, and forgotten nothing: it can only be "
			    "rolled back",
			    err);
	else
		(void)write_commit(r, home, left, NULL);
	return rc ? rc : dbl_decision_read(home, left->xid, d, err);
}

/* Not 0: the verdict is refused. */
static int judge(struct dbl_recovery *r, struct dbl_place *home, const struct dbl_left *left,
		 struct dbl_decision *d, struct dblock_error *err)
{
	int rc;

	d->state = r->asked.verdict;
	if (!home)
		return r->asked.without_home
			       ? 0
			       : refuse(left->xid,
					"its home is not among the databases, or cannot be "
					"reached: it may know what was decided",
					err);
	rc = dbl_decision_read(home, left->xid, d, err);
	if (rc == 0 && d->state == 0)
		rc = write_verdict(r, home, left, d, err);
	if (rc == 0 && d->state == 0)
		rc = dbl_fail(err, DBLOCK_E_UNAVAILABLE, "%s: its home could not be asked",
			      left->xid->id);
	if (rc == 0)
		rc = secure(home, d, err);
	if (rc == 0 && d->state != (int64_t)r->asked.verdict)
		rc = refuse(left->xid,
			    d->state == COMMIT ? "its home has decided: it is to be committed"
					       : "its home has decided: it is to be rolled back",
			    err);
	return rc;
}

/* ---- doing it -------------------------------------------------------------------------------- */

static int finish(struct dbl_recovery *r, struct dbl_left *left, size_t i, enum dbl_op op)
{
	struct dbl_prepared *p = &left->list[i];
	struct dblock_tx *tx = r->places[p->place].tx;
	int rc = dbl_db_branch(tx->db, op, p->text.gtrid, p->text.bqual, dbl_tx_deadline(tx),
			       &left->why);

	p->over = rc == 0;
	return rc;
}

/* In their order, and none before all before it are seen to have committed: the last one may have the lock. */
static bool commit_in_order(struct dbl_recovery *r, struct dbl_left *left)
{
	struct dbl_marks marks;

	dbl_marks_read(r, left->xid, &marks);
	for (size_t i = 0; i < left->n; i++) {
		unsigned n = left->list[i].xid.n, before = (1U << (n - 1)) - 1;

		if ((marks.seen & before) != before || finish(r, left, i, DBL_OP_branch_commit))
			return false;
		marks.seen |= 1U << (n - 1);
	}
	return true;
}

static bool roll_back(struct dbl_recovery *r, struct dbl_left *left)
{
	bool all = true;

	for (size_t i = 0; i < left->n; i++)
		all &= finish(r, left, i, DBL_OP_branch_rollback) == 0;
	return all;
}

/* With what a database said to it. */
static int tell_why(struct dbl_recovery *r, const struct dbl_left *left, enum dblock_recovered how,
		    const char *why)
{
	char text[sizeof(left->why.message) + 100];

	(void)snprintf(text, sizeof(text), "%s%s%s", why, left->why.message[0] ? ": " : "",
		       left->why.message);
	return dbl_recovery_tell(r, left, how, text);
}

static int obey(struct dbl_recovery *r, struct dbl_left *left, bool commits)
{
	enum dblock_recovered how =
		commits ? DBLOCK_RECOVERED_COMMITTED : DBLOCK_RECOVERED_ROLLED_BACK;
	if (r->asked.look)
		return dbl_recovery_tell(r, left, how,
					 commits ? "the recovery commits it"
						 : "the recovery rolls it back");
	if (commits ? commit_in_order(r, left) : roll_back(r, left))
		return dbl_recovery_tell(r, left, how, commits ? "committed" : "rolled back");
	return tell_why(r, left, DBLOCK_RECOVERED_NOT_YET,
			commits ? "it is to be committed; a database has not done so"
				: "it is to be rolled back; a database has not done so");
}

static bool is_any_unreachable(const struct dbl_recovery *r)
{
	bool any = false;

	for (unsigned i = 0; i < r->n_places; i++)
		any |= !r->places[i].tx;
	return any;
}

/* MySQL lists what all databases of the server have, also those of others, whose homes we are not given. */
static const char *why_homeless(const struct dbl_recovery *r, const struct dbl_xid *xid,
				enum dblock_recovered *how)
{
	if (is_young(r, xid))
		return too_young;
	/* A database that cannot be reached may be its home. */
	if (!is_any_unreachable(r))
		*how = DBLOCK_RECOVERED_IN_DOUBT;
	return "its home is not among the databases, or cannot be reached";
}

int dbl_recover_one(struct dbl_recovery *r, struct dbl_left *left, struct dblock_error *err)
{
	struct dbl_place *home = dbl_place_of_home(r, left->xid->home);
	enum dblock_recovered how = DBLOCK_RECOVERED_NOT_YET;
	const char *why = NULL;
	struct dbl_decision d = {.state = 0};
	int rc = 0;

	if (r->asked.verdict)
		rc = judge(r, home, left, &d, err);
	else
		why = home ? obtain_decision(r, home, left, &d, &how)
			   : why_homeless(r, left->xid, &how);
	left->parts = d.parts;
	if (rc)
		return rc;
	return why ? tell_why(r, left, how, why) : obey(r, left, d.state == COMMIT);
}
