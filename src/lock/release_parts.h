/* SPDX-License-Identifier: MIT */
#ifndef DBL_LOCK_RELEASE_PARTS_H
#define DBL_LOCK_RELEASE_PARTS_H

#include "lock/handle/lock.h"

/* Releases one grant, unless a transaction has. The handle has left the table, or is part of one that
 * has. */
int dbl_release_one(struct dblock_lock *, struct dblock_error *err);

/* Releases all parts of a handle that has left the table, whatever comes of each. Returns the first outcome
 * that is not 0. */
int dbl_release_parts(struct dblock_lock *, struct dblock_error *err);

#endif
