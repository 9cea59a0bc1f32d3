/* SPDX-License-Identifier: MIT */
#include "lock/wait/modes.h"
#include "lock/cache/local.h"

#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/grant/release.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include "lock/queue/advance.h"
#include "lock/queue/queue.h"
#include "lock/wait/wait.h"

/* ---- upgrade --------------------------------------------------------------------------------- */

static int several(const struct dblock_lock *lock, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s' are held together: their modes stay as they are", lock->name);
}

static int check_upgrade(struct dblock_lock *lock, struct dblock_error *err)
{
	if (lock->n_parts)
		return several(lock, err);
	if (lock->grant.mode == DBLOCK_PERMITS || lock->grant.has_lease)
		return dbl_fail(err, DBLOCK_E_INVALID, "'%s' %s: that cannot be upgraded",
				lock->name,
				lock->grant.has_lease ? "has a lease of its own" : "holds permits");
	return dbl_grant_left(lock) > 0 ? 0 : dbl_lost_before(lock, err);
}

/* Waits for the upgrade. Then the wait's own handle has the old grant, which is forgone. */
static int wait_for_it(struct dblock_lock *lock, const struct dbl_acquire_spec *spec,
		       struct dblock_error *err)
{
	struct dbl_wait wait;
	struct dblock_lock *same, *old = NULL;
	int rc = dbl_wait_begin(&wait, lock->locks, spec, err);

	if (rc)
		return rc;
	rc = dbl_wait_until_over(&wait, &same, err);
	if (rc == 0) {
		old = wait.attempt.lock;
		wait.attempt.lock = NULL;
	}
	dbl_wait_end(&wait);
	if (old)
		dbl_grant_forgo(old);
	return rc;
}

int dbl_lock_upgrade(struct dblock_lock *lock, const struct dbl_acquire_spec *given,
		     struct dblock_error *err)
{
	DBL_INSIDE(lock->locks);
	struct dbl_acquire_spec spec = *given;
	int rc = check_upgrade(lock, err);

	if (rc || lock->grant.mode == DBLOCK_EXCLUSIVE)
		return rc;
	rc = lock->locks->hooks->may_write(lock, err);
	if (rc)
		return rc;
	spec.name = lock->name;
	spec.weight = 1;
	spec.upgrading = lock;
	spec.upgrades = lock->grant.nonce;
	spec.owner = dbl_owner_again(lock);
	spec.blocks = lock->owner.kind == DBL_OWNER_THREAD;
	DBL_ASSERT(!lock->changing); /* one change at a time */
	lock->changing = true;
	rc = wait_for_it(lock, &spec, err);
	lock->changing = false;
	/* The old grant was lost while it waited, and a new epoch was granted the lock. */
	if (rc == 0 && dbl_grant_left(lock) == 0)
		return dbl_lost_before(lock, err);
	return rc;
}

/* ---- downgrade ------------------------------------------------------------------------------- */

static bool is_weaker(enum dblock_mode mode, enum dblock_mode than)
{
	return (mode == DBLOCK_SHARED || mode == DBLOCK_UPDATE) &&
	       (than == DBLOCK_EXCLUSIVE || (than == DBLOCK_UPDATE && mode == DBLOCK_SHARED));
}

static void becomes(struct dblock_lock *lock, enum dblock_mode mode, int64_t nonce)
{
	struct dbl_locks *locks = lock->locks;

	DBL_ASSERT(lock->changing && is_weaker(mode, lock->grant.mode), "%d", (int)mode);
	dbl_lock(&locks->mutex);
	lock->grant.mode = mode;
	lock->grant.nonce = nonce;
	lock->grant.carrier = &dbl_queue_row_carrier;
	dbl_unlock(&locks->mutex);
	/* Others may have the lock now, too; if this fails, they find out for themselves. */
	(void)dbl_queue_advance(locks, lock->name, dbl_locks_deadline(locks), NULL);
}

/* Nobody knows whether the mode was changed: the grant counts as lost, and is given back. */
static void give_up(struct dblock_lock *lock)
{
	dbl_grant_lose(lock, DBLOCK_LOSS_UNKNOWN);
	if (dbl_handle_make_ready(lock))
		dbl_handle_give_back(lock, lock->grant.token);
	lock->locks->hooks->validity_changed(lock->locks);
}

