/* SPDX-License-Identifier: MIT */
/* A waiting acquire goes on though the database fails: it restarts, fails over, cannot be written. */
#include "lock/wait/wait_own.h"

/* Goes back to where all is read anew: what it was about to write may be done, or need not be. */
static void begin_phase_anew(struct dbl_wait *w)
{
	switch (dbl_sm_now(&w->phase)) {
	case DBL_WAIT_ADVANCE:
	case DBL_WAIT_DECLARE_ROW:
		dbl_wait_move(w, w->ticket ? DBL_WAIT_WATCH : DBL_WAIT_ADMIT);
		break;
	case DBL_WAIT_DECLARE:
	case DBL_WAIT_HAND_OVER:
		dbl_wait_move(w, DBL_WAIT_WATCH);
		break;
	default:
		break;
	}
}

int dbl_wait_unless_it_passes(struct dbl_wait *w, int rc, struct dblock_error *err)
{
	const struct dbl_attempt *a = &w->attempt;

	w->barred = rc == DBLOCK_E_LOCKED;
	w->trouble = 0;
	/* Tries again soon what the phase wanted if somebody has a table locked. */
	if (w->barred)
		return dbl_wait_a_little(w, DBL_WAIT_LOCKED_US);
	if (!dbl_link_may_pass(a->locks->link, rc) || dbl_wait_now(w) >= a->spec->wait_until)
		return rc;
	w->trouble = rc;
	if (a->spec->trouble)
		a->spec->trouble(a->spec->trouble_arg, err);
	begin_phase_anew(w);
	return dbl_wait_a_little(w, DBL_WAIT_TROUBLE_US);
}
