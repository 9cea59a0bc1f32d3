/* SPDX-License-Identifier: MIT */
/* Waiting in memory for a thread of one's own client. */
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

/* How often a caller who may cancel is asked. */
#define ASK_CALLER_US 100000

/* One call on its way. */
struct call {
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec;
	struct dbl_entry *entry;
	struct dbl_attempt attempt;  /* the handle-to-be of who waits in memory */
	struct dblock_lock *revived; /* instead: it was idle */
	struct dbl_local_waiter waiter;
	int64_t began;
	int64_t ask_at; /* then it does not wait in memory any longer */
};

bool dbl_local_applies(const struct dbl_locks *locks, const struct dbl_acquire_spec *spec)
{
	return locks->cache->local_turns > 1 && spec->blocks && spec->mode == DBLOCK_EXCLUSIVE &&
	       spec->at_least == 0 && !spec->value && !spec->barge && !spec->upgrading &&
	       !spec->upgrades && spec->names <= 1 && !spec->tries && !spec->waiting;
}

/* ---- in memory ------------------------------------------------------------------------------- */

/* Under the mutex. A holder that has lost it, and does not know yet, is nobody to wait for; what is
 * idle, and will not do, is on its way out. */
static bool must_ask(const struct dbl_entry *entry)
{
	if (entry->asking || entry->first)
		return false;
	return !entry->holder || entry->holder->cached.idle || dbl_grant_left(entry->holder) == 0;
}

/* Under the mutex. It has been kept since a moment ago, or is to ask, or in the queue where there
 * is a handle to be had. False: that has to be made first. */
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

/* What somebody can pass the lock on to. */
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

/* Out of the queue; false: it has got something in the same moment. To ask: then those who came
 * later are not to be passed the lock before it. */
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

/* For the message: who has it. */
static int out_of_time(const struct call *c, struct dblock_error *err)
{
	struct dbl_snapshot snapshot;

	if (dbl_look(c->locks->link, c->spec->name, "", 0,
		     dbl_locks_deadline_by(c->locks, c->spec->wait_until), &snapshot,
		     NULL) == DBLOCK_E_LOCKED)
		return dbl_blocked_name(c->locks, c->spec->name, DBLOCK_TIMEOUT, err);
	dbl_snapshot_tell(&snapshot, c->spec->name, err, DBLOCK_TIMEOUT);
	return DBLOCK_TIMEOUT;
}

/* DBLOCK_WAITING: in the queue still. */
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

/* DBLOCK_WAITING: it is to ask. */
static int wait_in_queue(struct call *c, struct dblock_error *err)
{
	int rc = DBLOCK_WAITING;

	while (rc == DBLOCK_WAITING && c->waiter.state == DBL_LOCAL_WAITS) {
		int64_t until = dbl_least(c->spec->wait_until, c->ask_at);

		if (c->spec->canceled)
			until = dbl_least(until, dbl_now(c->locks->env) + ASK_CALLER_US);
		sleep_in_queue(c, until);
		if (c->waiter.state == DBL_LOCAL_WAITS)
			rc = stop_waiting(c, err);
	}
	return rc;
}

/* It has been passed on to us; if that came too late it is no reason to stop waiting. */
static int take_over(struct call *c, struct dblock_lock **out)
{
	struct dblock_lock *lock = c->attempt.lock;

	DBL_ASSERT(lock->before && lock->cached.entry == c->entry); /* out, in its turn */
	c->attempt.lock = NULL;
	if (dbl_grant_left(lock) > 0) {
		*out = lock;
		return 0;
	}
	(void)dbl_cache_release(lock, true, NULL);
	dbl_lock(&c->entry->shard->mutex);
	c->entry->asking++;
	dbl_unlock(&c->entry->shard->mutex);
	return DBLOCK_WAITING;
}

/* Under the mutex, which is given up. DBLOCK_WAITING: it is to ask. */
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

/* Whatever its own callbacks may have made of it. */
static bool is_plain(const struct dblock_lock *lock)
{
	return !lock->grant.has_lease && !lock->grant.rests && !dbl_has_queue_row(lock) &&
	       !lock->in_tx && !lock->cached.entry && lock->grant.mode == DBLOCK_EXCLUSIVE &&
	       !lock->n_parts;
}

/* Comes back under the mutex. */
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
