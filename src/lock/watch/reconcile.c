/* SPDX-License-Identifier: MIT */
/*
 * A crash ends all connections, so nothing is done here until one was lost. Then the session beats
 * at once, on a connection that is new if its own was lost, and all rows that name the session are
 * read by that very connection: a heartbeat is a write, so this is no standby that lags behind.
 *
 *   1. note    which grants the handles that are out have, and all nonces that are in use here
 *   2. read    the rows of locks, page by page, and those of the queue
 *   3. lost    a handle of 1 whose row was not in 2, and that is still out with the same nonce: the
 *              database has forgotten the grant. It is LOST, and its holder is told.
 *   4. orphan  a row of 2 whose nonce nobody uses, neither in 1 nor now: the database has forgotten
 *              its release, or that its wait left the queue. It is released again, by its nonce.
 *
 * Why this is safe while other threads acquire and release:
 *   - A handle is out only once the reply with its grant has come, before 1 and so before 2: a row
 *     that 2 does not see then is not there. The handle is judged in 3 only if it still has that
 *     nonce; and not at all while an up- or downgrade may be moving its row (`changing`), or a
 *     transaction of the caller's has it: then all is done again with the next heartbeat.
 *   - A nonce is drawn, and stands in a handle or with a waiter, before the request that carries it
 *     is sent; it stays there until what came of it has been given back, and is never used again.
 *     So a nonce that is in a row at 2 and that nobody uses *after* 2 is nobody's for good. Its
 *     release may be a cleanup of the session's already, or have been carried out since: to release
 *     by nonce twice does what once does.
 *   - A release that is under way keeps its handle until its reply has come, so its row is left
 *     alone: the release could not tell our doing from a loss.
 *   - A reply may be from before the crash, and be read after 2. So all is done again, with each
 *     heartbeat, while a call is under way that was so when the loss was noticed.
 *
 * A database may have a million names, and a thousand clients may have lost their connections at once. So
 * 2 takes only a part of the time that there is between two heartbeats, and goes on where it was with the
 * next one. Another connection may have been lost by then: what was not there when it was read, by a
 * connection of a heartbeat, is forgotten all the same, and what is nobody's stays so; then another
 * pass follows.
 *
 * Rows of other sessions, and leases that no handle here has, are not touched. A wait whose row was
 * forgotten notices that with its next look, and joins the queue anew.
 */
#include "lock/watch/reconcile.h"

#include <string.h>

#include "base/mem.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include "lock/notify/notifier.h"
#include "lock/watch/own.h"
#include "lock/watch/pass.h"
#include "lock/watch/watchdog.h"

/* ---- 3. and 4. what follows from it --------------------------------------------------------- */

static bool is_forgotten(const struct dbl_pass *p, const struct dblock_lock *lock)
{
	const struct dbl_nonce_use *use = dbl_census_find(
		&p->before, lock->grant.nonce, dbl_census_hash(lock->name, strlen(lock->name)));

	return use && use->out && !use->seen;
}

static bool any_forgotten(const struct dbl_pass *p, const struct dblock_lock *lock)
{
	for (unsigned i = 0; i < lock->n_parts; i++) {
		if (is_forgotten(p, lock->parts[i]))
			return true;
	}
	return lock->n_parts == 0 && is_forgotten(p, lock);
}

/* If the grant came from the queue, its row may wait there again, and must not be granted it. A part of a
 * handle that is not forgotten stands until its holder, who is told now, gives it back. */
static void clear_queue(struct dbl_pass *p, const struct dblock_lock *lock)
{
	struct dbl_orphan *orphan = lock->grant.handed || dbl_has_queue_row(lock)
					    ? dbl_orphan_new(p, lock->name, lock->grant.nonce, 0)
					    : NULL;

	if (orphan)
		orphan->in_queue = orphan->sure = true;
}

static bool lose(struct dbl_pass *p, struct dblock_lock *lock)
{
	for (unsigned i = 0; i < lock->n_parts; i++) {
		if (is_forgotten(p, lock->parts[i]))
			clear_queue(p, lock->parts[i]);
	}
	if (lock->n_parts == 0)
		clear_queue(p, lock);
	return dbl_grant_lose(lock, DBLOCK_LOSS_FORGOTTEN);
}

static void tell_lost(struct dbl_pass *p)
{
	struct dbl_locks *locks = p->locks;
	bool any = false;

	dbl_lock(&locks->mutex);
	for (struct dblock_lock *l = dbl_handle_out(locks); l; l = l->next) {
		if (!dbl_census_at_rest(l))
			p->again = true;
		else if (dbl_grant_left(l) > 0 && any_forgotten(p, l))
			any |= lose(p, l);
	}
	dbl_unlock(&locks->mutex);
	if (any)
		dbl_watchdog_wake(locks);
}

