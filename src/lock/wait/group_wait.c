/* SPDX-License-Identifier: MIT */
/* A group waits until all its names are ready. */
#include "lock/core/cancel.h"
#include "lock/core/timed.h"
#include "lock/handle/handle.h"
#include "lock/wait/group.h"
#include "lock/wait/wait_own.h"

static int64_t now(const struct dbl_group *g)
{
	return dbl_now(g->locks->env);
}

/* Looks at each name once. 0: all are ready, or, if any will do, one. DBLOCK_LOST: its row has gone from
 * one of the queues (of any: and it has not been granted another one, by a call whose answer was lost). */
static int look_at_all(struct dbl_group *g, struct dblock_error *err)
{
	bool ready = true, out = false, some;

	dbl_lock(&g->locks->mutex);
	some = g->any && !g->all_of_any && g->waiter.granted;
	g->waiter.granted = 0; /* a notification from now on is for the next look */
	dbl_unlock(&g->locks->mutex);
	some = some && dbl_group_find_free(g, NULL) == 0;
	g->chosen = NULL;
	for (unsigned i = 0; i < g->n; i++) {
		struct dbl_wait *w = &g->waits[i];
		int rc;

		if (some && !w->may_be_free)
			continue;
		rc = dbl_wait_part(w, err);
		if (rc != DBLOCK_WAITING)
			return rc;
		out = out || w->out;
		ready = ready && w->ready;
		g->chosen = w->ready ? w : NULL;
		if (g->any ? w->ready : out)
			break;
	}
	ready = g->any ? g->chosen != NULL : ready;
	if (out && !(g->any && ready))
		return DBLOCK_LOST;
	return ready ? 0 : DBLOCK_WAITING;
}

/* Returns the first of the waits that are not announced, or not ready, for the message. */
static const struct dbl_wait *first_blocked(const struct dbl_group *g)
{
	if (g->announced < g->n)
		return &g->waits[g->announced];
	for (unsigned i = 0; i < g->n; i++) {
		if (!g->waits[i].ready)
			return &g->waits[i];
	}
	return &g->waits[0];
}

static int out_of_time(const struct dbl_group *g, struct dblock_error *err)
{
	const struct dbl_wait *w = first_blocked(g);
	int code = g->spec->tries ? DBLOCK_BUSY : DBLOCK_TIMEOUT;

	if (w->trouble && err)
		*err = w->why;
	else if (!w->trouble)
		dbl_wait_tell(w, err, code);
	if (!w->trouble && g->any)
		dbl_err_suffix(err, "; nor is another one of '%s' to be had", g->lock->name);
	return w->trouble ? w->trouble : code;
}

static int stop_waiting(const struct dbl_group *g, struct dblock_error *err)
{
	const struct dbl_acquire_spec *spec = g->spec;

	if (dbl_is_canceled(g->locks, spec))
		return dbl_tell_canceled(g->locks, g->lock->name, "the wait", err);
	return now(g) < spec->wait_until ? DBLOCK_WAITING : out_of_time(g, err);
}

static void sleep_until(struct dbl_group *g, int64_t until)
{
	struct dbl_locks *locks = g->locks;

	until = dbl_least(until, g->spec->wait_until);
	if (g->spec->canceled)
		until = dbl_least(until, now(g) + DBL_ASK_CALLER_US);
	if (locks->env->idle)
		locks->env->idle(locks->env->ctx, until);
	dbl_lock(&locks->mutex);
	while (!g->waiter.granted && !g->waiter.hinted && !dbl_is_shut_to(locks, g->spec) &&
	       dbl_now(locks->env) < until)
		dbl_cond_wait(&g->waiter.woken, &locks->mutex, locks->env, until);
	dbl_unlock(&locks->mutex);
}

static int64_t next_look(const struct dbl_group *g)
{
	int64_t next = DBL_NEVER;

	if (g->announced < g->n)
		return g->waits[g->announced].next;
	for (unsigned i = 0; i < g->n; i++)
		next = dbl_least(next, g->waits[i].next);
	return next;
}

/* When the mark of a holder of any of the names is to be asked; and: has one of them ended? */
static int64_t next_mark(const struct dbl_group *g)
{
	int64_t next = DBL_NEVER;

	for (unsigned i = 0; i < g->n; i++)
		next = dbl_least(next, dbl_wait_vigil_at(&g->waits[i]));
	return next;
}

static bool sees_end(struct dbl_group *g)
{
	bool sees = false, hinted = dbl_notifier_take_hint(g->locks, &g->waiter);

	for (unsigned i = 0; i < g->n; i++) {
		if (hinted)
			dbl_vigil_hint(&g->waits[i].vigil, now(g));
		sees = dbl_wait_sees_end(&g->waits[i]) || sees;
	}
	return sees;
}

static bool is_notified(struct dbl_group *g)
{
	bool notified;

	dbl_lock(&g->locks->mutex);
	notified = g->waiter.granted != 0;
	dbl_unlock(&g->locks->mutex);
	return notified;
}

/* Returns DBLOCK_WAITING, unless it is in a deadlock. If the look fails, the next look at all
 * queues finds out why. */
static int suspect(struct dbl_group *g, struct dblock_error *err)
{
	int rc = 0;

	if (now(g) >= g->suspicion.next)
		rc = dbl_suspicion_look(&g->suspicion, g->locks, g->specs, g->waiter.nonce,
					dbl_attempt_deadline(&g->waits[0].attempt), err);
	return rc == DBLOCK_DEADLOCK ? rc : DBLOCK_WAITING;
}

