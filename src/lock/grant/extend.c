/* SPDX-License-Identifier: MIT */
/* Extend is one conditional statement: sent twice, it does the same. */
#include "lock/grant/extend.h"

#include "lock/core/retry.h"
#include "lock/core/timed.h"
#include "lock/core/value.h"
#include "lock/handle/loss.h"

/* One request to extend, and its outcome. */
struct extension {
	enum dbl_op op;
	struct dbl_args args;
	int64_t sent; /* the time before its first copy was sent */
	bool done;    /* else the grant does not hold the lock */
	bool late;    /* an earlier copy may still be carried out */
};

static int extend_row(struct dbl_locks *locks, struct extension *x, struct dblock_error *err)
{
	int64_t token = -1;
	struct dbl_request request = {.op = x->op,
				      .args = x->args,
				      .row = dbl_take_int,
				      .ctx = &token,
				      .deadline = dbl_locks_deadline(locks)};
	int rc;

	x->sent = dbl_now(locks->env);
	rc = dbl_run_durable(locks, &request, err);
	x->done = token != -1;
	x->late = request.resent && !request.certain;
	return rc;
}

/* Between begin() and end(). The deadline here is never later than the row's: it is shortened
 * before the request goes out, and afterwards extended by no more than what a lost earlier copy
 * would leave, whenever that copy is carried out. */
static int extend_validity(struct dblock_lock *lock, int64_t lease, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->grant.token),
				   dbl_int(lock->grant.nonce), dbl_int(lease)};
	struct extension x = {.op = lock->grant.carrier->extend, .args = DBL_ARGS(args)};
	int64_t counted;
	int rc;

	DBL_ASSERT(lock->grant.has_lease && lock->extending && lease > 0, "%lld", (long long)lease);
	if (dbl_grant_left(lock) == 0)
		return dbl_lost_before(lock, err);
	dbl_validity_shorten(&lock->grant.lease, dbl_validity_deadline(dbl_now(locks->env), lease));
	rc = extend_row(locks, &x, err);
	if (rc == DBLOCK_E_UNSURE || x.late)
		lock->least_unsure = dbl_least(lock->least_unsure, lease);
	if (rc)
		return rc;
	if (!x.done)
		return dbl_lost_before(lock, err);
	counted = dbl_validity_deadline(x.sent, dbl_least(lease, lock->least_unsure));
	if (x.done)
		dbl_validity_renew(&lock->grant.lease, dbl_now(locks->env), counted);
	return dbl_grant_left(lock) > 0 ? 0 : dbl_lost_before(lock, err);
}

/* False: another thread's extension is under way, and no time is left. */
static bool begin(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int64_t until = dbl_locks_deadline(locks);
	bool mine;

	dbl_lock(&locks->mutex);
	while (lock->extending && dbl_now(locks->env) < until)
		dbl_cond_wait(&locks->extended, &locks->mutex, locks->env, until);
	mine = !lock->extending;
	lock->extending = true;
	dbl_unlock(&locks->mutex);
	return mine;
}

static void end(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	dbl_lock(&locks->mutex);
	lock->extending = false;
	dbl_cond_wake(&locks->extended);
	dbl_unlock(&locks->mutex);
}

static int extend(struct dblock_lock *lock, int64_t lease, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	int rc = locks->hooks->may_write(lock, err);

	if (rc)
		return rc;
	if (!begin(lock))
		return dbl_fail(err, DBLOCK_E_NO_ANSWER,
				"'%s': another thread was extending it all the time", lock->name);
	rc = extend_validity(lock, lease, err);
	end(lock);
	/* The validity may end sooner than the watchdog knows. */
	locks->hooks->validity_changed(locks);
	return rc;
}

int dbl_extend_traced(struct dblock_lock *lock, dbl_extend_fn *how, int64_t lease,
		      struct dblock_error *err)
{
	struct dbl_span span = {.phase = DBLOCK_PHASE_EXTEND,
				.name = lock->name,
				.token = lock->grant.token,
				.began = dbl_now(lock->locks->env)};

	if (lock->grant.has_lease)
		span.outcome = how(lock, lease, err);
	else
		span.outcome = dbl_fail(err, DBLOCK_E_INVALID,
					"'%s' has no lease of its own: it lives as long as its "
					"client's session",
					lock->name);
	dbl_timed_tell(lock->locks, &span);
	return span.outcome;
}

int dbl_lock_extend(struct dblock_lock *lock, int64_t lease, struct dblock_error *err)
{
	return dbl_extend_traced(lock, extend, lease, err);
}

int dbl_grant_extend(struct dbl_locks *locks, const char *name, int64_t token, int64_t lease,
		     struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(token), dbl_null(), dbl_int(lease)};
	struct extension x = {.op = dbl_own_row.extend, .args = DBL_ARGS(args)};
	int rc = extend_row(locks, &x, err);

	if (rc == 0 && !x.done) {
		x.op = dbl_queue_row_carrier.extend;
		rc = extend_row(locks, &x, err);
	}
	if (rc)
		return rc;
	if (x.done)
		return 0;
	dbl_event_note(locks, DBLOCK_EVENT_REFUSED, name, token, "", "its extension");
	return dbl_stale(name, token, err);
}

void dbl_extension_begun(struct dblock_lock *lock)
{
	atomic_fetch_add(&lock->n_extensions, 1);
}

void dbl_extension_over(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	dbl_lock(&locks->mutex);
	DBL_ASSERT(atomic_load(&lock->n_extensions) > 0, "%s", lock->name);
	atomic_fetch_sub(&lock->n_extensions, 1); /* from now on it may be released, and freed */
	dbl_cond_wake(&locks->extended);
	dbl_unlock(&locks->mutex);
}

void dbl_extensions_await(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	dbl_lock(&locks->mutex);
	while (atomic_load(&lock->n_extensions))
		dbl_cond_wait(&locks->extended, &locks->mutex, locks->env, DBL_NEVER);
	dbl_unlock(&locks->mutex);
}
