/* SPDX-License-Identifier: MIT */
#include "lock/cache/sticky.h"

#include "base/event.h"
#include "base/mem.h"
#include "lock/cache/cache.h"
#include "lock/cache/idle.h"
#include "lock/cache/local_own.h"
#include "lock/cache/own.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"

struct dbl_idle_thread {
	struct dbl_thread thread;
	struct dbl_cond news;
	/* Under locks->mutex: */
	struct dbl_idle_list idle;
	int64_t sleeps_until; /* 0: it is awake */
	bool stopping;
};

/* ---- becoming idle, and not: under locks->mutex ---------------------------------------------- */

static void make_idle(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_idle_thread *s = locks->cache->idle_thread;
	int64_t now = dbl_now(locks->env);

	DBL_ASSERT(lock->before && lock->count == 1 && !lock->cached.idle, "%s, %lld", lock->name,
		   (long long)lock->count);
	dbl_hold_over(lock, now);
	lock->since = 0;
	lock->owner = (struct dbl_owner){.id = 0};
	lock->lost = NULL;
	lock->requested = NULL;
	lock->given = false; /* a worker has released it, perhaps: that is done */
	dbl_event_free(lock->lost_fd);
	dbl_event_free(lock->requested_fd);
	lock->lost_fd = lock->requested_fd = -1;
	lock->cached.idle = true;
	lock->cached.idle_until = dbl_add(now, lock->cached.idle_for);
	dbl_idle_put(&s->idle, lock);
	if (lock->cached.idle_until < s->sleeps_until)
		dbl_cond_wake(&s->news);
	atomic_fetch_add(&locks->cache->n_idle, 1);
}

void dbl_sticky_claim(struct dblock_lock *lock)
{
	DBL_ASSERT_HELD(&lock->locks->mutex);
	if (!lock->cached.idle)
		return;
	DBL_ASSERT(atomic_load(&lock->locks->cache->n_idle) > 0);
	dbl_idle_take_out(&lock->locks->cache->idle_thread->idle, lock);
	lock->cached.idle = false;
	atomic_fetch_sub(&lock->locks->cache->n_idle, 1);
}

void dbl_sticky_hurry(struct dblock_lock *lock)
{
	struct dbl_idle_thread *s = lock->locks->cache->idle_thread;

	DBL_ASSERT_HELD(&lock->locks->mutex);
	if (!lock->cached.idle)
		return;
	dbl_idle_put_first(&s->idle, lock);
	if (s->sleeps_until)
		dbl_cond_wake(&s->news);
}

/* ---- keeping, and taking again --------------------------------------------------------------- */

int64_t dbl_sticky_tokens(struct dblock_lock *lock)
{
	int64_t n = lock->cached.idle_tokens ? lock->cached.idle_tokens * DBL_TOKEN_BLOCK_FACTOR
					     : DBL_TOKEN_BLOCK_FIRST;

	lock->cached.idle_tokens = n < DBL_TOKEN_BLOCK_LAST ? n : DBL_TOKEN_BLOCK_LAST;
	return lock->cached.idle_tokens;
}

/* The handle was acquired more than once, or its callback is running, or its holder was asked to
 * let go; or the grant was lost in this moment; or the client is being closed. */
static bool is_busy(struct dblock_lock *lock)
{
	const struct dbl_locks *locks = lock->locks;

	return dbl_grant_left(lock) == 0 || lock->count != 1 || locks->telling == lock ||
	       lock->requested_for || lock->slot[0] || locks->closing ||
	       !locks->cache->idle_thread || locks->cache->idle_thread->stopping;
}

bool dbl_sticky_keep(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	bool may;

	dbl_lock(&locks->mutex);
	may = !is_busy(lock);
	if (may)
		make_idle(lock);
	dbl_unlock(&locks->mutex);
	return may;
}

/* The row is not written again, so the spec must not ask for anything that it does not say. */
static bool suffices_for(const struct dblock_lock *lock, const struct dbl_acquire_spec *spec)
{
	return spec->mode == DBLOCK_EXCLUSIVE && spec->lease == 0 && spec->at_least == 0 &&
	       !spec->value && !spec->upgrading && !spec->upgrades && !dbl_spec_is_part(spec) &&
	       lock->grant.token < lock->grant.row_token;
}

static void make_held(struct dblock_lock *lock, const struct dbl_acquire_spec *spec)
{
	dbl_sticky_claim(lock);
	dbl_hold_begin(lock, dbl_now(lock->locks->env));
	DBL_COUNT(lock->locks->tally, idle_taken);
	lock->owner = dbl_owner_of(spec);
	lock->lost = spec->lost;
	lock->lost_arg = spec->lost_arg;
	lock->requested = spec->requested;
	lock->requested_arg = spec->requested_arg;
	lock->cached.idle_for = spec->idle;
	lock->grant.token++;
	DBL_ASSERT(lock->grant.token <= lock->grant.row_token, "%lld, up to %lld",
		   (long long)lock->grant.token, (long long)lock->grant.row_token);
}

struct dblock_lock *dbl_sticky_revive(struct dbl_entry *entry, const struct dbl_acquire_spec *spec)
{
	struct dblock_lock *lock = entry->holder;
	bool may;

	DBL_ASSERT_HELD(&entry->shard->mutex);
	if (!lock || !lock->cached.idle || entry->wanted || !suffices_for(lock, spec) ||
	    lock->cached.losses != dbl_local_losses(lock->locks) ||
	    dbl_grant_left(lock) <= lock->locks->ttl / 4)
		return NULL;
	dbl_lock(&lock->locks->mutex);
	may = lock->cached.idle;
	if (may)
		make_held(lock, spec);
	dbl_unlock(&lock->locks->mutex);
	return may ? lock : NULL;
}

