/* SPDX-License-Identifier: MIT */
#include "lock/client.h"

#include "base/mem.h"
#include "base/workers.h"
#include "lock/admin/reap.h"
#include "lock/begun.h"
#include "lock/cache/cache.h"
#include "lock/cache/local.h"
#include "lock/cache/posted.h"
#include "lock/cache/sticky.h"
#include "lock/core/blocked.h"
#include "lock/core/cancel.h"
#include "lock/core/timed.h"
#include "lock/handle/handle.h"
#include "lock/lock.h"
#include "lock/notify/notifier.h"
#include "lock/queue/cleanup.h"
#include "lock/queue/queue.h"
#include "lock/tx/attachment.h"
#include "lock/tx/in_tx.h"
#include "lock/watch/reconcile.h"
#include "lock/watch/requested.h"
#include "lock/watch/revoked.h"
#include "lock/watch/states.h"
#include "lock/watch/watchdog.h"

/* ---- hooks for modules below ----------------------------------------------------------------- */

static void requested(struct dbl_locks *locks)
{
	dbl_requests_look(locks, 0);
}

static void released(struct dblock_lock *lock)
{
	if (atomic_load(&lock->requested_for))
		dbl_requests_look(lock->locks, DBL_REQUESTS_OVER_US);
	dbl_revoked_released(lock);
}

static void freed_handle(struct dblock_lock *lock)
{
	dbl_attachment_forget(lock);
	dbl_requests_forget(lock);
}

static const struct dbl_hooks hooks = {
	.asked = dbl_requests_notified,
	.wanted = dbl_local_wanted,
	.revoked = dbl_revoked_notified,
	.granted = dbl_watchdog_granted,
	.leaving = dbl_watchdog_leave,
	.requested = requested,
	.released = released,
	.freed = freed_handle,
	.validity_changed = dbl_watchdog_wake,
	.is_attached = dbl_attachment_has,
	.may_write = dbl_attachment_check,
	.may_ask = dbl_attachment_check_spec,
};

/* ---- a client's parts ------------------------------------------------------------------------ */

static void parts_free(struct dbl_locks *locks)
{
	dbl_link_free(locks->steady);
	dbl_attached_free(locks->attached);
	dbl_suspects_free(locks->suspects);
	dbl_event_log_free(&locks->event_log);
	dbl_watchdog_free(locks->watchdog);
	dbl_cache_free(locks->cache);
	dbl_handles_free(locks->handles);
	dbl_notifier_free(locks->notifier);
	dbl_cond_fini(&locks->extended);
	dbl_mutex_fini(&locks->mutex);
	dbl_free(locks);
}

static bool make_parts(struct dbl_locks *locks)
{
	return (locks->notifier = dbl_notifier_new()) && (locks->handles = dbl_handles_new()) &&
	       (locks->cache = dbl_cache_new()) && (locks->watchdog = dbl_watchdog_new()) &&
	       (locks->attached = dbl_attached_new());
}

/* NULL: it failed, and the link is still the caller's. */
static struct dbl_locks *locks_new(struct dbl_link *link, int64_t timeout)
{
	struct dbl_locks *locks = dbl_alloc(sizeof(*locks));

	if (!locks || dbl_mutex_init(&locks->mutex)) {
		dbl_free(locks);
		return NULL;
	}
	if (dbl_cond_init(&locks->extended)) {
		dbl_mutex_fini(&locks->mutex);
		dbl_free(locks);
		return NULL;
	}
	locks->target = dbl_link_target(link);
	locks->env = locks->target->env;
	locks->tally = locks->target->tally;
	locks->hooks = &hooks;
	locks->calls = &dbl_lock_calls;
	locks->link = link;
	locks->timeout = timeout;
	locks->until = DBL_NEVER;
	if ((locks->target->durability == DBLOCK_RELAXED &&
	     dbl_link_new(&locks->steady, locks->target, NULL)) ||
	    !make_parts(locks)) {
		parts_free(locks);
		return NULL;
	}
	return locks;
}

static void locks_free(struct dbl_locks *locks)
{
	dbl_link_free(locks->link);
	parts_free(locks);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void beaten(void *locks, struct dbl_link *link, int64_t deadline)
{
	dbl_revoked_finish(locks, link, deadline);
	dbl_requests_read(locks, link, deadline);
	dbl_handle_write_counts(locks, link, deadline);
	dbl_dequeue_served(locks, link, deadline);
	dbl_events_write(locks, link, deadline);
}

static void proven(void *locks, struct dbl_link *link, int64_t deadline)
{
	dbl_reconcile(locks, link, deadline);
	dbl_local_look(locks, link, deadline);
}

static bool idle(void *ctx)
{
	struct dbl_locks *locks = ctx;
	bool idle;

	dbl_lock(&locks->mutex);
	idle = !dbl_notifier_first(locks) && atomic_load(&locks->inside) == 0;
	dbl_unlock(&locks->mutex);
	return idle;
}

static bool clean_up(void *locks, struct dbl_cleanup *cleanup, struct dbl_link *link,
		     int64_t deadline)
{
	return dbl_clean_up(locks, cleanup, link, deadline);
}

static void moved(void *ctx, unsigned host)
{
	struct dbl_locks *locks = ctx;

	dbl_link_cut(locks->link, host);
	if (locks->steady)
		dbl_link_cut(locks->steady, host);
}

static void ended(void *locks, int64_t until)
{
	dbl_watchdog_catch_up(locks, until);
}

static void sent(void *ctx, int64_t began, int rc)
{
	struct dbl_span span = {
		.phase = DBLOCK_PHASE_HEARTBEAT, .name = "", .outcome = rc, .began = began};

	dbl_timed_tell(ctx, &span);
}

static void state(void *ctx, enum dblock_connection_state state, const struct dblock_error *why)
{
	dbl_states_put(ctx, state, why);
}

/* All that the threads read is in its place before they start. */
static int start(struct dbl_locks *locks, int64_t deadline, struct dblock_error *err)
{
	int rc;

	locks->host = dbl_session_host(locks->session);
	dbl_reconcile_begin(locks);
	rc = locks->target->direct ? dbl_session_meets(locks->session, locks->link, deadline, err)
				   : 0;
	if (rc == 0 && !dbl_states_init(locks))
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (rc == 0)
		rc = dbl_session_start(locks->session, err);
	if (rc == 0 && dbl_watchdog_start(locks))
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "the watchdog thread cannot be started");
	if (rc)
		dbl_session_close(locks->session, true, deadline);
	return rc;
}

