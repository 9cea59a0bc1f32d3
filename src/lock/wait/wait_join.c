/* SPDX-License-Identifier: MIT */
/* A waiting acquire joins the queue: it adds its row, and announces it. Or its row holds the lock at once. */
#include "lock/cache/local.h"
#include "lock/queue/queue.h"
#include "lock/wait/wait_own.h"

/* Makes what an enqueue needs before it is sent. */
static int make_ready(struct dbl_wait *w, int64_t by, int64_t *nonce, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;

	*nonce = dbl_random_id(a->locks->env);
	if (!w->cleanup)
		w->cleanup = dbl_cleanup_new(a->spec->name);
	if (!w->cleanup)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return dbl_attempt_live(a, by, err);
}

/* An enqueue's reply was lost. The row that may be there, or come, is deleted; then it joins anew,
 * soon at first, but a try not for ever if each reply is lost. */
static int again_after_loss(struct dbl_wait *w)
{
	int64_t pause = w->poll;

	dbl_notifier_may_come_late(w->attempt.locks);
	if (w->unsure_until == 0)
		w->unsure_until = dbl_wait_now(w) + w->attempt.locks->timeout;
	if (dbl_wait_now(w) >= w->unsure_until && dbl_wait_now(w) >= w->attempt.spec->wait_until)
		return DBLOCK_E_UNSURE;
	w->poll = pause * 2 < DBL_WAIT_POLL_LAST_US ? pause * 2 : DBL_WAIT_POLL_LAST_US;
	(void)dbl_wait_enqueue_anew(w);
	(void)dbl_wait_a_little(w, pause);
	w->looked = false; /* a try has not been told yet that somebody is in its way */
	return DBLOCK_WAITING;
}

static int not_enqueued(struct dbl_wait *w, int rc)
{
	/* The reply was lost, but it has been granted the lock since. */
	if (rc == DBLOCK_E_UNSURE && dbl_wait_notified(w))
		return DBLOCK_WAITING;
	if (rc == DBLOCK_E_UNSURE)
		return again_after_loss(w);
	dbl_wait_forget(w);
	return rc == DBLOCK_E_BLOCKED ? dbl_wait_locked_out(w) : rc;
}

/* Neither the lock's row nor its own ticket stood in the way before, and it is to hold the lock alone. */
static bool is_plain(const struct dbl_wait *w)
{
	return !w->apart && !w->passed && !dbl_wait_is_by_row(w);
}

static bool joins_at_once(const struct dbl_wait *w)
{
	return w->attempt.locks->target->dialect->joins && is_plain(w);
}

/* The first look of who has joined behind two others, and does not know how the lock stands. Mostly it
 * is granted the lock before. If not both are there any more, nobody may know of it until then. */
#define FIRST_LOOK_US 20000

/* Will it stand behind two others, as far as this client knows? */
static bool expects_two(const struct dbl_wait *w)
{
	const struct dbl_locks *locks = w->attempt.locks;
	uint64_t hash = dbl_spec_hash(w->attempt.spec);

	return dbl_expects_crowd(&locks->expected, hash) &&
	       (!locks->target->dialect->joins_blindly ||
		dbl_handed_just_now(&locks->expected, hash, dbl_wait_now(w)));
}

static bool joins_behind(const struct dbl_wait *w)
{
	const struct dbl_attempt *a = &w->attempt;

	return a->locks->target->dialect->passes_on && is_plain(w) && !w->mute && !a->spec->tries &&
	       a->spec->wait_until - dbl_wait_now(w) > 2 * FIRST_LOOK_US && expects_two(w);
}

/* If it cannot, it joins as anybody does. */
static int join_behind(struct dbl_wait *w, int64_t by, int64_t nonce, const char *address,
		       struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_join_behind(a->locks, a->spec, a->epoch, nonce, address, by, &w->ticket, err);

	if (rc == DBLOCK_E_BLOCKED || (rc == 0 && w->ticket == 0)) {
		dbl_expect_crowd(&a->locks->expected, dbl_spec_hash(a->spec), false);
		dbl_wait_forget(w);
		return DBLOCK_WAITING;
	}
	if (rc)
		return not_enqueued(w, rc);
	w->unsure_until = 0;
	w->vigil.pause = 0;
	a->snapshot.by_rows = true; /* perhaps: if it leaves before it looks, others may get on */
	(void)dbl_wait_go_on(w, DBL_WAIT_WATCH);
	return dbl_wait_a_little(w, FIRST_LOOK_US);
}

