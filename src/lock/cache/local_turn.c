/* SPDX-License-Identifier: MIT */
/* How a grant goes from thread to thread, and what its row says meanwhile. */
#include "lock/cache/local_own.h"
#include "lock/cache/own.h"
#include "lock/cache/sticky.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"

void dbl_local_unname(struct dblock_lock *lock, bool unnamed)
{
	atomic_uint *in_turns = &lock->locks->cache->local->in_turns;

	DBL_ASSERT_HELD(&lock->cached.entry->shard->mutex);
	DBL_ASSERT(!lock->cached.unnamed || atomic_load(in_turns) > 0);
	if (unnamed && !lock->cached.unnamed)
		atomic_fetch_add(in_turns, 1);
	else if (!unnamed && lock->cached.unnamed)
		atomic_fetch_sub(in_turns, 1);
	lock->cached.unnamed = unnamed;
}

/* ---- from one to the next -------------------------------------------------------------------- */

int64_t dbl_local_losses(const struct dbl_locks *locks)
{
	return dbl_link_losses(locks->link) + (locks->steady ? dbl_link_losses(locks->steady) : 0);
}

/* False: a connection was lost since, and a server that crashed may have forgotten the row. */
static bool is_unbroken(const struct dblock_lock *lock)
{
	return !lock->cached.unnamed || lock->cached.losses == dbl_local_losses(lock->locks);
}

/* Under the mutex: nothing that is known here keeps the grant from staying with this client. */
static bool may_stay(const struct dbl_entry *entry, struct dblock_lock *lock)
{
	return entry->holder == lock && !entry->asking && !entry->wanted &&
	       lock->grant.mode == DBLOCK_EXCLUSIVE && !dbl_has_queue_row(lock) &&
	       !lock->cached.alone && is_unbroken(lock) &&
	       dbl_grant_left(lock) > lock->locks->ttl / 4;
}

/* Under the mutex: may the grant be kept idle, by what the database has said lately? */
static bool has_tokens(const struct dbl_entry *entry, const struct dblock_lock *lock)
{
	return lock->cached.unnamed && lock->cached.shown_idle &&
	       lock->grant.token < lock->grant.row_token &&
	       dbl_now(lock->locks->env) < entry->idle_fresh;
}

/* Under the mutex: may the grant be passed on, by what the database has said lately? */
static bool has_turns(const struct dbl_entry *entry, const struct dblock_lock *lock)
{
	return entry->turns > 0 && dbl_now(lock->locks->env) < entry->fresh &&
	       lock->grant.token < lock->grant.row_token;
}

/* Under both mutexes: give the next handle the whole grant, with the next token. */
static void give(struct dblock_lock *lock, struct dblock_lock *next)
{
	struct dbl_cleanup *spare = next->grant.cleanup; /* of an earlier use of the handle */

	next->grant = lock->grant;
	next->grant.row_token = dbl_row_token(lock);
	next->grant.token = lock->grant.token + 1;
	dbl_epoch_share(lock->grant.epoch);
	lock->grant.cleanup = spare;
	next->cached.shown_idle = lock->cached.shown_idle;
	next->cached.losses = lock->cached.losses;
	next->cached.unnamed = atomic_exchange(&lock->cached.unnamed, false);
	dbl_grant_begin(next);
	(void)dbl_grant_hold(next, NULL); /* this cannot fail: the state is ASKED */
}

/* Put the next handle in the place of this one, in one step, so that a loss is always told to one
 * of them. False: the handle was acquired more than once, or its callback is running, or its holder
 * was asked to let go; or the grant was lost in this moment; or the client is being closed. */
static bool succeed(struct dblock_lock *lock, struct dblock_lock *next)
{
	struct dbl_locks *locks = lock->locks;
	bool may;

	DBL_ASSERT(!next->before && next->count == 1, "%lld", (long long)next->count);
	dbl_lock(&locks->mutex);
	may = lock->count == 1 && locks->telling != lock && !lock->requested_for &&
	      !locks->closing && dbl_grant_left(lock) > 0;
	if (may) {
		int64_t now = dbl_now(locks->env);

		give(lock, next);
		dbl_handle_replace(lock, next);
		dbl_hold_over(lock, now);
		dbl_hold_begin(next, now);
		DBL_COUNT(locks->tally, passed_in_memory);
	}
	dbl_unlock(&locks->mutex);
	return may;
}

/* Under the mutex. */
static bool pass(struct dbl_entry *entry, struct dblock_lock *lock)
{
	struct dblock_lock *next = entry->first->lock;

	DBL_ASSERT_HELD(&entry->shard->mutex);
	if (!has_turns(entry, lock) || !succeed(lock, next))
		return false;
	/* The token is above the last turn's, and the row has promised it. */
	DBL_ASSERT(
		next->grant.token > lock->grant.token && next->grant.token <= next->grant.row_token,
		"%lld, up to %lld", (long long)next->grant.token, (long long)next->grant.row_token);
	entry->turns--;
	entry->holder = next;
	next->cached.entry = entry;
	lock->cached.entry = NULL;
	dbl_local_waiter_go(entry, DBL_LOCAL_HAS);
	return true;
}

/* Under the mutex: pass the grant on to the next thread, or keep it for one that comes. */
static enum dbl_stay stay(struct dbl_entry *entry, struct dblock_lock *lock)
{
	if (!may_stay(entry, lock))
		return DBL_STAYS_NOT;
	if (entry->first)
		return pass(entry, lock) ? DBL_PASSED_ON : DBL_STAYS_NOT;
	return lock->cached.idle_for && has_tokens(entry, lock) && dbl_sticky_keep(lock)
		       ? DBL_STAYS_IDLE
		       : DBL_STAYS_NOT;
}

