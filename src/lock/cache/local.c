/* SPDX-License-Identifier: MIT */
/* Waiting in memory for another thread of the same client. */
#include "lock/cache/cache.h"
#include "lock/cache/local_own.h"
#include "lock/cache/own.h"
#include "lock/cache/sticky.h"
#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/retry.h"
#include "lock/grant/attempt.h"
#include "lock/handle/handle.h"
#include "lock/queue/snapshot.h"

/* One call of dbl_local_wait(). */
struct call {
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec;
	struct dbl_entry *entry;
	struct dbl_attempt attempt;  /* its handle is what a grant can be passed on to */
	struct dblock_lock *revived; /* the grant that was idle, and that the call has got */
	struct dbl_local_waiter waiter;
	int64_t began;
	int64_t ask_at; /* when it stops waiting in memory, and asks the database */
};

bool dbl_local_applies(const struct dbl_locks *locks, const struct dbl_acquire_spec *spec)
{
	return locks->cache->local_turns > 1 && spec->blocks && spec->mode == DBLOCK_EXCLUSIVE &&
	       spec->at_least == 0 && !spec->value && !spec->unfair && !spec->upgrading &&
	       !dbl_spec_is_by_row(spec) && !spec->tries && !spec->waiting;
}

/* ---- in memory ------------------------------------------------------------------------------- */

/* Under the mutex. There is no use in waiting for a holder that has lost its grant and does not
 * know yet, nor for an idle grant that does not suit the spec: that one is about to go. */
static bool must_ask(const struct dbl_entry *entry)
{
	if (entry->asking || entry->first)
		return false;
	return !entry->holder || entry->holder->cached.idle || dbl_grant_left(entry->holder) == 0;
}

/* Under the mutex. The call takes an idle grant, or is to ask the database, or joins the queue if
 * it has a handle to wait with. False: that handle has to be made first. */
static bool join(struct call *c)
{
	struct dbl_entry *entry = c->entry;
	bool asks, joined;

	c->revived = entry->holder ? dbl_sticky_revive(entry, c->spec) : NULL;
	asks = !c->revived && must_ask(entry);
	joined = !c->revived && !asks && c->waiter.lock;
	entry->asking += asks;
	c->waiter.state = asks ? DBL_LOCAL_ASKS : DBL_LOCAL_WAITS;
	if (joined)
		dbl_local_waiter_add(entry, &c->waiter);
	return c->revived || asks || joined;
}

/* Make the handle that another thread can pass its grant on to. */
static int make_waiter(struct call *c, struct dblock_error *err)
{
	int rc;

	if (dbl_cond_init(&c->waiter.woken))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_attempt_begin(&c->attempt, c->locks, c->spec, err);
	if (rc) {
		dbl_cond_fini(&c->waiter.woken);
		return rc;
	}
	c->waiter.lock = c->attempt.lock;
	c->attempt.lock->cached.idle_for = c->spec->idle;
	return 0;
}

static void end_waiter(struct call *c)
{
	if (!c->waiter.lock)
		return;
	dbl_cond_fini(&c->waiter.woken);
	dbl_attempt_drop(&c->attempt);
}

/* Under the mutex, which is given up. */
static int begin_to_wait(struct call *c, struct dblock_error *err)
{
	struct dbl_mutex *mutex = &c->entry->shard->mutex;
	bool joined = join(c);
	int rc;

	dbl_unlock(mutex);
	if (joined)
		return 0;
	rc = make_waiter(c, err);
	if (rc)
		return rc;
	dbl_lock(mutex);
	(void)join(c);
	dbl_unlock(mutex);
	return 0;
}

static void sleep_in_queue(struct call *c, int64_t until)
{
	const struct dbl_env *env = c->locks->env;
	struct dbl_mutex *mutex = &c->entry->shard->mutex;

	if (env->idle)
		env->idle(env->ctx, until);
	dbl_lock(mutex);
	while (c->waiter.state == DBL_LOCAL_WAITS && !dbl_is_shut_to(c->locks, c->spec) &&
	       dbl_now(env) < until)
		dbl_cond_wait(&c->waiter.woken, mutex, env, until);
	dbl_unlock(mutex);
}

/* Leave the queue. False: the call was passed the grant, or is to ask, since a moment ago. Where it
 * leaves to ask, `asking` keeps the grant from going to those who came later. */
static bool step_out(struct call *c, bool to_ask)
{
	bool out;

	dbl_lock(&c->entry->shard->mutex);
	out = c->waiter.state == DBL_LOCAL_WAITS;
	if (out) {
		dbl_local_waiter_remove(c->entry, &c->waiter);
		c->entry->asking += to_ask;
	}
	if (out && to_ask)
		c->waiter.state = DBL_LOCAL_ASKS;
	dbl_unlock(&c->entry->shard->mutex);
	return out;
}

