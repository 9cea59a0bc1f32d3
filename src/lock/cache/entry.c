/* SPDX-License-Identifier: MIT */
/* The table of the names that threads of this client hold or wait for. */
#include <string.h>

#include "base/mem.h"
#include "lock/cache/own.h"
#include "lock/handle/lock.h"

enum { BUCKETS_FIRST = 16, SPARE_MOST = 16 };

struct dbl_local *dbl_local_new(void)
{
	struct dbl_local *local = dbl_alloc(sizeof(*local));
	unsigned n = 0;

	while (local && n < DBL_SHARDS && dbl_mutex_init(&local->shard[n].mutex) == 0)
		n++;
	if (!local || n == DBL_SHARDS)
		return local;
	while (n-- > 0)
		dbl_mutex_fini(&local->shard[n].mutex);
	dbl_free(local);
	return NULL;
}

static void free_list(struct dbl_entry *entry)
{
	while (entry) {
		struct dbl_entry *next = entry->next;

		dbl_free(entry);
		entry = next;
	}
}

void dbl_local_free(struct dbl_local *local)
{
	if (!local)
		return;
	for (unsigned i = 0; i < DBL_SHARDS; i++) {
		struct dbl_shard *shard = &local->shard[i];

		DBL_ASSERT(shard->n == 0, "%u", shard->n); /* no thread holds or waits any more */
		for (unsigned b = 0; b < shard->n_buckets; b++)
			free_list(shard->bucket[b]);
		free_list(shard->spare);
		dbl_free(shard->bucket);
		dbl_mutex_fini(&shard->mutex);
	}
	dbl_free(local);
}

static struct dbl_entry **bucket_of(const struct dbl_shard *shard, uint64_t hash)
{
	return &shard->bucket[hash / DBL_SHARDS % shard->n_buckets];
}

/* Double the buckets once there are as many entries. False: there is no memory for the first. */
static bool make_room(struct dbl_shard *shard)
{
	unsigned n = shard->n_buckets ? shard->n_buckets * 2 : BUCKETS_FIRST;
	struct dbl_shard grown = {.n_buckets = n};

	if (shard->n < shard->n_buckets)
		return true;
	grown.bucket = dbl_alloc(n * sizeof(*grown.bucket));
	if (!grown.bucket)
		return shard->n_buckets > 0;
	for (unsigned b = 0; b < shard->n_buckets; b++) {
		struct dbl_entry *s = shard->bucket[b], *next;

		for (; s; s = next) {
			struct dbl_entry **at = bucket_of(&grown, s->hash);

			next = s->next;
			s->next = *at;
			*at = s;
		}
	}
	dbl_free(shard->bucket);
	shard->bucket = grown.bucket;
	shard->n_buckets = n;
	return true;
}

static struct dbl_entry *entry_new(struct dbl_shard *shard)
{
	struct dbl_entry *entry = shard->spare;

	if (!entry)
		return dbl_alloc(sizeof(*entry));
	shard->spare = entry->next;
	shard->n_spare--;
	return entry;
}

static struct dbl_entry *find(const struct dbl_shard *shard, uint64_t hash, const char *name)
{
	struct dbl_entry *entry = shard->n ? *bucket_of(shard, hash) : NULL;

	while (entry && (entry->hash != hash || strcmp(entry->name, name) != 0))
		entry = entry->next;
	return entry;
}

static struct dbl_entry *add(struct dbl_shard *shard, uint64_t hash, const char *name)
{
	struct dbl_entry *entry = make_room(shard) ? entry_new(shard) : NULL;
	struct dbl_entry **at;

	if (!entry)
		return NULL;
	at = bucket_of(shard, hash);
	*entry = (struct dbl_entry){.next = *at, .shard = shard, .hash = hash};
	memcpy(entry->name, name, strlen(name) + 1);
	entry->end = &entry->first;
	*at = entry;
	shard->n++;
	return entry;
}

/* The name's entry, with one user more. NULL: there is none, and the shard is unlocked again. */
static struct dbl_entry *enter(struct dbl_local *local, const char *name, uint64_t hash,
			       bool may_add)
{
	struct dbl_shard *shard = &local->shard[hash % DBL_SHARDS];
	struct dbl_entry *entry;

	dbl_lock(&shard->mutex);
	entry = find(shard, hash, name);
	if (!entry && may_add)
		entry = add(shard, hash, name);
	if (entry)
		entry->users++;
	else
		dbl_unlock(&shard->mutex);
	return entry;
}