static void give_back(struct dbl_locks *locks, struct dbl_orphan *orphan)
{
	DBL_ASSERT(orphan->nonce != 0 && orphan->cleanup);
	if (orphan->in_queue)
		dbl_session_leave_queue(locks->session, orphan->cleanup, orphan->nonce);
	else
		dbl_session_give_back(locks->session, orphan->cleanup, orphan->token,
				      orphan->nonce);
	orphan->cleanup = NULL;
}

/* Free the orphans, and give back those whose nonces are not in use now; if that is NULL, none. */
static void end_orphans(struct dbl_pass *p, const struct dbl_census *now)
{
	struct dbl_orphan *orphan, *next;

	for (orphan = p->orphans; orphan; orphan = next) {
		next = orphan->next;
		if (now && (orphan->sure || !dbl_census_has(now, orphan->nonce)))
			give_back(p->locks, orphan);
		dbl_cleanup_free(orphan->cleanup);
		dbl_free(orphan);
	}
	p->orphans = NULL;
}

static void conclude(struct dbl_pass *p)
{
	struct dbl_census now;
	bool noted = dbl_census_note(p->locks, &now);

	tell_lost(p);
	end_orphans(p, noted ? &now : NULL);
	p->again |= !noted;
	dbl_free(now.all);
}

static int64_t losses(const struct dbl_locks *locks, const struct dbl_link *of_session)
{
	return dbl_link_losses(locks->link) + dbl_link_losses(of_session) +
	       (locks->steady ? dbl_link_losses(locks->steady) : 0) +
	       atomic_load(&locks->watchdog->simulated);
}

void dbl_reconcile_drop(struct dbl_watchdog *watchdog)
{
	struct dbl_pass *p = watchdog->pass;

	if (!p)
		return;
	end_orphans(p, NULL);
	dbl_free(p->before.all);
	dbl_epoch_drop(p->epoch);
	dbl_free(p);
	watchdog->pass = NULL;
}

/* The pass that is under way, or a new one. NULL: there can be none now. */
static struct dbl_pass *have_pass(struct dbl_locks *locks, struct dbl_epoch *epoch)
{
	struct dbl_pass *p = locks->watchdog->pass;

	if (p && p->epoch == epoch)
		return p;
	dbl_reconcile_drop(locks->watchdog);
	p = dbl_alloc(sizeof(*p));
	if (!p)
		return NULL;
	*p = (struct dbl_pass){.locks = locks, .epoch = epoch};
	dbl_epoch_share(epoch);
	locks->watchdog->pass = p;
	if (dbl_census_note(locks, &p->before))
		return p;
	dbl_reconcile_drop(locks->watchdog);
	return NULL;
}

/* Where it cannot read, it goes on from there with the next heartbeat. */
static void reconcile(struct dbl_locks *locks, struct dbl_link *link, int64_t of_link,
		      int64_t deadline)
{
	struct dbl_epoch *epoch;
	struct dbl_pass *p;

	if (dbl_session_epoch(locks->session, dbl_now(locks->env), &epoch, NULL))
		return;
	p = have_pass(locks, epoch);
	dbl_epoch_drop(epoch);
	if (!p || dbl_pass_read(p, link, of_link, deadline) || dbl_link_losses(link) != of_link)
		return;
	conclude(p);
	atomic_fetch_add(&locks->watchdog->passes, 1);
	locks->watchdog->unreconciled = p->again || p->before.in_flight;
	dbl_reconcile_drop(locks->watchdog);
}

static void note_losses(struct dbl_locks *locks, int64_t total)
{
	struct dbl_watchdog *w = locks->watchdog;

	DBL_ASSERT(total >= w->losses, "%lld, %lld", (long long)total, (long long)w->losses);
	if (total == w->losses)
		return;
	w->losses = total;
	w->unreconciled = true;
	if (w->pass)
		w->pass->again = true;
	dbl_lock(&locks->mutex);
	w->serial_at_loss = dbl_handle_youngest(locks);
	dbl_unlock(&locks->mutex);
}

void dbl_reconcile(void *ctx, struct dbl_link *link, int64_t deadline)
{
	struct dbl_locks *locks = ctx;
	int64_t of_link = dbl_link_losses(link);

	DBL_ASSERT(locks->host && locks->session); /* no heartbeat before the client is whole */
	note_losses(locks, losses(locks, link));
	if (locks->watchdog->unreconciled)
		reconcile(locks, link, of_link, deadline);
}

static void on_loss(void *ctx)
{
	dbl_session_hurry(((struct dbl_locks *)ctx)->session);
}

void dbl_reconcile_begin(struct dbl_locks *locks)
{
	dbl_link_on_loss(locks->link, on_loss, locks);
}

void dbl_reconcile_soon(struct dbl_locks *locks)
{
	atomic_fetch_add(&locks->watchdog->simulated, 1);
	dbl_session_hurry(locks->session);
}
