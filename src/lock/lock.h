/* SPDX-License-Identifier: MIT */
/* The facade: what the public API asks of one lock. It alone decides what is tried, and when. */
#ifndef DBL_LOCK_LOCK_H
#define DBL_LOCK_LOCK_H

#include "lock/handle/lock.h"

int dbl_lock_try(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_lock **,
		 struct dblock_error *err);
/* The same for a thread of the client's own, which does not count as inside of it. */
int dbl_lock_try_here(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_lock **,
		      struct dblock_error *);
int dbl_lock_wait(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_lock **,
		  struct dblock_error *err);
int dbl_lock_release(struct dblock_lock *, struct dblock_error *err);

/* The calls of a client of one database. */
extern const struct dbl_calls dbl_lock_calls;

/* Release a grant, anybody's, by name and token: its holder is told, and waited for (revoke.h). */
int dbl_grant_release(struct dbl_locks *, const char *name, int64_t token,
		      struct dblock_error *err);

#endif
