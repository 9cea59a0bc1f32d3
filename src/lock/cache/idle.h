/* SPDX-License-Identifier: MIT */
/* A list of the idle grants by when they are due. Under locks->mutex; for src/lock/cache alone. */
#ifndef DBL_LOCK_CACHE_IDLE_H
#define DBL_LOCK_CACHE_IDLE_H

struct dblock_lock;

struct dbl_idle_list {
	struct dblock_lock *first, **end;
};

void dbl_idle_init(struct dbl_idle_list *);

/* Insert a grant that is not in the list, by its idle_until. */
void dbl_idle_put(struct dbl_idle_list *, struct dblock_lock *);
void dbl_idle_take_out(struct dbl_idle_list *, struct dblock_lock *);

/* Move a grant that is in the list to its head: it is due now. */
void dbl_idle_put_first(struct dbl_idle_list *, struct dblock_lock *);

#endif
