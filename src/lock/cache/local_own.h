/* SPDX-License-Identifier: MIT */
/* What local.c (who waits), local_turn.c (how it goes on) and entry.c (the table) share. */
#ifndef DBL_LOCK_LOCAL_OWN_H
#define DBL_LOCK_LOCAL_OWN_H

#include "base/thread.h"
#include "lock/cache/local.h"
#include "lock/core/name.h"

enum dbl_place_state {
	DBL_PLACE_WAITS,
	DBL_PLACE_ASKS, /* it is to ask the database: nobody else of us does */
	DBL_PLACE_HAS   /* it was passed on to it */
};

/* A thread in line, in memory; on its stack. */
struct dbl_place {
	struct dbl_place *next;
	struct dbl_cond woken;
	_Atomic int state;        /* enum dbl_place_state; changes under the mutex */
	struct dblock_lock *lock; /* to be held */
};

/* One name that threads of this client hold, or want. */
struct dbl_segment {
	struct dbl_segment *next;
	struct dbl_shard *shard;
	uint64_t hash;
	unsigned users; /* calls under way, and the handle that holds it */
	/* The handle that was granted it last, until that is released; NULL: none of ours. */
	struct dblock_lock *holder;
	struct dbl_place *first, **end;
	unsigned asking; /* calls at the database: one, or more that have waited long */
	unsigned turns;  /* that may still be passed on, */
	int64_t fresh;   /* until then: longer ago, the database is asked again, */
	int64_t kept;    /* or until then, for what is kept */
	bool wanted;     /* others wait in the database's line */
	bool crowded;    /* they did when it was asked last */
	char name[DBL_NAME_MAX + 1];
};

struct dbl_shard {
	struct dbl_mutex mutex; /* guards the segments, and places in them; before locks->mutex */
	struct dbl_segment **bucket;
	unsigned n, n_buckets;
	struct dbl_segment *spare;
	unsigned n_spare;
};

/* Enough that threads on different names seldom meet. */
#define DBL_SHARDS 16

struct dbl_local {
	struct dbl_shard shard[DBL_SHARDS];
	atomic_uint in_turns;       /* grants whose rows name no thread */
	unsigned look_at;           /* the keeper's alone: the next shard to look at */
	_Atomic int64_t rung_early; /* the token that somebody has rung for last */
};

/* The name's, with one user more, its shard locked; NULL: no memory, and nothing is locked. */
struct dbl_segment *dbl_segment_enter(struct dbl_local *, const char *name, uint64_t hash);

/* The same, if there is one. */
struct dbl_segment *dbl_segment_find(struct dbl_local *, const char *name);

/* One user less; the shard is unlocked. */
void dbl_segment_leave(struct dbl_segment *);

/* Under the shard's mutex: */
void dbl_place_add(struct dbl_segment *, struct dbl_place *);
void dbl_place_remove(struct dbl_segment *, struct dbl_place *);
void dbl_place_go(struct dbl_segment *, enum dbl_place_state); /* the first of them, out of line */

/* It has it, as the database says. */
void dbl_segment_hold(struct dbl_segment *, struct dblock_lock *);

/* Does its row bear no thread's name? */
void dbl_local_unname(struct dblock_lock *, bool unnamed);

/* Connections for requests that were lost until now. */
int64_t dbl_local_losses(const struct dbl_locks *);

/* Nobody of us has it, or is about to: the first in line asks. */
void dbl_segment_stir(struct dbl_segment *);

#endif
