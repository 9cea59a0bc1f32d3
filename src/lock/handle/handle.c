/* SPDX-License-Identifier: MIT */
#include "lock/handle/handle.h"

#include <string.h>

#include "base/event.h"
#include "base/mem.h"
#include "lock/core/name.h"
#include "lock/core/value.h"
#include "lock/handle/own.h"
#include "lock/notify/bells.h"

struct dbl_owner dbl_owner_of(uint64_t named)
{
	if (named)
		return (struct dbl_owner){.by_name = true, .id = named};
	return (struct dbl_owner){.id = dbl_thread_id()};
}

int64_t dbl_thread_of(uint64_t named)
{
	return named ? 0 : dbl_host_thread();
}

struct dblock_lock *dbl_handle_new(struct dbl_locks *locks, const char *name,
				   struct dbl_owner owner)
{
	struct dblock_lock *lock = dbl_spare_take(&locks->handles->spare, name);

	if (!lock)
		lock = dbl_spare_new(name);
	if (!lock)
		return NULL;
	DBL_ASSERT(!lock->before && !lock->whole && lock->n_parts == 0 && lock->grant.nonce == 0);
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

static void forget(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

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
	dbl_unlock(&locks->mutex);
}

void dbl_handle_free(struct dblock_lock *lock)
{
	DBL_ASSERT(!lock->before, "%s", lock->name); /* others would find it */
	for (unsigned i = 0; i < lock->n_parts; i++)
		dbl_handle_free(lock->parts[i]);
	dbl_free(lock->parts);
	forget(lock);
	lock->locks->hooks->freed(lock);
	dbl_event_free(lock->lost_fd);
	dbl_event_free(lock->requested_fd);
	dbl_free(lock->breaker);
	dbl_life_drop(lock->grant.life);
	if (!dbl_spare_give(&lock->locks->handles->spare, lock))
		dbl_spare_free(lock);
}

bool dbl_handle_make_ready(struct dblock_lock *lock)
{
	if (!lock->grant.debt)
		lock->grant.debt = dbl_debt_new(lock->name);
	return lock->grant.debt != NULL;
}

void dbl_handle_give_back(struct dblock_lock *lock, int64_t token)
{
	struct dbl_debt *debt = lock->grant.debt;

	/* That was done before: what came of a downgrade was not known. */
	if (!debt)
		return;
	lock->grant.debt = NULL;
	lock->grant.carrier->give_back(lock->locks->session, debt, token, lock->grant.nonce);
}

struct dbl_term *dbl_lock_term(struct dblock_lock *lock)
{
	DBL_ASSERT(lock->grant.has_lease || lock->grant.life, "%s", lock->name);
	return lock->grant.has_lease ? &lock->grant.lease : &lock->grant.life->term;
}

void dbl_handle_publish(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int state = dbl_sm_now(&lock->state);
	bool listens;

	/* Or LOST already. */
	DBL_ASSERT(state == DBL_HELD || state == DBL_LOST, "%s, %d", lock->name, state);
	DBL_ASSERT(lock->count > 0, "%s", lock->name);
	dbl_lock(&locks->mutex);
	dbl_held_add(&locks->handles->held, lock);
	listens = dbl_bells_listens(locks);
	locks->hooks->granted(lock);
	dbl_unlock(&locks->mutex);
	/* Who takes it away can tell us at once. */
	if (!listens)
		(void)dbl_bells_listen(locks);
	locks->hooks->published(lock);
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

/* Who has it in that mode may do what the wished one allows. */
static bool does_for(enum dblock_mode mode, enum dblock_mode wished)
{
	return mode == DBLOCK_EXCLUSIVE || mode == wished ||
	       (mode == DBLOCK_UPDATE && wished == DBLOCK_SHARED);
}

static bool counts_permits(const struct dblock_lock *lock, const struct dbl_wish *wish)
{
	return lock->grant.mode == DBLOCK_PERMITS || wish->mode == DBLOCK_PERMITS;
}

static bool is_its(const struct dblock_lock *lock, struct dbl_owner owner)
{
	return lock->owner.by_name == owner.by_name && lock->owner.id == owner.id;
}

/* Under the mutex: a handle that this owner has on the name, valid still. */
static struct dblock_lock *find_own(struct dbl_locks *locks, const struct dbl_wish *wish,
				    struct dbl_owner owner)
{
	struct dblock_lock *at = NULL, *lock;

	do
		lock = dbl_held_find(&locks->handles->held, wish->name, &at);
	while (lock &&
	       (!is_its(lock, owner) || counts_permits(lock, wish) || dbl_grant_left(lock) == 0));
	return lock;
}

struct dblock_lock *dbl_handle_reenter(struct dbl_locks *locks, const struct dbl_wish *wish,
				       struct dbl_owner owner)
{
	struct dblock_lock *lock;

	if (owner.id == 0)
		return NULL;
	dbl_lock(&locks->mutex);
	lock = find_own(locks, wish, owner);
	if (lock && (lock->n_parts || lock->within || !does_for(lock->grant.mode, wish->mode)))
		lock = NULL;
	DBL_ASSERT(!lock || (lock->count > 0 && lock->before), "%s", wish->name);
	if (lock)
		lock->count++;
	dbl_unlock(&locks->mutex);
	return lock;
}

int dbl_handle_check(struct dbl_locks *locks, const struct dbl_wish *wish, struct dbl_owner owner,
		     struct dblock_error *err)
{
	const struct dblock_lock *lock;
	bool does, in_group;

	if (owner.id == 0)
		return 0;
	if (locks->hooks->may_ask(locks, wish->name, owner, err))
		return DBLOCK_FENCED;
	dbl_lock(&locks->mutex);
	lock = find_own(locks, wish, owner);
	in_group = lock && lock->n_parts;
	does = !lock || does_for(lock->grant.mode, wish->mode);
	dbl_unlock(&locks->mutex);
	if (in_group)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"'%s': this thread, or owner, holds it already, together with others",
			wish->name);
	if (does)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s': this thread, or owner, holds it already, but shared: use "
			"dblock_upgrade() on that handle",
			wish->name);
}

