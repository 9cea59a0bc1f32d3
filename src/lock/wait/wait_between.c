/* SPDX-License-Identifier: MIT */
/* What a waiting acquire does between two looks at the lock, while it is in the queue. */
#include "lock/wait/wait_own.h"

/* How often the mark of a holder on this machine is asked: by who waits first, and by all others, in
 * case that the first is on another machine, or stands still. It costs some microseconds. */
#define MARK_US       5000
#define MARK_OTHER_US 200000

/* ---- the holder's mark ----------------------------------------------------------------------- */

static const struct dbl_env *env_of(const struct dbl_wait *w)
{
	return w->attempt.locks->env;
}

/* n: of so many holders it is known that they live. */
static void plan(struct dbl_wait *w, unsigned n, bool first)
{
	w->mark_pause = n * (first ? MARK_US : MARK_OTHER_US);
	w->mark_at = dbl_wait_now(w) + w->mark_pause;
}

void dbl_wait_plan_mark(struct dbl_wait *w)
{
	const struct dbl_snapshot *snapshot = &w->attempt.snapshot;

	w->marks_of_rows = false;
	plan(w, snapshot->word == DBL_MARK_ALIVE, !snapshot->ahead);
}

void dbl_wait_plan_marks(struct dbl_wait *w)
{
	const struct dbl_queue *queue = &w->queue;
	unsigned holders = dbl_queue_holders(queue), alive = 0;

	for (unsigned i = 0; i < holders; i++)
		alive += queue->rows[i].word == DBL_MARK_ALIVE;
	w->marks_of_rows = true;
	plan(w, alive, holders < queue->n && queue->rows[holders].nonce == w->waiter.nonce);
}

int64_t dbl_wait_mark_at(const struct dbl_wait *w)
{
	bool watches = w->ticket && dbl_sm_now(&w->phase) == DBL_WAIT_WATCH;

	return watches && w->mark_pause ? w->mark_at : DBL_NEVER;
}

bool dbl_wait_sees_end(struct dbl_wait *w)
{
	if (dbl_wait_now(w) < dbl_wait_mark_at(w))
		return false;
	w->mark_at = dbl_wait_now(w) + w->mark_pause;
	return w->marks_of_rows ? dbl_queue_ask(&w->queue, env_of(w))
				: dbl_snapshot_ask(&w->attempt.snapshot, env_of(w));
}

/* ---- deadlocks, and the caller's curiosity --------------------------------------------------- */

int64_t dbl_wait_suspects_at(const struct dbl_wait *w)
{
	return w->ticket && dbl_sm_now(&w->phase) == DBL_WAIT_WATCH ? w->suspicion.next : DBL_NEVER;
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
