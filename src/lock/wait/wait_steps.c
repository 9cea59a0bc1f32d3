/* SPDX-License-Identifier: MIT */
/* The phases of a waiting acquire. Each takes about one round trip. */
#include "lock/cache/cache.h"
#include "lock/handle/handle.h"
#include "lock/queue/queue.h"
#include "lock/wait/wait_own.h"

/* The pause between two looks if somebody can notify us, as that may get lost; with jitter 1 s. */
#define LOOK_US 800000

int dbl_wait_a_little(struct dbl_wait *w, int64_t us)
{
	w->looked = true;
	w->next = dbl_wait_now(w) + dbl_jitter(w->attempt.locks->env, us);
	return DBLOCK_WAITING;
}

int dbl_wait_locked_out(struct dbl_wait *w)
{
	w->locked_out = true;
	return dbl_wait_a_little(w, DBL_WAIT_LOCKED_US);
}

void dbl_wait_move(struct dbl_wait *w, enum dbl_wait_phase phase)
{
	DBL_ASSERT(w->waiter.nonce || phase != DBL_WAIT_ANNOUNCE, "%d", (int)phase);
	if (dbl_sm_move(&w->phase, phase, &w->why))
		w->stuck = true;
}

int dbl_wait_go_on(struct dbl_wait *w, enum dbl_wait_phase phase)
{
	w->locked_out = false;
	dbl_wait_move(w, phase);
	w->next = dbl_wait_now(w);
	return DBLOCK_WAITING;
}

void dbl_wait_forget(struct dbl_wait *w)
{
	dbl_notifier_remove(w->attempt.locks, &w->waiter);
	w->ticket = 0;
}

