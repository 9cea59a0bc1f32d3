/* SPDX-License-Identifier: MIT */
/* A try is one statement if nobody competes. Else it looks who holds the lock, judges whether that
 * holder is over, and tries to take the lock again. */
#include "lock/cache/cache.h"
#include "lock/cache/reclaim.h"
#include "lock/queue/advance.h"
#include "lock/queue/queue.h"
#include "lock/wait/wait.h"

/* A try that finds the lock free, or its holder dead, tries to take it again. Somebody else may be
 * faster each time; then the lock is busy. */
#define TRY_ROUNDS 4

static int look(struct dbl_attempt *a, struct dblock_error *err)
{
	int rc = dbl_attempt_live(a, dbl_attempt_deadline(a), err);

	if (rc == 0)
		rc = dbl_look_by(&a->by, a->spec->name, a->epoch, 0, dbl_attempt_deadline(a),
				 &a->snapshot, err);
	return rc;
}

/* Ends rows of the queue that hold the lock and are over. 0: no row holds it any more. If the name
 * is a semaphore that is an error, not DBLOCK_BUSY: waiting would not help. */
static int clear_rows(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dbl_queue queue = {.n = 0};
	int rc = dbl_advance_clear(a->locks, a->spec->name, &queue, dbl_attempt_deadline(a), err);
	const struct dbl_row *row;
	bool alone;

	DBL_ASSERT(!a->by_watch, "%s", a->spec->name); /* these are judged by a clock */
	row = rc == DBLOCK_BUSY ? dbl_queue_misfit(&queue, INT64_MAX, DBLOCK_EXCLUSIVE, 0, &alone)
				: NULL;
	if (row)
		rc = dbl_queue_refuse(a->spec->name, row, err);
	dbl_queue_free(&queue);
	return rc;
}

/* The lock is free, but there is or was a queue, which goes first. 0: nobody is in it. */
static int advance_queue(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dbl_winner winner;
	int rc = dbl_hand_over(a->locks, a->spec->name, a->snapshot.token, DBL_NOBODYS,
			       dbl_attempt_deadline(a), &winner, err);

	if (rc == 0 && winner.done && winner.others)
		rc = dbl_queue_advance(a->locks, a->spec->name, dbl_attempt_deadline(a), err);
	if (rc || !winner.done || (winner.nonce == 0 && !winner.others))
		return rc;
	return dbl_fail(err, DBLOCK_BUSY, "'%s' has just been given to who was first in line",
			a->spec->name);
}

/* Ends the rows that are over, and has whoever is in the queue go first. */
static int make_way(struct dbl_attempt *a, bool *over, struct dblock_error *err)
{
	int rc = a->snapshot.by_rows ? clear_rows(a, err) : 0;

	*over = rc == DBLOCK_BUSY;
	if (rc == 0 && (a->snapshot.by_rows || (a->snapshot.queued && !a->spec->unfair)))
		rc = advance_queue(a, err);
	return rc;
}

/* DBLOCK_BUSY: look again. */
static int doubt(struct dbl_attempt *a, struct dblock_error *err)
{
	dbl_attempt_doubt(a);
	if (!a->by.db && dbl_now(a->locks->env) < dbl_attempt_deadline(a))
		return DBLOCK_BUSY;
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE,
			"'%s': the database of this connection does not have the client's session: "
			"it was declared dead, or this is an older copy%s",
			a->spec->name, a->by.db ? "; roll back, and begin anew" : "");
}

/* Does what the action says, and tries to take the lock. DBLOCK_BUSY: another round may succeed,
 * unless *over. */
static int act(struct dbl_attempt *a, enum dbl_action action, bool *over, struct dblock_error *err)
{
	int rc = 0;
	/* A queue is advanced over other connections, for which the file is locked now: then the lock
	 * can only be had if nobody is in it, which its statement asks. */
	bool alone = a->by.db && (a->snapshot.by_rows || a->snapshot.queued);

	*over = alone;
	if (action == DBL_WAIT)
		return DBLOCK_BUSY;
	if (action == DBL_OWN_IS_OVER)
		return doubt(a, err);
	if (action == DBL_DECLARE_DEAD || action == DBL_END_LEASE || action == DBL_END_REVOKED)
		rc = dbl_declare(&a->by, a->spec->name, &a->snapshot, action,
				 dbl_attempt_deadline(a), err);
	if (rc == 0 && !alone)
		rc = make_way(a, over, err);
	/* Somebody has the row locked, perhaps for a heartbeat: the lock is busy for now. */
	if (rc == DBLOCK_E_BLOCKED) {
		dbl_snapshot_tell(&a->snapshot, a->spec->name, err, DBLOCK_BUSY);
		return DBLOCK_BUSY;
	}
	if (rc)
		return rc;
	return a->go ? a->go(a, err) : dbl_cache_go(a, err);
}

static enum dbl_action judge(struct dbl_attempt *a)
{
	const struct dbl_snapshot *snapshot = &a->snapshot;

	if (!a->by_watch)
		return dbl_judge_now(snapshot,
				     dbl_session_clock_agrees(a->locks->session, &snapshot->clock));
	dbl_watch_note(&a->watch, snapshot);
	return dbl_judge_watched(snapshot, &a->watch, dbl_now(a->locks->env));
}

int dbl_try_rounds(struct dbl_attempt *a, struct dblock_error *err)
{
	int rc = a->go ? DBLOCK_BUSY : dbl_cache_go(a, err);
	bool over = false;

	enum dbl_action action = DBL_TAKE;

	for (int round = 1; rc == DBLOCK_BUSY && !over && !a->over && round < TRY_ROUNDS;
	     round += action != DBL_OWN_IS_OVER) {
		rc = look(a, err);
		if (rc == 0 && dbl_may_be_idle(&a->snapshot) && !a->by.db)
			rc = dbl_reclaim(a, err);
		if (rc)
			return rc;
		action = judge(a);
		dbl_snapshot_tell(&a->snapshot, a->spec->name, err, DBLOCK_BUSY);
		if (action == DBL_WAIT)
			return DBLOCK_BUSY;
		rc = act(a, action, &over, err);
	}
	return rc;
}
