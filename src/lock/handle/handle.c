/* SPDX-License-Identifier: MIT */
#include "lock/handle/handle.h"

#include <string.h>

#include "base/event.h"
#include "base/mem.h"
#include "lock/core/name.h"
#include "lock/core/value.h"
#include "lock/handle/own.h"
#include "lock/notify/notifier.h"

/* So long after a grant a connection that may be parked is: the caller may have more to ask. */
#define PARK_US 100000

/* ---- making and freeing ---------------------------------------------------------------------- */

struct dblock_lock *dbl_handle_new(struct dbl_locks *locks, const char *name, uint64_t hash,
				   struct dbl_owner owner)
{
	size_t size = strlen(name) + 1;
	struct dblock_lock *lock = dbl_alloc(sizeof(*lock) + size);

	if (!lock)
		return NULL;
	lock->name = memcpy(lock + 1, name, size);
	lock->hash = hash;
	lock->locks = locks;
	lock->owner = owner;
	lock->grant.carrier = &dbl_own_row;
	lock->count = lock->count_written = 1;
	lock->least_unsure = DBL_NEVER;
	lock->lost_fd = lock->requested_fd = -1;
	dbl_lock(&locks->mutex);
	lock->serial = ++locks->handles->serial;
	lock->all_next = locks->handles->all;
	if (locks->handles->all)
		locks->handles->all->all_prev = lock;
	locks->handles->all = lock;
	dbl_unlock(&locks->mutex);
	return lock;
}

/* True: watch or tx has noted the handle. */
static bool forget(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	bool noted;

	dbl_lock(&locks->mutex);
	DBL_ASSERT(lock->all_prev ? lock->all_prev->all_next == lock : locks->handles->all == lock,
		   "%s", lock->name);
	DBL_ASSERT(!lock->all_next || lock->all_next->all_prev == lock, "%s", lock->name);
	if (lock->all_prev)
		lock->all_prev->all_next = lock->all_next;
	else
		locks->handles->all = lock->all_next;
	if (lock->all_next)
		lock->all_next->all_prev = lock->all_prev;
	noted = lock->noted;
	dbl_unlock(&locks->mutex);
	return noted;
}

/* Frees what few handles have. */
static void free_rest(struct dblock_lock *lock)
{
	for (unsigned i = 0; i < lock->n_parts; i++)
		dbl_handle_free(lock->parts[i]);
	dbl_free(lock->parts);
	dbl_event_free(lock->lost_fd);
	dbl_event_free(lock->requested_fd);
	dbl_free(lock->breaker);
	dbl_free(atomic_load(&lock->numbers));
}

void dbl_handle_free(struct dblock_lock *lock)
{
	DBL_ASSERT(!lock->before, "%s", lock->name); /* or others would find it */
	if (forget(lock))
		lock->locks->hooks->freed(lock);
	if (lock->parts || lock->breaker || lock->lost_fd >= 0 || lock->requested_fd >= 0 ||
	    atomic_load(&lock->numbers))
		free_rest(lock);
	dbl_cleanup_free(lock->grant.cleanup);
	dbl_epoch_drop(lock->grant.epoch);
	dbl_free(lock);
}

/* ---- the state of a grant -------------------------------------------------------------------- */

static const struct dbl_state states[] = {
	[DBL_ASKED] = {"ASKED", DBL_TO(DBL_HELD) | DBL_TO(DBL_DONE)},
	[DBL_HELD] = {"HELD", DBL_TO(DBL_LOST) | DBL_TO(DBL_DONE)},
	[DBL_LOST] = {"LOST", DBL_TO(DBL_DONE)},
	[DBL_DONE] = {"DONE", 0},
};

void dbl_grant_begin(struct dblock_lock *lock)
{
	DBL_ASSERT(!lock->before); /* nobody has seen the handle yet */
	dbl_sm_init(&lock->state, states, DBL_ASKED);
}

