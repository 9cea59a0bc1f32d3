/* SPDX-License-Identifier: MIT */
#include "lock/lock.h"

#include "lock/admin/revoke.h"
#include "lock/cache/cache.h"
#include "lock/cache/local.h"
#include "lock/cache/posted.h"
#include "lock/cache/sticky.h"
#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/retry.h"
#include "lock/core/timed.h"
#include "lock/grant/extend.h"
#include "lock/grant/handoff.h"
#include "lock/grant/permit.h"
#include "lock/grant/release.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include "lock/handle/traced.h"
#include "lock/tx/attachment.h"
#include "lock/tx/in_tx.h"
#include "lock/wait/wait.h"

/* ---- acquire --------------------------------------------------------------------------------- */

static int go_and_end(struct dbl_wait *wait, struct dblock_lock **out, struct dblock_error *err)
{
	int rc = dbl_wait_until_over(wait, out, err);

	dbl_wait_end(wait);
	return rc;
}

static int wait_in_queue(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
			 struct dblock_lock **out, struct dblock_error *err)
{
	struct dbl_wait wait;
	int rc = dbl_wait_begin(&wait, locks, spec, err);

	return rc ? rc : go_and_end(&wait, out, err);
}

static int wait_after(const struct dbl_attempt *asked, int rc, struct dblock_lock **out,
		      struct dblock_error *err)
{
	struct dbl_wait wait;

	rc = dbl_wait_begin_asked(&wait, asked, rc, err);
	return rc ? rc : go_and_end(&wait, out, err);
}

/* Ask for the lock, and wait only if it is not granted at once. */
static int ask_and_wait(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
			struct dblock_lock **out, struct dblock_error *err)
{
	struct dbl_attempt a;
	int rc;

	if (!dbl_wait_asks_first(locks, spec))
		return wait_in_queue(locks, spec, out, err);
	if (dbl_cache_take(locks, spec, out))
		return 0;
	rc = dbl_attempt_begin(&a, locks, spec, err);
	if (rc)
		return rc;
	a.waits = true;
	a.until = spec->wait_until;
	rc = dbl_cache_go(&a, err);
	if (rc == DBLOCK_BUSY || rc == DBLOCK_LOST || rc == DBLOCK_E_BLOCKED ||
	    dbl_link_may_pass(locks->link, rc))
		return wait_after(&a, rc, out, err);
	if (rc == 0)
		*out = dbl_cache_publish(&a);
	dbl_attempt_drop(&a);
	return rc;
}

/* *out: the handle that the caller has already, if any. Not 0: that one does not suit the spec. */
static int find_own(struct dbl_locks *locks, struct dbl_acquire_spec *spec,
		    struct dblock_lock **out, struct dblock_error *err)
{
	spec->hash = dbl_spec_hash(spec);
	return dbl_handle_own(locks, spec, dbl_owner_of(spec), out, err);
}

/* Try by the queue: the lock is granted at once, or the call leaves the queue again. */
static int try_in_queue(struct dbl_locks *locks, struct dbl_acquire_spec *spec,
			struct dblock_lock **out, struct dblock_error *err)
{
	int rc;

	spec->tries = true;
	spec->wait_until = dbl_now(locks->env);
	spec->try_until = dbl_locks_deadline(locks);
	rc = wait_in_queue(locks, spec, out, err);
	if (rc != DBLOCK_TIMEOUT)
		return rc;
	if (err)
		err->code = DBLOCK_BUSY;
	return DBLOCK_BUSY;
}

/* A row that is locked keeps the call from the lock, and not a holder. */
static bool is_locked_out(const struct dbl_attempt *a, int rc)
{
	return rc == DBLOCK_E_BLOCKED ||
	       (rc == DBLOCK_BUSY && a->locked && !dbl_is_held(&a->snapshot));
}

int dbl_lock_try_untold(struct dbl_locks *locks, const struct dbl_acquire_spec *given,
			struct dblock_lock **out, bool *reentered, struct dblock_error *err)
{
	struct dbl_acquire_spec spec = *given;
	struct dbl_attempt a;
	int rc = find_own(locks, &spec, out, err);

	*reentered = *out;
	if (rc || *out)
		return rc;
	if (spec.mode != DBLOCK_EXCLUSIVE)
		return try_in_queue(locks, &spec, out, err);
	if (dbl_cache_take(locks, &spec, out))
		return 0;
	rc = dbl_attempt_begin(&a, locks, &spec, err);
	if (rc)
		return rc;
	a.until = dbl_locks_deadline(locks);
	rc = spec.asks_only ? dbl_cache_go(&a, err) : dbl_try_rounds(&a, err);
	if (rc == 0)
		*out = dbl_cache_publish(&a);
	dbl_attempt_drop(&a);
	return is_locked_out(&a, rc) ? dbl_blocked_name(locks, spec.name, DBLOCK_BUSY, err) : rc;
}

static int wait_for_it(struct dbl_locks *locks, const struct dbl_acquire_spec *given,
		       struct dblock_lock **out, bool *reentered, struct dblock_error *err)
{
	struct dbl_acquire_spec spec = *given;
	int rc;

	*reentered = false;
	if (dbl_is_shut_to(locks, &spec))
		return dbl_tell_canceled(locks, spec.name, "the wait", err);
	rc = find_own(locks, &spec, out, err);
	*reentered = *out;
	if (rc || *out)
		return rc;
	spec.blocks = spec.lease == 0 && spec.owner.id == 0;
	return dbl_local_applies(locks, &spec)
		       ? dbl_local_wait(locks, &spec, ask_and_wait, out, err)
		       : ask_and_wait(locks, &spec, out, err);
}

