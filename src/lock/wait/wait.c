/* SPDX-License-Identifier: MIT */
#include "lock/wait/wait.h"

#include "base/alarm.h"
#include "lock/cache/cache.h"
#include "lock/cache/posted.h"
#include "lock/cache/sticky.h"
#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/handle/handle.h"
#include "lock/queue/queue.h"
#include "lock/wait/wait_own.h"

#define TO(phase)  DBL_TO(DBL_WAIT_##phase)
#define MAY_END_BY (TO(WHO) | TO(LEAVE))

static const struct dbl_state phases[] = {
	[DBL_WAIT_ASK] = {"ASK", TO(ENQUEUE) | TO(WHO)},
	[DBL_WAIT_ENTER] = {"ENTER", TO(ADMIT) | TO(ENQUEUE) | TO(WATCH) | MAY_END_BY},
	[DBL_WAIT_ADMIT] = {"ADMIT", TO(ENTER) | TO(WATCH) | TO(ADVANCE) | TO(DECLARE_ROW) |
					     TO(ENQUEUE) | TO(WHO)},
	[DBL_WAIT_ENQUEUE] = {"ENQUEUE",
			      TO(ANNOUNCE) | TO(ADVANCE) | TO(WATCH) | TO(ADMIT) | MAY_END_BY},
	[DBL_WAIT_ANNOUNCE] = {"ANNOUNCE", TO(WATCH) | TO(ENQUEUE) | MAY_END_BY},
	[DBL_WAIT_WATCH] = {"WATCH", TO(ENQUEUE) | TO(DECLARE) | TO(HAND_OVER) | TO(TAKE) |
					     TO(READ_QUEUE) | TO(ANNOUNCE) | TO(WATCH) |
					     MAY_END_BY},
	[DBL_WAIT_READ_QUEUE] = {"READ_QUEUE", TO(ADVANCE) | TO(DECLARE_ROW) | TO(WATCH) |
						       TO(ENQUEUE) | MAY_END_BY},
	[DBL_WAIT_ADVANCE] = {"ADVANCE", TO(ENTER) | TO(ADMIT) | TO(ANNOUNCE) | TO(READ_QUEUE) |
						 TO(WATCH) | TO(ENQUEUE) | MAY_END_BY},
	[DBL_WAIT_DECLARE_ROW] = {"DECLARE_ROW",
				  TO(ADMIT) | TO(READ_QUEUE) | TO(WATCH) | MAY_END_BY},
	[DBL_WAIT_DECLARE] = {"DECLARE", TO(WATCH) | TO(HAND_OVER) | TO(TAKE) | MAY_END_BY},
	[DBL_WAIT_HAND_OVER] = {"HAND_OVER", TO(WATCH) | TO(READ_QUEUE) | MAY_END_BY},
	[DBL_WAIT_TAKE] = {"TAKE", TO(WATCH) | MAY_END_BY},
	/* To WATCH if it is notified, while it looks, that it has been granted the lock. */
	[DBL_WAIT_WHO] = {"WHO", TO(WATCH) | TO(LEAVE)},
	/* To LEAVE again if the reason for which it leaves changes. */
	[DBL_WAIT_LEAVE] = {"LEAVE", TO(ENQUEUE) | TO(LEAVE)},
};

/* ---- beginning and ending -------------------------------------------------------------------- */

static enum dbl_wait_phase begins_with(const struct dbl_locks *locks,
				       const struct dbl_acquire_spec *spec)
{
	if (dbl_wait_asks_first(locks, spec))
		return DBL_WAIT_ASK;
	if (dbl_wait_enters(locks, spec) &&
	    !dbl_expects_others(&locks->expected, dbl_spec_hash(spec)))
		return DBL_WAIT_ENTER;
	return dbl_spec_is_by_row(spec) ? DBL_WAIT_ADMIT : DBL_WAIT_ENQUEUE;
}

