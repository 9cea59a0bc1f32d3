/* SPDX-License-Identifier: MIT */
/* Release, if and when a transaction of the caller's commits. */
#include "base/mem.h"
#include "lock/fence.h"
#include "lock/handle.h"
#include "lock/patience.h"
#include "lock/queue.h"
#include "lock/serve.h"
#include "lock/value.h"
#include "lock/within_own.h"

/* *answer: 1, 2: done, see release_in.sql; -1: it does not hold the lock. */
static int release_own(struct dblock_tx *tx, struct dblock_lock *lock, int64_t deadline,
		       int64_t *answer, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->token),
				   dbl_int(lock->nonce)};
	struct dbl_request request = {.op = DBL_OP_release_in,
				      .args = args,
				      .row = dbl_take_int,
				      .ctx = answer,
				      .deadline = deadline};

	return dbl_run_within(tx, &request, err);
}

/* A row of the line: with its minimum hold, if it has one. */
static int release_row(struct dblock_tx *tx, struct dblock_lock *lock, int64_t deadline,
		       int64_t *answer, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->token),
				   dbl_int(lock->nonce)};
	struct dbl_request request = {.op = DBL_OP_row_rest, .args = args, .deadline = deadline};
	int rc = lock->rests ? dbl_run_within(tx, &request, err) : 0;

	if (rc == 0 && request.changed == 0) {
		request.op = DBL_OP_row_release;
		rc = dbl_run_within(tx, &request, err);
	}
	*answer = rc == 0 && request.changed > 0 ? 2 : -1;
	return rc;
}

/* The row may be locked for a while: by another transaction of ours, or by who joins the line. */
static int release_patiently(struct dblock_tx *tx, struct dblock_lock *lock, int64_t *answer,
			     struct dblock_error *err)
{
	int64_t deadline = dbl_tx_deadline(tx);
	int rc;

	do {
		*answer = -1;
		rc = (lock->by_row ? release_row : release_own)(tx, lock, deadline, answer, err);
		if (rc == DBLOCK_E_LOCKED && dbl_fence_elsewhere(tx, lock))
			return dbl_fail(err, DBLOCK_FENCED,
					"'%s' is fenced by another transaction that is still open; "
					"end that first",
					lock->name);
	} while (rc == DBLOCK_E_LOCKED && dbl_pause_before_retry(lock->locks, deadline));
	return rc;
}

static int release_one(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	struct dbl_stake *stake = dbl_stake_new(tx, lock, DBL_RELEASES);
	int64_t answer;
	int rc = stake ? release_patiently(tx, lock, &answer, err)
		       : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");

	if (rc == 0 && answer == -1)
		rc = dbl_stale(lock->name, lock->token, err);
	if (rc) {
		dbl_free(stake);
		return rc;
	}
	stake->others = answer == 2;
	lock->within = DBL_WITHIN_LEAVING;
	dbl_stake_join(stake);
	return 0;
}

static int check_release(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = dbl_fence_check_tables(tx, lock->locks, err);

	if (rc)
		return rc;
	if (dbl_within_of(lock) != DBL_WITHIN_NOT)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' is released, or acquired, in a transaction already",
				lock->name);
	if (dbl_handle_count(lock) > 1)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' was acquired %lld times: give the inner ones back first",
				lock->name, (long long)dbl_handle_count(lock));
	return dbl_tx_check_open(tx, err);
}

/* If one of several fails, those before it go with the transaction, or stay: it is the caller's to
 * roll back. */
int dbl_release_in(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = check_release(tx, lock, err);

	for (unsigned i = 0; i < lock->n_parts && rc == 0; i++)
		rc = release_one(tx, lock->parts[i], err);
	return rc || lock->n_parts ? rc : release_one(tx, lock, err);
}

/* It is free, and who waits can have it. If that fails, they find out for themselves. */
static void serve_others(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int64_t deadline = dbl_locks_deadline(locks);
	struct dbl_winner winner = {.others = true};

	if (!lock->by_row &&
	    dbl_hand_over(locks, lock->name, lock->token, DBL_NOBODYS, deadline, &winner, NULL))
		return;
	if (lock->by_row || (winner.done && winner.others))
		(void)dbl_serve(locks, lock->name, deadline, NULL);
}

void dbl_within_left(struct dblock_lock *lock, const struct dbl_stake *stake)
{
	dbl_lock(&lock->locks->mutex);
	lock->told = true; /* nothing is lost by it */
	lock->within = DBL_WITHIN_LEFT;
	dbl_unlock(&lock->locks->mutex);
	dbl_grant_move(lock, DBL_DONE);
	if (stake->others)
		serve_others(lock);
}
