/* SPDX-License-Identifier: MIT */
/* Acquire: one statement where nobody competes; else look who holds it, and wait. */
#include <string.h>

#include "lock/handle.h"
#include "lock/sight.h"
#include "lock/value.h"

/* Polls while waiting: quick at first, for locks that are held briefly. */
#define POLL_FIRST_US 5000
#define POLL_LAST_US  80000 /* with its jitter 100 ms */

/* A try that finds the lock free, dead or ended goes for it again; somebody else may be faster each
 * time, and then it is simply busy. */
#define TRY_ROUNDS 4

/* Between a lost answer that was settled and the next go: small at first, since most losses are a
 * single cut connection. */
#define RESEND_FIRST_US 2000
#define RESEND_LAST_US  250000

/* One acquire on its way. */
struct attempt {
	struct dbl_locks *locks;
	const struct dbl_wish *wish;
	struct dblock_lock *lock; /* the handle-to-be */
	struct dbl_life *life;    /* a share: of the life that the grant would belong to */
	bool waits;
	int64_t until; /* the caller wants to be back by then */
	struct dbl_sight sight;
	struct dbl_watch watch;
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Of what is sent now: a try has one timeout for all that it sends; to a wait that is nearly over,
 * or has just begun and is short, each gives what a request needs. */
static int64_t deadline(const struct attempt *a)
{
	return a->waits ? dbl_locks_deadline_by(a->locks, a->until)
			: least(dbl_locks_deadline(a->locks), a->until);
}

/* Send the statement once. DBLOCK_BUSY: the lock is not free, or its row is locked. */
static int send(struct attempt *a, int64_t by, int64_t *sent, struct dblock_error *err)
{
	const struct dbl_wish *w = a->wish;
	const struct dbl_host *host = dbl_session_host(a->locks->session);
	struct dblock_lock *lock = a->lock;
	struct dbl_value args[] = {
		dbl_text(w->name),
		dbl_int(lock->nonce = dbl_random_id(a->locks->env)),
		dbl_text(a->life->id),
		dbl_text(host->name),
		dbl_int(host->pid),
		dbl_int(dbl_host_thread()),
		dbl_int_if(w->lease > 0, w->lease),
		dbl_int_if(w->at_least > 0, w->at_least),
		dbl_text(w->value),
	};
	struct dbl_request request = {.op = DBL_OP_acquire,
				      .args = args,
				      .row = dbl_take_int,
				      .ctx = &lock->token,
				      .deadline = by};
	int rc;

	lock->token = -1;
	dbl_grant_begin(lock);
	*sent = dbl_now(a->locks->env);
	rc = lock->nonce ? dbl_link_run(a->locks->link, &request, err)
			 : dbl_fail(err, DBLOCK_E_UNAVAILABLE, "no random numbers");
	if (rc == DBLOCK_E_LOCKED)
		return dbl_fail(err, DBLOCK_BUSY, "'%s': its row is locked by an open transaction",
				w->name);
	return rc == 0 && lock->token == -1 ? DBLOCK_BUSY : rc;
}

/* The answer was lost: whatever was granted, or may still be, is given back. 0: certainly nothing
 * is held now. */
static int settle_unsure(struct attempt *a, int64_t by, struct dblock_error *err)
{
	const char *name = a->wish->name;
	struct dbl_value args[] = {dbl_text(name), dbl_int(a->lock->nonce)};
	struct dbl_request request = {.op = DBL_OP_give_back, .args = args, .deadline = by};
	int rc = dbl_link_run(a->locks->link, &request, NULL);

	/* Unless the lost connection's server process is known to be gone, the first copy may
	 * arrive after this one. */
	if (rc || !request.certain)
		dbl_handle_give_back(a->lock, 0);
	if (rc == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_UNSURE,
			"'%s': the answer to the acquire was lost; if it was granted, it is given "
			"back with a later heartbeat",
			name);
}

/* The grant is ours in the database; is it still of use here? */
static int accept(struct attempt *a, int64_t sent, struct dblock_error *err)
{
	struct dblock_lock *lock = a->lock;

	lock->has_lease = a->wish->lease > 0;
	if (lock->has_lease)
		dbl_term_begin(&lock->lease, dbl_term_deadline(sent, a->wish->lease));
	dbl_life_share(a->life);
	dbl_life_drop(lock->life);
	lock->life = a->life;
	dbl_grant_move(lock, DBL_HELD);
	if (dbl_grant_left(lock) > 0)
		return 0;
	dbl_handle_give_back(lock, lock->token);
	return dbl_fail(err, DBLOCK_LOST,
			"'%s' was granted, but the answer took so long that the %s was over",
			lock->name, lock->has_lease ? "lease" : "session");
}

/* A share of the life that is going on. */
static int ensure_life(struct attempt *a, int64_t by, struct dblock_error *err)
{
	if (a->life && dbl_term_left(&a->life->term, dbl_now(a->locks->env)) > 0)
		return 0;
	dbl_life_drop(a->life);
	a->life = NULL;
	return dbl_session_life(a->locks->session, by, &a->life, err);
}

static int make_ready(struct attempt *a, int64_t by, struct dblock_error *err)
{
	if (!dbl_handle_make_ready(a->lock))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return ensure_life(a, by, err);
}

/* False: no time is left to send it again. */
static bool pause_before_resend(struct attempt *a, int64_t by, int64_t *pause)
{
	const struct dbl_env *env = a->locks->env;
	int64_t until = dbl_now(env) + dbl_jitter(env, *pause);

	if (until >= by)
		return false;
	dbl_sleep_until(env, until);
	*pause = least(*pause * 2, RESEND_LAST_US);
	return true;
}

/* One go. 0: granted and of use. All of it has one deadline: a lost answer is settled in what is
 * left of it, or with a heartbeat. */
static int go(struct attempt *a, struct dblock_error *err)
{
	int64_t by = deadline(a), pause = RESEND_FIRST_US, sent;
	int rc;

	while ((rc = make_ready(a, by, err)) == 0) {
		rc = send(a, by, &sent, err);
		if (rc == 0)
			return accept(a, sent, err);
		if (rc != DBLOCK_E_UNSURE)
			return rc;
		rc = settle_unsure(a, by, err);
		if (rc)
			return rc;
		if (!pause_before_resend(a, by, &pause))
			return dbl_fail(err, DBLOCK_E_TIMEOUT,
					"'%s': each answer was lost until no time was left; "
					"nothing was granted",
					a->wish->name);
	}
	return rc;
}

static int look(struct attempt *a, struct dblock_error *err)
{
	int rc = ensure_life(a, deadline(a), err);

	if (rc == 0)
		rc = dbl_look(a->locks->link, a->wish->name, a->life->id, deadline(a), &a->sight,
			      err);
	return rc;
}

/* Do what the verdict says, up to going for the lock. DBLOCK_BUSY: wait, or give up. */
static int act(struct attempt *a, enum dbl_verdict verdict, struct dblock_error *err)
{
	int rc;

	switch (verdict) {
	case DBL_OWN_IS_OVER:
		dbl_term_end(&a->life->term);
		return go(a, err);
	case DBL_TAKE:
		return go(a, err);
	case DBL_BURY:
	case DBL_END_LEASE:
		rc = dbl_declare(a->locks->link, a->wish->name, &a->sight, verdict, deadline(a),
				 err);
		/* Somebody has the row locked, perhaps to beat: it is busy, for now. */
		if (rc == DBLOCK_E_LOCKED) {
			dbl_sight_tell(&a->sight, a->wish->name, err, DBLOCK_BUSY);
			return DBLOCK_BUSY;
		}
		return rc ? rc : go(a, err);
	case DBL_WAIT:
		break;
	}
	return DBLOCK_BUSY;
}

static int begin(struct attempt *a, struct dbl_locks *locks, const struct dbl_wish *wish,
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
static int finish(struct attempt *a, int rc, struct dblock_lock **out)
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

static int try_rounds(struct attempt *a, struct dblock_error *err)
{
	int rc = go(a, err);

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
	struct attempt a = {.until = dbl_locks_deadline(locks)};
	int rc;

	if (reenter(locks, wish, out))
		return 0;
	rc = begin(&a, locks, wish, err);
	return rc ? rc : finish(&a, try_rounds(&a, err), out);
}

/* Until the next poll: sooner if a lease ends before it, and not past the end of the wait. */
static void pause(struct attempt *a, int64_t *poll)
{
	const struct dbl_env *env = a->locks->env;
	int64_t now = dbl_now(env);
	int64_t until = now + dbl_jitter(env, *poll);

	if (a->sight.held_until && a->sight.lease_left > 0)
		until = least(until, now + a->sight.lease_left);
	*poll = least(*poll + *poll / 2, POLL_LAST_US);
	dbl_sleep_until(env, least(until, a->wish->wait_until));
}

static int stop_waiting(struct attempt *a, struct dblock_error *err)
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
static int poll_once(struct attempt *a, struct dblock_error *err)
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

static int wait_rounds(struct attempt *a, struct dblock_lock **out, struct dblock_error *err)
{
	int64_t poll = POLL_FIRST_US;
	int rc = go(a, err);

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
	struct attempt a = {.waits = true, .until = wish->wait_until};
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
