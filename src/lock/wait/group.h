/* SPDX-License-Identifier: MIT */
/*
 * Several locks at once: all or none.
 *
 * Where nobody is in the way all are taken in one request (group_at_once.c). Else:
 *
 * A wait for several names has a row in the queue of each, added in one transaction, with one nonce
 * and one ticket, so that of two such waits the same one is first wherever they meet. It holds
 * nothing while it waits. A lock for which it is first, and which it could have, is granted to
 * nobody else. When that is so for all names it grants itself all of them in one transaction, if
 * each queue still is as it was read. So big groups do not starve among small ones, and groups
 * alone never wait for each other in a cycle (without Havender's resource ordering: nobody holds
 * and waits).
 *
 * For any one of several names (group_any.c) it stands in the queues in the same way, and is granted the first
 * for which it is first, by whoever gives that back (advance_any.c); by the same transaction it is out of the
 * others. So of two that want any of the same names the one that came first has the first that is free, and
 * single waits keep their places among them.
 *
 * Nobody else grants a group that wants all: a client that releases one of its names notifies it, and it looks.
 * One thread uses a group, and blocks.
 */
#ifndef DBL_LOCK_GROUP_H
#define DBL_LOCK_GROUP_H

#include "lock/wait/wait.h"

struct dbl_group {
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec; /* what the names have in common */
	unsigned n;
	bool any;                       /* one of the names is enough */
	struct dbl_acquire_spec *specs; /* one for each name, in byte order of the names */
	struct dbl_wait *waits;         /* one for each name: the wait in that name's queue */
	struct dblock_lock *lock; /* the handle of all names, not granted yet; of any: their text */
	struct dbl_wait *chosen;  /* of any: the one that is ready */
	bool all_of_any; /* each has to be looked at, not those alone that seem to be free */
	struct dbl_waiter waiter; /* one nonce for all */
	struct dbl_suspicion suspicion;
	bool slept;         /* it was not granted at once */
	unsigned begun;     /* how many of the waits have begun */
	unsigned announced; /* in how many queues it is announced */
};

/* The group's handle is named by all names, with ", " between. If it fails, there is no group. */
int dbl_group_begin(struct dbl_group *, struct dbl_locks *, const struct dbl_acquire_spec *common,
		    struct dbl_acquire_spec *specs, unsigned n, struct dblock_error *err);
void dbl_group_end(struct dbl_group *);

/* Takes all locks, if nobody is in the way: one request. False: it has none. */
bool dbl_group_take_at_once(struct dbl_group *);

/* From now on the handle of the group owns the handles of the names, which are held. */
void dbl_group_hand_in(struct dbl_group *);

/* Do all its waits belong to one epoch? */
bool dbl_group_one_epoch(const struct dbl_group *);

/* Joins all queues. DBLOCK_WAITING: try again a little later. */
int dbl_group_join(struct dbl_group *, struct dblock_error *err);

/* Announces it in those queues where it is not announced yet; one round trip for each. Whatever the
 * outcome, it keeps its place. DBLOCK_WAITING: the rest is to be done at waits[announced].next. */
int dbl_group_announce(struct dbl_group *, struct dblock_error *err);

/* Leaves all queues; what it was granted in them is given back. */
void dbl_group_leave(struct dbl_group *);

/* Takes all locks, each of which is ready. 0, or a failure; DBLOCK_BUSY: something has changed. */
int dbl_group_take(struct dbl_group *, struct dblock_error *err);

/* The steps of taking, for one name: in the transaction of `db` its row is granted the lock as decided
 * (DBLOCK_BUSY: the queue has changed since it was read. DBLOCK_LOST: this is an older copy of the
 * database); and its handle gets that grant. */
int dbl_group_take_part(struct dbl_wait *, struct dbl_db *, int64_t deadline,
			struct dblock_error *err);
int dbl_group_accept_part(struct dbl_wait *, int64_t sent, int64_t lease, struct dblock_error *err);

/* After a failure it is in its queues still, and its next look finds out what has been done. */
bool dbl_group_looks_again(const struct dbl_group *, int rc);

/* Joins all queues, waits, and takes: 0, or how it ended otherwise, out of all of them. */
int dbl_group_wait(struct dbl_group *, struct dblock_error *err);

/* For any, which was told to look: marks the one of its waits that has been granted, and those that it may be
 * granted. One round trip. */
int dbl_group_find_free(struct dbl_group *, struct dblock_error *err);

/* The same as dbl_group_take() for any: takes the one that was granted. No round trip. */
int dbl_group_take_any(struct dbl_group *, struct dblock_error *err);

/* Fails if this thread, or owner, holds one of the names: it would wait for itself. */
int dbl_group_check_not_held(struct dbl_locks *, const struct dbl_acquire_spec *common,
			     const struct dbl_acquire_spec *specs, unsigned n,
			     struct dblock_error *err);

/* Joins the queues of all, waits, and takes the first that it may have; the handle is that one's alone.
 * *name: one of the specs', if it has it. */
int dbl_group_wait_any(struct dbl_locks *, const struct dbl_acquire_spec *common,
		       struct dbl_acquire_spec *specs, unsigned n, struct dblock_lock **,
		       const char **name, struct dblock_error *err);

/* Takes all at once, or joins, waits and takes; what `common` says about waiting is for all names together. */
int dbl_lock_all(struct dbl_locks *, const struct dbl_acquire_spec *common,
		 struct dbl_acquire_spec *specs, unsigned n, struct dblock_lock **,
		 struct dblock_error *err);

#endif
