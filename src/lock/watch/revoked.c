/* SPDX-License-Identifier: MIT */
#include "lock/watch/revoked.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "lock/cache/local.h"
#include "lock/cache/sticky.h"
#include "lock/core/name.h"
#include "lock/core/value.h"
#include "lock/grant/handoff.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include "lock/notify/notifier.h"
#include "lock/watch/own.h"
#include "lock/watch/watchdog.h"

/* How long after a release to look what is over, so that one look forgets many. */
#define OVER_US 100000

/* The columns of the operation `revocations`, in order. */
enum { NAME, TOKEN, NONCE, CAUSE, BY_HOST, BY_PID, BY_APP, SINCE, TOLD, OVER };

struct dbl_revocation {
	struct dbl_revocation *next;
	int64_t token, nonce;
	bool own;  /* we took the grant away ourselves: there is no row for that */
	bool told; /* the row says that we know */
	bool over; /* the grant is over */
	struct dbl_breaker by;
	char name[DBL_NAME_MAX + 1];
};

/* ---- our handles: under locks->mutex --------------------------------------------------------- */

/* Is this the grant that was taken away? The rest of a minimum hold has no nonce, and neither has a
 * handle that was not granted anything yet. */
static bool is_it(const struct dblock_lock *part, const struct dbl_revocation *r)
{
	return (r->nonce && part->grant.nonce == r->nonce) || part->grant.token == r->token ||
	       part->grant.row_token == r->token;
}

/* Make the handle LOST, and note by whom, if there is memory for that. An idle one goes at once. */
static void lose(struct dblock_lock *lock, const struct dbl_breaker *by)
{
	DBL_ASSERT(by->cause == DBLOCK_LOSS_BROKEN || by->cause == DBLOCK_LOSS_RELEASED, "%d",
		   (int)by->cause);
	/* Who has offered it wants to know as well: see dblock_handoff_wait(). */
	if (!lock->breaker && (dbl_lock_is_offered(lock) || dbl_grant_left(lock) > 0)) {
		lock->breaker = dbl_alloc(sizeof(*lock->breaker));
		if (lock->breaker)
			*lock->breaker = *by;
	}
	if (!dbl_grant_lose(lock, by->cause))
		return;
	dbl_watchdog_watch(lock);
	dbl_sticky_hurry(lock);
}

/* Make the handles LOST that are out with this grant. True: there was one. */
static bool apply(struct dbl_locks *locks, const struct dbl_revocation *r)
{
	struct dblock_lock *part = NULL, *lock;
	bool found = false;

	DBL_ASSERT(r->token > 0 && *r->name, "%lld", (long long)r->token);
	while ((lock = dbl_handle_find(locks, r->name, &part))) {
		if (!is_it(part, r))
			continue;
		lose(lock, &r->by);
		found = true;
	}
	return found;
}

static void check_part(struct dblock_lock *lock, const struct dblock_lock *part)
{
	for (const struct dbl_revocation *r = lock->locks->watchdog->revoked; r; r = r->next) {
		if (is_it(part, r) && strcmp(part->name, r->name) == 0)
			lose(lock, &r->by);
	}
}

void dbl_revoked_check(struct dblock_lock *lock)
{
	DBL_ASSERT_HELD(&lock->locks->mutex);
	if (lock->n_parts == 0)
		check_part(lock, lock);
	for (unsigned i = 0; i < lock->n_parts; i++)
		check_part(lock, lock->parts[i]);
}

