/* SPDX-License-Identifier: MIT */
/* What lower modules have to tell or ask higher ones: one constant table, which client.c makes.
 * Inside src/lock. */
#ifndef DBL_LOCK_CORE_HOOKS_H
#define DBL_LOCK_CORE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lock/core/acquire_spec.h"

struct dbl_locks;

struct dbl_hooks {
	/* Called by notify, on its own thread or on that of the call that notifies: the holder of
	 * the grant with this token is asked to let go; somebody else wants that grant; grants of
	 * ours were taken away. */
	void (*asked)(struct dbl_locks *, int64_t token);
	void (*wanted)(struct dbl_locks *, int64_t token);
	void (*revoked)(struct dbl_locks *);
	/* Called by handle, under locks->mutex: the handle has just been published, or has another
	 * grant (true: somebody has asked for that already); a handle whose callback runs has just
	 * left the table. */
	bool (*granted)(struct dblock_lock *);
	void (*leaving)(struct dblock_lock *);
	/* Called by handle and cache, without a mutex: somebody asks for what was just granted; a
	 * grant that others took away or asked for has been given back, or will be in a moment; a
	 * handle that watch or tx has noted (`noted`) is about to be freed. */
	void (*requested)(struct dbl_locks *);
	void (*released)(struct dblock_lock *);
	void (*freed)(struct dblock_lock *);
	/* The validity was shortened, or a grant was lost: the watchdog has to look. */
	void (*validity_changed)(struct dbl_locks *);
	/* Under locks->mutex: a transaction of the caller's may have the grant's row locked. */
	bool (*is_attached)(const struct dbl_locks *, const struct dblock_lock *);
	/* Called before the grant's row is written, and before a name is asked for. 0, or
	 * DBLOCK_FENCED: the call would wait for a transaction of its own caller's. */
	int (*may_write)(struct dblock_lock *, struct dblock_error *err);
	int (*may_ask)(struct dbl_locks *, const char *name, struct dbl_owner,
		       struct dblock_error *err);
};

#endif