int dbl_locks_open(struct dbl_locks **out, struct dbl_link *link,
		   const struct dbl_session_options *options, int64_t deadline,
		   struct dblock_error *err)
{
	struct dbl_locks *locks = locks_new(link, options->timeout);
	struct dbl_session_options with_news = *options;
	int rc;

	*out = NULL;
	if (locks)
		locks->ttl = options->ttl;
	if (!locks) {
		dbl_link_free(link);
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	with_news.beaten = beaten;
	with_news.proven = proven;
	with_news.asked = dbl_requests_there_are;
	with_news.revoked = dbl_revoked_read;
	with_news.clean_up = clean_up;
	with_news.ended = ended;
	with_news.moved = moved;
	with_news.idle = idle;
	with_news.sent = sent;
	with_news.state = state;
	with_news.ctx = locks;
	/* Heartbeats are as durable as that one. */
	if (with_news.lender && locks->steady) {
		dbl_link_single(locks->steady);
		with_news.lender = locks->steady;
	}
	locks->parks = with_news.parks;
	rc = dbl_session_open(&locks->session, locks->target, &with_news, deadline, err);
	if (rc == 0)
		rc = start(locks, deadline, err);
	if (rc == DBLOCK_E_BLOCKED)
		(void)dbl_blocked_at_open(link, deadline, err);
	if (rc) {
		locks_free(locks);
		return rc;
	}
	*out = locks;
	return 0;
}

int dbl_locks_observe(struct dbl_locks **out, struct dbl_link *link, int64_t timeout,
		      struct dblock_error *err)
{
	*out = locks_new(link, timeout);
	if (*out)
		return 0;
	dbl_link_free(link);
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory, or too many clients");
}

/* A handle that is out, with all its acquires but one given back; NULL: there is none. The mutex is
 * for the heartbeat thread, which may be reading counts. */
static struct dblock_lock *last_of(struct dbl_locks *locks)
{
	struct dblock_lock *lock;

	dbl_lock(&locks->mutex);
	lock = dbl_handle_out(locks);
	DBL_ASSERT(!lock || lock->count > 0, "%s", lock->name);
	if (lock) {
		lock->count = 1;
		dbl_sticky_claim(lock);
	}
	dbl_unlock(&locks->mutex);
	return lock;
}

/* A row that is left to a recovery is freed by that, some time, and its session is gone then. */
static bool release_one(struct dblock_lock *lock)
{
	int rc = dbl_lock_release(lock, NULL);

	if (rc == DBLOCK_FENCED) {
		(void)dbl_handle_leave(lock);
		dbl_cache_over(lock);
	}
	return rc >= 0 && rc != DBLOCK_FENCED;
}

/* Release all that lives by the session. True: the database has confirmed each release. */
static bool release_all(struct dbl_locks *locks)
{
	struct dblock_lock *lock;
	bool all = true;

	while ((lock = last_of(locks))) {
		if (!lock->grant.has_lease) {
			all &= release_one(lock);
			continue;
		}
		dbl_handle_leave(lock);
		dbl_handle_free(lock);
	}
	return all;
}

/* Wake all calls that wait, but for those in memory (dbl_local_wake_all()). */
void dbl_locks_close(struct dbl_locks *locks)
{
	bool nothing_held;

	DBL_ASSERT(atomic_load(&locks->inside) == 0 && !locks->begun && !locks->sleepers);
	if (!locks->session) {
		locks_free(locks);
		return;
	}
	dbl_watchdog_stop(locks);
	locks->until = dbl_locks_deadline(locks);
	/* The heartbeat thread goes first: what it has begun ends within its timeout, before ours. */
	dbl_session_stop(locks->session, locks->until);
	dbl_workers_free(locks->workers);
	dbl_attachments_close(locks);
	dbl_sticky_stop(locks);
	nothing_held = release_all(locks) && !dbl_in_tx_any(locks);
	nothing_held = dbl_posted_stop(locks) && nothing_held;
	dbl_in_tx_close(locks);
	dbl_requests_read(locks, locks->link, locks->until);
	dbl_notifier_stop(locks); /* our releases have woken those who were next */
	dbl_dequeue_served(locks, locks->link, locks->until);
	nothing_held = nothing_held && !atomic_load(&locks->dequeue_due);
	dbl_events_write(locks, locks->link, locks->until);
	dbl_notifier_end(locks);
	dbl_session_close(locks->session, nothing_held, locks->until);
	locks_free(locks);
}
