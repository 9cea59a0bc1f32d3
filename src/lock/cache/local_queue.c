/* SPDX-License-Identifier: MIT */
/* What those who wait in memory and those in the database's queue have to know of each other. */
#include <string.h>

#include "lock/cache/local_own.h"
#include "lock/cache/own.h"
#include "lock/cache/sticky.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/queue/snapshot.h"

/* What was copied of a grant that is held in turns, to be used without the mutex. */
struct seen {
	char name[DBL_NAME_MAX + 1];
	int64_t token, nonce;
	const struct dblock_lock *lock; /* only to be compared: it may be gone */
};

/* ---- other clients wait ---------------------------------------------------------------------- */

/* Pass the grant on no more, and let our first waiter join the database's queue, behind theirs. */
static void is_wanted(struct dbl_locks *locks, const struct seen *seen)
{
	struct dbl_entry *entry = dbl_entry_find(locks->cache->local, seen->name);

	if (!entry)
		return;
	if (entry->holder && dbl_row_token(entry->holder) == seen->token) {
		entry->wanted = true;
		if (entry->first && !entry->asking)
			dbl_local_waiter_go(entry, DBL_LOCAL_ASKS);
		dbl_lock(&locks->mutex);
		dbl_sticky_hurry(entry->holder);
		dbl_unlock(&locks->mutex);
	}
	dbl_entry_leave(entry);
}

void dbl_local_wanted(struct dbl_locks *locks, int64_t token)
{
	const struct dblock_lock *lock;
	struct seen seen = {.token = token};

	/* This comes first: who has just reserved up to that token looks here. */
	locks->cache->local->wanted_early = token;
	dbl_lock(&locks->mutex);
	lock = dbl_handle_out(locks);
	while (lock && (!lock->cached.unnamed || dbl_row_token(lock) != token))
		lock = lock->next;
	if (lock)
		memcpy(seen.name, lock->name, strlen(lock->name) + 1);
	dbl_unlock(&locks->mutex);
	if (lock)
		is_wanted(locks, &seen);
}

/* How many grants of one bucket are looked at. */
enum { SEEN_MOST = 8 };

static unsigned take_bucket(struct dbl_shard *shard, unsigned bucket, struct seen *seen)
{
	const struct dbl_entry *s;
	unsigned n = 0;

	dbl_lock(&shard->mutex);
	s = bucket < shard->n_buckets ? shard->bucket[bucket] : NULL;
	for (; s && n < SEEN_MOST; s = s->next) {
		if (!s->holder || !s->holder->cached.unnamed || s->wanted)
			continue;
		memcpy(seen[n].name, s->name, strlen(s->name) + 1);
		seen[n].nonce = s->holder->grant.nonce;
		seen[n++].token = dbl_row_token(s->holder);
	}
	dbl_unlock(&shard->mutex);
	return n;
}

static void look(struct dbl_locks *locks, struct dbl_link *link, const struct seen *seen,
		 int64_t deadline)
{
	struct dbl_snapshot snapshot;

	if (dbl_now(locks->env) >= deadline ||
	    dbl_look(link, seen->name, NULL, 0, deadline, &snapshot, NULL))
		return; /* the next heartbeat looks again */
	/* A grant that was broken or forgotten counts too: its release will tell. */
	if (snapshot.queued || snapshot.token != seen->token || snapshot.nonce != seen->nonce)
		is_wanted(locks, seen);
}

static unsigned buckets_of(struct dbl_shard *shard)
{
	unsigned n;

	dbl_lock(&shard->mutex);
	n = shard->n_buckets;
	dbl_unlock(&shard->mutex);
	return n;
}

static void look_at_shard(struct dbl_locks *locks, struct dbl_shard *shard, struct dbl_link *link,
			  int64_t deadline)
{
	struct seen seen[SEEN_MOST];

	for (unsigned b = 0; b < buckets_of(shard) && dbl_now(locks->env) < deadline; b++) {
		unsigned n = take_bucket(shard, b, seen);

		for (unsigned k = 0; k < n; k++)
			look(locks, link, &seen[k], deadline);
	}
}

/* look_at is kept, so that the shards that there was no time for come first the next time. */
void dbl_local_look(struct dbl_locks *locks, struct dbl_link *link, int64_t deadline)
{
	struct dbl_local *local = locks->cache->local;

	if (atomic_load(&local->in_turns) == 0)
		return;
	for (unsigned i = 0; i < DBL_SHARDS && dbl_now(locks->env) < deadline; i++)
		look_at_shard(locks, &local->shard[local->look_at++ % DBL_SHARDS], link, deadline);
}

/* ---- a thread of ours waits ------------------------------------------------------------------ */

/* Find a grant that this thread holds while its row names no thread. */
static bool find_own(struct dbl_locks *locks, struct seen *seen)
{
	struct dbl_owner me = dbl_owner_me();
	const struct dblock_lock *lock;

	dbl_lock(&locks->mutex);
	lock = dbl_handle_out(locks);
	while (lock && (!lock->cached.unnamed || !dbl_is_same_owner(lock->owner, me)))
		lock = lock->next;
	if (lock)
		memcpy(seen->name, lock->name, strlen(lock->name) + 1);
	seen->lock = lock;
	dbl_unlock(&locks->mutex);
	return lock != NULL;
}

/* A thread that releases the grant meanwhile asks for turns anew: then our statement finds another
 * token, or theirs overwrites it. */
static bool stop_turns(struct dbl_locks *locks, struct seen *seen)
{
	struct dbl_entry *entry = dbl_entry_find(locks->cache->local, seen->name);
	bool any;

	if (!entry)
		return false;
	any = entry->holder == seen->lock;
	if (any) {
		entry->turns = 0;
		seen->nonce = entry->holder->grant.nonce;
		seen->token = dbl_row_token(entry->holder);
	}
	dbl_entry_leave(entry);
	return any;
}

static void has_name(struct dbl_locks *locks, const struct seen *seen)
{
	struct dbl_entry *entry = dbl_entry_find(locks->cache->local, seen->name);

	if (!entry)
		return;
	if (entry->holder == seen->lock && dbl_row_token(entry->holder) == seen->token)
		dbl_local_unname(entry->holder, false);
	dbl_entry_leave(entry);
}

int dbl_local_name(struct dbl_locks *locks, int64_t deadline, struct dblock_error *err)
{
	struct seen seen;
	int rc = 0;

	while (rc == 0 && atomic_load(&locks->cache->local->in_turns) > 0 &&
	       find_own(locks, &seen) && stop_turns(locks, &seen)) {
		struct dbl_value args[] = {dbl_text(seen.name),        dbl_int(seen.nonce),
					   dbl_int(seen.token),        dbl_int(seen.token),
					   dbl_int(dbl_host_thread()), dbl_int(0)};
		struct dbl_request request = {
			.op = DBL_OP_turn, .args = DBL_ARGS(args), .deadline = deadline};

		rc = dbl_retry_while_locked(locks, &request, err);
		if (rc == 0)
			has_name(locks, &seen);
	}
	return rc;
}
