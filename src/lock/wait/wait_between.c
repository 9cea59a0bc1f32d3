/* SPDX-License-Identifier: MIT */
/* What a waiting acquire does between two looks at the lock, while it is in the queue. */
#include "lock/queue/queue.h"
#include "lock/wait/wait_own.h"

bool dbl_wait_sees_end(struct dbl_wait *w)
{
	const struct dbl_env *env = w->attempt.locks->env;
	int64_t now = dbl_now(env);

	if (dbl_notifier_take_hint(w->attempt.locks, &w->waiter))
		dbl_vigil_hint(&w->vigil, now);
	if (now < dbl_wait_vigil_at(w))
		return false;
	dbl_vigil_next(&w->vigil, now);
	return w->vigil_of_rows ? dbl_queue_ask(&w->queue, env)
				: dbl_snapshot_ask(&w->attempt.snapshot, env);
}

/* The end of a holder that is watched is to be short. PostgreSQL takes four milliseconds to parse and to
 * plan a connection's first hand-over; so one is sent while there is time, of a grant that is none. */
static void learn_to_hand_over(struct dbl_wait *w, int64_t deadline)
{
	struct dbl_locks *locks = w->attempt.locks;
	struct dbl_winner none;

	if (w->vigil.pause && locks->target->dialect->pools &&
	    !atomic_exchange(&locks->hands_over, true))
		(void)dbl_hand_over(locks, w->attempt.spec->name, 0, DBL_NOBODYS, deadline, &none,
				    NULL);
}

int dbl_wait_at_leisure(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t by = dbl_attempt_deadline(a);
	int rc;

	learn_to_hand_over(w, by);
	if (dbl_wait_now(w) >= dbl_wait_suspects_at(w))
		rc = dbl_suspicion_look(&w->suspicion, a->locks, a->spec, w->waiter.nonce, by, err);
	else
		rc = dbl_progress_tell(&w->progress, a->locks, a->spec, w->ticket, by);
	if (rc == DBLOCK_DEADLOCK)
		return rc;
	/* That failed, perhaps at the wait's very end: the lock is to be looked at once more. */
	if (rc) {
		w->looked = false;
		w->next = dbl_wait_now(w);
	}
	return DBLOCK_WAITING;
}
