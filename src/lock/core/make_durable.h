/* SPDX-License-Identifier: MIT */
/*
 * Whatever outlives its client is durable, however relaxed the client is: leases, minimum holds,
 * slots that were done, breaks, what the reaper did. If the database forgot them in a crash of its
 * machine, nobody could tell their holders.
 *
 * A commit that need not reach the disk becomes durable with a later one that must, on a second,
 * durable connection: all databases write commits to one log, in order. Inside src/lock.
 */
#ifndef DBL_LOCK_MAKE_DURABLE_H
#define DBL_LOCK_MAKE_DURABLE_H

#include "lock/core/context.h"

/* Puts on the disk all that this client was answered until now, and all that this depends on. One
 * round trip if the client is relaxed, else none. */
int dbl_make_durable(struct dbl_locks *, int64_t deadline, struct dblock_error *err);

/* Likewise for what others wrote until now, who may be relaxed where this client is not. One round
 * trip. */
int dbl_make_all_durable(struct dbl_locks *, int64_t deadline, struct dblock_error *err);

/* The connection for a request. Where its outcome may outlive the client this one is durable, and
 * dbl_make_durable() is not needed. */
static inline struct dbl_link *dbl_durable_link(const struct dbl_locks *all, bool outlives)
{
	/* A relaxed client has a durable connection besides. */
	DBL_ASSERT((all->target->durability == DBLOCK_RELAXED) == (all->steady != NULL));
	return outlives && all->steady ? all->steady : all->link;
}

#endif
