/* SPDX-License-Identifier: MIT */
#include "lock/watch/watchdog.h"

#include "base/event.h"
#include "base/mem.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include "lock/notify/notifier.h"
#include "lock/watch/own.h"
#include "lock/watch/reconcile.h"
#include "lock/watch/requested.h"
#include "lock/watch/revoked.h"
#include "lock/watch/states.h"

/* Under the mutex: the next lock whose holder has to be told of its loss, or NULL and the time when
 * the next grant ends. */
static struct dblock_lock *find_lost(struct dbl_locks *locks, int64_t *until)
{
	struct dblock_lock *lock;

	DBL_ASSERT_HELD(&locks->mutex);
	*until = DBL_NEVER;
	for (lock = dbl_handle_out(locks); lock; lock = lock->next) {
		int64_t end;

		if (lock->told || lock->given)
			continue;
		if (dbl_grant_left(lock) == 0)
			return lock;
		end = dbl_validity_end_of(dbl_lock_validity(lock));
		if (end < *until)
			*until = end;
	}
	return NULL;
}

/* Under the mutex, which is given up while the callback runs: the lock may be gone after it. */
static void tell(struct dbl_locks *locks, struct dblock_lock *lock)
{
	void (*lost)(void *, struct dblock_lock *) = lock->lost;
	void *arg = lock->lost_arg;

	DBL_ASSERT(!lock->told && !locks->telling); /* one callback runs at a time */
	lock->told = true;
	dbl_event_set(lock->lost_fd);
	locks->telling = lock;
	dbl_unlock(&locks->mutex);
	dbl_loss_note(lock);
	if (lost)
		lost(arg, lock);
	dbl_lock(&locks->mutex);
	locks->telling = NULL;
	dbl_cond_wake(&locks->watchdog->told);
}

/* Under the mutex: the next lock whose holder has to be told of a request. A holder that was told
 * of a loss is not asked to let go. */
static struct dblock_lock *find_requested(const struct dbl_locks *locks)
{
	struct dblock_lock *lock = dbl_handle_out(locks);

	while (lock && (!lock->watched.requester || lock->told || lock->given))
		lock = lock->next;
	return lock;
}

/* As tell(), of a request. */
static void tell_requested(struct dbl_locks *locks, struct dblock_lock *lock)
{
	void (*requested)(void *, struct dblock_lock *, const struct dblock_release_request *) =
		lock->requested;
	void *arg = lock->requested_arg;
	struct dbl_requester *requester = lock->watched.requester;

	DBL_ASSERT(requester && !lock->told && !locks->telling);
	lock->watched.requester = NULL;
	lock->watched.told_for = lock->grant.token;
	dbl_event_set(lock->requested_fd);
	locks->telling = lock;
	dbl_unlock(&locks->mutex);
	if (requested)
		requested(arg, lock, &requester->request);
	dbl_free(requester);
	dbl_lock(&locks->mutex);
	locks->telling = NULL;
	dbl_cond_wake(&locks->watchdog->told);
}

/* Under the mutex. The grant that the thread was woken for may be gone by now. It sleeps until that
 * one's end all the same: the next grant ends no sooner, and need not wake it then. */
static void sleep_until(struct dbl_locks *locks, int64_t until)
{
	if (until == DBL_NEVER && locks->watchdog->next > dbl_now(locks->env))
		until = locks->watchdog->next;
	locks->watchdog->sleeps_until = until;
	dbl_cond_wait(&locks->watchdog->news, &locks->mutex, locks->env, until);
	locks->watchdog->sleeps_until = 0;
}

static void *watchdog_thread(void *arg)
{
	struct dbl_locks *locks = arg;

	dbl_lock(&locks->mutex);
	locks->watchdog->thread_id = dbl_thread_id();
	while (!locks->closing) {
		int64_t until;
		struct dblock_lock *lock = find_lost(locks, &until);

		if (lock)
			tell(locks, lock);
		else if ((lock = find_requested(locks)))
			tell_requested(locks, lock);
		else if (!dbl_states_tell(locks))
			sleep_until(locks, until);
	}
	dbl_unlock(&locks->mutex);
	return NULL;
}

struct dbl_watchdog *dbl_watchdog_new(void)
{
	struct dbl_watchdog *w = dbl_alloc(sizeof(*w));

	if (!w || dbl_cond_init(&w->news)) {
		dbl_free(w);
		return NULL;
	}
	if (dbl_cond_init(&w->told)) {
		dbl_cond_fini(&w->news);
		dbl_free(w);
		return NULL;
	}
	return w;
}

void dbl_watchdog_free(struct dbl_watchdog *w)
{
	if (!w)
		return;
	DBL_ASSERT(!w->thread.started);
	dbl_cond_fini(&w->told);
	dbl_cond_fini(&w->news);
	dbl_reconcile_drop(w);
	dbl_revoked_free(w);
	dbl_free(w->states);
	dbl_free(w);
}

bool dbl_watchdog_is_me(const struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return dbl_thread_id() == locks->watchdog->thread_id;
}

int dbl_watchdog_start(struct dbl_locks *locks)
{
	return dbl_thread_start(&locks->watchdog->thread, watchdog_thread, locks);
}

void dbl_watchdog_stop(struct dbl_locks *locks)
{
	dbl_lock(&locks->mutex);
	DBL_ASSERT(!dbl_watchdog_is_me(locks)); /* the thread would wait for itself */
	locks->closing = true;
	dbl_cond_wake(&locks->watchdog->news);
	dbl_cond_wake(&locks->watchdog->told);
	dbl_unlock(&locks->mutex);
	dbl_thread_join(&locks->watchdog->thread);
}

void dbl_watchdog_wake(struct dbl_locks *locks)
{
	dbl_lock(&locks->mutex);
	dbl_cond_wake(&locks->watchdog->news);
	dbl_unlock(&locks->mutex);
}

void dbl_watchdog_catch_up(struct dbl_locks *locks, int64_t until)
{
	int64_t next;

	dbl_lock(&locks->mutex);
	DBL_ASSERT(!dbl_watchdog_is_me(locks));
	dbl_cond_wake(&locks->watchdog->news);
	while (!locks->closing && (locks->telling || find_lost(locks, &next)) &&
	       dbl_now(locks->env) < until)
		dbl_cond_wait(&locks->watchdog->told, &locks->mutex, locks->env, until);
	dbl_unlock(&locks->mutex);
}

void dbl_watchdog_watch(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	DBL_ASSERT_HELD(&locks->mutex);
	if (dbl_grant_left(lock) > 0 &&
	    dbl_validity_end_of(dbl_lock_validity(lock)) >= locks->watchdog->sleeps_until)
		return;
	locks->watchdog->sleeps_until = 0;
	locks->watchdog->next = dbl_validity_end_of(dbl_lock_validity(lock));
	dbl_cond_wake(&locks->watchdog->news);
}

bool dbl_watchdog_granted(struct dblock_lock *lock)
{
	const struct dbl_watchdog *w = lock->locks->watchdog;

	if (w->revoked)
		dbl_revoked_check(lock);
	dbl_watchdog_watch(lock);
	return atomic_load(&w->wanted_early) == lock->grant.token;
}

void dbl_watchdog_leave(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	bool is_callback = dbl_thread_id() == locks->watchdog->thread_id;

	DBL_ASSERT_HELD(&locks->mutex);
	DBL_ASSERT(lock->count == 0, "%lld", (long long)lock->count); /* all acquires are over */
	while (locks->telling == lock && !is_callback)
		dbl_cond_wait(&locks->watchdog->told, &locks->mutex, locks->env, DBL_NEVER);
}
