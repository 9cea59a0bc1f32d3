/* SPDX-License-Identifier: MIT */
/*
 * The way in and out of a grant through what this client keeps in memory: a posted release that
 * need not be sent, a thread that waits here, a grant that is kept idle. Who acquires and releases
 * goes through these, and they through src/lock/grant. Inside src/lock.
 */
#ifndef DBL_LOCK_CACHE_CACHE_H
#define DBL_LOCK_CACHE_CACHE_H

#include "lock/grant/attempt.h"

/* NULL: no memory. What it runs has been stopped before it is freed. */
struct dbl_cache *dbl_cache_new(void);
void dbl_cache_free(struct dbl_cache *);

/* A grant is passed on to other threads so often in a row; 0: it never is. Right after opening. */
void dbl_cache_turns(struct dbl_locks *, unsigned turns);

/* What this client has kept of that name, idle: no round trip. What will not do is given back. */
bool dbl_cache_take(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_lock **);

/* As dbl_attempt_go(), in the place of a grant of ours whose release is still to be sent. */
int dbl_cache_go(struct dbl_attempt *, struct dblock_error *err);

/* As dbl_attempt_publish(), and kept idle after its release, if the spec says so. */
struct dblock_lock *dbl_cache_publish(struct dbl_attempt *);

/* One acquire of it is given back, which nothing of its owner's stands against. Where `may_stay` it
 * may stay with this client. The handle is the caller's no more if it was the last. */
int dbl_cache_release(struct dblock_lock *, bool may_stay, struct dblock_error *err);

/* Its grant has ended, and it is not out: free it. */
void dbl_cache_over(struct dblock_lock *);

#endif
