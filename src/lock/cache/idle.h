/* SPDX-License-Identifier: MIT */
/* The grants that are idle, by when they are due: a list. Under locks->mutex; src/lock/cache
 * alone. */
#ifndef DBL_LOCK_CACHE_IDLE_H
#define DBL_LOCK_CACHE_IDLE_H

struct dblock_lock;

struct dbl_idle_list {
	struct dblock_lock *first, **end;
};

void dbl_idle_init(struct dbl_idle_list *);

/* One that is not in it, by its idle_until. */
void dbl_idle_put(struct dbl_idle_list *, struct dblock_lock *);
void dbl_idle_take_out(struct dbl_idle_list *, struct dblock_lock *);

/* One that is in it is due now. */
void dbl_idle_put_first(struct dbl_idle_list *, struct dblock_lock *);

#endif
