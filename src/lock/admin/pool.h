/* SPDX-License-Identifier: MIT */
/* Pools: see dblock/pool.h. Inside src/lock. */
#ifndef DBL_LOCK_ADMIN_POOL_H
#define DBL_LOCK_ADMIN_POOL_H

#include <dblock/pool.h>

#include "lock/core/context.h"

int dbl_pool_resize(struct dbl_locks *, const char *name, int64_t capacity,
		    struct dblock_error *err);
int dbl_pool_capacity(struct dbl_locks *, const char *name, int64_t *capacity,
		      struct dblock_error *err);

/* pool: "" is all of them. No mutex is held while the callback runs. */
int dbl_pool_members(struct dbl_locks *, const char *pool, dblock_pool_member_cb *, void *arg,
		     struct dblock_error *err);
int dbl_pool_add(struct dbl_locks *, const char *pool, const char *member,
		 struct dblock_error *err);
int dbl_pool_drain(struct dbl_locks *, const char *pool, const char *member,
		   struct dblock_error *err);
int dbl_pool_remove(struct dbl_locks *, const char *pool, const char *member,
		    struct dblock_error *err);

#endif
