/* SPDX-License-Identifier: MIT */
/* Release consists of conditional statements: sent twice, they do the same. */
#include "lock/grant/release.h"

#include <string.h>

#include "lock/core/make_durable.h"
#include "lock/core/name.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include "lock/queue/advance.h"
#include "lock/queue/leave.h"
#include "lock/queue/queue.h"

/* After a row of a lock was found locked, none is tried for as long only to note that nobody waits. */
#define LOCKED_US 1000000

/* A grant that is to end, and the outcome. */
struct ending {
	const char *name;
	uint64_t hash; /* of the name */
	int64_t token;
	struct dbl_value nonce; /* or DBL_ANY */
	bool in_queue;          /* others may wait: the hand-over comes first */
	int64_t ticket;         /* by which it came; 0: not known */
	int64_t until;          /* no new try after that */
	bool bounded;           /* its caller's time began before: see deadline_of() */
	bool done;
	bool resent; /* an earlier copy of the request may have been carried out */
};

/* A request that is sent shortly before the end of the caller's time needs some of its own. */
static int64_t deadline_of(const struct dbl_locks *locks, const struct ending *e)
{
	return e->bounded ? dbl_locks_deadline_by(locks, e->until) : e->until;
}

/* Sends it again and again while the row is locked. */
static int run(struct dbl_locks *locks, const struct ending *e, struct dbl_request *request,
	       struct dblock_error *err)
{
	int rc;

	do {
		request->deadline = deadline_of(locks, e);
		rc = dbl_link_run(locks->link, request, err);
	} while (rc == DBLOCK_E_BLOCKED && dbl_pause_before_retry(locks, e->until));
	return rc;
}

static int free_row(struct dbl_locks *locks, struct ending *e, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(e->name), dbl_int(e->token), e->nonce};
	struct dbl_request request = {.op = DBL_OP_release, .args = DBL_ARGS(args)};
	int rc = run(locks, e, &request, err);

	e->done = rc == 0 && request.changed > 0;
	e->resent |= request.resent;
	return rc;
}

/* Does that grant still hold the lock? Then the queue had changed, or the row was locked. */
static int look_again(struct dbl_locks *locks, const struct ending *e, bool *held,
		      struct dblock_error *err)
{
	struct dbl_snapshot snapshot;
	int rc = dbl_look(locks->link, e->name, NULL, 0, deadline_of(locks, e), &snapshot, err);

	*held = rc == 0 && snapshot.token == e->token &&
		dbl_holds(&snapshot, e->nonce.type == DBL_INT ? e->nonce.i : snapshot.nonce);
	return rc;
}

/* Notes what came of a hand-over. */
static void note(struct dbl_locks *locks, struct ending *e, const struct dbl_winner *winner)
{
	e->done = winner->done;
	e->resent |= winner->resent;
	if (e->done && winner->nonce)
		dbl_expect_held(&locks->expected, e->hash, dbl_now(locks->env));
}

/* Most often somebody waits, and nobody has left. If not so, hand_over() goes on. */
static int pass_on(struct dbl_locks *locks, struct ending *e, struct dblock_error *err)
{
	struct dbl_winner winner;
	int rc = dbl_pass_on(locks, e->name, e->token, e->nonce.i, e->ticket, deadline_of(locks, e),
			     &winner, err);

	note(locks, e, &winner);
	if (winner.crowd == DBL_CROWD)
		dbl_expect_crowd(&locks->expected, e->hash, true);
	else if (!e->done || winner.crowd == DBL_NO_CROWD)
		dbl_expect_crowd(&locks->expected, e->hash, false);
	return rc == DBLOCK_E_BLOCKED ? 0 : rc;
}

