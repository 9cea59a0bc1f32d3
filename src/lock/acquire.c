/* SPDX-License-Identifier: MIT */
/* Acquire: one statement where nobody competes; else look who holds it, and wait. */
#include "lock/attempt.h"
#include "lock/handle.h"

/* Polls while waiting: quick at first, for locks that are held briefly. */
#define POLL_FIRST_US 5000
#define POLL_LAST_US  80000 /* with its jitter 100 ms */

/* A try that finds the lock free, dead or ended goes for it again; somebody else may be faster each
 * time, and then it is simply busy. */
#define TRY_ROUNDS 4

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int look(struct dbl_attempt *a, struct dblock_error *err)
{
	int rc = dbl_attempt_live(a, dbl_attempt_deadline(a), err);

	if (rc == 0)
		rc = dbl_look(a->locks->link, a->wish->name, a->life->id, dbl_attempt_deadline(a),
			      &a->sight, err);
	return rc;
}

/* Do what the verdict says, up to going for the lock. DBLOCK_BUSY: wait, or give up. */
static int act(struct dbl_attempt *a, enum dbl_verdict verdict, struct dblock_error *err)
{
	int rc;

	switch (verdict) {
	case DBL_OWN_IS_OVER:
		dbl_term_end(&a->life->term);
		return dbl_attempt_go(a, err);
	case DBL_TAKE:
		return dbl_attempt_go(a, err);
	case DBL_BURY:
	case DBL_END_LEASE:
		rc = dbl_declare(a->locks->link, a->wish->name, &a->sight, verdict,
				 dbl_attempt_deadline(a), err);
		/* Somebody has the row locked, perhaps to beat: it is busy, for now. */
		if (rc == DBLOCK_E_LOCKED) {
			dbl_sight_tell(&a->sight, a->wish->name, err, DBLOCK_BUSY);
			return DBLOCK_BUSY;
		}
		return rc ? rc : dbl_attempt_go(a, err);
	case DBL_WAIT:
		break;
	}
	return DBLOCK_BUSY;
}

static int begin(struct dbl_attempt *a, struct dbl_locks *locks, const struct dbl_wish *wish,
		 struct dblock_error *err)
{
	struct dbl_owner owner = dbl_owner_of(locks, wish->owner);

	a->locks = locks;
	a->wish = wish;
	a->lock = dbl_handle_new(locks, wish->name, owner);
	if (!a->lock)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	a->lock->lost = wish->lost;
	a->lock->lost_arg = wish->lost_arg;
	return 0;
}

/* Hand the handle out, or throw it away. */
static int finish(struct dbl_attempt *a, int rc, struct dblock_lock **out)
{
	dbl_life_drop(a->life);
	if (rc == 0) {
		dbl_handle_publish(a->lock);
		*out = a->lock;
	} else {
		dbl_handle_free(a->lock);
	}
	return rc;
}

static bool reenter(struct dbl_locks *locks, const struct dbl_wish *wish, struct dblock_lock **out)
{
	*out = dbl_handle_reenter(locks, wish->name, dbl_owner_of(locks, wish->owner));
	return *out != NULL;
}

static int try_rounds(struct dbl_attempt *a, struct dblock_error *err)
{
	int rc = dbl_attempt_go(a, err);

	for (int round = 1; rc == DBLOCK_BUSY && round < TRY_ROUNDS; round++) {
		enum dbl_verdict verdict;

		rc = look(a, err);
		if (rc)
			return rc;
		verdict = dbl_judge_now(
			&a->sight, dbl_session_clock_agrees(a->locks->session, &a->sight.clock));
		dbl_sight_tell(&a->sight, a->wish->name, err, DBLOCK_BUSY);
		if (verdict == DBL_WAIT)
			return DBLOCK_BUSY;
		rc = act(a, verdict, err);
	}
	return rc;
}

int dbl_lock_try(struct dbl_locks *locks, const struct dbl_wish *wish, struct dblock_lock **out,
		 struct dblock_error *err)
{
	struct dbl_attempt a = {.until = dbl_locks_deadline(locks)};
	int rc;

	if (reenter(locks, wish, out))
		return 0;
	rc = begin(&a, locks, wish, err);
	return rc ? rc : finish(&a, try_rounds(&a, err), out);
}

/* Until the next poll: sooner if a lease ends before it, and not past the end of the wait. */
static void pause(struct dbl_attempt *a, int64_t *poll)
{
	const struct dbl_env *env = a->locks->env;
	int64_t now = dbl_now(env);
	int64_t until = now + dbl_jitter(env, *poll);

	if (a->sight.held_until && a->sight.lease_left > 0)
		until = least(until, now + a->sight.lease_left);
	*poll = least(*poll + *poll / 2, POLL_LAST_US);
	dbl_sleep_until(env, least(until, a->wish->wait_until));
}

static int stop_waiting(struct dbl_attempt *a, struct dblock_error *err)
{
	const struct dbl_wish *w = a->wish;

	if (w->canceled && w->canceled(w->canceled_arg))
		return dbl_fail(err, DBLOCK_CANCELED, "'%s': the wait was canceled", w->name);
	if (dbl_now(a->locks->env) >= w->wait_until) {
		dbl_sight_tell(&a->sight, w->name, err, DBLOCK_TIMEOUT);
		return DBLOCK_TIMEOUT;
	}
	return 0;
}

/* One round of waiting: look, and go for the lock if there is reason to. */
static int poll_once(struct dbl_attempt *a, struct dblock_error *err)
{
	int64_t now;
	int rc = look(a, err);

	if (rc)
		return rc;
	now = dbl_now(a->locks->env);
	dbl_watch_note(&a->watch, &a->sight);
	rc = act(a, dbl_judge_watched(&a->sight, &a->watch, now), err);
	/* A grant that came too late for its session is no reason to stop waiting. */
	return rc == DBLOCK_LOST ? DBLOCK_BUSY : rc;
}

static int wait_rounds(struct dbl_attempt *a, struct dblock_lock **out, struct dblock_error *err)
{
	int64_t poll = POLL_FIRST_US;
	int rc = dbl_attempt_go(a, err);

	if (rc == DBLOCK_LOST)
		rc = DBLOCK_BUSY;
	while (rc == DBLOCK_BUSY) {
		rc = poll_once(a, err);
		if (rc != DBLOCK_BUSY)
			break;
		rc = stop_waiting(a, err);
		if (rc)
			break;
		pause(a, &poll);
		/* A thread with the same explicit owner may have got it meanwhile. */
		if (a->lock->owner.by_name && reenter(a->locks, a->wish, out))
			return 0;
		rc = DBLOCK_BUSY;
	}
	return rc;
}

int dbl_lock_wait(struct dbl_locks *locks, const struct dbl_wish *wish, struct dblock_lock **out,
		  struct dblock_error *err)
{
	struct dbl_attempt a = {.waits = true, .until = wish->wait_until};
	int rc;

	if (reenter(locks, wish, out))
		return 0;
	rc = begin(&a, locks, wish, err);
	if (rc)
		return rc;
	rc = wait_rounds(&a, out, err);
	if (rc == 0 && *out) {
		(void)finish(&a, DBLOCK_BUSY, out);
		return 0;
	}
	return finish(&a, rc, out);
}
