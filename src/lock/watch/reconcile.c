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
 * Rows of other sessions, and leases that no handle here has, are not touched. A wait whose row was
 * forgotten notices that with its next look, and joins the queue anew.
 */
#include "lock/watch/reconcile.h"

#include <string.h>

#include "base/mem.h"
#include "driver/value.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include "lock/notify/notifier.h"
#include "lock/watch/nonce_census.h"
#include "lock/watch/own.h"
#include "lock/watch/watchdog.h"

/* How many rows one statement looks at, and how many orphans one pass can give back. */
#define PAGE        10000
#define ORPHANS_MAX 4096

/* A row that names our session, and that nobody here knows. */
struct orphan {
	struct orphan *next;
	struct dbl_cleanup *cleanup;
	int64_t nonce, token;
	bool in_queue;
	bool sure; /* it is one though a handle has its nonce: that handle is LOST */
};

struct pass {
	struct dbl_locks *locks;
	struct dbl_census before;
	struct orphan *orphans;
	unsigned n_orphans;
	char last[DBL_NAME_MAX + 1]; /* the last name of the page that was read */
	bool again;                  /* not all could be done: another pass has to follow */
};

/* ---- 2. what the database says -------------------------------------------------------------- */

/* NULL: there are too many, or no memory, so that another pass has to follow. */
static struct orphan *orphan_new(struct pass *p, const char *name, int64_t nonce, int64_t token)
{
	struct orphan *orphan = p->n_orphans < ORPHANS_MAX ? dbl_alloc(sizeof(*orphan)) : NULL;

	if (orphan)
		orphan->cleanup = dbl_cleanup_new(name);
	if (!orphan || !orphan->cleanup) {
		dbl_free(orphan);
		p->again = true;
		return NULL;
	}
	orphan->nonce = nonce;
	orphan->token = token;
	orphan->next = p->orphans;
	p->orphans = orphan;
	p->n_orphans++;
	return orphan;
}

static int take(struct pass *p, const struct dbl_value *row, bool in_queue)
{
	struct dbl_nonce_use *use =
		dbl_census_find(&p->before, row[1].i, dbl_census_hash(row[0].text, row[0].len));
	struct orphan *orphan;
	char name[DBL_NAME_MAX + 1];

	if (row[0].len > DBL_NAME_MAX)
		return DBLOCK_E_SCHEMA;
	/* A row without a token waits, and proves no grant. */
	if (use && row[2].i)
		use->seen = true;
	/* A lease may be another client's of this process, or have been left on purpose. */
	if (use || !row[3].i || dbl_census_has(&p->before, row[1].i))
		return 0;
	memcpy(name, row[0].text, row[0].len);
	name[row[0].len] = '\0';
	orphan = orphan_new(p, name, row[1].i, row[2].i);
	if (orphan)
		orphan->in_queue = in_queue;
	return 0;
}

/* Pages are in byte order: a name that is not behind the last one would be read for ever. */
static bool is_behind(const struct dbl_value *row, const char *last)
{
	size_t len = strlen(last);
	int order = memcmp(row[0].text, last, row[0].len < len ? row[0].len : len);

	return order > 0 || (order == 0 && row[0].len > len);
}

/* The row: name, nonce (0: it only ends the page), token, does it live by the session? */
static int take_lock(void *ctx, const struct dbl_value *row)
{
	struct pass *p = ctx;

	if (row[0].len > DBL_NAME_MAX)
		return DBLOCK_E_SCHEMA;
	DBL_ASSERT(is_behind(row, p->last), "%s", p->last);
	memcpy(p->last, row[0].text, row[0].len);
	p->last[row[0].len] = '\0';
	return row[1].i ? take(p, row, false) : 0;
}

static int take_row(void *ctx, const struct dbl_value *row)
{
	return take(ctx, row, true);
}