/* Joins and announces in one statement; if that cannot be done, in two, from the beginning. */
static int join(struct dbl_wait *w, int64_t by, int64_t nonce, const char *address,
		struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_join(a->locks, a->spec, a->epoch, nonce, address, by, &a->snapshot, err);

	w->apart = rc == DBLOCK_E_BLOCKED || (rc == 0 && !a->snapshot.found);
	if (w->apart) {
		dbl_wait_forget(w);
		return DBLOCK_WAITING;
	}
	if (rc)
		return not_enqueued(w, rc);
	w->ticket = a->snapshot.ticket;
	w->unsure_until = 0;
	if (a->snapshot.behind_two)
		dbl_expect_crowd(&a->locks->expected, dbl_spec_hash(a->spec), true);
	(void)dbl_wait_go_on(w, DBL_WAIT_WATCH);
	return dbl_wait_seen(w, err);
}

static int enqueue(struct dbl_wait *w, int64_t by, int64_t nonce, const char *address,
		   struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;

	if (w->passed)
		return dbl_enqueue_above(a->locks, a->spec, a->epoch, nonce, address, w->passed, by,
					 &w->ticket, err);
	return dbl_enqueue(a->locks, a->spec, a->epoch, nonce, address, by, &w->ticket, err);
}

/* The waiter, if its thread will sleep in dbl_wait_sleep(); or NULL. */
static struct dbl_waiter *sleeper(struct dbl_wait *w)
{
	return w->by_steps || dbl_wait_is_part(w) ? NULL : &w->waiter;
}

int dbl_wait_enqueue(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t by = dbl_attempt_deadline(a), nonce;
	char address[DBL_WAKE_ADDRESS_MAX];
	int rc = make_ready(w, by, &nonce, err);

	if (rc)
		return rc;
	/* There are no random numbers now; there may be some later. */
	if (nonce == 0)
		return dbl_wait_a_little(w, DBL_WAIT_POLL_LAST_US);
	/* Others see whom they wait for; if this fails, a look for a deadlock tries again. */
	if (a->spec->blocks)
		(void)dbl_local_name(a->locks, by, NULL);
	/* If it will not have to wait, as it seems, no socket is opened for that. */
	dbl_notifier_address(a->locks, !w->admitted, sleeper(w), address);
	w->mute = address[0] == '\0';
	DBL_ASSERT(!w->ticket && !dbl_leave_goes_on(&w->leave)); /* it has left the queue before */
	dbl_notifier_add(a->locks, &w->waiter, nonce);
	w->asked_at = dbl_wait_now(w);
	w->changes = w->changes_joined = dbl_link_changes(a->locks->link);
	w->entered = w->by_row = false;
	if (joins_behind(w))
		return join_behind(w, by, nonce, address, err);
	if (joins_at_once(w))
		return join(w, by, nonce, address, err);
	rc = enqueue(w, by, nonce, address, err);
	if (rc)
		return not_enqueued(w, rc);
	if (w->ticket == 0) {
		dbl_wait_forget(w);
		dbl_attempt_doubt(a);
		return dbl_wait_a_little(w, DBL_WAIT_POLL_FIRST_US);
	}
	w->unsure_until = 0;
	DBL_ASSERT(w->ticket > 0, "%lld", (long long)w->ticket);
	return dbl_wait_go_on(w, w->admitted ? DBL_WAIT_ADVANCE : DBL_WAIT_ANNOUNCE);
}

/* The usual case of all that follows: nobody is in the way, and it has the lock in one statement. */
int dbl_wait_enter(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t by = dbl_attempt_deadline(a), nonce, token;
	int rc = make_ready(w, by, &nonce, err);

	if (rc)
		return rc;
	if (nonce == 0)
		return dbl_wait_a_little(w, DBL_WAIT_POLL_LAST_US);
	DBL_ASSERT(!w->ticket && !dbl_leave_goes_on(&w->leave));
	dbl_notifier_add(a->locks, &w->waiter, nonce);
	w->asked_at = dbl_wait_now(w);
	w->changes = w->changes_joined = dbl_link_changes(a->locks->link);
	rc = dbl_enter_beside(a->locks, a->spec, a->epoch, nonce, by, &token, err);
	if (rc && rc != DBLOCK_E_BLOCKED)
		return not_enqueued(w, rc);
	w->entered = w->by_row = rc == 0 && token > 0;
	dbl_expect_others(&a->locks->expected, dbl_spec_hash(a->spec), !w->entered);
	if (w->entered)
		return dbl_wait_granted(w, token, w->asked_at, a->spec->lease, err);
	dbl_wait_forget(w);
	/* While somebody's transaction has the row, another one would wait as long. */
	w->entries = rc ? DBL_WAIT_ENTRIES : w->entries + 1;
	return dbl_wait_go_on(w, DBL_WAIT_ADMIT);
}

int dbl_wait_announce(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_announce(a->locks, a->spec->name, dbl_change_of_joining(a->spec),
			      dbl_attempt_deadline(a), err);

	if (rc == DBLOCK_E_BLOCKED)
		return dbl_wait_locked_out(w);
	if (rc)
		return rc;
	return dbl_wait_go_on(w, DBL_WAIT_WATCH);
}
