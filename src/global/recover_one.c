/* SPDX-License-Identifier: MIT */
/* One transaction that was left: what was decided is done. If nothing was, an abort is written first, and what stands is
 * read by a new statement: so whoever was only slow cannot commit any more, or has. */
#include "driver/value.h"
#include "global/recover.h"

#include <string.h>

struct decision {
	int64_t state, parts; /* state 0: there is none */
};

static int take_decision(void *ctx, const struct dbl_value *row)
{
	*(struct decision *)ctx = (struct decision){row[0].i, row[1].i};
	return 0;
}

static int read_decision(struct dbl_place *home, const struct dbl_xid *xid, struct decision *d)
{
	struct dbl_value id = dbl_text(xid->id);

	*d = (struct decision){.state = 0};
	return dbl_place_run(home, DBL_OP_decision_read, DBL_ARG(id), take_decision, d, NULL);
}

static int write_abort(struct dbl_place *home, const struct dbl_xid *xid)
{
	struct dbl_value args[] = {dbl_text(xid->id), dbl_text(home->history)};

	return dbl_place_run(home, DBL_OP_decision_abort, DBL_ARGS(args), NULL, NULL, NULL);
}

static int finish(struct dbl_recovery *r, struct dbl_prepared *p, enum dbl_op op)
{
	struct dblock_tx *tx = r->places[p->place].tx;
	int rc = dbl_db_branch(tx->db, op, p->text.gtrid, p->text.bqual, dbl_tx_deadline(tx), NULL);

	p->over = rc == 0;
	return rc;
}

/* In their order, and none before all before it are seen to have committed: the last one may have the lock. */
static bool commit_in_order(struct dbl_recovery *r, struct dbl_prepared *list, size_t n)
{
	unsigned done = dbl_marks_of(r, &list->xid);

	for (size_t i = 0; i < n; i++) {
		unsigned before = (1U << (list[i].xid.n - 1)) - 1;

		if ((done & before) != before || finish(r, &list[i], DBL_OP_branch_commit))
			return false;
		done |= 1U << (list[i].xid.n - 1);
	}
	return true;
}

static bool roll_back(struct dbl_recovery *r, struct dbl_prepared *list, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all &= finish(r, &list[i], DBL_OP_branch_rollback) == 0;
	return all;
}

/* Text: why it is not obeyed; NULL: it is. */
static const char *obtain_decision(struct dbl_recovery *r, struct dbl_place *home,
				   const struct dbl_xid *xid, struct decision *d,
				   enum dblock_recovered *how)
{
	*how = DBLOCK_RECOVERED_NOT_YET;
	if (read_decision(home, xid, d))
		return "its home could not be asked";
	if (d->state)
		return NULL;
	if (dbl_wall(r->env) - xid->since * 1000000 < r->grace)
		return "it has begun only now, and may go on";
	if (strcmp(home->history, xid->history) != 0) {
		*how = DBLOCK_RECOVERED_IN_DOUBT;
		return "its home was restored, or has failed over, since it began: the decision "
		       "may be "
		       "lost";
	}
	if (write_abort(home, xid) || read_decision(home, xid, d) || d->state == 0)
		return "its home could not be asked";
	return NULL;
}

/* Then the home may be that one. */
static bool is_any_unreachable(const struct dbl_recovery *r)
{
	bool any = false;

	for (unsigned i = 0; i < r->n_places; i++)
		any |= !r->places[i].tx;
	return any;
}

int dbl_recover_one(struct dbl_recovery *r, struct dbl_prepared *list, size_t n)
{
	const struct dbl_xid *xid = &list->xid;
	struct dbl_place *home = dbl_place_of_home(r, xid->home);
	enum dblock_recovered how =
		is_any_unreachable(r) ? DBLOCK_RECOVERED_NOT_YET : DBLOCK_RECOVERED_IN_DOUBT;
	const char *why = "its home is not among the databases, or cannot be reached";
	struct decision d;
	bool all;

	if (home)
		why = obtain_decision(r, home, xid, &d, &how);
	if (why)
		return dbl_recovery_tell(r, xid, how, n, why);
	all = d.state == 1 ? commit_in_order(r, list, n) : roll_back(r, list, n);
	how = d.state == 1 ? DBLOCK_RECOVERED_COMMITTED : DBLOCK_RECOVERED_ROLLED_BACK;
	if (!all)
		return dbl_recovery_tell(
			r, xid, DBLOCK_RECOVERED_NOT_YET, n,
			d.state == 1 ? "it is to be committed; a database has not done so"
				     : "it is to be rolled back; a database has not done so");
	return dbl_recovery_tell(r, xid, how, n, d.state == 1 ? "committed" : "rolled back");
}
