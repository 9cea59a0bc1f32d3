/* SPDX-License-Identifier: MIT */
#include "lock/cache/cache.h"

#include "base/mem.h"
#include "lock/cache/own.h"
#include "lock/cache/posted.h"
#include "lock/cache/sticky.h"
#include "lock/grant/release.h"
#include "lock/handle/handle.h"

struct dbl_cache *dbl_cache_new(void)
{
	struct dbl_cache *cache = dbl_alloc(sizeof(*cache));

	if (!cache || !(cache->local = dbl_local_new())) {
		dbl_free(cache);
		return NULL;
	}
	return cache;
}

void dbl_cache_free(struct dbl_cache *cache)
{
	if (!cache)
		return;
	dbl_sticky_free(cache);
	dbl_local_free(cache->local);
	dbl_free(cache);
}

void dbl_cache_turns(struct dbl_locks *locks, unsigned turns)
{
	locks->cache->local_turns = turns;
}

bool dbl_cache_take(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		    struct dblock_lock **out)
{
	*out = NULL;
	return atomic_load(&locks->cache->n_idle) && dbl_sticky_take(locks, spec, out);
}

int dbl_cache_go(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dblock_lock *before =
		a->locks->cache->posted ? dbl_posted_recall(a->locks, a->spec->name) : NULL;
	int rc;

	a->replaces = before ? before->grant.nonce : 0;
	a->unsure = false;
	rc = dbl_attempt_go(a, err);
	a->replaces = 0;
	if (before)
		dbl_posted_replaced(before, rc, a->unsure);
	return rc;
}

struct dblock_lock *dbl_cache_publish(struct dbl_attempt *a)
{
	if (a->spec->idle && !a->spec->upgrading)
		dbl_sticky_begin(a->lock, a->spec->idle);
	return dbl_attempt_publish(a);
}

/* True: the grant stays with this client, and the handle is not the caller's any more. */
static bool stays(struct dblock_lock *lock)
{
	enum dbl_stay how = DBL_STAYS_NOT;

	if (dbl_handle_count(lock) == 1)
		how = dbl_local_stay(lock);
	if (how == DBL_PASSED_ON) {
		dbl_grant_done(lock);
		dbl_handle_free(lock);
	}
	return how != DBL_STAYS_NOT;
}

/* The grant is given back by its nonce alone, as nobody here knows which token its row has. */
static int give_back(struct dblock_lock *lock, struct dblock_error *err)
{
	dbl_handle_give_back(lock, 0);
	return dbl_fail(err, DBLOCK_E_UNSURE,
			"'%s': the answer was lost; it is given back with a later heartbeat",
			lock->name);
}

int dbl_cache_release(struct dblock_lock *lock, bool may_stay, bool *last, struct dblock_error *err)
{
	int rc;

	*last = may_stay && stays(lock);
	if (*last)
		return 0;
	*last = dbl_handle_leave(lock);
	if (!*last)
		return 0;
	if (lock->locks->cache->posted && dbl_posted_takes(lock)) {
		dbl_handle_released(lock);
		dbl_local_released(lock);
		dbl_posted_release(lock);
		return 0;
	}
	rc = lock->cached.unsure ? give_back(lock, err) : dbl_grant_end(lock, err);
	dbl_cache_over(lock);
	return rc;
}

void dbl_cache_doubt(struct dblock_lock *lock, bool unsure)
{
	lock->cached.unsure = unsure;
}

void dbl_cache_give_back(struct dblock_lock *lock)
{
	bool last;

	(void)dbl_cache_release(lock, true, &last, NULL);
}

void dbl_cache_over(struct dblock_lock *lock)
{
	DBL_ASSERT(!lock->before, "%s", lock->name);
	dbl_handle_released(lock);
	dbl_local_released(lock);
	(void)dbl_grant_try(lock, DBL_DONE); /* a transaction may have done that before */
	dbl_handle_free(lock);
}
