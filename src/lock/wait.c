/* SPDX-License-Identifier: MIT */
#include "lock/wait.h"

#include "lock/handle.h"
#include "lock/queue.h"

/* Between two looks: where somebody can ring, for the case that a ring was lost; */
#define LOOK_US 800000 /* with its jitter 1 s */
/* and where nobody can, quick at first, for locks that are held briefly. */
#define POLL_FIRST_US 5000
#define POLL_LAST_US  80000 /* with its jitter 100 ms */
/* Between two tries at a row that somebody's transaction locks. */
#define LOCKED_US 20000
/* How often a caller who may cancel is asked. */
#define ASK_CALLER_US 100000

enum phase { ASK, ENQUEUE, ANNOUNCE, WATCH };

static const struct dbl_state phases[] = {
	[ASK] = {"ASK", DBL_TO(ENQUEUE)},
	[ENQUEUE] = {"ENQUEUE", DBL_TO(ANNOUNCE)},
	[ANNOUNCE] = {"ANNOUNCE", DBL_TO(WATCH) | DBL_TO(ENQUEUE)},
	[WATCH] = {"WATCH", DBL_TO(ENQUEUE)},
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t now(const struct dbl_wait *w)
{
	return dbl_now(w->attempt.locks->env);
}

static int wait_a_little(struct dbl_wait *w, int64_t us)
{
	w->looked = true;
	w->next = now(w) + dbl_jitter(w->attempt.locks->env, us);
	return DBL_WAITING;
}

/* ---- coming and going --------------------------------------------------------------------------- */

int dbl_wait_begin(struct dbl_wait *w, struct dbl_locks *locks, const struct dbl_wish *wish,
		   struct dblock_error *err)
{
	int rc;

	*w = (struct dbl_wait){.poll = POLL_FIRST_US};
	if (dbl_waiter_init(&w->waiter))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_attempt_begin(&w->attempt, locks, wish, err);
	if (rc) {
		dbl_waiter_fini(&w->waiter);
		return rc;
	}
	w->attempt.waits = true;
	w->attempt.until = wish->wait_until;
	dbl_sm_init(&w->phase, phases, ASK);
	dbl_progress_begin(&w->progress, locks, wish);
	return 0;
}

/* Nobody finds us any more. */
static void forget(struct dbl_wait *w)
{
	dbl_bells_remove(w->attempt.locks, &w->waiter);
	w->ticket = 0;
}

/* Out of line, and back with what was granted meanwhile; what cannot be done now is the session's. */
static void leave(struct dbl_wait *w, bool enqueued)
{
	struct dbl_locks *locks = w->attempt.locks;
	int64_t nonce = w->waiter.nonce;
	bool certain = true;
	int rc;

	if (nonce == 0)
		return;
	forget(w);
	rc = dbl_dequeue(locks, w->attempt.wish->name, nonce, dbl_attempt_deadline(&w->attempt),
			 &certain, NULL);
	if (rc == 0 && (certain || enqueued))
		return;
	dbl_session_leave_line(locks->session, w->debt, nonce);
	w->debt = NULL;
}

/* Likewise, without a word to the database now: the session does it with its next heartbeat. */
static void leave_later(struct dbl_wait *w)
{
	int64_t nonce = w->waiter.nonce;

	if (nonce == 0)
		return;
	forget(w);
	dbl_session_leave_line(w->attempt.locks->session, w->debt, nonce);
	w->debt = NULL;
}

void dbl_wait_end(struct dbl_wait *w)
{
	leave(w, true);
	dbl_debt_free(w->debt);
	dbl_attempt_drop(&w->attempt);
	dbl_waiter_fini(&w->waiter);
}

/* ---- being granted ------------------------------------------------------------------------------ */

/* The lock is ours, by hand-over; what it lives by counts from `sent`, before which it was not. */
static int granted(struct dbl_wait *w, int64_t token, int64_t sent, int64_t lease,
		   struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc;

	if (!dbl_handle_make_ready(a->lock))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	a->lock->token = token;
	a->lock->nonce = w->waiter.nonce;
	a->lock->handed = true;
	dbl_dequeue_served_soon(a->locks);
	dbl_grant_begin(a->lock);
	rc = dbl_attempt_accept(a, sent, lease, err);
	forget(w);
	/* It came too late, and is given back: no reason to stop waiting. */
	if (rc == DBLOCK_LOST) {
		dbl_sm_move(&w->phase, ENQUEUE);
		return DBL_WAITING;
	}
	return rc;
}

/* Rung: the token that was said, or 0. */
static int64_t rung(struct dbl_wait *w)
{
	int64_t token;

	dbl_lock(&w->attempt.locks->mutex);
	token = w->waiter.granted;
	dbl_unlock(&w->attempt.locks->mutex);
	return token;
}

/* A lease began at the hand-over, which was after our last look: is that good enough to count from? */
static bool may_count_from(const struct dbl_wait *w)
{
	int64_t lease = w->attempt.wish->lease;

	return lease == 0 || now(w) - w->asked < lease / 4;
}

/* Found by our own look. Who handed it over may have set its end by another machine's clock. */
static int granted_as_seen(struct dbl_wait *w, struct dblock_error *err)
{
	const struct dbl_sight *sight = &w->attempt.sight;

	if (sight->held_until && sight->lease_left != DBL_UNKNOWN)
		return granted(w, sight->token, sight->clock.before, sight->lease_left, err);
	return granted(w, sight->token, w->asked, w->attempt.wish->lease, err);
}

/* ---- the steps ---------------------------------------------------------------------------------- */

static int ask(struct dbl_wait *w, struct dblock_error *err)
{
	int rc = dbl_attempt_go(&w->attempt, err);

	if (rc != DBLOCK_BUSY && rc != DBLOCK_LOST)
		return rc;
	dbl_sm_move(&w->phase, ENQUEUE);
	return DBL_WAITING;
}

/* What an enqueue needs before it is sent. */
static int make_ready(struct dbl_wait *w, int64_t by, int64_t *nonce, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;

	*nonce = dbl_random_id(a->locks->env);
	if (!w->debt)
		w->debt = dbl_debt_new(a->wish->name);
	if (!w->debt)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return dbl_attempt_live(a, by, err);
}

/* An answer was lost: once more, soon at first; but not for ever, if each is lost. */
static int again_after_loss(struct dbl_wait *w)
{
	int64_t pause = w->poll;

	if (w->unsure_until == 0)
		w->unsure_until = now(w) + w->attempt.locks->timeout;
	if (now(w) >= w->unsure_until)
		return DBLOCK_E_UNSURE;
	w->poll = least(pause * 2, POLL_LAST_US);
	return wait_a_little(w, pause);
}

static int not_enqueued(struct dbl_wait *w, int rc)
{
	/* The answer was lost, but it has been granted since. */
	if (rc == DBLOCK_E_UNSURE && rung(w))
		return DBL_WAITING;
	if (rc == DBLOCK_E_UNSURE) {
		/* The row that may be there, or come, must not stay. */
		leave(w, false);
		return again_after_loss(w);
	}
	forget(w);
	if (rc != DBLOCK_E_LOCKED)
		return rc;
	return wait_a_little(w, LOCKED_US);
}

static int enqueue(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t by = dbl_attempt_deadline(a), nonce;
	char bell[DBL_BELL_TEXT_MAX];
	int rc = make_ready(w, by, &nonce, err);

	if (rc)
		return rc;
	/* No random numbers to be had: later, perhaps. */
	if (nonce == 0)
		return wait_a_little(w, POLL_LAST_US);
	dbl_bells_address(a->locks, bell);
	dbl_bells_add(a->locks, &w->waiter, nonce);
	w->asked = now(w);
	rc = dbl_enqueue(a->locks, a->wish, a->life->id, nonce, bell, by, &w->ticket, err);
	if (rc)
		return not_enqueued(w, rc);
	if (w->ticket == 0) {
		dbl_term_end(&a->life->term);
		forget(w);
		return DBL_WAITING;
	}
	w->unsure_until = 0;
	dbl_sm_move(&w->phase, ANNOUNCE);
	return DBL_WAITING;
}

static int announce(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_announce(a->locks, a->wish->name, dbl_attempt_deadline(a), err);

	if (rc == DBLOCK_E_LOCKED)
		return wait_a_little(w, LOCKED_US);
	if (rc)
		return rc;
	dbl_sm_move(&w->phase, WATCH);
	return DBL_WAITING;
}

/* Our session, or our place in line, is gone: passed over while we looked dead. */
static bool is_out(const struct dbl_wait *w)
{
	const struct dbl_sight *sight = &w->attempt.sight;

	return !sight->own_alive || sight->ticket == 0 || sight->ticket <= sight->served;
}

static int enqueue_anew(struct dbl_wait *w)
{
	leave(w, true);
	dbl_sm_move(&w->phase, ENQUEUE);
	return DBL_WAITING;
}

/* It is over with the last grant, and it may be our turn. */
static int hand_over(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t sent = now(w);
	struct dbl_winner winner;
	int rc = dbl_hand_over(a->locks, a->wish->name, a->sight.token, DBL_NOBODYS,
			       dbl_attempt_deadline(a), &winner, err);

	if (rc)
		return rc;
	if (winner.done && winner.nonce == w->waiter.nonce)
		return granted(w, winner.token, sent, a->wish->lease, err);
	/* Else somebody was faster, or the line has changed: look soon. */
	if (!winner.done || winner.nonce == 0)
		return wait_a_little(w, POLL_FIRST_US);
	return DBL_WAITING;
}

/* Nobody has it, and nobody waits, says its row: as one who has just come. That may begin another
 * life than the one that our place in line belongs to: then that is of no use any more. */
static int take(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_life *life = w->attempt.life;
	int rc;

	dbl_life_share(life);
	rc = dbl_attempt_go(&w->attempt, err);
	if (rc == 0)
		leave(w, true);
	if (rc == DBLOCK_LOST)
		rc = DBL_WAITING;
	if (rc == DBL_WAITING && w->attempt.life != life)
		rc = enqueue_anew(w);
	dbl_life_drop(life);
	return rc;
}

static int act(struct dbl_wait *w, enum dbl_verdict verdict, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = 0;

	if (verdict == DBL_WAIT)
		return DBL_WAITING;
	if (verdict == DBL_BURY || verdict == DBL_END_LEASE)
		rc = dbl_declare(a->locks->link, a->wish->name, &a->sight, verdict,
				 dbl_attempt_deadline(a), err);
	if (rc == 0)
		rc = a->sight.queued ? hand_over(w, err) : take(w, err);
	if (rc == DBLOCK_E_LOCKED) {
		dbl_sight_tell(&a->sight, a->wish->name, err, DBLOCK_BUSY);
		return wait_a_little(w, LOCKED_US);
	}
	return rc;
}

/* When to look again: once in a while, and when the holder's time may be over. */
static void plan_next(struct dbl_wait *w)
{
	const struct dbl_attempt *a = &w->attempt;
	const struct dbl_sight *sight = &a->sight;
	int64_t at = now(w), next;

	next = at + dbl_jitter(a->locks->env, w->rings ? LOOK_US : w->poll);
	if (sight->held_until && sight->lease_left > 0)
		next = least(next, at + sight->lease_left);
	if (sight->held_by_session && a->watch.any && a->watch.since + sight->ttl > at)
		next = least(next, a->watch.since + sight->ttl);
	w->poll = least(w->poll + w->poll / 2, POLL_LAST_US);
	w->next = next;
}

static int watch(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	struct dbl_sight *sight = &a->sight;
	int rc;

	if (dbl_term_left(&a->life->term, now(w)) == 0)
		return enqueue_anew(w);
	rc = dbl_look(a->locks->link, a->wish->name, a->life->id, w->waiter.nonce,
		      dbl_attempt_deadline(a), sight, err);
	if (rc)
		return rc;
	/* Also where it is granted: what lives by a dead session is anybody's. */
	if (!sight->own_alive)
		dbl_term_end(&a->life->term);
	if (dbl_holds(sight, w->waiter.nonce))
		return granted_as_seen(w, err);
	w->looked = true;
	w->asked = sight->clock.before;
	if (is_out(w))
		return enqueue_anew(w);
	dbl_watch_note(&a->watch, sight);
	w->rings = dbl_bells_can_ring(a->locks, sight->host);
	plan_next(w);
	return act(w, dbl_judge_watched(sight, &a->watch, now(w)), err);
}

/* A step of its own, where there is nothing else to do. */
static int tell_progress(struct dbl_wait *w)
{
	dbl_progress_tell(&w->progress, w->attempt.locks, w->attempt.wish, w->ticket,
			  dbl_attempt_deadline(&w->attempt));
	return DBL_WAITING;
}

static int step(struct dbl_wait *w, struct dblock_error *err)
{
	int64_t token = rung(w);

	if (token)
		return may_count_from(w)
			       ? granted(w, token, w->asked, w->attempt.wish->lease, err)
			       : watch(w, err);
	if (now(w) < w->next)
		return tell_progress(w);
	w->next = now(w);
	switch (dbl_sm_now(&w->phase)) {
	case ASK:
		return ask(w, err);
	case ENQUEUE:
		return enqueue(w, err);
	case ANNOUNCE:
		return announce(w, err);
	default:
		return watch(w, err);
	}
}

/* ---- the end of a wait -------------------------------------------------------------------------- */

static bool is_canceled(struct dbl_wait *w)
{
	const struct dbl_wish *wish = w->attempt.wish;
	bool canceled;

	dbl_lock(&w->attempt.locks->mutex);
	canceled = w->waiter.canceled;
	dbl_unlock(&w->attempt.locks->mutex);
	return canceled || (wish->canceled && wish->canceled(wish->canceled_arg));
}

static int stop_waiting(struct dbl_wait *w, struct dblock_error *err)
{
	const struct dbl_wish *wish = w->attempt.wish;

	if (is_canceled(w))
		return dbl_fail(err, DBLOCK_CANCELED, "'%s': the wait was canceled", wish->name);
	if (now(w) < wish->wait_until || !w->looked)
		return DBL_WAITING;
	/* For the message: who has it. */
	if (w->attempt.sight.clock.after == 0)
		(void)dbl_look(w->attempt.locks->link, wish->name, "", 0,
			       dbl_attempt_deadline(&w->attempt), &w->attempt.sight, NULL);
	dbl_sight_tell(&w->attempt.sight, wish->name, err, DBLOCK_TIMEOUT);
	return DBLOCK_TIMEOUT;
}

/* A thread with the same explicit owner may have got it meanwhile: that costs no statement. */
static struct dblock_lock *reenter(struct dbl_wait *w)
{
	const struct dbl_attempt *a = &w->attempt;
	struct dblock_lock *lock = NULL;

	if (a->lock->owner.by_name)
		lock = dbl_handle_reenter(a->locks, a->wish->name, a->lock->owner);
	if (lock)
		leave_later(w);
	return lock;
}

int dbl_wait_step(struct dbl_wait *w, struct dblock_lock **out, struct dblock_error *err)
{
	int rc;

	*out = reenter(w);
	if (*out)
		return 0;
	rc = step(w, err);
	if (rc == DBL_WAITING)
		rc = stop_waiting(w, err);
	if (rc == 0)
		*out = dbl_attempt_publish(&w->attempt);
	if (rc != DBL_WAITING)
		leave(w, true);
	return rc;
}

void dbl_wait_sleep(struct dbl_wait *w)
{
	struct dbl_locks *locks = w->attempt.locks;
	const struct dbl_wish *wish = w->attempt.wish;
	int64_t until = least(w->next, wish->wait_until);

	if (w->ticket)
		until = least(until, w->progress.next);
	if (wish->canceled)
		until = least(until, now(w) + ASK_CALLER_US);
	if (locks->env->idle)
		locks->env->idle(locks->env->ctx, until);
	dbl_lock(&locks->mutex);
	while (!w->waiter.granted && !w->waiter.canceled && dbl_now(locks->env) < until)
		dbl_cond_wait(&w->waiter.woken, &locks->mutex, locks->env, until);
	dbl_unlock(&locks->mutex);
}
