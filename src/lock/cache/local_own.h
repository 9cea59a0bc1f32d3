/* SPDX-License-Identifier: MIT */
/* What local.c (who waits), local_turn.c (how it goes on) and entry.c (the table) share. */
#ifndef DBL_LOCK_LOCAL_OWN_H
#define DBL_LOCK_LOCAL_OWN_H

#include "base/thread.h"
#include "lock/cache/local.h"
#include "lock/core/name.h"

enum dbl_local_state {
	DBL_LOCAL_WAITS,
	DBL_LOCAL_ASKS, /* it is to ask the database: nobody else of us does */
	DBL_LOCAL_HAS   /* it was passed on to it */
};

/* A thread in the queue, in memory; on its stack. */
struct dbl_local_waiter {
	struct dbl_local_waiter *next;
	struct dbl_cond woken;
	_Atomic int state;        /* enum dbl_local_state; changes under the mutex */
	struct dblock_lock *lock; /* to be held */
};

/* One name that threads of this client hold, or want. */
struct dbl_entry {
	struct dbl_entry *next;
	struct dbl_shard *shard;
	uint64_t hash;
	unsigned users; /* calls under way, and the handle that holds it */
	/* The handle that was granted it last, until that is released; NULL: none of ours. */
	struct dblock_lock *holder;
	struct dbl_local_waiter *first, **end;
	unsigned asking;    /* calls at the database: one, or more that have waited long */
	unsigned turns;     /* that may still be passed on, */
	int64_t fresh;      /* until then: longer ago, the database is asked again, */
	int64_t idle_fresh; /* or until then, for what is kept */
	bool wanted;        /* others wait in the database's queue */
	bool crowded;       /* they did when it was asked last */
	char name[DBL_NAME_MAX + 1];
};

struct dbl_shard {
	struct dbl_mutex mutex; /* guards the entries, and places in them; before locks->mutex */
	struct dbl_entry **bucket;
	unsigned n, n_buckets;
	struct dbl_entry *spare;
	unsigned n_spare;
};

/* Enough that threads on different names seldom meet. */
#define DBL_SHARDS 16

struct dbl_local {
	struct dbl_shard shard[DBL_SHARDS];
	atomic_uint in_turns;         /* grants whose rows name no thread */
	unsigned look_at;             /* the heartbeat thread's alone: the next shard to look at */
	_Atomic int64_t wanted_early; /* the token that somebody has rung for last */
};

/* The name's, with one user more, its shard locked; NULL: no memory, and nothing is locked. */
struct dbl_entry *dbl_entry_enter(struct dbl_local *, const char *name, uint64_t hash);

/* The same, if there is one. */
struct dbl_entry *dbl_entry_find(struct dbl_local *, const char *name);

/* One user less; the shard is unlocked. */
void dbl_entry_leave(struct dbl_entry *);

/* Under the shard's mutex: */
void dbl_local_waiter_add(struct dbl_entry *, struct dbl_local_waiter *);
void dbl_local_waiter_remove(struct dbl_entry *, struct dbl_local_waiter *);
void dbl_local_waiter_go(struct dbl_entry *,
			 enum dbl_local_state); /* the first of them, out of line */

/* It has it, as the database says. */
void dbl_entry_hold(struct dbl_entry *, struct dblock_lock *);

/* Does its row bear no thread's name? */
void dbl_local_unname(struct dblock_lock *, bool unnamed);

/* Connections for requests that were lost until now. */
int64_t dbl_local_losses(const struct dbl_locks *);

/* Nobody of us has it, or is about to: the first in the queue asks. */
void dbl_entry_stir(struct dbl_entry *);

#endif
