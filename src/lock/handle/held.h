/* SPDX-License-Identifier: MIT */
/*
 * The published handles: a list of all, and a hash table by name, so that an acquire and a release
 * cost the same however many locks a client holds. Under locks->mutex.
 */
#ifndef DBL_LOCK_HELD_H
#define DBL_LOCK_HELD_H

#include <stdint.h>

struct dblock_lock;

enum { DBL_HELD_BUCKETS = 64 }; /* to begin with */

struct dbl_held {
	struct dblock_lock *first; /* the newest */
	struct dblock_lock **buckets;
	uint32_t n_buckets, n_names;
	struct dblock_lock *few[DBL_HELD_BUCKETS];
};

void dbl_held_init(struct dbl_held *);
void dbl_held_fini(struct dbl_held *);

void dbl_held_add(struct dbl_held *, struct dblock_lock *);
void dbl_held_remove(struct dbl_held *, struct dblock_lock *);

/* The next published handle that has the name, alone or among others: *at says where the last one
 * was found, and is NULL at first. NULL: there is no other. */
struct dblock_lock *dbl_held_find(struct dbl_held *, const char *name, uint64_t hash,
				  struct dblock_lock **at);

#endif
