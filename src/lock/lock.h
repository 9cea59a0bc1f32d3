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
/* The same, of which no observer hears: it is a part of another call. *reentered: the caller had it. */
int dbl_lock_try_untold(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_lock **,
			bool *reentered, struct dblock_error *err);
int dbl_lock_release(struct dblock_lock *, struct dblock_error *err);

/* The end of an acquire with this outcome: says which permits it has, if that is asked for. If that cannot be done,
 * what was granted is given back. */
int dbl_lock_number(const struct dbl_acquire_spec *, int rc, struct dblock_lock **,
		    struct dblock_error *err);

/* What is asked of a call for any one of several names: n specs in the caller's order, for tries; the same
 * in byte order of the names, for a wait as a part (`names` is -n); and what they have in common. */
struct dbl_any {
	unsigned n;
	const struct dbl_acquire_spec *given, *common;
	struct dbl_acquire_spec *sorted;
};

int dbl_lock_any(struct dbl_locks *, const struct dbl_any *, struct dblock_lock **,
		 struct dblock_error *err);

/* The calls of a client of one database. */
extern const struct dbl_calls dbl_lock_calls;

/* Release a grant, anybody's, by name and token: its holder is told, and waited for (revoke.h). */
int dbl_grant_release(struct dbl_locks *, const char *name, int64_t token,
		      struct dblock_error *err);

#endif