static int hand_over(struct dbl_locks *locks, struct ending *e, struct dblock_error *err)
{
	struct dbl_winner winner;
	bool held = true;
	int rc;

	for (;;) {
		rc = dbl_hand_over(locks, e->name, e->token, e->nonce, deadline_of(locks, e),
				   &winner, err);
		note(locks, e, &winner);
		/* Where this fails, those who wait find out by looking. */
		if (e->done && winner.others)
			(void)dbl_queue_advance(locks, e->name, deadline_of(locks, e), NULL);
		if (rc == 0 && !e->done)
			rc = look_again(locks, e, &held, err);
		if (rc == DBLOCK_E_BLOCKED ? !dbl_pause_before_retry(locks, e->until)
					   : rc || e->done || !held)
			return rc;
	}
}

/* One statement if nobody waits; else that one, which then changes nothing, and the hand-over. */
static int end_grant(struct dbl_locks *locks, struct ending *e, struct dblock_error *err)
{
	int rc = 0;

	DBL_ASSERT(e->token > 0, "%s, %lld", e->name, (long long)e->token);
	e->until = e->bounded ? e->until : dbl_locks_deadline(locks);
	if (!e->in_queue)
		rc = free_row(locks, e, err);
	else if (e->ticket && locks->target->dialect->passes_on)
		rc = pass_on(locks, e, err);
	if (rc == 0 && !e->done)
		rc = hand_over(locks, e, err);
	return rc;
}

/* The request changed nothing. While the grant is valid, only an earlier copy can have ended it. */
static bool done_before(struct dblock_lock *lock, const struct ending *e)
{
	return e->resent &&
	       dbl_validity_left(dbl_lock_validity(lock), dbl_now(lock->locks->env)) > 0;
}

/* Hands the lock on, or notes that nobody waits: the next one need not read the queue then. It needs the row
 * of the lock; where that is locked none of the next releases waits for one of theirs in vain. */
static bool is_handed_on(struct dbl_locks *locks, const struct ending *e, int64_t by)
{
	struct dbl_winner winner;
	int rc;

	if (dbl_now(locks->env) < atomic_load(&locks->rows_locked_until))
		return false;
	rc = dbl_hand_over(locks, e->name, e->token, DBL_NOBODYS, by, &winner, NULL);
	if (rc == DBLOCK_E_BLOCKED)
		atomic_store(&locks->rows_locked_until, dbl_now(locks->env) + LOCKED_US);
	return rc == 0 && winner.done && !winner.others;
}

/* A row of the queue that held the lock is gone: lets those in who wait. Where this fails they find out by
 * looking. */
static void let_next_in(struct dbl_locks *locks, const struct ending *e, bool alone)
{
	int64_t by = deadline_of(locks, e);

	if (alone && is_handed_on(locks, e, by))
		return;
	(void)dbl_queue_advance(locks, e->name, by, NULL);
}

/* Ends a grant that a row of the queue carries, with its minimum hold, if it has one. */
static int end_row(struct dbl_locks *locks, struct ending *e, bool rests, bool alone,
		   struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(e->name), dbl_int(e->token), e->nonce};
	struct dbl_request request = {.op = DBL_OP_row_rest, .args = DBL_ARGS(args)};
	int rc = 0;

	DBL_ASSERT(e->token > 0, "%s, %lld", e->name, (long long)e->token);
	e->until = e->bounded ? e->until : dbl_locks_deadline(locks);
	if (rests)
		rc = run(locks, e, &request, err);
	e->done = rests && rc == 0 && request.changed > 0;
	e->resent |= request.resent;
	if (rc || e->done)
		return rc;
	request.op = DBL_OP_row_release;
	rc = run(locks, e, &request, err);
	e->done = rc == 0 && request.changed > 0;
	e->resent |= request.resent;
	if (e->done || e->resent)
		let_next_in(locks, e, alone);
	return rc;
}

/* A wait was given this grant, and it was lost. A database that has forgotten the grant may have
 * given that wait another one, or may yet do so: of the same nonce, another token, and no
 * holder. */
static void give_back_again(struct dblock_lock *lock)
{
	int64_t deadline = dbl_locks_deadline(lock->locks);
	struct dbl_cleanup *cleanup = dbl_has_queue_row(lock) ? NULL : dbl_cleanup_new(lock->name);
	struct dbl_leave leave;

	if (!cleanup) {
		dbl_handle_give_back(lock, lock->grant.token);
		return;
	}
	dbl_leave_begin(&leave, lock->locks, lock->name, lock->grant.nonce, true, cleanup);
	while (!dbl_leave_step(&leave, deadline))
		;
}

