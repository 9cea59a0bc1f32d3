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
	const struct dbl_wish *wish;
	struct dbl_segment *segment;
	struct dbl_attempt attempt; /* the handle-to-be of who waits in memory */
	struct dblock_lock *kept;   /* instead: it was idle */
	struct dbl_place place;
	int64_t began;
	int64_t ask_at; /* then it does not wait in memory any longer */
};

bool dbl_local_applies(const struct dbl_locks *locks, const struct dbl_wish *wish)
{
	return locks->cache->local_turns > 1 && wish->blocks && wish->mode == DBLOCK_EXCLUSIVE &&
	       wish->at_least == 0 && !wish->value && !wish->barge && !wish->upgrading &&
	       !wish->upgrades && wish->names <= 1 && !wish->tries && !wish->waiting;
}

/* ---- in memory ----------------------------------------------------------------------------------
 */

/* Under the mutex. A holder that has lost it, and does not know yet, is nobody to wait for; what is
 * idle, and will not do, is on its way out. */
static bool must_ask(const struct dbl_segment *segment)
{
	if (segment->asking || segment->first)
		return false;
	return !segment->holder || segment->holder->cached.idle ||
	       dbl_grant_left(segment->holder) == 0;
}

/* Under the mutex. It has been kept since a moment ago, or is to ask, or in line where there is a
 * handle to be had. False: that has to be made first. */
static bool join(struct call *c)
{
	struct dbl_segment *segment = c->segment;
	bool asks, joined;

	c->kept = segment->holder ? dbl_sticky_revive(segment, c->wish) : NULL;
	asks = !c->kept && must_ask(segment);
	joined = !c->kept && !asks && c->place.lock;
	segment->asking += asks;
	c->place.state = asks ? DBL_PLACE_ASKS : DBL_PLACE_WAITS;
	if (joined)
		dbl_place_add(segment, &c->place);
	return c->kept || asks || joined;
}

/* What somebody can pass the lock on to. */
static int make_place(struct call *c, struct dblock_error *err)
{
	int rc;

	if (dbl_cond_init(&c->place.woken))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_attempt_begin(&c->attempt, c->locks, c->wish, err);
	if (rc) {
		dbl_cond_fini(&c->place.woken);
		return rc;
	}
	c->place.lock = c->attempt.lock;
	c->attempt.lock->cached.idle_for = c->wish->idle;
	return 0;
}

static void end_place(struct call *c)
{
	if (!c->place.lock)
		return;
	dbl_cond_fini(&c->place.woken);
	dbl_attempt_drop(&c->attempt);
}

/* Under the mutex, which is given up. */
static int begin_to_wait(struct call *c, struct dblock_error *err)
{
	struct dbl_mutex *mutex = &c->segment->shard->mutex;
	bool joined = join(c);
	int rc;

	dbl_unlock(mutex);
	if (joined)
		return 0;
	rc = make_place(c, err);
	if (rc)
		return rc;
	dbl_lock(mutex);
	(void)join(c);
	dbl_unlock(mutex);
	return 0;
}

static void sleep_in_line(struct call *c, int64_t until)
{
	const struct dbl_env *env = c->locks->env;
	struct dbl_mutex *mutex = &c->segment->shard->mutex;

	if (env->idle)
		env->idle(env->ctx, until);
	dbl_lock(mutex);
	while (c->place.state == DBL_PLACE_WAITS && !dbl_is_shut_to(c->locks, c->wish) &&
	       dbl_now(env) < until)
		dbl_cond_wait(&c->place.woken, mutex, env, until);
	dbl_unlock(mutex);
}

/* Out of the line; false: it has got something in the same moment. To ask: then those who came
 * later are not to be passed the lock before it. */
static bool step_out(struct call *c, bool to_ask)
{
	bool out;

	dbl_lock(&c->segment->shard->mutex);
	out = c->place.state == DBL_PLACE_WAITS;
	if (out) {
		dbl_place_remove(c->segment, &c->place);
		c->segment->asking += to_ask;
	}
	if (out && to_ask)
		c->place.state = DBL_PLACE_ASKS;
	dbl_unlock(&c->segment->shard->mutex);
	return out;
}

/* For the message: who has it. */
static int out_of_time(const struct call *c, struct dblock_error *err)
{
	struct dbl_sight sight;

	if (dbl_look(c->locks->link, c->wish->name, "", 0,
		     dbl_locks_deadline_by(c->locks, c->wish->wait_until), &sight,
		     NULL) == DBLOCK_E_LOCKED)
		return dbl_blocked_name(c->locks, c->wish->name, DBLOCK_TIMEOUT, err);
	dbl_sight_tell(&sight, c->wish->name, err, DBLOCK_TIMEOUT);
	return DBLOCK_TIMEOUT;
}