int dbl_grant_hold(struct dblock_lock *lock, struct dblock_error *err)
{
	DBL_ASSERT(lock->grant.token > 0 && lock->grant.nonce > 0, "%lld, %lld",
		   (long long)lock->grant.token, (long long)lock->grant.nonce);
	DBL_ASSERT(dbl_validity_was(dbl_lock_validity(lock)) >
		   0); /* its deadline was set, though it may be over by now */
	return dbl_sm_move(&lock->state, DBL_HELD, err);
}

/* An error could be told to nobody: the handle is about to be freed. */
void dbl_grant_done(struct dblock_lock *lock)
{
	(void)dbl_sm_move(&lock->state, DBL_DONE, NULL);
}

int dbl_grant_cause(struct dblock_lock *lock)
{
	int cause = atomic_load(&lock->cause);

	if (cause == DBLOCK_LOSS_NONE && lock->grant.has_lease)
		cause = DBLOCK_LOSS_LEASE;
	if (cause == DBLOCK_LOSS_NONE)
		cause = atomic_load(&lock->grant.epoch->cause);
	return cause == DBLOCK_LOSS_NONE ? DBLOCK_LOSS_UNREACHABLE : cause;
}

/* Only what a caller has is lost. The parts of a handle of several names are no caller's. */
static void count_loss(struct dblock_lock *lock)
{
	struct dbl_tally *tally;

	if (!atomic_load_explicit(&lock->since, memory_order_relaxed))
		return;
	tally = lock->locks->tally;
	if (tally)
		dbl_counter_add(&tally->losses[dbl_grant_cause(lock)], 1);
}

bool dbl_grant_try(struct dblock_lock *lock, enum dbl_grant_state to)
{
	bool moved = dbl_sm_try(&lock->state, to);

	if (moved && to == DBL_LOST)
		count_loss(lock);
	return moved;
}

void dbl_hold_over(struct dblock_lock *lock, int64_t now)
{
	struct dbl_tally *tally = lock->locks->tally;
	int64_t since = atomic_load_explicit(&lock->since, memory_order_relaxed);

	if (!tally || since <= 0)
		return;
	/* Its release may yet find that it is lost. */
	atomic_store_explicit(&lock->since, -since, memory_order_relaxed);
	dbl_counter_add(&tally->released, 1);
	dbl_histogram_add(&tally->hold, now - since);
}

int64_t dbl_grant_left(struct dblock_lock *lock)
{
	int64_t left = dbl_validity_left(dbl_lock_validity(lock), dbl_now(lock->locks->env));

	if (left == 0)
		(void)dbl_grant_try(lock, DBL_LOST); /* or it was LOST, or DONE, before */
	return dbl_sm_now(&lock->state) == DBL_HELD ? left : 0;
}

/* ---- what was granted ------------------------------------------------------------------------ */

bool dbl_handle_make_ready(struct dblock_lock *lock)
{
	if (!lock->grant.cleanup)
		lock->grant.cleanup = dbl_cleanup_new(lock->name);
	return lock->grant.cleanup != NULL;
}

void dbl_handle_give_back(struct dblock_lock *lock, int64_t token)
{
	struct dbl_cleanup *cleanup = lock->grant.cleanup;

	/* It was given back before: the outcome of a downgrade was not known. */
	if (!cleanup)
		return;
	lock->grant.cleanup = NULL;
	lock->grant.carrier->give_back(lock->locks->session, cleanup, token, lock->grant.nonce);
}

struct dbl_validity *dbl_lock_validity(struct dblock_lock *lock)
{
	DBL_ASSERT(lock->grant.has_lease || lock->grant.epoch, "%s", lock->name);
	return lock->grant.has_lease ? &lock->grant.lease : &lock->grant.epoch->validity;
}

