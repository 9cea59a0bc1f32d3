/* SPDX-License-Identifier: MIT */
/*
 * Several locks at once: all or none.
 *
 * A wait for several names has a row in each of their lines, drawn in one transaction: with one
 * nonce, and one ticket, so that of two such waits the same one stands first wherever they meet.
 * While it waits it holds nothing. A name where it stands first, and could have it, is kept for it;
 * when that is so on all of them it grants itself all of them, in one transaction, each conditional
 * on what was seen of its queue. So big groups do not starve among small ones, and groups alone
 * never wait for each other in a cycle (Havender's resource ordering is not needed: nobody holds
 * and waits).
 *
 * Nobody else grants a group: who lets go of one of its names rings it, and it looks.
 * For one thread, which blocks. Inside src/lock.
 */
#ifndef DBL_LOCK_GROUP_H
#define DBL_LOCK_GROUP_H

#include "lock/wait/wait.h"

struct dbl_group {
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec; /* what the names have in common */
	unsigned n;
	struct dbl_acquire_spec *specs; /* one for each name, in byte order of the names */
	struct dbl_wait *waits;         /* its place in that queue */
	struct dblock_lock *lock;       /* the handle-to-be of all */
	struct dbl_waiter waiter;       /* one nonce for all */
	struct dbl_suspicion suspicion;
	unsigned begun; /* so many waits have been */
};

/* What a handle of several names is called: their names, with ", " between. */
int dbl_group_begin(struct dbl_group *, struct dbl_locks *, const struct dbl_acquire_spec *common,
		    struct dbl_acquire_spec *specs, unsigned n, struct dblock_error *err);
void dbl_group_end(struct dbl_group *);

/* Into all lines, and announced. 0, or a failure; DBLOCK_WAITING: try again, a little later. */
int dbl_group_join(struct dbl_group *, struct dblock_error *err);

/* Out of all lines; what it was granted in them is given back. */
void dbl_group_leave(struct dbl_group *);

/* All of them are ready: take them. 0, or a failure; DBLOCK_BUSY: something has changed. */
int dbl_group_take(struct dbl_group *, struct dblock_error *err);

/* Join, wait, take: what the spec says about waiting counts for all. */
int dbl_lock_all(struct dbl_locks *, const struct dbl_acquire_spec *common,
		 struct dbl_acquire_spec *specs, unsigned n, struct dblock_lock **,
		 struct dblock_error *err);

#endif