/* The time is over; a last look is for the message, which names the holder. */
static int out_of_time(const struct call *c, struct dblock_error *err)
{
	struct dbl_snapshot snapshot;

	if (dbl_look(c->locks->link, c->spec->name, NULL, 0,
		     dbl_locks_deadline_by(c->locks, c->spec->wait_until), &snapshot,
		     NULL) == DBLOCK_E_BLOCKED)
		return dbl_blocked_name(c->locks, c->spec->name, DBLOCK_TIMEOUT, err);
	dbl_snapshot_tell(&snapshot, c->spec->name, err, DBLOCK_TIMEOUT);
	return DBLOCK_TIMEOUT;
}

/* DBLOCK_WAITING: the call goes on waiting, or is to ask the database. */
static int stop_waiting(struct call *c, struct dblock_error *err)
{
	const struct dbl_acquire_spec *spec = c->spec;

	if (dbl_is_canceled(c->locks, spec) && step_out(c, false))
		return dbl_tell_canceled(c->locks, spec->name, "the wait", err);
	if (dbl_now(c->locks->env) >= spec->wait_until && step_out(c, false))
		return out_of_time(c, err);
	if (dbl_now(c->locks->env) >= c->ask_at)
		(void)step_out(c, true);
	return DBLOCK_WAITING;
}

/* DBLOCK_WAITING: the call was passed the grant, or is to ask the database. */
static int wait_in_queue(struct call *c, struct dblock_error *err)
{
	int rc = DBLOCK_WAITING;

	while (rc == DBLOCK_WAITING && c->waiter.state == DBL_LOCAL_WAITS) {
		int64_t until = dbl_least(c->spec->wait_until, c->ask_at);

		if (c->spec->canceled)
			until = dbl_least(until, dbl_now(c->locks->env) + DBL_ASK_CALLER_US);
		sleep_in_queue(c, until);
		if (c->waiter.state == DBL_LOCAL_WAITS)
			rc = stop_waiting(c, err);
	}
	return rc;
}

/* The grant has been passed on to us. If it was lost meanwhile, the call asks the database. */
static int take_over(struct call *c, struct dblock_lock **out)
{
	struct dblock_lock *lock = c->attempt.lock;

	DBL_ASSERT(lock->cached.entry == c->entry); /* it goes round under this name */
	c->attempt.lock = NULL;
	if (dbl_grant_left(lock) > 0) {
		*out = lock;
		return 0;
	}
	dbl_cache_give_back(lock);
	dbl_lock(&c->entry->shard->mutex);
	c->entry->asking++;
	dbl_unlock(&c->entry->shard->mutex);
	return DBLOCK_WAITING;
}

/* Under the mutex, which is given up. DBLOCK_WAITING: the call is to ask the database. */
static int in_memory(struct call *c, struct dblock_lock **out, struct dblock_error *err)
{
	int rc = begin_to_wait(c, err);

	*out = c->revived;
	if (rc == 0 && c->waiter.state == DBL_LOCAL_ASKS)
		rc = DBLOCK_WAITING;
	else if (rc == 0 && !c->revived)
		rc = wait_in_queue(c, err);
	if (c->waiter.state == DBL_LOCAL_HAS)
		rc = take_over(c, out);
	end_waiter(c);
	return rc;
}

/* ---- at the database ------------------------------------------------------------------------- */

/* Can the grant go round? The caller's callbacks may have changed what it was asked for. */
static bool is_plain(const struct dblock_lock *lock)
{
	return !lock->grant.has_lease && !lock->grant.rests && !dbl_has_queue_row(lock) &&
	       !lock->in_tx && !lock->cached.entry && lock->grant.mode == DBLOCK_EXCLUSIVE &&
	       !lock->n_parts;
}

/* Returns with the mutex locked. */
static int ask_database(struct call *c, dbl_acquire_fn *ask, struct dblock_lock **out,
			struct dblock_error *err)
{
	struct dbl_entry *entry = c->entry;
	struct dbl_acquire_spec spec = *c->spec;
	int rc;

	spec.since = c->began;
	rc = ask(c->locks, &spec, out, err);
	dbl_lock(&entry->shard->mutex);
	DBL_ASSERT(entry->asking > 0, "%s", entry->name);
	entry->asking--;
	if (rc == 0 && is_plain(*out))
		dbl_entry_hold(entry, *out);
	dbl_entry_stir(entry);
	return rc;
}

int dbl_local_wait(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		   dbl_acquire_fn *ask, struct dblock_lock **out, struct dblock_error *err)
{
	bool patient = spec->deadlock_after <= 0 || spec->deadlock_after > DBL_LOCAL_WAIT_US;
	struct call c = {.locks = locks, .spec = spec, .began = dbl_now(locks->env)};
	int rc;

	c.ask_at = c.began + (patient ? DBL_LOCAL_WAIT_US : spec->deadlock_after);
	c.entry = dbl_entry_enter(locks->cache->local, spec->name, dbl_spec_hash(spec));
	if (!c.entry)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = in_memory(&c, out, err);
	if (rc == DBLOCK_WAITING)
		rc = ask_database(&c, ask, out, err);
	else
		dbl_lock(&c.entry->shard->mutex);
	dbl_entry_leave(c.entry);
	return rc;
}