/* Under the entry's mutex: take the idle grant, so that the caller can give it back. */
static struct dblock_lock *claim(struct dbl_entry *entry)
{
	struct dblock_lock *lock = entry->holder;
	bool idle;

	if (!lock || !lock->cached.idle)
		return NULL;
	dbl_lock(&lock->locks->mutex);
	idle = lock->cached.idle;
	dbl_sticky_claim(lock);
	dbl_unlock(&lock->locks->mutex);
	return idle ? lock : NULL;
}

/* Release a grant that was claimed. Nobody waits for the result. */
static void give_back(struct dblock_lock *lock)
{
	lock->cached.idle_for = 0;
	dbl_cache_give_back(lock);
}

static struct dbl_entry *find(struct dbl_locks *locks, const char *name)
{
	return atomic_load(&locks->cache->n_idle) ? dbl_entry_find(locks->cache->local, name)
						  : NULL;
}

bool dbl_sticky_take(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		     struct dblock_lock **out)
{
	struct dbl_entry *entry = find(locks, spec->name);
	struct dblock_lock *misfit = NULL;

	*out = NULL;
	if (!entry)
		return false;
	*out = dbl_sticky_revive(entry, spec);
	if (!*out)
		misfit = claim(entry);
	dbl_entry_leave(entry);
	if (misfit)
		give_back(misfit);
	return *out != NULL;
}

void dbl_sticky_give_back(struct dbl_locks *locks, const char *name)
{
	struct dbl_entry *entry = find(locks, name);
	struct dblock_lock *lock;

	if (!entry)
		return;
	lock = claim(entry);
	dbl_entry_leave(entry);
	if (lock)
		give_back(lock);
}

bool dbl_sticky_keeps(struct dbl_locks *locks, const char *name)
{
	struct dbl_entry *entry = find(locks, name);
	bool keeps;

	if (!entry)
		return false;
	keeps = entry->holder && entry->holder->cached.idle;
	dbl_entry_leave(entry);
	return keeps;
}

void dbl_sticky_begin(struct dblock_lock *lock, int64_t idle_for)
{
	struct dbl_entry *entry = NULL;

	if (dbl_sticky_start(lock->locks))
		entry = dbl_entry_enter(lock->locks->cache->local, lock->name, lock->hash);
	if (!entry)
		return;
	lock->cached.idle_for = idle_for;
	dbl_entry_hold(entry, lock);
	dbl_entry_leave(entry);
}

/* ---- the idle thread ------------------------------------------------------------------------- */

/* Under the mutex, which is given up meanwhile. */
static void rest(struct dbl_locks *locks)
{
	struct dbl_idle_thread *s = locks->cache->idle_thread;

	s->sleeps_until = s->idle.first ? s->idle.first->cached.idle_until : DBL_NEVER;
	dbl_cond_wait(&s->news, &locks->mutex, locks->env, s->sleeps_until);
	s->sleeps_until = 0;
}

static struct dblock_lock *due(struct dbl_locks *locks)
{
	struct dblock_lock *lock = locks->cache->idle_thread->idle.first;

	if (!lock || lock->cached.idle_until > dbl_now(locks->env))
		return NULL;
	dbl_sticky_claim(lock);
	return lock;
}

static void *idle_thread(void *arg)
{
	struct dbl_locks *locks = arg;

	dbl_lock(&locks->mutex);
	while (!locks->cache->idle_thread->stopping) {
		struct dblock_lock *lock = due(locks);

		if (!lock) {
			rest(locks);
			continue;
		}
		dbl_unlock(&locks->mutex);
		give_back(lock);
		dbl_lock(&locks->mutex);
	}
	dbl_unlock(&locks->mutex);
	return NULL;
}

/* Under the mutex. */
static void start(struct dbl_locks *locks)
{
	struct dbl_idle_thread *s = dbl_alloc(sizeof(*s));

	if (!s || dbl_cond_init(&s->news)) {
		dbl_free(s);
		return;
	}
	dbl_idle_init(&s->idle);
	locks->cache->idle_thread = s;
	if (dbl_thread_start(&s->thread, idle_thread, locks) == 0)
		return;
	locks->cache->idle_thread = NULL;
	dbl_cond_fini(&s->news);
	dbl_free(s);
}

bool dbl_sticky_start(struct dbl_locks *locks)
{
	bool started;

	dbl_lock(&locks->mutex);
	if (!locks->cache->idle_thread && !locks->closing)
		start(locks);
	started = locks->cache->idle_thread != NULL;
	dbl_unlock(&locks->mutex);
	return started;
}

void dbl_sticky_stop(struct dbl_locks *locks)
{
	struct dbl_idle_thread *s = locks->cache->idle_thread;

	if (!s)
		return;
	dbl_lock(&locks->mutex);
	s->stopping = true;
	dbl_cond_wake(&s->news);
	dbl_unlock(&locks->mutex);
	dbl_thread_join(&s->thread);
}

void dbl_sticky_free(struct dbl_cache *cache)
{
	if (!cache->idle_thread)
		return;
	DBL_ASSERT(!cache->idle_thread->idle.first && atomic_load(&cache->n_idle) == 0);
	dbl_cond_fini(&cache->idle_thread->news);
	dbl_free(cache->idle_thread);
}
