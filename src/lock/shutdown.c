/* SPDX-License-Identifier: MIT */
/* Before a client is closed: its waits end, and it is asked whether anything of it is in use. */
#include "lock/begun.h"
#include "lock/cache/local.h"
#include "lock/cache/posted.h"
#include "lock/client.h"
#include "lock/core/cancel.h"
#include "lock/notify/notifier.h"
#include "lock/watch/watchdog.h"

static void wake_waiting(struct dbl_locks *locks)
{
	dbl_lock(&locks->mutex);
	dbl_notifier_wake_all(locks);
	dbl_begun_wake_all(locks);
	dbl_sleepers_wake(locks);
	dbl_unlock(&locks->mutex);
}

void dbl_shutdown(struct dbl_locks *locks)
{
	/* First: a thread looks at it before it sleeps, under the mutex by which it is woken. */
	atomic_store(&locks->shut, true);
	wake_waiting(locks);
	dbl_local_wake_all(locks);
}

void dbl_locks_hasten(struct dbl_locks *locks)
{
	dbl_link_once(locks->link);
	if (locks->steady)
		dbl_link_once(locks->steady);
	dbl_session_hasten(locks->session, dbl_locks_deadline(locks));
}

static int check_unused(struct dbl_locks *locks, struct dblock_error *err)
{
	const char *begun = dbl_begun_any(locks);

	if (dbl_watchdog_is_me(locks) || dbl_posted_is_told_here(locks))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the client cannot be closed by one of its own callbacks");
	if (atomic_load(&locks->inside) > 0)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"the client cannot be closed: a call is under way in another thread, or "
			"this is its callback; dblock_shutdown() ends those that wait");
	if (begun)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the client cannot be closed: what was begun for '%s' has not been "
				"ended by dblock_wait_end()",
				begun);
	return 0;
}

int dbl_locks_check_unused(struct dbl_locks *locks, struct dblock_error *err)
{
	int rc;

	dbl_lock(&locks->mutex);
	rc = check_unused(locks, err);
	dbl_unlock(&locks->mutex);
	return rc;
}