static int read_locks(struct pass *p, struct dbl_link *link, const char *session, int64_t deadline)
{
	const struct dbl_host *host = p->locks->host;
	char after[DBL_NAME_MAX + 1];
	struct dbl_value args[] = {dbl_null(), dbl_text(session), dbl_text(host->name),
				   dbl_int(host->pid), dbl_int(PAGE)};
	struct dbl_request request = {.op = DBL_OP_own_grants,
				      .args = DBL_ARGS(args),
				      .row = take_lock,
				      .ctx = p,
				      .deadline = deadline};
	int rc;

	do {
		memcpy(after, p->last, sizeof(after));
		args[0] = dbl_text(after);
		rc = dbl_link_run(link, &request, NULL);
	} while (rc == 0 && request.rows > 0);
	return rc;
}

static int read_all(struct pass *p, struct dbl_link *link, const char *session, int64_t deadline)
{
	struct dbl_value arg = dbl_text(session);
	struct dbl_request rows = {.op = DBL_OP_own_rows,
				   .args = DBL_ARG(arg),
				   .row = take_row,
				   .ctx = p,
				   .deadline = deadline};
	int rc = read_locks(p, link, session, deadline);

	return rc ? rc : dbl_link_run(link, &rows, NULL);
}

/* ---- 3. and 4. what follows from it --------------------------------------------------------- */

static bool is_forgotten(const struct pass *p, const struct dblock_lock *lock)
{
	const struct dbl_nonce_use *use = dbl_census_find(
		&p->before, lock->grant.nonce, dbl_census_hash(lock->name, strlen(lock->name)));

	return use && use->out && !use->seen;
}

static bool any_forgotten(const struct pass *p, const struct dblock_lock *lock)
{
	for (unsigned i = 0; i < lock->n_parts; i++) {
		if (is_forgotten(p, lock->parts[i]))
			return true;
	}
	return lock->n_parts == 0 && is_forgotten(p, lock);
}

/* If the grant came from the queue, its row may wait there again, and must not be granted it. */
static bool lose(struct pass *p, struct dblock_lock *lock)
{
	struct orphan *orphan =
		lock->grant.handed ? orphan_new(p, lock->name, lock->grant.nonce, 0) : NULL;

	if (orphan)
		orphan->in_queue = orphan->sure = true;
	return dbl_grant_lose(lock, DBLOCK_LOSS_FORGOTTEN);
}

static void tell_lost(struct pass *p)
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

static void give_back(struct dbl_locks *locks, struct orphan *orphan)
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
static void end_orphans(struct pass *p, const struct dbl_census *now)
{
	struct orphan *orphan, *next;

	for (orphan = p->orphans; orphan; orphan = next) {
		next = orphan->next;
		if (now && (orphan->sure || !dbl_census_has(now, orphan->nonce)))
			give_back(p->locks, orphan);
		dbl_cleanup_free(orphan->cleanup);
		dbl_free(orphan);
	}
	p->orphans = NULL;
}

static void conclude(struct pass *p)
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

static void reconcile(struct dbl_locks *locks, struct dbl_link *link, int64_t of_link,
		      int64_t deadline)
{
	struct pass p = {.locks = locks};
	struct dbl_epoch *epoch;

	if (dbl_session_epoch(locks->session, dbl_now(locks->env), &epoch, NULL))
		return;
	if (dbl_census_note(locks, &p.before) && read_all(&p, link, epoch->id, deadline) == 0 &&
	    dbl_link_losses(link) == of_link) {
		conclude(&p);
		atomic_fetch_add(&locks->watchdog->passes, 1);
		locks->watchdog->unreconciled = p.again || p.before.in_flight;
	}
	end_orphans(&p, NULL);
	dbl_free(p.before.all);
	dbl_epoch_drop(epoch);
}

void dbl_reconcile(void *ctx, struct dbl_link *link, int64_t deadline)
{
	struct dbl_locks *locks = ctx;
	int64_t of_link = dbl_link_losses(link), total = losses(locks, link);

	DBL_ASSERT(locks->host && locks->session); /* no heartbeat before the client is whole */
	DBL_ASSERT(total >= locks->watchdog->losses, "%lld, %lld", (long long)total,
		   (long long)locks->watchdog->losses);
	if (total != locks->watchdog->losses) {
		locks->watchdog->losses = total;
		locks->watchdog->unreconciled = true;
		dbl_lock(&locks->mutex);
		locks->watchdog->serial_at_loss = dbl_handle_youngest(locks);
		dbl_unlock(&locks->mutex);
	}
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