/* The wait owns the attempt from now on, also if this fails. */
static int begin(struct dbl_wait *w, const struct dbl_attempt *a, enum dbl_wait_phase phase,
		 struct dblock_error *err)
{
	*w = (struct dbl_wait){.poll = DBL_WAIT_POLL_FIRST_US, .attempt = *a};
	if (dbl_waiter_init(&w->waiter)) {
		dbl_attempt_drop(&w->attempt);
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	w->attempt.waits = true;
	w->attempt.until = a->spec->wait_until;
	dbl_sm_init(&w->phase, phases, (int)phase);
	dbl_progress_begin(&w->progress, a->locks, a->spec);
	dbl_suspicion_begin(&w->suspicion, a->locks, a->spec);
	return 0;
}

int dbl_wait_begin(struct dbl_wait *w, struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		   struct dblock_error *err)
{
	struct dbl_attempt a;
	int rc = dbl_attempt_begin(&a, locks, spec, err);

	return rc ? rc : begin(w, &a, begins_with(locks, spec), err);
}

bool dbl_wait_leave(struct dbl_wait *w)
{
	struct dbl_locks *locks = w->attempt.locks;
	int64_t nonce = w->waiter.nonce;

	DBL_ASSERT(nonce || !w->ticket, "%lld", (long long)w->ticket); /* a ticket needs a nonce */
	if (nonce == 0)
		return false;
	DBL_ASSERT(!dbl_leave_goes_on(&w->leave)); /* it leaves one queue at a time */
	dbl_notifier_remove(locks, &w->waiter);
	dbl_leave_begin(&w->leave, locks, w->attempt.spec->name, nonce, w->ticket != 0, w->cleanup);
	w->cleanup = NULL;
	w->ticket = 0;
	return true;
}

void dbl_wait_end(struct dbl_wait *w)
{
	(void)dbl_wait_leave(w);
	while (dbl_leave_goes_on(&w->leave))
		(void)dbl_leave_step(&w->leave, dbl_attempt_deadline(&w->attempt));
	/* It has got the lock, but its caller was not told. */
	if (w->got)
		dbl_cache_give_back(w->got);
	dbl_cleanup_free(w->cleanup);
	dbl_attempt_drop(&w->attempt);
	dbl_detector_end(&w->detector);
	dbl_queue_free(&w->queue);
	dbl_waiter_fini(&w->waiter);
}

/* ---- the end of a wait ----------------------------------------------------------------------- */

/* Whether another thread has canceled this wait, or shut its client down. */
static bool is_over(const struct dbl_wait *w)
{
	return atomic_load(&w->canceled) || dbl_is_shut_to(w->attempt.locks, w->attempt.spec);
}

static int canceled(struct dbl_wait *w)
{
	return dbl_tell_canceled(w->attempt.locks, w->attempt.spec->name, "the wait", &w->why);
}

void dbl_wait_tell(const struct dbl_wait *w, struct dblock_error *err, int code)
{
	const struct dbl_attempt *a = &w->attempt;

	if (w->barred)
		dbl_blocked_name(a->locks, a->spec->name, code, err);
	else if (dbl_queue_keeps_out(&w->queue) && !dbl_is_held(&a->snapshot))
		dbl_queue_tell(&w->queue, a->spec->name, err, code);
	else if (w->locked_out && !dbl_is_held(&a->snapshot))
		dbl_blocked_name(a->locks, a->spec->name, code, err);
	else
		dbl_snapshot_tell(&a->snapshot, a->spec->name, err, code);
}

static int out_of_time(struct dbl_wait *w)
{
	const struct dbl_attempt *a = &w->attempt;
	int phase = dbl_sm_now(&w->phase);

	if (w->trouble)
		return w->trouble;
	/* The message needs to know who has the lock. A wait that is leaving the queue leaves
	 * first. */
	if (phase != DBL_WAIT_WHO && a->snapshot.clock.after == 0) {
		if (phase != DBL_WAIT_LEAVE)
			dbl_wait_move(w, DBL_WAIT_WHO);
		w->next = dbl_wait_now(w);
		return DBLOCK_WAITING;
	}
	dbl_wait_tell(w, &w->why, DBLOCK_TIMEOUT);
	return DBLOCK_TIMEOUT;
}

static int stop_waiting(struct dbl_wait *w)
{
	const struct dbl_acquire_spec *spec = w->attempt.spec;

	if (dbl_is_canceled(w->attempt.locks, spec))
		return canceled(w);
	return dbl_wait_now(w) < spec->wait_until || !w->looked ? DBLOCK_WAITING : out_of_time(w);
}

/* Leaves the queue without a statement now: the session will delete the row soon. */
static void leave_later(struct dbl_wait *w)
{
	struct dbl_locks *locks = w->attempt.locks;
	int64_t nonce = w->waiter.nonce;

	if (nonce == 0)
		return;
	dbl_wait_forget(w);
	dbl_notifier_may_come_late(locks);
	dbl_session_leave_queue(locks->session, w->cleanup, nonce);
	w->cleanup = NULL;
}

/* *out: the handle that the calling thread or owner has by now, by another call. There is no round
 * trip, as the grant might be over when it is returned. Fails if the handle's mode does not do, as
 * the caller would wait for itself. */
static int find_own(struct dbl_wait *w, struct dblock_lock **out)
{
	struct dbl_attempt *a = &w->attempt;
	int rc;

	if (a->spec->upgrading)
		return 0;
	a->lock->owner = dbl_owner_of(a->spec);
	DBL_ASSERT(!a->lock->before); /* it is not in the client's list yet */
	rc = dbl_handle_own(a->locks, a->spec, a->lock->owner, out, &w->why);
	w->reentered = *out;
	if (*out)
		leave_later(w);
	return rc;
}

/* Takes this client's idle grant, or else gives it back and sends its posted release first. That is
 * done in the first step, not before, as it may take a round trip, or two. */
static struct dblock_lock *take_idle(struct dbl_wait *w)
{
	struct dbl_attempt *a = &w->attempt;
	struct dblock_lock *lock = NULL;

