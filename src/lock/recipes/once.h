/* SPDX-License-Identifier: MIT */
/*
 * A job that is done once for each slot: under the lock of its name, with a mark in a table.
 *
 * Why no slot is marked twice, and none is begun again that was marked: a mark is written only
 * while its grant is the newest of the lock (once_mark), with the lock's row locked. A takeover has
 * to write that row; so either the mark is there before it, and the new holder sees it when it
 * looks (after the grant, in a statement of its own), or the takeover came first, and the mark
 * finds another token. Hence the order: first the lock, then the look.
 */
#ifndef DBL_LOCK_ONCE_H
#define DBL_LOCK_ONCE_H

#include "lock/handle/lock.h"

/* 0: the job is the caller's to do, under the lock *out. DBLOCK_DONE: somebody has done it. */
int dbl_once(struct dbl_locks *, dbl_acquire_fn *how, const struct dbl_acquire_spec *,
	     const char *slot, struct dblock_lock **out, struct dblock_error *err);

/* Mark the slot as done, and release the lock. After 0 and DBLOCK_LOST the handle is gone. */
int dbl_once_done(struct dblock_lock *, struct dblock_error *err);

#endif
