/* SPDX-License-Identifier: MIT */
/* Release and extend: one conditional statement each, so that sent twice they do it once. */
#include "lock/handle.h"
#include "lock/name.h"
#include "lock/queue.h"
#include "lock/request.h"
#include "lock/sentinel.h"
#include "lock/sight.h"
#include "lock/value.h"

#define LOCKED_PAUSE_US 20000

/* The row may be locked for a while, by a fence in somebody's transaction: sleep before the next
 * try, never wait inside SQL. False: no time is left. */
static bool pause_before_retry(const struct dbl_locks *locks, int64_t deadline)
{
	int64_t until = dbl_now(locks->env) + dbl_jitter(locks->env, LOCKED_PAUSE_US);

	if (until >= deadline)
		return false;
	dbl_sleep_until(locks->env, until);
	return true;
}

static int run_patiently(struct dbl_locks *locks, struct dbl_request *request,
			 struct dblock_error *err)
{
	int rc;

	do
		rc = dbl_link_run(locks->link, request, err);
	while (rc == DBLOCK_E_LOCKED && pause_before_retry(locks, request->deadline));
	return rc;
}

/* A grant that ends. */
struct ending {
	const char *name;
	int64_t token;
	struct dbl_value nonce; /* or DBL_ANY */
	bool in_line;           /* others may wait: begin with the hand-over */
	int64_t deadline;
	bool done;
	bool resent; /* not done, but an earlier copy of ours may have done it */
};

static int free_row(struct dbl_locks *locks, struct ending *e, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(e->name), dbl_int(e->token), e->nonce};
	struct dbl_request request = {.op = DBL_OP_release, .args = args, .deadline = e->deadline};
	int rc = run_patiently(locks, &request, err);

	e->done = rc == 0 && request.changed > 0;
	e->resent = request.resent;
	return rc;
}

/* Does that grant hold it still? Then the line had changed, or its row was locked. */
static int look_again(struct dbl_locks *locks, const struct ending *e, bool *held,
		      struct dblock_error *err)
{
	struct dbl_sight sight;
	int rc = dbl_look(locks->link, e->name, "", 0, e->deadline, &sight, err);

	*held = rc == 0 && sight.token == e->token &&
		dbl_holds(&sight, e->nonce.type == DBL_INT ? e->nonce.i : sight.nonce);
	return rc;
}

static int hand_over(struct dbl_locks *locks, struct ending *e, struct dblock_error *err)
{
	struct dbl_winner winner;
	bool held = true;
	int rc;

	for (;;) {
		rc = dbl_hand_over(locks, e->name, e->token, e->nonce, e->deadline, &winner, err);
		e->done = winner.done;
		e->resent |= winner.resent;
		if (rc == 0 && !e->done)
			rc = look_again(locks, e, &held, err);
		if (rc == DBLOCK_E_LOCKED ? !pause_before_retry(locks, e->deadline)
					  : rc || e->done || !held)
			return rc;
	}
}

/* One statement if nobody waits; else that one, which does nothing then, and the hand-over. */
static int end_grant(struct dbl_locks *locks, struct ending *e, struct dblock_error *err)
{
	int rc = 0;

	e->deadline = dbl_locks_deadline(locks);
	if (!e->in_line)
		rc = free_row(locks, e, err);
	if (rc == 0 && !e->done)
		rc = hand_over(locks, e, err);
	return rc;
}

static int lost(const struct dblock_lock *lock, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_LOST,
			"'%s' (token %lld) had been lost before: its %s ended, or it was broken",
			lock->name, (long long)lock->token, lock->has_lease ? "lease" : "session");
}

/* Nothing was found: as long as its term lasts, nobody but an earlier copy of ours can have done
 * it. */
static bool done_before(struct dblock_lock *lock, const struct ending *e)
{
	return e->resent && dbl_grant_left(lock) > 0;
}

/* The last acquire is given back: tell the database. */
static int release_row(struct dblock_lock *lock, struct dblock_error *err)
{
	struct ending e = {.name = lock->name,
			   .token = lock->token,
			   .nonce = dbl_int(lock->nonce),
			   .in_line = lock->handed && !lock->rests};
	bool was_over = dbl_grant_left(lock) == 0;
	int rc = end_grant(lock->locks, &e, err);

	if (rc) {
		dbl_handle_give_back(lock, lock->token);
		return rc;
	}
	if (was_over || (!e.done && !done_before(lock, &e)))
		return lost(lock, err);
	return 0;
}