static int change_row(struct dblock_lock *lock, enum dblock_mode mode, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->grant.token),
				   dbl_int(lock->grant.nonce), dbl_int(mode),
				   dbl_int(lock->grant.mode)};
	struct dbl_request request = {.op = DBL_OP_row_mode,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(lock->locks)};
	int rc = dbl_retry_while_locked(lock->locks, &request, err);

	if (rc == DBLOCK_E_UNSURE)
		give_up(lock);
	if (rc)
		return rc;
	if (request.changed == 0 && !request.resent)
		return dbl_lost_before(lock, err);
	becomes(lock, mode, lock->grant.nonce);
	return 0;
}

/* Returns a lease that is so long that its end, which the database counts from later on, is not
 * before the grant's end as this client knows it. */
static int64_t lease_left(struct dblock_lock *lock)
{
	int64_t left = lock->grant.has_lease ? dbl_grant_left(lock) : 0;
	int64_t longer = left;

	while (left && dbl_validity_deadline(0, longer) < left)
		longer += left - dbl_validity_deadline(0, longer);
	return longer;
}

/* Adds the row of the queue that is to carry the grant. */
static int add_row(struct dblock_lock *lock, enum dblock_mode mode, int64_t nonce,
		   struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_acquire_spec spec = {.name = lock->name,
					.mode = mode,
					.weight = 1,
					.owner = dbl_owner_again(lock),
					.lease = lease_left(lock)};
	int64_t ticket;
	int rc = dbl_enqueue(locks, &spec, lock->grant.epoch, nonce, "", dbl_locks_deadline(locks),
			     &ticket, err);

	return rc == 0 && ticket == 0 ? dbl_lost_before(lock, err) : rc;
}

/* *done: the new row carries the grant, perhaps by an earlier copy of ours whose reply was lost. */
static int move_to_row(struct dblock_lock *lock, int64_t nonce, bool *done,
		       struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->grant.token),
				   dbl_int(lock->grant.nonce), dbl_int(nonce)};
	int64_t token = -1;
	struct dbl_request request = {.op = DBL_OP_downgrade,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = &token,
				      .deadline = dbl_locks_deadline(locks)};
	struct dbl_snapshot snapshot;
	int rc = dbl_retry_while_locked(locks, &request, err);

	*done = rc == 0 && token != -1;
	if (rc || *done || !request.resent)
		return rc;
	rc = dbl_look(locks->link, lock->name, lock->grant.epoch, nonce, dbl_locks_deadline(locks),
		      &snapshot, err);
	/* If our grant was lost, the new row may have been granted the lock with another token. */
	*done = rc == 0 && snapshot.row_token == lock->grant.token;
	return rc ? DBLOCK_E_UNSURE : 0;
}

/* Moves the grant from the lock's own row to a row of the queue. */
static int leave_own_row(struct dblock_lock *lock, enum dblock_mode mode, struct dblock_error *err)
{
	int64_t nonce = dbl_random_id(lock->locks->env);
	struct dbl_cleanup *cleanup = dbl_cleanup_new(lock->name);
	bool done = false;
	int rc;

	if (!cleanup || nonce == 0) {
		dbl_cleanup_free(cleanup);
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory, or of random numbers");
	}
	lock->nonce_to_come = nonce;
	rc = add_row(lock, mode, nonce, err);
	if (rc == 0)
		rc = move_to_row(lock, nonce, &done, err);
	if (done) {
		dbl_cleanup_free(cleanup);
		becomes(lock, mode, nonce);
	}
	lock->nonce_to_come = 0;
	if (done)
		return 0;
	dbl_session_leave_queue(lock->locks->session, cleanup, nonce);
	if (rc == DBLOCK_E_UNSURE || rc == DBLOCK_E_NO_ANSWER)
		give_up(lock);
	return rc ? rc : dbl_lost_before(lock, err);
}

int dbl_lock_downgrade(struct dblock_lock *lock, enum dblock_mode mode, struct dblock_error *err)
{
	int rc;

	if (lock->n_parts)
		return several(lock, err);
	if (lock->grant.mode == mode && mode != DBLOCK_PERMITS)
		return 0;
	if (!is_weaker(mode, lock->grant.mode))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' can go on only in a weaker mode: from exclusive to update or "
				"shared, from update to shared",
				lock->name);
	if (dbl_grant_left(lock) == 0)
		return dbl_lost_before(lock, err);
	rc = lock->locks->hooks->may_write(lock, err);
	if (rc)
		return rc;
	dbl_local_use_row_token(lock);
	DBL_ASSERT(!lock->changing); /* one thread has the handle */
	lock->changing = true;
	rc = dbl_has_queue_row(lock) ? change_row(lock, mode, err) : leave_own_row(lock, mode, err);
	lock->changing = false;
	return rc;
}
