/* SPDX-License-Identifier: MIT */
#include "lock/handle/held.h"

#include <string.h>

#include "base/mem.h"
#include "lock/handle/handle.h"
#include "lock/handle/own.h"

/* A handle of several names is in the table by its parts, each of which points to the whole. */

void dbl_held_init(struct dbl_held *held)
{
	*held = (struct dbl_held){.n_buckets = DBL_HELD_BUCKETS};
}

void dbl_held_fini(struct dbl_held *held)
{
	dbl_free(held->buckets);
}

static struct dblock_lock **bucket_of(struct dbl_held *held, uint64_t hash)
{
	struct dblock_lock **buckets = held->buckets ? held->buckets : held->few;

	return &buckets[hash % held->n_buckets];
}

static void put(struct dbl_held *held, struct dblock_lock *part)
{
	struct dblock_lock **bucket = bucket_of(held, part->hash);

	part->next_of_name = *bucket;
	*bucket = part;
}

/* Doubles the buckets; where there is no memory for that, the chains grow longer. */
static void grow(struct dbl_held *held)
{
	struct dblock_lock **before = held->buckets;
	uint32_t n = 2 * held->n_buckets;
	struct dblock_lock **after = dbl_alloc(n * sizeof(struct dblock_lock *));

	if (!after)
		return;
	held->n_buckets = n;
	held->buckets = after;
	for (struct dblock_lock *lock = held->first; lock; lock = lock->next) {
		if (lock->n_parts == 0)
			put(held, lock);
		for (unsigned i = 0; i < lock->n_parts; i++)
			put(held, lock->parts[i]);
	}
	dbl_free(before);
}

static void add_name(struct dbl_held *held, struct dblock_lock *part, struct dblock_lock *whole)
{
	DBL_ASSERT(part == whole || !part->before, "%s", part->name); /* parts are not published */
	part->whole = whole;
	put(held, part);
	held->n_names++;
}

void dbl_held_add(struct dbl_held *held, struct dblock_lock *lock)
{
	DBL_ASSERT(!lock->before, "%s", lock->name); /* not published yet */
	DBL_ASSERT(!held->first || held->first->before == &held->first);
	if (held->n_names >= 2 * held->n_buckets)
		grow(held);
	lock->next = held->first;
	lock->before = &held->first;
	if (lock->next)
		lock->next->before = &lock->next;
	held->first = lock;
	if (lock->n_parts == 0)
		add_name(held, lock, lock);
	for (unsigned i = 0; i < lock->n_parts; i++)
		add_name(held, lock->parts[i], lock);
}

static void remove_name(struct dbl_held *held, const struct dblock_lock *part)
{
	struct dblock_lock **at = bucket_of(held, part->hash);

	while (*at && *at != part)
		at = &(*at)->next_of_name;
	DBL_ASSERT(*at && held->n_names > 0, "%s", part->name);
	*at = part->next_of_name;
	held->n_names--;
}

void dbl_held_remove(struct dbl_held *held, struct dblock_lock *lock)
{
	DBL_ASSERT(lock->before && *lock->before == lock, "%s", lock->name); /* it is published */
	DBL_ASSERT(!lock->next || lock->next->before == &lock->next, "%s", lock->name);
	*lock->before = lock->next;
	if (lock->next)
		lock->next->before = lock->before;
	lock->before = NULL;
	if (lock->n_parts == 0)
		remove_name(held, lock);
	for (unsigned i = 0; i < lock->n_parts; i++)
		remove_name(held, lock->parts[i]);
}

struct dblock_lock *dbl_held_find(struct dbl_held *held, const char *name, uint64_t hash,
				  struct dblock_lock **at)
{
	struct dblock_lock *part = *at ? (*at)->next_of_name : *bucket_of(held, hash);

	while (part && (part->hash != hash || strcmp(part->name, name) != 0))
		part = part->next_of_name;
	*at = part;
	DBL_ASSERT(!part || (part->whole && part->whole->before), "%s", name); /* published */
	return part ? part->whole : NULL;
}

/* ---- what the caller has already ------------------------------------------------------------- */

/* A holder in that mode may do what the wanted mode allows. */
static bool suffices_for(enum dblock_mode mode, enum dblock_mode wanted)
{
	return mode == DBLOCK_EXCLUSIVE || mode == wanted ||
	       (mode == DBLOCK_UPDATE && wanted == DBLOCK_SHARED);
}

static bool counts_permits(const struct dblock_lock *lock, const struct dbl_acquire_spec *spec)
{
	return lock->grant.mode == DBLOCK_PERMITS || spec->mode == DBLOCK_PERMITS;
}

/* Under the mutex: this owner's valid handle of the name, or NULL. */
static struct dblock_lock *find_own(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
				    struct dbl_owner owner)
{
	struct dblock_lock *at = NULL, *lock;

	do
		lock = dbl_held_find(&locks->handles->held, spec->name, dbl_spec_hash(spec), &at);
	while (lock && (lock->given || !dbl_is_same_owner(lock->owner, owner) ||
			counts_permits(lock, spec) || dbl_grant_left(lock) == 0));
	return lock;
}

static int refuse(const struct dblock_lock *lock, const struct dbl_acquire_spec *spec,
		  struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_INVALID,
			lock->n_parts
				? "'%s': this thread, or owner, holds it already, together with "
				  "others"
				: "'%s': this thread, or owner, holds it already, but shared: use "
				  "dblock_upgrade() on that handle",
			spec->name);
}

/* Under the mutex: raises the handle's count, or says why it cannot be entered again. */
static int enter_again(struct dblock_lock *lock, const struct dbl_acquire_spec *spec,
		       struct dblock_lock **out, struct dblock_error *err)
{
	if (lock->n_parts || !suffices_for(lock->grant.mode, spec->mode))
		return refuse(lock, spec, err);
	if (lock->in_tx)
		return 0;
	DBL_ASSERT(lock->count > 0 && lock->before, "%s", spec->name);
	lock->count++;
	*out = lock;
	return 0;
}

int dbl_handle_own(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		   struct dbl_owner owner, struct dblock_lock **out, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = 0;

	*out = NULL;
	if (owner.id == 0)
		return 0;
	dbl_lock(&locks->mutex);
	lock = find_own(locks, spec, owner);
	if (lock)
		rc = enter_again(lock, spec, out, err);
	dbl_unlock(&locks->mutex);
	if (!*out && atomic_load(&locks->attachments) &&
	    locks->hooks->may_ask(locks, spec->name, owner, err))
		return DBLOCK_FENCED;
	return rc;
}

bool dbl_handle_has(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		    struct dbl_owner owner)
{
	bool has;

	if (owner.id == 0)
		return false;
	dbl_lock(&locks->mutex);
	has = find_own(locks, spec, owner) != NULL;
	dbl_unlock(&locks->mutex);
	return has;
}