int dbl_lock_release(struct dblock_lock *lock, struct dblock_error *err)
{
	int rc;

	if (!dbl_handle_leave(lock))
		return 0;
	rc = release_row(lock, err);
	if (atomic_load(&lock->is_requested))
		dbl_requests_look(lock->locks, DBL_REQUESTS_OVER_US);
	dbl_grant_move(lock, DBL_DONE);
	dbl_handle_free(lock);
	return rc;
}

/* One extend, and what came of it. */
struct extension {
	const struct dbl_value *args;
	int64_t sent; /* when its first copy was not yet sent */
	bool done;    /* else the grant does not hold the lock */
	bool late;    /* an earlier copy may still be carried out */
};

static int extend_row(struct dbl_locks *locks, struct extension *x, struct dblock_error *err)
{
	int64_t token = -1;
	struct dbl_request request = {.op = DBL_OP_extend,
				      .args = x->args,
				      .row = dbl_take_int,
				      .ctx = &token,
				      .deadline = dbl_locks_deadline(locks)};
	int rc;

	x->sent = dbl_now(locks->env);
	rc = run_patiently(locks, &request, err);
	x->done = token != -1;
	x->late = request.resent && !request.certain;
	return rc;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* In its turn. The term never says more than the row may: it is shortened before the
 * request goes out, and is not put off by more than what a lost copy would leave, whenever that one
 * is carried out after all. */
static int extend_term(struct dblock_lock *lock, int64_t lease, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->token), dbl_int(lock->nonce),
				   dbl_int(lease)};
	struct extension x = {.args = args};
	int64_t counted;
	int rc;

	if (dbl_grant_left(lock) == 0)
		return lost(lock, err);
	dbl_term_shorten(&lock->lease, dbl_term_deadline(dbl_now(locks->env), lease));
	rc = extend_row(locks, &x, err);
	if (rc == DBLOCK_E_UNSURE || x.late)
		lock->least_unsure = least(lock->least_unsure, lease);
	if (rc)
		return rc;
	if (!x.done)
		dbl_term_end(&lock->lease);
	counted = dbl_term_deadline(x.sent, least(lease, lock->least_unsure));
	if (x.done)
		dbl_term_renew(&lock->lease, dbl_now(locks->env), counted);
	return dbl_grant_left(lock) > 0 ? 0 : lost(lock, err);
}

int dbl_lock_extend(struct dblock_lock *lock, int64_t lease, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	int rc;

	if (!lock->has_lease)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' has no lease of its own: it lives as long as its client's "
				"session",
				lock->name);
	if (!dbl_turn_take(&lock->extending, locks->env, dbl_locks_deadline(locks)))
		return dbl_fail(err, DBLOCK_E_TIMEOUT,
				"'%s': another thread was extending it all the time", lock->name);
	rc = extend_term(lock, lease, err);
	dbl_turn_end(&lock->extending);
	/* It may end sooner than the sentinel knows. */
	dbl_sentinel_wake(locks);
	return rc;
}

static int stale(const char *name, int64_t token, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_STALE, "'%s' is not held by the grant with token %lld", name,
			(long long)token);
}

/* A release was sent more than once and the last copy found nothing: did an earlier one do it? */
static int released_before(struct dbl_locks *locks, const char *name, int64_t token,
			   struct dblock_error *err)
{
	struct dbl_sight sight;
	int rc = dbl_look(locks->link, name, "", 0, dbl_locks_deadline(locks), &sight, err);

	if (rc)
		return rc;
	return sight.found && sight.token == token && sight.nonce == 0 ? 0
								       : stale(name, token, err);
}

int dbl_grant_release(struct dbl_locks *locks, const char *name, int64_t token,
		      struct dblock_error *err)
{
	struct ending e = {.name = name, .token = token, .nonce = DBL_ANY};
	int rc = end_grant(locks, &e, err);

	if (rc || e.done)
		return rc;
	return e.resent ? released_before(locks, name, token, err) : stale(name, token, err);
}

int dbl_grant_extend(struct dbl_locks *locks, const char *name, int64_t token, int64_t lease,
		     struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(token), dbl_null(), dbl_int(lease)};
	struct extension x = {.args = args};
	int rc = extend_row(locks, &x, err);

	if (rc)
		return rc;
	return x.done ? 0 : stale(name, token, err);
}