int dbl_grant_end(struct dblock_lock *lock, struct dblock_error *err)
{
	struct ending e = {.name = lock->name,
			   .hash = lock->hash,
			   .token = dbl_row_token(lock),
			   .nonce = dbl_int(lock->grant.nonce),
			   .in_queue = lock->grant.handed && !lock->grant.rests,
			   .ticket = lock->grant.ticket};
	bool was_over = dbl_grant_left(lock) == 0;
	int rc;

	DBL_ASSERT(!lock->before, "%s", lock->name); /* the handle has left the table */
	rc = dbl_has_queue_row(lock) ? end_row(lock->locks, &e, lock->grant.rests,
					       lock->grant.mode == DBLOCK_EXCLUSIVE, err)
				     : end_grant(lock->locks, &e, err);

	if (rc) {
		dbl_handle_give_back(lock, dbl_row_token(lock));
		return rc;
	}
	/* Or the database has forgotten only the last token, of several turns. */
	if ((lock->grant.handed || dbl_has_queue_row(lock) || lock->grant.row_token) && !e.done)
		give_back_again(lock);
	if (was_over || (!e.done && !done_before(lock, &e)))
		return dbl_lost_before(lock, err);
	/* A crash should not bring back what outlives this client. */
	if (lock->grant.has_lease || lock->grant.rests)
		(void)dbl_make_durable(lock->locks, dbl_locks_deadline(lock->locks), NULL);
	return 0;
}

int dbl_release_again(struct dblock_lock *lock, enum dbl_release_before before,
		      struct dblock_error *err)
{
	struct ending e = {.name = lock->name,
			   .hash = lock->hash,
			   .token = dbl_row_token(lock),
			   .nonce = dbl_int(lock->grant.nonce),
			   .in_queue = before == DBL_RELEASE_FOUND_NOTHING,
			   .resent = before == DBL_RELEASE_UNSURE};
	int rc = end_grant(lock->locks, &e, err);

	if (rc)
		dbl_handle_give_back(lock, dbl_row_token(lock));
	else if (!e.done && lock->grant.row_token)
		give_back_again(lock);
	if (rc == 0 && !e.done && !done_before(lock, &e))
		rc = dbl_lost_before(lock, err);
	return rc;
}

void dbl_grant_take_back(struct dblock_lock *lock)
{
	(void)dbl_grant_end(lock, NULL);
}

void dbl_grant_forgo(struct dblock_lock *lock)
{
	dbl_grant_take_back(lock);
	dbl_grant_done(lock);
	dbl_handle_free(lock);
}

/* A release was sent more than once, and the last copy changed nothing: did an earlier one? */
static int released_before(struct dbl_locks *locks, const char *name, int64_t token,
			   struct dblock_error *err)
{
	struct dbl_snapshot snapshot;
	int rc = dbl_look(locks->link, name, NULL, 0, dbl_locks_deadline(locks), &snapshot, err);

	if (rc)
		return rc;
	return snapshot.found && snapshot.token == token && snapshot.nonce == 0
		       ? 0
		       : dbl_stale(name, token, err);
}

int dbl_release_by_token(struct dbl_locks *locks, const char *name, int64_t token, int64_t until,
			 struct dblock_error *err)
{
	struct ending e = {.name = name,
			   .hash = dbl_name_hash(name, strlen(name)),
			   .token = token,
			   .nonce = DBL_ANY,
			   .until = until,
			   .bounded = true};
	int rc = end_grant(locks, &e, err);

	if (rc == 0 && !e.done)
		rc = end_row(locks, &e, true, false, err);
	if (e.done)
		(void)dbl_make_durable(locks, dbl_locks_deadline(locks), NULL);
	if (rc || e.done)
		return rc;
	return e.resent ? released_before(locks, name, token, err) : dbl_stale(name, token, err);
}
