/* SPDX-License-Identifier: MIT */
/* Threads of one client that wait for each other in memory, and what can be seen of them. */
#ifndef TESTS_SUPPORT_LOCAL_H
#define TESTS_SUPPORT_LOCAL_H

#include "lock/cache/local_own.h"
#include "lock/cache/own.h"
#include "support/waiting.h"

/* Returns how many threads of the client wait in memory for a name. */
static inline unsigned in_memory(struct dblock_client *client, const char *name)
{
	struct dbl_entry *entry = dbl_entry_find(client->locks->cache->local, name);
	const struct dbl_local_waiter *place;
	unsigned n = 0;

	if (!entry)
		return 0;
	for (place = entry->first; place; place = place->next)
		n++;
	dbl_entry_leave(entry);
	return n;
}

/* Tells whether the client knows that others wait. */
static inline bool is_wanted(struct dblock_client *client, const char *name)
{
	struct dbl_entry *entry = dbl_entry_find(client->locks->cache->local, name);
	bool wanted;

	if (!entry)
		return false;
	wanted = entry->wanted;
	dbl_entry_leave(entry);
	return wanted;
}

/* Starts another thread, which waits in memory behind those who do. */
static inline void waits_in_memory(struct waiting *w, struct dblock_client *client,
				   const char *name)
{
	unsigned before = in_memory(client, name);

	waiting_start(w, client, name);
	wait_until(in_memory(client, name) == before + 1);
}

/* A second and a third thread get the lock in turn: then the third holds it, and the grant's row
 * names no thread. */
static inline struct dblock_lock *in_turns(struct dblock_client *client, const char *name)
{
	struct waiting first, second, third;
	struct dblock_lock *lock;

	waiting_start(&first, client, name);
	lock = waiting_join(&first);
	waits_in_memory(&second, client, name);
	waits_in_memory(&third, client, name);
	give(lock);
	give(waiting_join(&second));
	return waiting_join(&third);
}

/* Returns a client for which time stands still, but for spy->skew: no wait is too long, and no look
 * at the queue is old. */
static inline struct dblock_client *in_still_time(struct spy *spy, int64_t ttl_ms)
{
	struct dblock_client *client = spy_client(spy, ttl_ms);

	client->locks->cache->local_turns = 64;
	spy_freeze(spy);
	return client;
}

static inline void still_time_ends(struct spy *spy, struct dblock_client *client)
{
	spy->fate = NULL;
	dblock_close(client, NULL);
	spy_free(spy);
}

#endif
