/* SPDX-License-Identifier: MIT */
/* How a grant goes from thread to thread, and what its row says meanwhile. */
#include "lock/cache/local_own.h"
#include "lock/cache/own.h"
#include "lock/cache/sticky.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"

/* Under the shard's mutex. */
void dbl_local_unname(struct dblock_lock *lock, bool unnamed)
{
	atomic_uint *in_turns = &lock->locks->cache->local->in_turns;

	DBL_ASSERT_HELD(&lock->cached.segment->shard->mutex);
	DBL_ASSERT(!lock->cached.unnamed || atomic_load(in_turns) > 0);
	if (unnamed && !lock->cached.unnamed)
		atomic_fetch_add(in_turns, 1);
	else if (!unnamed && lock->cached.unnamed)
		atomic_fetch_sub(in_turns, 1);
	lock->cached.unnamed = unnamed;
}

/* ---- from one to the next -----------------------------------------------------------------------
 */

int64_t dbl_local_losses(const struct dbl_locks *locks)
{
	return dbl_link_losses(locks->link) + (locks->steady ? dbl_link_losses(locks->steady) : 0);
}

/* A server that crashed may have forgotten what it said: nothing is built on that any more. */
static bool is_unbroken(const struct dblock_lock *lock)
{
	return !lock->cached.unnamed || lock->cached.losses == dbl_local_losses(lock->locks);
}

/* Under the mutex: may it stay with us, as far as we know? Not if it is about to be lost. */
static bool may_stay(const struct dbl_segment *segment, struct dblock_lock *lock)
{
	return segment->holder == lock && !segment->asking && !segment->wanted &&
	       lock->grant.mode == DBLOCK_EXCLUSIVE && !dbl_has_line_row(lock) &&
	       !lock->cached.alone && is_unbroken(lock) &&
	       dbl_grant_left(lock) > lock->locks->ttl / 4;
}

/* Under the mutex: be kept, as the database has said lately. */
static bool has_tokens(const struct dbl_segment *segment, const struct dblock_lock *lock)
{
	return lock->cached.unnamed && lock->cached.asked_for &&
	       lock->grant.token < lock->grant.row_token &&
	       dbl_now(lock->locks->env) < segment->kept;
}

/* Under the mutex: go on to the first in line, as the database has said lately. */
static bool has_turns(const struct dbl_segment *segment, const struct dblock_lock *lock)
{
	return segment->turns > 0 && dbl_now(lock->locks->env) < segment->fresh &&
	       lock->grant.token < lock->grant.row_token;
}

/* Under both mutexes: all that it was granted, with the next token. */
static void give(struct dblock_lock *lock, struct dblock_lock *next)
{
	struct dbl_debt *spare = next->grant.debt; /* a handle that was used before has one */

	next->grant = lock->grant;
	next->grant.row_token = dbl_row_token(lock);
	next->grant.token = lock->grant.token + 1;
	dbl_life_share(lock->grant.life);
	lock->grant.debt = spare;
	next->cached.asked_for = lock->cached.asked_for;
	next->cached.losses = lock->cached.losses;
	next->cached.unnamed = atomic_exchange(&lock->cached.unnamed, false);
	dbl_grant_begin(next);
	(void)dbl_grant_hold(next, NULL); /* from ASKED, where it begins */
}

/* The next one is out in its place, so that at no time nobody is told of a loss. False: somebody
 * else has it too, or is being told something, or asks for it; or it was lost in this moment; or
 * the client is being closed. */
static bool succeed(struct dblock_lock *lock, struct dblock_lock *next)
{
	struct dbl_locks *locks = lock->locks;
	bool may;

	DBL_ASSERT(!next->before && next->count == 1, "%lld", (long long)next->count);
	dbl_lock(&locks->mutex);
	may = lock->count == 1 && locks->telling != lock && !lock->requested_for &&
	      !locks->closing && dbl_grant_left(lock) > 0;
	if (may) {
		give(lock, next);
		dbl_handle_replace(lock, next);
	}
	dbl_unlock(&locks->mutex);
	return may;
}

/* Under the mutex. */
static bool pass(struct dbl_segment *segment, struct dblock_lock *lock)
{
	struct dblock_lock *next = segment->first->lock;

	DBL_ASSERT_HELD(&segment->shard->mutex);
	if (!has_turns(segment, lock) || !succeed(lock, next))
		return false;
	/* Above the last turn, and no more than the row has promised. */
	DBL_ASSERT(
		next->grant.token > lock->grant.token && next->grant.token <= next->grant.row_token,
		"%lld, up to %lld", (long long)next->grant.token, (long long)next->grant.row_token);
	segment->turns--;
	segment->holder = next;
	next->cached.segment = segment;
	lock->cached.segment = NULL;
	dbl_place_go(segment, DBL_PLACE_HAS);
	return true;
}

/* Under the mutex: to the next thread, or kept for one that comes. */
static enum dbl_stay stay(struct dbl_segment *segment, struct dblock_lock *lock)
{
	if (!may_stay(segment, lock))
		return DBL_STAYS_NOT;
	if (segment->first)
		return pass(segment, lock) ? DBL_PASSED_ON : DBL_STAYS_NOT;
	return lock->cached.idle_for && has_tokens(segment, lock) && dbl_sticky_keep(lock)
		       ? DBL_KEPT
		       : DBL_STAYS_NOT;
}

