/* SPDX-License-Identifier: MIT */
/*
 * Which permits a grant has. A number is taken by a row in dblock_permit with the grant's nonce, and is free as soon
 * as no row of the queue with that nonce holds the semaphore any more: whatever ends a grant frees its numbers, and
 * knows nothing of them. Inside src/lock.
 */
#ifndef DBL_LOCK_GRANT_PERMIT_H
#define DBL_LOCK_GRANT_PERMIT_H

#include "lock/handle/lock.h"

/* Takes the smallest numbers that are free for a grant that nobody else has got yet. Two round trips for the first,
 * one for each of the others, and two more each time somebody is faster. If this fails, what it has taken is free
 * when the grant has been given back. */
int dbl_permits_number(struct dblock_lock *, struct dblock_error *err);

/* The number, or -1. */
int64_t dbl_permit_number(const struct dblock_lock *, size_t index);

#endif