void dbl_handle_publish(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int state = dbl_sm_now(&lock->state);
	bool listens, is_asked_for;

	/* It may be LOST already. */
	DBL_ASSERT(state == DBL_HELD || state == DBL_LOST, "%s, %d", lock->name, state);
	DBL_ASSERT(lock->count > 0, "%s", lock->name);
	dbl_hold_begin(lock, dbl_now(locks->env));
	dbl_lock(&locks->mutex);
	dbl_held_add(&locks->handles->held, lock);
	listens = locks->listens;
	is_asked_for = locks->hooks->granted(lock);
	dbl_unlock(&locks->mutex);
	/* With the socket open, whoever takes the grant away can tell us at once. */
	if (!listens)
		(void)dbl_notifier_listen(locks);
	if (is_asked_for)
		locks->hooks->requested(locks);
	if (locks->parks)
		dbl_session_errand(locks->session, PARK_US);
}

int dbl_lock_lost_fd(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int fd;

	dbl_lock(&locks->mutex);
	if (lock->lost_fd < 0)
		lock->lost_fd = dbl_event_new();
	fd = lock->lost_fd;
	if (lock->told)
		dbl_event_set(fd);
	dbl_unlock(&locks->mutex);
	return fd;
}

static bool is_grant(const struct dblock_lock *lock, const char *name, int64_t token)
{
	return (lock->grant.token == token || lock->grant.row_token == token) &&
	       (!name || strcmp(lock->name, name) == 0);
}

bool dbl_handle_has_grant(const struct dblock_lock *lock, const char *name, int64_t token)
{
	for (unsigned i = 0; i < lock->n_parts; i++) {
		if (is_grant(lock->parts[i], name, token))
			return true;
	}
	return is_grant(lock, name, token);
}

/* Others may be reading token and nonce meanwhile. */
static void has(struct dblock_lock *lock, const struct dbl_grant *grant)
{
	lock->grant.token = grant->token;
	lock->grant.nonce = grant->nonce;
	lock->grant.cleanup = grant->cleanup;
	lock->grant.mode = grant->mode;
	lock->grant.carrier = grant->carrier;
}

void dbl_handle_swap(struct dblock_lock *out, struct dblock_lock *other)
{
	struct dbl_locks *locks = out->locks;
	const struct dbl_grant had = out->grant;

	dbl_lock(&locks->mutex);
	/* The place of `out` in the list changes when the handle before it leaves. */
	DBL_ASSERT(out->before && !other->before && strcmp(out->name, other->name) == 0);
	DBL_ASSERT(other->grant.token > out->grant.token, "%lld, %lld",
		   (long long)other->grant.token, (long long)out->grant.token);
	has(out, &other->grant);
	has(other, &had);
	locks->hooks->granted(out);
	dbl_unlock(&locks->mutex);
}

int64_t dbl_handle_count(const struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int64_t count;

	dbl_lock(&locks->mutex);
	count = lock->count;
	dbl_unlock(&locks->mutex);
	return count;
}

bool dbl_handle_leave(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	bool last;

	dbl_lock(&locks->mutex);
	DBL_ASSERT(lock->count > 0 && lock->before, "%s, %lld", lock->name, (long long)lock->count);
	last = --lock->count == 0;
	if (last) {
		dbl_hold_over(lock, dbl_now(locks->env));
		dbl_held_remove(&locks->handles->held, lock);
		if (locks->telling == lock)
			locks->hooks->leaving(lock);
	}
	dbl_unlock(&locks->mutex);
	return last;
}

bool dbl_handle_give(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	bool given;

	dbl_lock(&locks->mutex);
	DBL_ASSERT(lock->count > 0 && lock->before && !lock->given, "%s, %lld", lock->name,
		   (long long)lock->count);
	given = lock->given = lock->count == 1;
	if (!given)
		lock->count--;
	dbl_unlock(&locks->mutex);
	return given;
}

void dbl_handle_take_back(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	dbl_lock(&locks->mutex);
	lock->given = false;
	dbl_unlock(&locks->mutex);
	/* It may have been lost meanwhile. */
	locks->hooks->validity_changed(locks);
}