int dbl_lock_number(const struct dbl_acquire_spec *spec, int rc, struct dblock_lock **out,
		    struct dblock_error *err)
{
	if (rc || !spec->numbered)
		return rc;
	rc = dbl_permits_number(*out, err);
	if (rc == 0 && dbl_grant_left(*out) == 0)
		rc = dbl_fail(err, DBLOCK_LOST, "'%s': it took too long to number the permits",
			      (*out)->name);
	if (rc == 0)
		return 0;
	dbl_cache_give_back(*out);
	*out = NULL;
	return rc;
}

static int timed(struct dbl_locks *locks, enum dblock_phase phase,
		 const struct dbl_acquire_spec *spec, struct dblock_lock **out,
		 struct dblock_error *err)
{
	struct dbl_span span = {.phase = phase, .name = spec->name, .began = dbl_now(locks->env)};
	bool reentered;

	span.outcome = phase == DBLOCK_PHASE_TRY
			       ? dbl_lock_try_untold(locks, spec, out, &reentered, err)
			       : wait_for_it(locks, spec, out, &reentered, err);
	span.outcome = dbl_lock_number(spec, span.outcome, out, err);
	if (*out && dbl_timed_on(locks))
		span.token = dbl_handle_token(locks, spec->name, *out);
	dbl_timed_acquire(locks, &span, reentered);
	return span.outcome;
}

int dbl_lock_try_here(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		      struct dblock_lock **out, struct dblock_error *err)
{
	return timed(locks, DBLOCK_PHASE_TRY, spec, out, err);
}

int dbl_lock_try(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		 struct dblock_lock **out, struct dblock_error *err)
{
	DBL_INSIDE(locks);

	return dbl_lock_try_here(locks, spec, out, err);
}

int dbl_lock_wait(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		  struct dblock_lock **out, struct dblock_error *err)
{
	DBL_INSIDE(locks);

	return timed(locks, DBLOCK_PHASE_ACQUIRE, spec, out, err);
}

/* ---- release --------------------------------------------------------------------------------- */

/* Release one grant, unless a transaction has. If one may have, a grant that is gone is no loss. */
static int release_one(struct dblock_lock *lock, struct dblock_error *err)
{
	enum dbl_in_tx in_tx = dbl_in_tx_of(lock);
	int rc = in_tx == DBL_IN_TX_RELEASED ? 0 : dbl_grant_end(lock, err);

	return rc == DBLOCK_LOST && in_tx == DBL_IN_TX_RELEASED_PERHAPS ? 0 : rc;
}

/* Release all parts, whatever comes of each. Returns the first result that is not 0. */
static int release_parts(struct dblock_lock *lock, struct dblock_error *err)
{
	bool ended[DBL_BATCH_MAX];
	int rc = dbl_grants_end(lock->parts, lock->n_parts, ended, err);

	for (unsigned i = 0; i < lock->n_parts; i++) {
		struct dblock_lock *part = lock->parts[i];
		int one = ended[i] ? 0 : release_one(part, rc ? NULL : err);

		(void)dbl_grant_try(part, DBL_DONE); /* a transaction may have */
		rc = rc ? rc : one;
	}
	return rc;
}

/* *last: it was the last acquire, and the handle is gone. */
static int release(struct dblock_lock *lock, bool *last, struct dblock_error *err)
{
	int rc = atomic_load(&lock->locks->attachments) && dbl_handle_count(lock) == 1
			 ? dbl_attachment_check(lock, err)
			 : 0;
	enum dbl_in_tx in_tx;

	*last = false;
	if (rc == DBLOCK_FENCED)
		return rc;
	if (rc)
		dbl_attachment_part(lock);
	in_tx = dbl_in_tx_of(lock);
	if (in_tx == DBL_IN_TX_NOT_ACQUIRED)
		return dbl_in_tx_drop(lock, err);
	if (in_tx == DBL_IN_TX_NOT && lock->n_parts == 0)
		return dbl_cache_release(lock, rc == 0, last, err);
	*last = dbl_handle_leave(lock);
	if (!*last)
		return 0;
	rc = lock->n_parts ? release_parts(lock, err) : release_one(lock, err);
	dbl_cache_over(lock);
	return rc;
}

static int release_offered(struct dblock_lock *lock, bool *last, struct dblock_error *err)
{
	bool offered = dbl_lock_is_offered(lock);
	int rc;

	if (atomic_load(&lock->n_extensions) && !lock->given)
		dbl_extensions_await(lock);
	rc = release(lock, last, err);
	return offered && rc == DBLOCK_LOST ? 0 : rc;
}

int dbl_lock_release(struct dblock_lock *lock, struct dblock_error *err)
{
	bool last;

	return dbl_timed_on(lock->locks) ? dbl_release_traced(lock, release_offered, err)
					 : release_offered(lock, &last, err);
}

int dbl_grant_release(struct dbl_locks *locks, const char *name, int64_t token,
		      struct dblock_error *err)
{
	const struct dbl_break told = {.name = name,
				       .token = token,
				       .cause = DBLOCK_LOSS_RELEASED,
				       .until = dbl_locks_deadline(locks),
				       .row_wait = locks->timeout};

	dbl_sticky_give_back(locks, name);
	dbl_posted_flush(locks, name, dbl_locks_deadline(locks));
	return dbl_revoke(locks, &told, err);
}

const struct dbl_calls dbl_lock_calls = {
	.acquire = {[DBL_TRY] = dbl_lock_try, [DBL_WAIT_FOR_IT] = dbl_lock_wait},
	.release = dbl_lock_release,
	.extend = dbl_lock_extend,
	.release_token = dbl_grant_release,
	.extend_token = dbl_grant_extend,
	.left = dbl_grant_left,
	.loss = dbl_loss_of,
};
