/* SPDX-License-Identifier: MIT */
/*
 * Acquiring and releasing by way of what this client keeps in memory: a posted release that need
 * not be sent, a thread of ours that waits, an idle grant. The facade calls these functions, and
 * they call src/lock/grant where the database has to be asked. Inside src/lock.
 */
#ifndef DBL_LOCK_CACHE_CACHE_H
#define DBL_LOCK_CACHE_CACHE_H

#include "lock/grant/attempt.h"

/* NULL: no memory. Its threads have been stopped before it is freed. */
struct dbl_cache *dbl_cache_new(void);
void dbl_cache_free(struct dbl_cache *);

/* Set how many turns of a grant are reserved at a time (local.h); 0: none. Right after opening. */
void dbl_cache_turns(struct dbl_locks *, unsigned turns);

/* True: *out is the idle grant that this client keeps of that name; no round trip. An idle grant
 * that does not suit the spec is given back. */
bool dbl_cache_take(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_lock **);

/* As dbl_attempt_go(), but a posted release of that name is replaced, if it is not sent yet. */
int dbl_cache_go(struct dbl_attempt *, struct dblock_error *err);

/* As dbl_attempt_publish(). If the spec says so, the grant may be kept idle after its release. */
struct dblock_lock *dbl_cache_publish(struct dbl_attempt *);

/* Give back one acquire, once no transaction of the caller's has the row locked; *last: it was the
 * last. Where `may_stay` the grant may stay with this client. After the last acquire the handle is gone
 * for the caller. */
int dbl_cache_release(struct dblock_lock *, bool may_stay, bool *last, struct dblock_error *err);

/* It is not known (false: it is again) by which token the database knows the grant: then its release gives
 * back whatever its nonce was granted. Only by who has it. */
void dbl_cache_doubt(struct dblock_lock *, bool unsure);

/* The same, of an acquire that the caller was not told of, or has lost; what comes of it is no matter. */
void dbl_cache_give_back(struct dblock_lock *);

/* Free a handle whose grant has ended, and that is not out any more. */
void dbl_cache_over(struct dblock_lock *);

#endif
