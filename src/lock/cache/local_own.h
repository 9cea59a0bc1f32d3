/* SPDX-License-Identifier: MIT */
/* What local.c, local_turn.c, local_queue.c and entry.c share. */
#ifndef DBL_LOCK_LOCAL_OWN_H
#define DBL_LOCK_LOCAL_OWN_H

#include "base/thread.h"
#include "lock/cache/local.h"
#include "lock/core/name.h"

enum dbl_local_state {
	DBL_LOCAL_WAITS,
	DBL_LOCAL_ASKS, /* this thread is to ask the database */
	DBL_LOCAL_HAS   /* the grant was passed on to this thread */
};

/* A thread in an entry's queue. It lives on that thread's stack. */
struct dbl_local_waiter {
	struct dbl_local_waiter *next;
	struct dbl_cond woken;
	_Atomic int state;        /* enum dbl_local_state; changes under the mutex */
	struct dblock_lock *lock; /* the handle that a grant can be passed on to */
};

/* One name that threads of this client hold, or want. */
struct dbl_entry {
	struct dbl_entry *next;
	struct dbl_shard *shard;
	uint64_t hash;
	unsigned users; /* calls under way, and the holder: the entry goes with the last of them */
	struct dblock_lock *holder; /* until its grant is released; NULL: no handle of ours */
	struct dbl_local_waiter *first, **end;
	unsigned asking;    /* threads that ask the database: one, and those that waited long */
	unsigned turns;     /* how often the grant may still be passed on, ... */
	int64_t fresh;      /* ... before this time; after it, the database is asked again */
	int64_t idle_fresh; /* the same for keeping the grant idle */
	bool wanted;        /* other clients wait in the database's queue */
	bool crowded;       /* they did when the database was asked last */
	char name[DBL_NAME_MAX + 1];
};

struct dbl_shard {
	struct dbl_mutex mutex; /* guards the entries and their queues; before locks->mutex */
	struct dbl_entry **bucket;
	unsigned n, n_buckets;
	struct dbl_entry *spare;
	unsigned n_spare;
};

/* So many shards that threads on different names seldom meet. */
#define DBL_SHARDS 16

struct dbl_local {
	struct dbl_shard shard[DBL_SHARDS];
	atomic_uint in_turns;         /* grants whose rows name no thread */
	unsigned look_at;             /* the next shard to look at; the heartbeat thread's alone */
	_Atomic int64_t wanted_early; /* the row token that a datagram named last */
};

/* The entry of that name, with one user more, its shard locked. NULL: no memory, and the shard is
 * not locked. */
struct dbl_entry *dbl_entry_enter(struct dbl_local *, const char *name, uint64_t hash);

/* The same where there is an entry, else NULL. */
struct dbl_entry *dbl_entry_find(struct dbl_local *, const char *name);

/* Count one user less, and unlock the shard. */
void dbl_entry_leave(struct dbl_entry *);

/* Under the shard's mutex: */
void dbl_local_waiter_add(struct dbl_entry *, struct dbl_local_waiter *);
void dbl_local_waiter_remove(struct dbl_entry *, struct dbl_local_waiter *);
/* Take the first waiter out of the queue, and wake it in this state. */
void dbl_local_waiter_go(struct dbl_entry *, enum dbl_local_state);

/* Note that the database has granted the name to this handle. */
void dbl_entry_hold(struct dbl_entry *, struct dblock_lock *);

/* Note whether the handle's row names no thread. */
void dbl_local_unname(struct dblock_lock *, bool unnamed);

/* How many connections for requests have been lost so far. */
int64_t dbl_local_losses(const struct dbl_locks *);

/* Let the first in the queue ask the database, if no thread of ours holds the lock, or asks. */
void dbl_entry_stir(struct dbl_entry *);

#endif
