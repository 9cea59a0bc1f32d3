/* SPDX-License-Identifier: MIT */
/* A waiting acquire accepts its grant, of which it was notified, or which it saw; and goes on though
 * the database fails: it restarts, fails over, cannot be written. */
#include "lock/handle/handle.h"
#include "lock/queue/queue.h"
#include "lock/wait/wait_own.h"

int dbl_wait_granted(struct dbl_wait *w, int64_t token, int64_t sent, int64_t lease,
		     struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc;

	DBL_ASSERT(token > DBL_NOTIFY_LOOK && w->waiter.nonce, "%lld", (long long)token);
	DBL_ASSERT(sent <= dbl_wait_now(w) && !dbl_wait_is_part(w), "%lld", (long long)sent);
	if (!dbl_handle_make_ready(a->lock))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	a->lock->grant.token = token;
	a->lock->grant.nonce = w->waiter.nonce;
	/* If it was no other client's commit, only what outlives ours is made more durable than that. */
	a->lock->grant.handed = !w->entered || a->spec->lease > 0 || a->spec->at_least > 0;
	a->lock->grant.ticket = w->ticket;
	a->lock->grant.carrier = w->by_row ? &dbl_queue_row_carrier : &dbl_own_row;
	/* Its row in the queue is not needed any more, unless it carries the grant. */
	if (!dbl_has_queue_row(a->lock))
		dbl_dequeue_served_soon(a->locks);
	dbl_grant_begin(a->lock);
	rc = dbl_attempt_accept(a, sent, lease, err);
	if (rc == 0)
		dbl_notifier_count(a->locks, &w->waiter, w->slept);
	dbl_wait_forget(w);
	/* The grant came too late, or was not confirmed, and is given back, but the wait goes on. */
	if (rc != DBLOCK_LOST && !dbl_link_may_pass(a->locks->link, rc))
		return rc;
	w->looked = true;
	w->admitted = false;
	(void)dbl_wait_go_on(w, DBL_WAIT_ENQUEUE);
	return rc == DBLOCK_LOST ? DBLOCK_WAITING : rc;
}

int64_t dbl_wait_notified(struct dbl_wait *w)
{
	return dbl_notifier_granted(w->attempt.locks, &w->waiter);
}

int dbl_wait_granted_as_seen(struct dbl_wait *w, struct dblock_error *err)
{
	const struct dbl_snapshot *snapshot = &w->attempt.snapshot;

	w->by_row = snapshot->row_token != 0;
	if (snapshot->row_token && snapshot->row_left != DBL_UNKNOWN)
		return dbl_wait_granted(w, snapshot->row_token, snapshot->clock.before,
					snapshot->row_left, err);
	if (snapshot->row_token)
		return dbl_wait_granted(w, snapshot->row_token, w->asked_at, w->attempt.spec->lease,
					err);
	if (snapshot->held_until && snapshot->lease_left != DBL_UNKNOWN)
		return dbl_wait_granted(w, snapshot->token, snapshot->clock.before,
					snapshot->lease_left, err);
	return dbl_wait_granted(w, snapshot->token, w->asked_at, w->attempt.spec->lease, err);
}

/* ---- when the database fails ----------------------------------------------------------------- */

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

	w->barred = rc == DBLOCK_E_BLOCKED;
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
