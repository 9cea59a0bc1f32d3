/* SPDX-License-Identifier: MIT */
/* What modules below have to tell, or ask, those above them: one constant table, which client.c
 * makes. Inside src/lock. */
#ifndef DBL_LOCK_CORE_HOOKS_H
#define DBL_LOCK_CORE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lock/core/acquire_spec.h"

struct dbl_locks;

struct dbl_hooks {
	/* notify, on its own thread or that of whoever rings: the holder of the grant with this
	 * token is asked to let go; somebody else wants that grant; grants of ours were taken away.
	 */
	void (*asked)(struct dbl_locks *, int64_t token);
	void (*wanted)(struct dbl_locks *, int64_t token);
	void (*revoked)(struct dbl_locks *);
	/* handle, under locks->mutex: it has another grant, or is about to have its first (true:
	 * somebody asks for that already); it is not out any more, while it is being told of
	 * something. */
	bool (*granted)(struct dblock_lock *);
	void (*leaving)(struct dblock_lock *);
	/* handle and cache, no mutex: what was just granted is asked for; a grant that others took
	 * away, or asked for, has been given back, or will be in a moment; what others have a note
	 * of (`noted`) is about to be freed. */
	void (*requested)(struct dbl_locks *);
	void (*released)(struct dblock_lock *);
	void (*freed)(struct dblock_lock *);
	/* A term has been shortened, or a grant was lost: the watchdog has to look. */
	void (*validity_changed)(struct dbl_locks *);
	/* Under locks->mutex: a transaction of the caller's may have its row locked. */
	bool (*is_attached)(const struct dbl_locks *, const struct dblock_lock *);
	/* Before its row is written, and before a name is asked for. 0, or DBLOCK_FENCED: a
	 * transaction of the caller's own would be waited for. */
	int (*may_write)(struct dblock_lock *, struct dblock_error *err);
	int (*may_ask)(struct dbl_locks *, const char *name, struct dbl_owner,
		       struct dblock_error *err);
};

#endif
