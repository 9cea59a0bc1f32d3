/* SPDX-License-Identifier: MIT */
/* A try: one statement where nobody competes; else look who holds it, judge, and go for it again.
 */
#include "lock/cache/cache.h"
#include "lock/cache/reclaim.h"
#include "lock/queue/advance.h"
#include "lock/queue/queue.h"
#include "lock/wait/wait.h"

/* A try that finds the lock free, dead or ended goes for it again; somebody else may be faster each
 * time, and then it is simply busy. */
#define TRY_ROUNDS 4

static int look(struct dbl_attempt *a, struct dblock_error *err)
{
	int rc = dbl_attempt_live(a, dbl_attempt_deadline(a), err);

	if (rc == 0)
		rc = dbl_look_by(&a->by, a->wish->name, a->life->id, 0, dbl_attempt_deadline(a),
				 &a->sight, err);
	return rc;
}

/* Rows of the line may hold it. 0: none does any more. Whose permits it cannot have does not say
 * busy: it is not to wait for that. */
static int clear_rows(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dbl_line line = {.n = 0};
	int rc = dbl_serve_clear(a->locks, a->wish->name, &line, dbl_attempt_deadline(a), err);
	const struct dbl_row *row;
	bool alone;

	row = rc == DBLOCK_BUSY ? dbl_line_misfit(&line, INT64_MAX, DBLOCK_EXCLUSIVE, 0, &alone)
				: NULL;
	if (row)
		rc = dbl_line_refuse(a->wish->name, row, err);
	dbl_line_free(&line);
	return rc;
}

/* It is free, but there is or was a line: that goes first. 0: nobody is in it. */
static int serve_line(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dbl_winner winner;
	int rc = dbl_hand_over(a->locks, a->wish->name, a->sight.token, DBL_NOBODYS,
			       dbl_attempt_deadline(a), &winner, err);

	if (rc == 0 && winner.done && winner.others)
		rc = dbl_serve(a->locks, a->wish->name, dbl_attempt_deadline(a), err);
	if (rc || !winner.done || (winner.nonce == 0 && !winner.others))
		return rc;
	return dbl_fail(err, DBLOCK_BUSY, "'%s' has just been given to who was first in line",
			a->wish->name);
}

/* Do what the verdict says, up to going for the lock. DBLOCK_BUSY: perhaps in another round; *over:
 * not then, either. */
static int act(struct dbl_attempt *a, enum dbl_verdict verdict, bool *over,
	       struct dblock_error *err)
{
	int rc = 0;

	/* A line is served by statements of their own, for which the file is not free now. */
	*over = a->by.db && (a->sight.by_rows || a->sight.queued);
	if (verdict == DBL_WAIT || *over)
		return DBLOCK_BUSY;
	if (verdict == DBL_OWN_IS_OVER)
		dbl_attempt_own_is_over(a);
	if (verdict == DBL_BURY || verdict == DBL_END_LEASE)
		rc = dbl_declare(&a->by, a->wish->name, &a->sight, verdict, dbl_attempt_deadline(a),
				 err);
	if (rc == 0 && a->sight.by_rows)
		rc = clear_rows(a, err);
	*over = rc == DBLOCK_BUSY;
	if (rc == 0 && (a->sight.by_rows || (a->sight.queued && !a->wish->barge)))
		rc = serve_line(a, err);
	/* Somebody has the row locked, perhaps to beat: it is busy, for now. */
	if (rc == DBLOCK_E_LOCKED) {
		dbl_sight_tell(&a->sight, a->wish->name, err, DBLOCK_BUSY);
		return DBLOCK_BUSY;
	}
	if (rc)
		return rc;
	return a->go ? a->go(a, err) : dbl_cache_go(a, err);
}

int dbl_try_rounds(struct dbl_attempt *a, struct dblock_error *err)
{
	int rc = a->go ? DBLOCK_BUSY : dbl_cache_go(a, err);
	bool over = false;

	for (int round = 1; rc == DBLOCK_BUSY && !over && !a->over && round < TRY_ROUNDS; round++) {
		enum dbl_verdict verdict;

		rc = look(a, err);
		if (rc == 0 && dbl_is_kept(&a->sight) && !a->by.db)
			rc = dbl_beg(a, err);
		if (rc)
			return rc;
		verdict = dbl_judge_now(
			&a->sight, dbl_session_clock_agrees(a->locks->session, &a->sight.clock));
		dbl_sight_tell(&a->sight, a->wish->name, err, DBLOCK_BUSY);
		if (verdict == DBL_WAIT)
			return DBLOCK_BUSY;
		rc = act(a, verdict, &over, err);
	}
	return rc;
}
