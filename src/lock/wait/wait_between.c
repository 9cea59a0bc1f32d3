/* SPDX-License-Identifier: MIT */
/* What a waiting acquire does between two looks at the lock, while it is in the queue. */
#include "lock/wait/wait_own.h"

bool dbl_wait_sees_end(struct dbl_wait *w)
{
	const struct dbl_env *env = w->attempt.locks->env;

	if (dbl_now(env) < dbl_wait_vigil_at(w))
		return false;
	w->vigil.at = dbl_now(env) + w->vigil.pause;
	return w->vigil_of_rows ? dbl_queue_ask(&w->queue, env)
				: dbl_snapshot_ask(&w->attempt.snapshot, env);
}

int dbl_wait_at_leisure(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t by = dbl_attempt_deadline(a);
	int rc;

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