/* DBLOCK_WAITING: in line still. */
static int stop_waiting(struct call *c, struct dblock_error *err)
{
	const struct dbl_wish *wish = c->wish;

	if (dbl_is_canceled(c->locks, wish) && step_out(c, false))
		return dbl_tell_canceled(c->locks, wish->name, "the wait", err);
	if (dbl_now(c->locks->env) >= wish->wait_until && step_out(c, false))
		return out_of_time(c, err);
	if (dbl_now(c->locks->env) >= c->ask_at)
		(void)step_out(c, true);
	return DBLOCK_WAITING;
}

/* DBLOCK_WAITING: it is to ask. */
static int wait_in_line(struct call *c, struct dblock_error *err)
{
	int rc = DBLOCK_WAITING;

	while (rc == DBLOCK_WAITING && c->place.state == DBL_PLACE_WAITS) {
		int64_t until = dbl_least(c->wish->wait_until, c->ask_at);

		if (c->wish->canceled)
			until = dbl_least(until, dbl_now(c->locks->env) + ASK_CALLER_US);
		sleep_in_line(c, until);
		if (c->place.state == DBL_PLACE_WAITS)
			rc = stop_waiting(c, err);
	}
	return rc;
}

/* It has been passed on to us; if that came too late it is no reason to stop waiting. */
static int take_over(struct call *c, struct dblock_lock **out)
{
	struct dblock_lock *lock = c->attempt.lock;

	DBL_ASSERT(lock->before && lock->cached.segment == c->segment); /* out, in its turn */
	c->attempt.lock = NULL;
	if (dbl_grant_left(lock) > 0) {
		*out = lock;
		return 0;
	}
	(void)dbl_cache_release(lock, true, NULL);
	dbl_lock(&c->segment->shard->mutex);
	c->segment->asking++;
	dbl_unlock(&c->segment->shard->mutex);
	return DBLOCK_WAITING;
}

/* Under the mutex, which is given up. DBLOCK_WAITING: it is to ask. */
static int in_memory(struct call *c, struct dblock_lock **out, struct dblock_error *err)
{
	int rc = begin_to_wait(c, err);

	*out = c->kept;
	if (rc == 0 && c->place.state == DBL_PLACE_ASKS)
		rc = DBLOCK_WAITING;
	else if (rc == 0 && !c->kept)
		rc = wait_in_line(c, err);
	if (c->place.state == DBL_PLACE_HAS)
		rc = take_over(c, out);
	end_place(c);
	return rc;
}

/* ---- at the database ----------------------------------------------------------------------------
 */

/* Whatever its own callbacks may have made of it. */
static bool is_plain(const struct dblock_lock *lock)
{
	return !lock->grant.has_lease && !lock->grant.rests && !dbl_has_line_row(lock) &&
	       !lock->within && !lock->cached.segment && lock->grant.mode == DBLOCK_EXCLUSIVE &&
	       !lock->n_parts;
}

/* Comes back under the mutex. */
static int ask_database(struct call *c, dbl_acquire_fn *ask, struct dblock_lock **out,
			struct dblock_error *err)
{
	struct dbl_segment *segment = c->segment;
	struct dbl_wish wish = *c->wish;
	int rc;

	wish.since = c->began;
	rc = ask(c->locks, &wish, out, err);
	dbl_lock(&segment->shard->mutex);
	DBL_ASSERT(segment->asking > 0, "%s", segment->name);
	segment->asking--;
	if (rc == 0 && is_plain(*out))
		dbl_segment_hold(segment, *out);
	dbl_segment_stir(segment);
	return rc;
}

int dbl_local_wait(struct dbl_locks *locks, const struct dbl_wish *wish, dbl_acquire_fn *ask,
		   struct dblock_lock **out, struct dblock_error *err)
{
	bool patient = wish->deadlock_after <= 0 || wish->deadlock_after > DBL_LOCAL_WAIT_US;
	struct call c = {.locks = locks, .wish = wish, .began = dbl_now(locks->env)};
	int rc;

	c.ask_at = c.began + (patient ? DBL_LOCAL_WAIT_US : wish->deadlock_after);
	c.segment = dbl_segment_enter(locks->cache->local, wish->name, dbl_wish_hash(wish));
	if (!c.segment)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = in_memory(&c, out, err);
	if (rc == DBLOCK_WAITING)
		rc = ask_database(&c, ask, out, err);
	else
		dbl_lock(&c.segment->shard->mutex);
	dbl_segment_leave(c.segment);
	return rc;
}