/* A call here may still return with this grant: its reply is on the way, or was just read. */
static bool is_awaited(const struct dbl_locks *locks, int64_t nonce)
{
	if (nonce == 0)
		return false;
	for (const struct dblock_lock *l = dbl_handle_first(locks); l; l = l->all_next) {
		int state = dbl_sm_now(&l->state);

		if (l->grant.nonce == nonce &&
		    (state == DBL_ASKED || (state == DBL_HELD && !l->before)))
			return true;
	}
	for (const struct dbl_waiter *w = dbl_notifier_first(locks); w; w = w->next) {
		if (w->nonce == nonce)
			return true;
	}
	return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int take_row(void *ctx, const struct dbl_value *row)
{
	struct dbl_revocation **first = ctx, *r = dbl_alloc(sizeof(*r));

	if (!r)
		return DBLOCK_E_NOMEM;
	*r = (struct dbl_revocation){
		.next = *first,
		.token = row[TOKEN].i,
		.nonce = row[NONCE].i,
		.told = row[TOLD].i != 0,
		.over = row[OVER].i != 0,
		.by = {.cause = row[CAUSE].i == DBLOCK_LOSS_RELEASED ? DBLOCK_LOSS_RELEASED
								     : DBLOCK_LOSS_BROKEN,
		       .since = row[SINCE].i,
		       .pid = row[BY_PID].i},
	};
	dbl_copy_text(r->name, sizeof(r->name), &row[NAME]);
	dbl_copy_text(r->by.host, sizeof(r->by.host), &row[BY_HOST]);
	dbl_copy_text(r->by.app, sizeof(r->by.app), &row[BY_APP]);
	*first = r;
	return 0;
}

static void free_all(struct dbl_revocation *first)
{
	while (first) {
		struct dbl_revocation *next = first->next;

		dbl_free(first);
		first = next;
	}
}

/* Under the mutex: put what was read in the place of what was kept. Our own revocations, which have
 * no row, stay while somebody awaits their grant. Returns those to be freed. */
static struct dbl_revocation *replace(struct dbl_locks *locks, struct dbl_revocation *read)
{
	struct dbl_revocation **at = &locks->watchdog->revoked, *old = NULL, **end = &read;

	while (*at) {
		struct dbl_revocation *r = *at;

		*at = r->next;
		if (r->own && is_awaited(locks, r->nonce)) {
			while (*end)
				end = &(*end)->next;
			r->next = NULL;
			*end = r;
		} else {
			r->next = old;
			old = r;
		}
	}
	locks->watchdog->revoked = read;
	for (struct dbl_revocation *r = read; r; r = r->next)
		(void)apply(locks, r);
	return old;
}

/* The list may be walked without the mutex, as only the heartbeat thread removes any. */
static const struct dbl_revocation *first_of(struct dbl_locks *locks)
{
	const struct dbl_revocation *first;

	dbl_lock(&locks->mutex);
	first = locks->watchdog->revoked;
	dbl_unlock(&locks->mutex);
	return first;
}

int dbl_revoked_read(void *ctx, struct dbl_link *link, const char *session, int64_t deadline,
		     struct dblock_error *err)
{
	struct dbl_locks *locks = ctx;
	struct dbl_revocation *read = NULL;
	struct dbl_value id = dbl_text(session);
	struct dbl_request request = {.op = DBL_OP_revocations,
				      .args = DBL_ARG(id),
				      .row = take_row,
				      .ctx = &read,
				      .deadline = deadline};
	int rc = dbl_link_run(link, &request, err);

	if (rc == 0) {
		dbl_lock(&locks->mutex);
		read = replace(locks, read);
		dbl_unlock(&locks->mutex);
	}
	free_all(read);
	/* Threads of ours that wait in memory for such a grant have to go to the database. */
	for (const struct dbl_revocation *r = rc ? NULL : first_of(locks); r; r = r->next)
		dbl_local_wanted(locks, r->token);
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

/* ---- telling the database -------------------------------------------------------------------- */

/* Under the mutex: the next whose row does not say that we know, or that is to be deleted. */
static struct dbl_revocation *next_to_tell(const struct dbl_locks *locks)
{
	struct dbl_revocation *r = locks->watchdog->revoked;

	DBL_ASSERT_HELD(&locks->mutex);
	while (r && (r->own || (r->told && (!r->over || is_awaited(locks, r->nonce)))))
		r = r->next;
	return r;
}

static void drop(struct dbl_locks *locks, struct dbl_revocation *r)
{
	struct dbl_revocation **at = &locks->watchdog->revoked;

	dbl_lock(&locks->mutex);
	while (*at && *at != r)
		at = &(*at)->next;
	DBL_ASSERT(*at && r->over); /* only this thread, the heartbeat's, removes any */
	*at = r->next;
	dbl_unlock(&locks->mutex);
	dbl_free(r);
}

/* Send one statement about one revocation. False: there is none, or it failed, and is left to the
 * next heartbeat. It stays valid without the mutex, as in first_of(). */
static bool tell_row(struct dbl_locks *locks, struct dbl_link *link, const char *session,
		     int64_t deadline)
{
	struct dbl_revocation *r;
	bool forget;

	dbl_lock(&locks->mutex);
	r = next_to_tell(locks);
	forget = r && r->over && !is_awaited(locks, r->nonce);
	dbl_unlock(&locks->mutex);
	if (r) {
		struct dbl_value args[] = {dbl_text(session), dbl_text(r->name), dbl_int(r->token)};
		struct dbl_request request = {.op = forget ? DBL_OP_revocation_delete
							   : DBL_OP_revocation_told,
					      .args = DBL_ARGS(args),
					      .deadline = deadline};

		if (dbl_link_run(link, &request, NULL))
			return false;
		r->told = true;
		if (forget)
			drop(locks, r);
	}
	return r != NULL;
}

void dbl_revoked_finish(struct dbl_locks *locks, struct dbl_link *link, int64_t deadline)
{
	struct dbl_epoch *epoch;
	bool any;

	dbl_lock(&locks->mutex);
	any = locks->watchdog->revoked != NULL;
	dbl_unlock(&locks->mutex);
	if (!any || dbl_session_epoch(locks->session, dbl_now(locks->env), &epoch, NULL))
		return;
	if (!atomic_exchange(&locks->watchdog->revoked_released, false) ||
	    dbl_revoked_read(locks, link, epoch->id, deadline, NULL) == 0) {
		while (dbl_now(locks->env) < deadline && tell_row(locks, link, epoch->id, deadline))
			;
	}
	dbl_epoch_drop(epoch);
}

void dbl_revoked_released(struct dblock_lock *lock)
{
	if (!lock->breaker)
		return;
	atomic_store(&lock->locks->watchdog->revoked_released, true);
	dbl_session_errand(lock->locks->session, OVER_US);
}

void dbl_revoked_notified(struct dbl_locks *locks)
{
	dbl_session_beat_soon(locks->session);
}

void dbl_revoked_free(struct dbl_watchdog *w)
{
	free_all(w->revoked);
}

/* ---- by ourselves ---------------------------------------------------------------------------- */

static bool is_ours(const struct dbl_locks *locks, const struct dbl_revocation *r)
{
	for (const struct dblock_lock *l = dbl_handle_first(locks); l; l = l->all_next) {
		if (is_it(l, r) && strcmp(l->name, r->name) == 0)
			return true;
	}
	return false;
}

int dbl_revoked_own(struct dbl_locks *locks, const char *name, enum dblock_loss_cause cause,
		    int64_t token, int64_t nonce, bool *ours, bool *told, struct dblock_error *err)
{
	const struct dbl_host *host = locks->host;
	struct dbl_revocation *r = dbl_alloc(sizeof(*r));

	if (!r)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	*r = (struct dbl_revocation){.token = token, .nonce = nonce, .own = true, .told = true};
	(void)snprintf(r->name, sizeof(r->name), "%s", name);
	r->by = (struct dbl_breaker){
		.cause = cause, .since = dbl_wall(locks->env), .pid = host->pid};
	memcpy(r->by.host, host->name, sizeof(r->by.host));
	memcpy(r->by.app, host->app, sizeof(r->by.app));
	dbl_lock(&locks->mutex);
	*told = is_ours(locks, r) || is_awaited(locks, r->nonce);
	*ours |= *told;
	if (*ours) {
		r->next = locks->watchdog->revoked;
		locks->watchdog->revoked = r;
		(void)apply(locks, r);
	}
	dbl_unlock(&locks->mutex);
	if (*ours)
		dbl_local_wanted(locks, token);
	else
		dbl_free(r);
	return 0;
}