/* ---- asking for turns ---------------------------------------------------------------------------
 */

/* Under the mutex, of what does not stay as it is. Where the line was not empty, and it came from
 * there, it is likely not to be so now: then the hand-over tells. */
static bool may_ask(const struct dbl_segment *segment, struct dblock_lock *lock)
{
	bool wants = segment->first ? !has_turns(segment, lock)
				    : lock->cached.idle_for && !has_tokens(segment, lock);

	return wants && may_stay(segment, lock) && !(segment->crowded && lock->grant.handed);
}

static int write_turn(struct dbl_locks *locks, struct dbl_args args, int64_t deadline, bool *done,
		      struct dblock_error *err)
{
	struct dbl_request request = {.op = DBL_OP_turn, .args = args, .deadline = deadline};
	/* Its tokens may be ahead of the clock by more than a server takes to come back from a
	 * crash. A file is lost with its whole machine only, which takes longer. */
	int rc = locks->target->dialect->is_file ? dbl_run_patiently(locks, &request, err)
						 : dbl_run_settled(locks, &request, err);

	*done = rc == 0 && request.changed > 0;
	/* An earlier copy may have done it: then the row is not as it was seen. */
	return rc == 0 && !*done && request.resent ? DBLOCK_E_UNSURE : rc;
}

/* The row's token, if there are enough up to it, or a larger one. */
static int64_t now_or_later(struct dblock_lock *lock)
{
	int64_t now = dbl_row_token(lock);
	int64_t n =
		lock->cached.idle_for ? dbl_sticky_tokens(lock) : lock->locks->cache->local_turns;
	int64_t then = lock->grant.token + n;

	return then > now ? then : now;
}

/* Nobody else waits, says the database: so many turns more. Else it is given back there. */
static bool reserve(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int64_t now = dbl_row_token(lock), then = now_or_later(lock);
	int64_t thread = lock->cached.idle_for ? DBL_KEPT_THREAD : 0;
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->grant.nonce),
				   dbl_int(now),         dbl_int(then),
				   dbl_int(thread),      dbl_int(1)};
	bool done;
	int rc;

	DBL_ASSERT(then > lock->grant.token && then >= now, "%lld, %lld", (long long)now,
		   (long long)then);
	dbl_bells_listen(locks);
	lock->cached.losses = dbl_local_losses(locks);
	rc = write_turn(locks, DBL_ARGS(args), dbl_locks_deadline(locks), &done, NULL);
	lock->cached.asked_for = done && lock->cached.idle_for;
	if (done)
		lock->grant.row_token = then;
	else if (rc == 0)
		lock->grant.handed = true;
	else if (rc != DBLOCK_E_LOCKED)
		lock->cached.unsure = true;
	return done;
}

static enum dbl_stay reserve_and_stay(struct dbl_segment *segment, struct dblock_lock *lock)
{
	int64_t asked = dbl_now(lock->locks->env);
	bool done = reserve(lock);
	enum dbl_stay how;

	dbl_lock(&segment->shard->mutex);
	segment->crowded = !done;
	if (done && segment->holder == lock) {
		segment->turns = lock->locks->cache->local_turns;
		segment->fresh = asked + DBL_LOCAL_FRESH_US;
		segment->kept = asked + DBL_KEPT_FRESH_US;
		dbl_local_unname(lock, true);
		/* Who was faster than the answer. */
		segment->wanted |= lock->locks->cache->local->rung_early == dbl_row_token(lock);
	}
	how = done ? stay(segment, lock) : DBL_STAYS_NOT;
	dbl_unlock(&segment->shard->mutex);
	return how;
}

enum dbl_stay dbl_local_stay(struct dblock_lock *lock)
{
	struct dbl_segment *segment = lock->cached.segment;
	enum dbl_stay how;
	bool asks;

	if (!segment)
		return DBL_STAYS_NOT;
	dbl_lock(&segment->shard->mutex);
	how = stay(segment, lock);
	asks = how == DBL_STAYS_NOT && may_ask(segment, lock);
	/* Who has come since the line was seen is in it. */
	lock->grant.handed |= how == DBL_STAYS_NOT && segment->wanted;
	dbl_unlock(&segment->shard->mutex);
	return asks ? reserve_and_stay(segment, lock) : how;
}

void dbl_local_released(struct dblock_lock *lock)
{
	struct dbl_segment *segment = lock->cached.segment;

	if (!segment)
		return;
	dbl_lock(&segment->shard->mutex);
	dbl_local_unname(lock, false);
	if (segment->holder == lock)
		segment->holder = NULL;
	lock->cached.segment = NULL;
	dbl_segment_stir(segment);
	dbl_segment_leave(segment);
}

void dbl_local_settle(struct dblock_lock *lock)
{
	struct dbl_segment *segment = lock->cached.segment;

	if (!segment)
		return;
	dbl_lock(&segment->shard->mutex);
	segment->turns = 0;
	lock->grant.token = dbl_row_token(lock);
	lock->cached.alone = true;
	dbl_unlock(&segment->shard->mutex);
}
