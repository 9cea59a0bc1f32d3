/* SPDX-License-Identifier: MIT */
#include "lock/handle/held.h"

#include <string.h>

#include "base/mem.h"
#include "lock/handle/lock.h"

/* Handles of several names stand in the table with their parts, each of which knows its whole. */

void dbl_held_init(struct dbl_held *held)
{
	*held = (struct dbl_held){.n_buckets = DBL_HELD_BUCKETS};
}

void dbl_held_fini(struct dbl_held *held)
{
	dbl_free(held->buckets);
}

static struct dblock_lock **bucket_of(struct dbl_held *held, const char *name)
{
	struct dblock_lock **buckets = held->buckets ? held->buckets : held->few;

	return &buckets[dbl_name_hash(name, strlen(name)) % held->n_buckets];
}

static void put(struct dbl_held *held, struct dblock_lock *part)
{
	struct dblock_lock **bucket = bucket_of(held, part->name);

	part->next_of_name = *bucket;
	*bucket = part;
}

/* Twice as many buckets: if there is no memory for that, the chains grow longer. */
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
	DBL_ASSERT(part == whole || !part->before, "%s", part->name); /* it is no whole itself */
	part->whole = whole;
	put(held, part);
	held->n_names++;
}

void dbl_held_add(struct dbl_held *held, struct dblock_lock *lock)
{
	DBL_ASSERT(!lock->before, "%s", lock->name); /* it is not out */
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
	struct dblock_lock **at = bucket_of(held, part->name);

	while (*at && *at != part)
		at = &(*at)->next_of_name;
	DBL_ASSERT(*at && held->n_names > 0, "%s", part->name);
	*at = part->next_of_name;
	held->n_names--;
}

void dbl_held_remove(struct dbl_held *held, struct dblock_lock *lock)
{
	DBL_ASSERT(lock->before && *lock->before == lock, "%s", lock->name); /* it is out */
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

struct dblock_lock *dbl_held_find(struct dbl_held *held, const char *name, struct dblock_lock **at)
{
	struct dblock_lock *part = *at ? (*at)->next_of_name : *bucket_of(held, name);

	while (part && strcmp(part->name, name) != 0)
		part = part->next_of_name;
	*at = part;
	DBL_ASSERT(!part || (part->whole && part->whole->before), "%s", name); /* in it iff out */
	return part ? part->whole : NULL;
}