/* ---- asking for turns ------------------------------------------------------------------------ */

/* Under the mutex: is it worth asking the database? Not where the queue was not empty the last
 * time and the grant came from there: others are likely to wait still, and the hand-over tells. */
static bool may_ask(const struct dbl_entry *entry, struct dblock_lock *lock)
{
	bool wants = entry->first ? !has_turns(entry, lock)
				  : lock->cached.idle_for && !has_tokens(entry, lock);

	return wants && may_stay(entry, lock) && !(entry->crowded && lock->grant.handed);
}

static int write_turn(struct dbl_locks *locks, struct dbl_args args, int64_t deadline, bool *done,
		      struct dblock_error *err)
{
	struct dbl_request request = {.op = DBL_OP_turn, .args = args, .deadline = deadline};
	/* On a server the row has to be durable: its tokens may be ahead of the clock by more than
	 * a crash takes. A file is lost only with its whole machine, which takes longer. */
	int rc = locks->target->dialect->is_file ? dbl_retry_while_locked(locks, &request, err)
						 : dbl_run_durable(locks, &request, err);

	*done = rc == 0 && request.changed > 0;
	/* If nothing changed, an earlier copy of the request may have changed the row. */
	return rc == 0 && !*done && request.resent ? DBLOCK_E_UNSURE : rc;
}

/* The token up to which turns are reserved: the row's, if that is far enough, or a larger one. */
static int64_t now_or_later(struct dblock_lock *lock)
{
	int64_t now = dbl_row_token(lock);
	int64_t n =
		lock->cached.idle_for ? dbl_sticky_tokens(lock) : lock->locks->cache->local_turns;
	int64_t then = lock->grant.token + n;

	return then > now ? then : now;
}

/* Reserve more turns, if the queue is empty. False: others wait, or it failed. */
static bool reserve(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int64_t now = dbl_row_token(lock), then = now_or_later(lock);
	int64_t thread = lock->cached.idle_for ? DBL_THREAD_OF_IDLE : 0;
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->grant.nonce),
				   dbl_int(now),         dbl_int(then),
				   dbl_int(thread),      dbl_int(1)};
	bool done;
	int rc;

	DBL_ASSERT(then > lock->grant.token && then >= now, "%lld, %lld", (long long)now,
		   (long long)then);
	dbl_notifier_listen(locks);
	lock->cached.losses = dbl_local_losses(locks);
	rc = write_turn(locks, DBL_ARGS(args), dbl_locks_deadline(locks), &done, NULL);
	lock->cached.shown_idle = done && lock->cached.idle_for;
	if (done)
		lock->grant.row_token = then;
	else if (rc == 0)
		lock->grant.handed = true;
	else if (rc != DBLOCK_E_BLOCKED)
		lock->cached.unsure = true;
	return done;
}

static enum dbl_stay reserve_and_stay(struct dbl_entry *entry, struct dblock_lock *lock)
{
	int64_t asked_at = dbl_now(lock->locks->env);
	bool done = reserve(lock);
	enum dbl_stay how;

	dbl_lock(&entry->shard->mutex);
	entry->crowded = !done;
	if (done && entry->holder == lock) {
		entry->turns = lock->locks->cache->local_turns;
		entry->fresh = asked_at + DBL_LOCAL_FRESH_US;
		entry->idle_fresh = asked_at + DBL_IDLE_FRESH_US;
		dbl_local_unname(lock, true);
		/* A datagram about these turns may have been faster than the reply. */
		entry->wanted |= lock->locks->cache->local->wanted_early == dbl_row_token(lock);
	}
	how = done ? stay(entry, lock) : DBL_STAYS_NOT;
	dbl_unlock(&entry->shard->mutex);
	return how;
}

enum dbl_stay dbl_local_stay(struct dblock_lock *lock)
{
	struct dbl_entry *entry = lock->cached.entry;
	enum dbl_stay how;
	bool asks;

	if (!entry)
		return DBL_STAYS_NOT;
	dbl_lock(&entry->shard->mutex);
	how = stay(entry, lock);
	asks = how == DBL_STAYS_NOT && may_ask(entry, lock);
	/* Others have joined the queue since it was last seen: the release has to hand over. */
	lock->grant.handed |= how == DBL_STAYS_NOT && entry->wanted;
	dbl_unlock(&entry->shard->mutex);
	return asks ? reserve_and_stay(entry, lock) : how;
}

void dbl_local_released(struct dblock_lock *lock)
{
	struct dbl_entry *entry = lock->cached.entry;

	if (!entry)
		return;
	dbl_lock(&entry->shard->mutex);
	dbl_local_unname(lock, false);
	if (entry->holder == lock)
		entry->holder = NULL;
	lock->cached.entry = NULL;
	dbl_entry_stir(entry);
	dbl_entry_leave(entry);
}

void dbl_local_use_row_token(struct dblock_lock *lock)
{
	struct dbl_entry *entry = lock->cached.entry;

	if (!entry)
		return;
	dbl_lock(&entry->shard->mutex);
	entry->turns = 0;
	lock->grant.token = dbl_row_token(lock);
	lock->cached.alone = true;
	dbl_unlock(&entry->shard->mutex);
}