	if (w->begun || a->spec->upgrading)
		return NULL;
	w->begun = true;
	if (!dbl_cache_take(a->locks, a->spec, &lock) && dbl_sm_now(&w->phase) != DBL_WAIT_ASK)
		dbl_posted_flush(a->locks, a->spec->name, dbl_locks_deadline(a->locks));
	return lock;
}

static int run(struct dbl_wait *w, struct dblock_lock **out)
{
	int rc;

	if (is_over(w))
		return canceled(w);
	rc = find_own(w, out);
	if (rc || *out)
		return rc;
	*out = take_idle(w);
	if (*out)
		return 0;
	rc = dbl_wait_go(w, &w->why);
	if (rc == 0)
		*out = dbl_cache_publish(&w->attempt);
	return rc == DBLOCK_WAITING ? stop_waiting(w) : rc;
}

int dbl_wait_begin_asked(struct dbl_wait *w, const struct dbl_attempt *asked_at, int rc,
			 struct dblock_error *err)
{
	bool asked = rc == DBLOCK_BUSY || rc == DBLOCK_LOST;
	struct dblock_error why = err ? *err : (struct dblock_error){.code = rc};
	int began = begin(w, asked_at, asked ? DBL_WAIT_ENQUEUE : DBL_WAIT_ASK, err);