bool dbl_handle_has(struct dbl_locks *locks, const struct dbl_wish *wish, struct dbl_owner owner)
{
	bool has;

	if (owner.id == 0)
		return false;
	dbl_lock(&locks->mutex);
	has = find_own(locks, wish, owner) != NULL;
	dbl_unlock(&locks->mutex);
	return has;
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

/* Others may be reading token and nonce. */
static void has(struct dblock_lock *lock, const struct dbl_grant *grant)
{
	lock->grant.token = grant->token;
	lock->grant.nonce = grant->nonce;
	lock->grant.debt = grant->debt;
	lock->grant.mode = grant->mode;
	lock->grant.carrier = grant->carrier;
}

void dbl_handle_swap(struct dblock_lock *out, struct dblock_lock *other)
{
	struct dbl_locks *locks = out->locks;
	const struct dbl_grant had = out->grant;

	DBL_ASSERT(out->before && !other->before && strcmp(out->name, other->name) == 0);
	DBL_ASSERT(other->grant.token > out->grant.token, "%lld, %lld",
		   (long long)other->grant.token, (long long)out->grant.token);
	dbl_lock(&locks->mutex);
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
		dbl_held_remove(&locks->handles->held, lock);
		locks->hooks->leaving(lock);
	}
	dbl_unlock(&locks->mutex);
	return last;
}

/* What one write of a count needs, copied out of the table. */
struct count {
	char name[DBL_NAME_MAX + 1];
	int64_t token, nonce, count;
	const struct dbl_carrier *carrier;
};

/* Take one count that the row does not show yet; false: there is none. */
static bool take_count(struct dbl_locks *locks, struct count *out)
{
	struct dblock_lock *lock;

	dbl_lock(&locks->mutex);
	for (lock = locks->handles->held.first; lock; lock = lock->next) {
		if (lock->count != lock->count_written && lock->n_parts == 0 &&
		    !locks->hooks->is_at_stake(locks, lock))
			break;
	}
	DBL_ASSERT(!lock || lock->count > 0, "%s", lock->name);
	if (lock) {
		memcpy(out->name, lock->name, strlen(lock->name) + 1);
		out->token = dbl_row_token(lock);
		out->nonce = lock->grant.nonce;
		out->carrier = lock->grant.carrier;
		out->count = lock->count_written = lock->count;
	}
	dbl_unlock(&locks->mutex);
	return lock != NULL;
}

void dbl_handle_write_counts(void *ctx, struct dbl_link *link, int64_t deadline)
{
	struct dbl_locks *locks = ctx;
	struct count c;

	while (dbl_now(locks->env) < deadline && take_count(locks, &c)) {
		struct dbl_value args[] = {dbl_text(c.name), dbl_int(c.token), dbl_int(c.nonce),
					   dbl_int(c.count)};
		struct dbl_request request = {
			.op = c.carrier->reentry, .args = DBL_ARGS(args), .deadline = deadline};

		/* For people only: a count that cannot be written is not worth a retry. */
		(void)dbl_link_run(link, &request, NULL);
	}
}
