/* SPDX-License-Identifier: MIT */
/*
 * What outlives its client is durable, however relaxed the client is: leases, minimum holds, slots
 * that were done, breaks, what the reaper did. Nobody could tell their holders that a crash of the
 * database's machine has forgotten them.
 *
 * A commit that need not reach the disk is settled by one that must, on a connection of its own
 * that is durable: all three databases write commits to one log, in order. Inside src/lock.
 */
#ifndef DBL_LOCK_MAKE_DURABLE_H
#define DBL_LOCK_MAKE_DURABLE_H

#include "lock/core/context.h"

/* What this client was answered until now is on the disk, and what that stands on. One round trip
 * if the client is relaxed, else none. */
int dbl_make_durable(struct dbl_locks *, int64_t deadline, struct dblock_error *err);

/* Likewise what others wrote before now, who may be relaxed where this client is not. One round
 * trip. */
int dbl_make_all_durable(struct dbl_locks *, int64_t deadline, struct dblock_error *err);

/* The connection for a request whose outcome may outlive the client, or not: then it need not be
 * settled. */
static inline struct dbl_link *dbl_durable_link(const struct dbl_locks *all, bool outlives)
{
	/* What is relaxed has one that is not. */
	DBL_ASSERT((all->target->durability == DBLOCK_RELAXED) == (all->steady != NULL));
	return outlives && all->steady ? all->steady : all->link;
}

#endif