/* Waits in all queues for an outcome. DBLOCK_WAITING: it has to join them anew. */
static int wait_in_queue(struct dbl_group *g, struct dblock_error *err)
{
	for (;;) {
		int64_t next;
		int rc = dbl_group_announce(g, err);

		if (rc == 0)
			rc = look_at_all(g, err);
		/* Its row may have gone with the grant of a name that it had looked at a moment before. */
		if (rc == DBLOCK_LOST && g->any)
			rc = look_at_all(g, err);
		if (rc == 0)
			rc = g->any ? dbl_group_take_any(g, err) : dbl_group_take(g, err);
		if (rc == DBLOCK_LOST)
			return DBLOCK_WAITING;
		if (rc != DBLOCK_WAITING && rc != DBLOCK_BUSY)
			return rc;
		g->all_of_any = rc == DBLOCK_BUSY; /* it may have been taken, and the answer lost */
		next = rc == DBLOCK_BUSY ? now(g) + DBL_WAIT_POLL_FIRST_US : next_look(g);
		do {
			rc = stop_waiting(g, err);
			if (rc == DBLOCK_WAITING)
				rc = suspect(g, err);
			if (rc != DBLOCK_WAITING)
				return rc;
			g->slept = true;
			sleep_until(g, dbl_least(dbl_least(next, g->suspicion.next), next_mark(g)));
		} while (now(g) < next && !is_notified(g) && !sees_end(g));
	}
}

int dbl_group_wait(struct dbl_group *g, struct dblock_error *err)
{
	for (;;) {
		int rc = dbl_group_join(g, err);

		if (rc == 0)
			rc = wait_in_queue(g, err);
		if (rc == 0)
			return 0;
		dbl_group_leave(g);
		if (dbl_link_may_pass(g->locks->link, rc) && now(g) < g->spec->wait_until)
			rc = DBLOCK_WAITING;
		if (rc == DBLOCK_WAITING)
			rc = stop_waiting(g, err);
		if (rc != DBLOCK_WAITING)
			return rc;
		(void)dbl_notifier_take_hint(g->locks, &g->waiter); /* it would end the pause */
		sleep_until(g, now(g) + dbl_jitter(g->locks->env, DBL_WAIT_LOCKED_US));
	}
}

int dbl_group_check_not_held(struct dbl_locks *locks, const struct dbl_acquire_spec *common,
			     const struct dbl_acquire_spec *specs, unsigned n,
			     struct dblock_error *err)
{
	struct dbl_owner owner = dbl_owner_of(common);

	for (unsigned i = 0; i < n; i++) {
		if (!specs[i].intends && dbl_handle_has(locks, &specs[i], owner))
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"'%s': this thread, or owner, holds it already: release it, "
				"and acquire what is wanted together",
				specs[i].name);
	}
	return 0;
}

/* The handle is still to be published. */
static int lock_all(struct dbl_locks *locks, const struct dbl_acquire_spec *common,
		    struct dbl_acquire_spec *specs, unsigned n, struct dblock_lock **out,
		    struct dblock_error *err)
{
	struct dbl_group group;
	int rc = dbl_group_check_not_held(locks, common, specs, n, err);

	for (unsigned i = 0; common->tries && i < n; i++)
		specs[i].try_until = dbl_locks_deadline(locks);
	if (rc == 0 && dbl_is_shut_to(locks, common))
		rc = dbl_tell_canceled(locks, specs[0].name, "the wait", err);
	if (rc == 0)
		rc = dbl_group_begin(&group, locks, common, specs, n, err);
	if (rc)
		return rc;
	rc = dbl_group_take_at_once(&group) ? 0 : dbl_group_wait(&group, err);
	DBL_ASSERT(rc != DBLOCK_WAITING && rc != DBLOCK_E_BLOCKED &&
			   (rc != DBLOCK_BUSY || common->tries),
		   "%d", rc);
	if (rc == 0) {
		dbl_notifier_count(locks, &group.waiter, group.slept);
		*out = group.lock;
		group.lock = NULL;
	}
	dbl_group_end(&group);
	return rc;
}

/* For people: all names, where there is a handle. */
static void tell_group(struct dbl_locks *locks, const struct dbl_acquire_spec *common,
		       int64_t began, const struct dblock_lock *lock, int rc)
{
	struct dbl_span span = {.phase = common->tries ? DBLOCK_PHASE_TRY : DBLOCK_PHASE_ACQUIRE,
				.name = lock ? lock->name : common->name,
				.token = lock ? lock->grant.token : 0,
				.outcome = rc,
				.began = began};

	dbl_timed_acquire(locks, &span, false);
}

int dbl_lock_all(struct dbl_locks *locks, const struct dbl_acquire_spec *common,
		 struct dbl_acquire_spec *specs, unsigned n, struct dblock_lock **out,
		 struct dblock_error *err)
{
	DBL_INSIDE(locks);
	int64_t began = dbl_now(locks->env);
	int rc = lock_all(locks, common, specs, n, out, err);

	tell_group(locks, common, began, *out, rc);
	/* After that a callback may release it, and free it. */
	if (rc == 0)
		dbl_handle_publish(*out);
	return rc;
}
