/* SPDX-License-Identifier: MIT */
#include "lock/shutdown.h"

#include "base/alarm.h"
#include "lock/cache/local.h"
#include "lock/cache/posted.h"
#include "lock/notify/bells.h"
#include "lock/recipes/flight.h"
#include "lock/wait/driven.h"

/* In the database's lines, and those who share a flight. */
static void wake_waiting(struct dbl_locks *locks)
{
	dbl_lock(&locks->mutex);
	for (struct dbl_waiter *w = locks->waiting; w; w = w->next)
		dbl_cond_wake(&w->woken);
	for (struct dblock_wait *w = locks->driven; w; w = w->next)
		dbl_alarm_ring(w->wait.waiter.alarm);
	for (struct dbl_flight *f = locks->flights; f; f = f->next)
		dbl_cond_wake(&f->news);
	dbl_unlock(&locks->mutex);
}

void dbl_shutdown(struct dbl_locks *locks)
{
	/* First: who is about to sleep looks at it under the mutex by which he is woken. */
	atomic_store(&locks->shut, true);
	wake_waiting(locks);
	dbl_local_wake_all(locks->local);
}

bool dbl_is_canceled(const struct dbl_locks *locks, const struct dbl_wish *wish)
{
	return dbl_is_shut_to(locks, wish) ||
	       (wish->canceled && wish->canceled(wish->canceled_arg));
}

int dbl_tell_canceled(const struct dbl_locks *locks, const char *name, const char *what,
		      struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_CANCELED, "'%s': %s was canceled%s", name, what,
			atomic_load(&locks->shut) ? ": the client has been shut down" : "");
}

bool dbl_locks_in_use(struct dbl_locks *locks)
{
	bool used;

	dbl_lock(&locks->mutex);
	used = locks->driven || atomic_load(&locks->inside) > 0 ||
	       dbl_thread_id() == locks->sentinel_id || dbl_posted_is_told_here(locks);
	dbl_unlock(&locks->mutex);
	return used;
}