struct dbl_entry *dbl_entry_enter(struct dbl_local *local, const char *name, uint64_t hash)
{
	return enter(local, name, hash, true);
}

struct dbl_entry *dbl_entry_find(struct dbl_local *local, const char *name)
{
	return enter(local, name, dbl_name_hash(name, strlen(name)), false);
}

void dbl_entry_leave(struct dbl_entry *entry)
{
	struct dbl_shard *shard = entry->shard;
	struct dbl_entry **at;

	DBL_ASSERT_HELD(&shard->mutex);
	DBL_ASSERT(entry->users > 0, "%s", entry->name);
	if (--entry->users == 0) {
		DBL_ASSERT(!entry->holder && !entry->first && !entry->asking, "%s", entry->name);
		at = bucket_of(shard, entry->hash);
		while (*at != entry)
			at = &(*at)->next;
		*at = entry->next;
		shard->n--;
		entry->next = shard->spare;
		if (shard->n_spare < SPARE_MOST) {
			shard->spare = entry;
			shard->n_spare++;
		} else {
			dbl_free(entry);
		}
	}
	dbl_unlock(&shard->mutex);
}

/* ---- local waiters --------------------------------------------------------------------------- */

void dbl_local_waiter_add(struct dbl_entry *entry, struct dbl_local_waiter *waiter)
{
	DBL_ASSERT_HELD(&entry->shard->mutex);
	DBL_ASSERT(!*entry->end && waiter->lock, "%s", entry->name);
	waiter->next = NULL;
	*entry->end = waiter;
	entry->end = &waiter->next;
}

void dbl_local_waiter_remove(struct dbl_entry *entry, struct dbl_local_waiter *waiter)
{
	struct dbl_local_waiter **at = &entry->first;

	DBL_ASSERT_HELD(&entry->shard->mutex);
	while (*at && *at != waiter)
		at = &(*at)->next;
	DBL_ASSERT(*at, "%s", entry->name); /* the waiter is in the list */
	*at = waiter->next;
	if (entry->end == &waiter->next)
		entry->end = at;
}

void dbl_local_wake_all(struct dbl_locks *locks)
{
	struct dbl_local *local = locks->cache->local;

	for (unsigned i = 0; i < DBL_SHARDS; i++) {
		struct dbl_shard *shard = &local->shard[i];

		dbl_lock(&shard->mutex);
		for (unsigned b = 0; b < shard->n_buckets; b++) {
			for (struct dbl_entry *s = shard->bucket[b]; s; s = s->next)
				for (struct dbl_local_waiter *p = s->first; p; p = p->next)
					dbl_cond_wake(&p->woken);
		}
		dbl_unlock(&shard->mutex);
	}
}

void dbl_local_waiter_go(struct dbl_entry *entry, enum dbl_local_state state)
{
	struct dbl_local_waiter *waiter = entry->first;

	DBL_ASSERT(waiter && waiter->state == DBL_LOCAL_WAITS, "%s", entry->name);
	dbl_local_waiter_remove(entry, waiter);
	entry->asking += state == DBL_LOCAL_ASKS;
	dbl_cond_wake(&waiter->woken);
	/* The last thing: its thread looks without the mutex, too, and ends it then. */
	waiter->state = (int)state;
}

void dbl_entry_stir(struct dbl_entry *entry)
{
	DBL_ASSERT_HELD(&entry->shard->mutex);
	if (entry->first && !entry->holder && !entry->asking)
		dbl_local_waiter_go(entry, DBL_LOCAL_ASKS);
}

void dbl_entry_hold(struct dbl_entry *entry, struct dblock_lock *lock)
{
	DBL_ASSERT_HELD(&entry->shard->mutex);
	DBL_ASSERT(!lock->cached.entry && strcmp(entry->name, lock->name) == 0, "%s, %s",
		   entry->name, lock->name);
	entry->holder = lock;
	entry->users++;
	entry->turns = 0;
	entry->wanted = false;
	entry->crowded = entry->crowded && lock->grant.handed;
	lock->cached.entry = entry;
}