int dbl_wait_enqueue_anew(struct dbl_wait *w)
{
	if (dbl_wait_is_part(w)) {
		w->out = true;
		return DBLOCK_WAITING;
	}
	if (!dbl_wait_leave(w))
		return dbl_wait_go_on(w, DBL_WAIT_ENQUEUE);
	w->outcome = DBLOCK_WAITING;
	return dbl_wait_go_on(w, DBL_WAIT_LEAVE);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static int ask(struct dbl_wait *w, struct dblock_error *err)
{
	int rc = dbl_cache_go(&w->attempt, err);

	if (rc != DBLOCK_BUSY && rc != DBLOCK_LOST)
		return rc;
	w->apart = w->attempt.locked;
	return dbl_wait_go_on(w, DBL_WAIT_ENQUEUE);
}

/* Whether our row was passed over, or deleted, while we looked dead. */
static bool is_out(const struct dbl_wait *w)
{
	const struct dbl_snapshot *snapshot = &w->attempt.snapshot;

	return snapshot->ticket <= (w->attempt.spec->upgrades ? 0 : snapshot->served);
}

void dbl_wait_schedule(struct dbl_wait *w, int64_t by)
{
	int64_t us = dbl_jitter(w->attempt.locks->env, w->can_wake_us ? LOOK_US : w->poll);

	DBL_ASSERT(w->poll > 0 && w->poll <= DBL_WAIT_POLL_LAST_US, "%lld", (long long)w->poll);
	w->next = dbl_least(dbl_wait_now(w) + us, by);
	w->poll = dbl_least(w->poll + w->poll / 2, DBL_WAIT_POLL_LAST_US);
}

/* Sets when to look again: at the latest when the holder may be over. */
static void schedule_next(struct dbl_wait *w)
{
	const struct dbl_attempt *a = &w->attempt;
	const struct dbl_snapshot *snapshot = &a->snapshot;
	int64_t now = dbl_wait_now(w), by = DBL_NEVER;

	if (snapshot->held_until && snapshot->lease_left > 0)
		by = now + snapshot->lease_left;
	if (snapshot->held_by_session && a->watch.any && a->watch.since + snapshot->ttl > now)
		by = dbl_least(by, a->watch.since + snapshot->ttl);
	if (a->watch.revoked && snapshot->watch && a->watch.revoked_since + snapshot->watch > now)
		by = dbl_least(by, a->watch.revoked_since + snapshot->watch);
	dbl_wait_schedule(w, by);
}

static int go_for_it(struct dbl_wait *w)
{
	if (w->attempt.snapshot.queued || dbl_wait_is_by_row(w))
		return dbl_wait_go_on(w, DBL_WAIT_HAND_OVER);
	return dbl_wait_go_on(w, DBL_WAIT_TAKE);
}

static int act(struct dbl_wait *w, enum dbl_action action)
{
	w->action = action;
	if (action == DBL_WAIT) {
		w->looked = true;
		return DBLOCK_WAITING;
	}
	if (action == DBL_DECLARE_DEAD || action == DBL_END_LEASE || action == DBL_END_REVOKED)
		return dbl_wait_go_on(w, DBL_WAIT_DECLARE);
	return go_for_it(w);
}

/* Tries again later if somebody has the row locked, perhaps for a heartbeat. */
static int not_now(struct dbl_wait *w, int rc)
{
	if (rc != DBLOCK_E_BLOCKED)
		return rc;
	(void)dbl_wait_go_on(w, DBL_WAIT_WATCH);
	return dbl_wait_locked_out(w);
}

/* Judges the holder: a try by the database's clock, a wait by how long it has watched. */
static enum dbl_action judge(const struct dbl_wait *w)
{
	const struct dbl_attempt *a = &w->attempt;

	if (!a->spec->tries || a->spec->asks_only)
		return dbl_judge_watched(&a->snapshot, &a->watch, dbl_wait_now(w));
	return dbl_judge_now(&a->snapshot,
			     dbl_session_clock_agrees(a->locks->session, &a->snapshot.clock));
}

static int watch(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t changes;
	int rc;

	DBL_ASSERT(a->epoch && w->waiter.nonce, "ticket %lld", (long long)w->ticket);
	if (dbl_validity_left(&a->epoch->validity, dbl_wait_now(w)) == 0)
		return dbl_wait_enqueue_anew(w);
	changes = dbl_link_changes(a->locks->link);
	rc = dbl_look(a->locks->link, a->spec->name, a->epoch, w->waiter.nonce,
		      dbl_attempt_deadline(a), &a->snapshot, err);
	if (rc == 0)
		w->changes = changes;
	return rc ? rc : dbl_wait_seen(w, err);
}

/* Between this look and the next one, is the holder's end to be seen? */
static void keep_vigil(struct dbl_wait *w)
{
	struct dbl_locks *locks = w->attempt.locks;
	const struct dbl_snapshot *snapshot = &w->attempt.snapshot;
	bool helps = dbl_vigil_helps(snapshot, locks->host), first = !snapshot->ahead;
	bool watched = helps && first && dbl_notifier_watch(locks, snapshot->mark);

	dbl_vigil_plan(&w->vigil, helps, first && !watched, dbl_wait_now(w));
	w->vigil_of_rows = false;
}

int dbl_wait_seen(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	const struct dbl_snapshot *snapshot = &a->snapshot;

	/* This comes before a grant is accepted: that of a dead session is not ours. */
	if (!snapshot->own_alive) {
		dbl_attempt_doubt(a);
		(void)dbl_wait_enqueue_anew(w);
		return dbl_wait_a_little(w, DBL_WAIT_POLL_FIRST_US);
	}
	if (snapshot->row_token && dbl_wait_is_part(w)) {
		w->ready = true;
		return DBLOCK_WAITING;
	}
	if (dbl_holds(snapshot, w->waiter.nonce) || snapshot->row_token)
		return dbl_wait_granted_as_seen(w, err);
	w->asked_at = snapshot->clock.before;
	if (is_out(w)) {
		w->passed = snapshot->ticket ? snapshot->served : 0;
		return dbl_wait_enqueue_anew(w);
	}
	if (!dbl_is_held(snapshot) && (snapshot->by_rows || dbl_wait_is_by_row(w)))
		return dbl_wait_go_on(w, DBL_WAIT_READ_QUEUE);
	/* A client that handed the lock over while we joined may not have seen our row. */
	if (!snapshot->queued && dbl_is_held(snapshot))
		return dbl_wait_go_on(w, DBL_WAIT_ANNOUNCE);
	dbl_watch_note(&a->watch, snapshot);
	w->can_wake_us = !w->mute && dbl_notifier_reaches(a->locks, snapshot->host);
	/* That process may keep the grant idle, or pass it between its threads, for long. */
	if (snapshot->held_by_session && snapshot->thread <= 0)
		(void)dbl_notifier_wanted(a->locks, snapshot->host, snapshot->pid, snapshot->token);
	schedule_next(w);
	keep_vigil(w);
	return act(w, judge(w));
}

/* Ends a holder that is over. */
static int declare(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_declare(&a->by, a->spec->name, &a->snapshot, w->action,
			     dbl_attempt_deadline(a), err);

	return rc ? not_now(w, rc) : go_for_it(w);
}

/* The last grant is over: hands the lock to the first in the queue, perhaps to us. */
static int hand_over(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t sent = dbl_wait_now(w);
	struct dbl_winner winner;
	int rc = dbl_hand_over(a->locks, a->spec->name, a->snapshot.token, DBL_NOBODYS,
			       dbl_attempt_deadline(a), &winner, err);

	if (rc)
		return not_now(w, rc);
	if (winner.done && winner.nonce == 0 && winner.others)
		return dbl_wait_go_on(w, DBL_WAIT_READ_QUEUE);
	(void)dbl_wait_go_on(w, DBL_WAIT_WATCH);
	if (winner.done && winner.nonce == w->waiter.nonce)
		return dbl_wait_is_here(w)
			       ? dbl_wait_granted(w, winner.token, sent, a->spec->lease, err)
			       : DBLOCK_WAITING;
	/* Somebody was faster, or the queue has changed: look soon. */
	if (!winner.done || winner.nonce == 0)
		return dbl_wait_a_little(w, DBL_WAIT_POLL_FIRST_US);
	w->looked = true;
	schedule_next(w);
	return DBLOCK_WAITING;
}

static int not_taken(struct dbl_wait *w, const struct dbl_epoch *before)
{
	w->looked = true;
	(void)dbl_wait_go_on(w, DBL_WAIT_WATCH);
	/* Our row in the queue belongs to an earlier epoch, and is of no use any more. */
	if (w->attempt.epoch != before)
		return dbl_wait_enqueue_anew(w);
	schedule_next(w);
	return DBLOCK_WAITING;
}

/* Takes the lock as a newcomer would, since its row says that nobody has it, and nobody waits. That
 * may begin a new epoch. */
static int take(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_epoch *epoch = w->attempt.epoch;
	int rc;

	DBL_ASSERT(!dbl_is_held(&w->attempt.snapshot) || w->action != DBL_WAIT);
	dbl_epoch_share(epoch);
	rc = dbl_cache_go(&w->attempt, err);
	if (rc == DBLOCK_BUSY || rc == DBLOCK_LOST)
		rc = not_taken(w, epoch);
	else if (dbl_link_may_pass(w->attempt.locks->link, rc))
		(void)not_taken(w, epoch);
	dbl_epoch_drop(epoch);
	return rc;
}

/* Looks who has the lock, for the message, since the time to wait is up. */
static int who(struct dbl_wait *w)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_look(a->locks->link, a->spec->name, NULL, 0, dbl_attempt_deadline(a),
			  &a->snapshot, NULL);

	return rc == DBLOCK_E_BLOCKED ? rc : DBLOCK_WAITING;
}