	if (began)
		return began;
	w->begun = true;
	w->apart = asked_at->locked;
	w->next = dbl_wait_now(w);
	w->why = why;
	rc = asked ? DBLOCK_WAITING : dbl_wait_unless_it_passes(w, rc, &w->why);
	if (rc == DBLOCK_WAITING)
		rc = stop_waiting(w);
	if (rc == DBLOCK_WAITING)
		return 0;
	dbl_wait_end(w);
	if (err)
		*err = w->why;
	return rc;
}

/* Ends the wait with this outcome, once it has left the queue, if it is in it. */
static int end_by(struct dbl_wait *w, int rc, struct dblock_lock **out)
{
	if (!dbl_wait_leave(w) && !dbl_leave_goes_on(&w->leave))
		return rc;
	DBL_ASSERT(!w->got && (rc == 0) == (*out != NULL), "%d", rc);
	w->outcome = rc;
	w->got = *out;
	*out = NULL;
	return dbl_sm_move(&w->phase, DBL_WAIT_LEAVE, &w->why) ? DBLOCK_E_BUG : DBLOCK_WAITING;
}

static int go_on_leaving(struct dbl_wait *w, struct dblock_lock **out)
{
	if (!dbl_leave_step(&w->leave, dbl_attempt_deadline(&w->attempt)))
		return DBLOCK_WAITING;
	if (w->outcome == DBLOCK_WAITING)
		dbl_wait_move(w, DBL_WAIT_ENQUEUE);
	*out = w->got;
	w->got = NULL;
	if (!*out || !is_over(w))
		return w->outcome;
	dbl_cache_give_back(*out);
	*out = NULL;
	return canceled(w);
}

int dbl_wait_step(struct dbl_wait *w, struct dblock_lock **out, struct dblock_error *err)
{
	int rc;

	*out = NULL;
	if (dbl_sm_now(&w->phase) == DBL_WAIT_LEAVE) {
		rc = go_on_leaving(w, out);
	} else {
		rc = run(w, out);
		if (rc != DBLOCK_WAITING)
			rc = end_by(w, rc, out);
	}
	w->slept |= rc == DBLOCK_WAITING && w->next > dbl_wait_now(w);
	DBL_ASSERT((rc == 0) == (*out != NULL), "%d", rc);
	/* It waits while a row is locked, or somebody else has the lock. */
	DBL_ASSERT(rc != DBLOCK_E_BLOCKED && (rc != DBLOCK_BUSY || w->attempt.spec->tries), "%d",
		   rc);
	DBL_ASSERT(rc == DBLOCK_WAITING || w->waiter.nonce == 0, "%d", rc);
	if (rc && rc != DBLOCK_WAITING && err)
		*err = w->why;
	return rc;
}

/* ---- between two steps ----------------------------------------------------------------------- */

static int64_t next_step(const struct dbl_wait *w)
{
	const struct dbl_acquire_spec *spec = w->attempt.spec;
	int64_t until = dbl_least(w->next, w->looked ? spec->wait_until : DBL_NEVER);

	/* Leaving is not put off: w->next may be when to join the queue anew. */
	if (dbl_sm_now(&w->phase) == DBL_WAIT_LEAVE)
		return dbl_wait_now(w);
	if (w->ticket)
		until = dbl_least(until, w->progress.next);
	until = dbl_least(until, dbl_least(dbl_wait_suspects_at(w), dbl_wait_vigil_at(w)));
	return spec->canceled ? dbl_least(until, dbl_wait_now(w) + DBL_ASK_CALLER_US) : until;
}

int64_t dbl_wait_due_at(const struct dbl_wait *w)
{
	DBL_ASSERT_HELD(&w->attempt.locks->mutex);
	return w->waiter.granted || w->waiter.hinted || is_over(w) ? 0 : next_step(w);
}

void dbl_wait_sleep(struct dbl_wait *w)
{
	struct dbl_locks *locks = w->attempt.locks;
	int64_t until = next_step(w);

	DBL_ASSERT(w->waiter.alarm < 0); /* the caller of a wait with an alarm sleeps by itself */
	if (locks->env->idle)
		locks->env->idle(locks->env->ctx, until);
	dbl_lock(&locks->mutex);
	while (!w->waiter.granted && !w->waiter.hinted && !is_over(w) &&
	       dbl_now(locks->env) < until)
		dbl_notifier_sleep(locks, &w->waiter, until);
	dbl_unlock(&locks->mutex);
}

void dbl_wait_cancel(struct dbl_wait *w)
{
	atomic_store(&w->canceled, true);
	dbl_alarm_ring(w->waiter.alarm);
}
