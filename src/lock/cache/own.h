/* SPDX-License-Identifier: MIT */
/* What this client keeps in memory. Only src/lock/cache and its tests include this. */
#ifndef DBL_LOCK_CACHE_OWN_H
#define DBL_LOCK_CACHE_OWN_H

#include "lock/cache/local_own.h"

struct dbl_posted;
struct dbl_idle_thread;

struct dbl_cache {
	struct dbl_local *local;   /* the names that our threads hold or wait for: see local.h */
	unsigned local_turns;      /* turns that are reserved at a time; 0: none */
	struct dbl_posted *posted; /* NULL: every release is waited for */
	struct dbl_idle_thread *idle_thread; /* NULL: no grant has been kept idle yet */
	atomic_uint n_idle;                  /* idle grants */
};

#endif