static int go(struct dbl_wait *w, struct dblock_error *err)
{
	switch (dbl_sm_now(&w->phase)) {
	case DBL_WAIT_ASK:
		return ask(w, err);
	case DBL_WAIT_ENTER:
		return dbl_wait_enter(w, err);
	case DBL_WAIT_ADMIT:
		return dbl_wait_admit(w, err);
	case DBL_WAIT_ENQUEUE:
		return dbl_wait_enqueue(w, err);
	case DBL_WAIT_ANNOUNCE:
		return dbl_wait_announce(w, err);
	case DBL_WAIT_READ_QUEUE:
		return dbl_wait_read_queue(w, err);
	case DBL_WAIT_ADVANCE:
		return dbl_wait_advance(w, err);
	case DBL_WAIT_DECLARE_ROW:
		return dbl_wait_declare_row(w, err);
	case DBL_WAIT_DECLARE:
		return declare(w, err);
	case DBL_WAIT_HAND_OVER:
		return hand_over(w, err);
	case DBL_WAIT_TAKE:
		return take(w, err);
	case DBL_WAIT_WHO:
		return who(w);
	default:
		return watch(w, err);
	}
}

/* The wait was notified that it has been granted the lock with this token. The end of a lease is read,
 * not counted: who handed the lock over may have read the clock, and then waited for the row, or for a
 * disk, while we looked, and saw nothing yet. Nor does a word without a token say which row carries the grant;
 * one with a token is of the row that the mode asks for. */
static int take_word(struct dbl_wait *w, int64_t token, struct dblock_error *err)
{
	const struct dbl_acquire_spec *spec = w->attempt.spec;
	struct dbl_locks *locks = w->attempt.locks;

	(void)dbl_wait_go_on(w, DBL_WAIT_WATCH);
	w->by_row = spec->mode != DBLOCK_EXCLUSIVE || spec->upgrades;
	if (token != DBL_NOTIFY_LOOK && spec->lease == 0 && dbl_wait_joined_here(w))
		return dbl_wait_granted(w, token, w->asked_at, 0, err);
	/* The look decides. A crash may have forgotten the grant: then it waits on. */
	dbl_lock(&locks->mutex);
	if (w->waiter.granted == token)
		w->waiter.granted = 0;
	dbl_unlock(&locks->mutex);
	return watch(w, err);
}

int dbl_wait_go(struct dbl_wait *w, struct dblock_error *err)
{
	int64_t token = dbl_wait_notified(w);
	int rc;

	if (!token && dbl_wait_now(w) < w->next) {
		if (!dbl_wait_sees_end(w))
			return dbl_wait_at_leisure(w, err);
		/* No other look: to declare compares the beat that the last one has seen. */
		if (!w->vigil_of_rows)
			(void)act(w, DBL_DECLARE_DEAD);
	}
	w->next = dbl_wait_now(w);
	rc = dbl_wait_unless_it_passes(w, token ? take_word(w, token, err) : go(w, err), err);
	return rc == DBLOCK_WAITING && w->stuck ? DBLOCK_E_BUG : rc;
}
