/* SPDX-License-Identifier: MIT */
/* The table of names that threads of this client hold, or wait for. */
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

static void free_list(struct dbl_segment *segment)
{
	while (segment) {
		struct dbl_segment *next = segment->next;

		dbl_free(segment);
		segment = next;
	}
}

void dbl_local_free(struct dbl_local *local)
{
	if (!local)
		return;
	for (unsigned i = 0; i < DBL_SHARDS; i++) {
		struct dbl_shard *shard = &local->shard[i];

		DBL_ASSERT(shard->n == 0, "%u", shard->n); /* nobody waits, or holds, any more */
		for (unsigned b = 0; b < shard->n_buckets; b++)
			free_list(shard->bucket[b]);
		free_list(shard->spare);
		dbl_free(shard->bucket);
		dbl_mutex_fini(&shard->mutex);
	}
	dbl_free(local);
}

static struct dbl_segment **bucket_of(const struct dbl_shard *shard, uint64_t hash)
{
	return &shard->bucket[hash / DBL_SHARDS % shard->n_buckets];
}

/* False: no memory, and no bucket at all. */
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
		struct dbl_segment *s = shard->bucket[b], *next;

		for (; s; s = next) {
			struct dbl_segment **at = bucket_of(&grown, s->hash);

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

static struct dbl_segment *segment_new(struct dbl_shard *shard)
{
	struct dbl_segment *segment = shard->spare;

	if (!segment)
		return dbl_alloc(sizeof(*segment));
	shard->spare = segment->next;
	shard->n_spare--;
	return segment;
}

static struct dbl_segment *find(const struct dbl_shard *shard, uint64_t hash, const char *name)
{
	struct dbl_segment *segment = shard->n ? *bucket_of(shard, hash) : NULL;

	while (segment && (segment->hash != hash || strcmp(segment->name, name) != 0))
		segment = segment->next;
	return segment;
}

static struct dbl_segment *add(struct dbl_shard *shard, uint64_t hash, const char *name)
{
	struct dbl_segment *segment = make_room(shard) ? segment_new(shard) : NULL;
	struct dbl_segment **at;

	if (!segment)
		return NULL;
	at = bucket_of(shard, hash);
	*segment = (struct dbl_segment){.next = *at, .shard = shard, .hash = hash};
	memcpy(segment->name, name, strlen(name) + 1);
	segment->end = &segment->first;
	*at = segment;
	shard->n++;
	return segment;
}

/* With a user more; unlocked again if there is none. */
static struct dbl_segment *enter(struct dbl_local *local, const char *name, uint64_t hash,
				 bool may_add)
{
	struct dbl_shard *shard = &local->shard[hash % DBL_SHARDS];
	struct dbl_segment *segment;

	dbl_lock(&shard->mutex);
	segment = find(shard, hash, name);
	if (!segment && may_add)
		segment = add(shard, hash, name);
	if (segment)
		segment->users++;
	else
		dbl_unlock(&shard->mutex);
	return segment;
}

struct dbl_segment *dbl_segment_enter(struct dbl_local *local, const char *name, uint64_t hash)
{
	return enter(local, name, hash, true);
}

struct dbl_segment *dbl_segment_find(struct dbl_local *local, const char *name)
{
	return enter(local, name, dbl_name_hash(name, strlen(name)), false);
}

void dbl_segment_leave(struct dbl_segment *segment)
{
	struct dbl_shard *shard = segment->shard;
	struct dbl_segment **at;

	DBL_ASSERT_HELD(&shard->mutex);
	DBL_ASSERT(segment->users > 0, "%s", segment->name);
	if (--segment->users == 0) {
		DBL_ASSERT(!segment->holder && !segment->first && !segment->asking, "%s",
			   segment->name);
		at = bucket_of(shard, segment->hash);
		while (*at != segment)
			at = &(*at)->next;
		*at = segment->next;
		shard->n--;
		segment->next = shard->spare;
		if (shard->n_spare < SPARE_MOST) {
			shard->spare = segment;
			shard->n_spare++;
		} else {
			dbl_free(segment);
		}
	}
	dbl_unlock(&shard->mutex);
}

/* ---- places -------------------------------------------------------------------------------------
 */

void dbl_place_add(struct dbl_segment *segment, struct dbl_place *place)
{
	DBL_ASSERT_HELD(&segment->shard->mutex);
	DBL_ASSERT(!*segment->end && place->lock, "%s", segment->name);
	place->next = NULL;
	*segment->end = place;
	segment->end = &place->next;
}

void dbl_place_remove(struct dbl_segment *segment, struct dbl_place *place)
{
	struct dbl_place **at = &segment->first;

	DBL_ASSERT_HELD(&segment->shard->mutex);
	while (*at && *at != place)
		at = &(*at)->next;
	DBL_ASSERT(*at, "%s", segment->name); /* it stands there */
	*at = place->next;
	if (segment->end == &place->next)
		segment->end = at;
}

void dbl_local_wake_all(struct dbl_locks *locks)
{
	struct dbl_local *local = locks->cache->local;

	for (unsigned i = 0; i < DBL_SHARDS; i++) {
		struct dbl_shard *shard = &local->shard[i];

		dbl_lock(&shard->mutex);
		for (unsigned b = 0; b < shard->n_buckets; b++) {
			for (struct dbl_segment *s = shard->bucket[b]; s; s = s->next)
				for (struct dbl_place *p = s->first; p; p = p->next)
					dbl_cond_wake(&p->woken);
		}
		dbl_unlock(&shard->mutex);
	}
}

void dbl_place_go(struct dbl_segment *segment, enum dbl_place_state state)
{
	struct dbl_place *place = segment->first;

	DBL_ASSERT(place && place->state == DBL_PLACE_WAITS, "%s", segment->name);
	dbl_place_remove(segment, place);
	segment->asking += state == DBL_PLACE_ASKS;
	place->state = (int)state;
	dbl_cond_wake(&place->woken);
}

void dbl_segment_stir(struct dbl_segment *segment)
{
	DBL_ASSERT_HELD(&segment->shard->mutex);
	if (segment->first && !segment->holder && !segment->asking)
		dbl_place_go(segment, DBL_PLACE_ASKS);
}

void dbl_segment_hold(struct dbl_segment *segment, struct dblock_lock *lock)
{
	DBL_ASSERT_HELD(&segment->shard->mutex);
	DBL_ASSERT(!lock->cached.segment && strcmp(segment->name, lock->name) == 0, "%s, %s",
		   segment->name, lock->name);
	segment->holder = lock;
	segment->users++;
	segment->turns = 0;
	segment->wanted = false;
	segment->crowded = segment->crowded && lock->grant.handed;
	lock->cached.segment = segment;
}
