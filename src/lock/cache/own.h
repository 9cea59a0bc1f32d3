/* SPDX-License-Identifier: MIT */
/* What this client keeps in memory: src/lock/cache alone, and its tests. */
#ifndef DBL_LOCK_CACHE_OWN_H
#define DBL_LOCK_CACHE_OWN_H

#include "lock/cache/local_own.h"

struct dbl_posted;
struct dbl_idle_thread;

struct dbl_cache {
	struct dbl_local *local;   /* threads that wait for threads of ours: see local.h */
	unsigned local_turns;      /* 0: none is passed on; set right after opening */
	struct dbl_posted *posted; /* releases that nobody waits for; NULL: all are waited for */
	struct dbl_idle_thread
		*idle_thread; /* of what is kept idle: see sticky.h; NULL: nothing ever was */
	atomic_uint n_idle;
};

#endif
