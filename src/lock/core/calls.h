/* SPDX-License-Identifier: MIT */
/* What a client does for the calls on its locks: one table for those of one database, another one for
 * those of several (src/lock/quorum). Inside src/lock, and src/api calls by it. */
#ifndef DBL_LOCK_CORE_CALLS_H
#define DBL_LOCK_CORE_CALLS_H

#include "base/err.h"
#include "lock/core/acquire_spec.h"

struct dblock_loss;

enum dbl_how { DBL_TRY, DBL_WAIT_FOR_IT, DBL_HOWS };

struct dbl_calls {
	dbl_acquire_fn *acquire[DBL_HOWS];
	/* Release one acquire; after the last one the handle is gone. */
	int (*release)(struct dblock_lock *, struct dblock_error *err);
	/* `lease` us from now. */
	int (*extend)(struct dblock_lock *, int64_t lease, struct dblock_error *err);
	/* Likewise anybody's, by name and token. */
	int (*release_token)(struct dbl_locks *, const char *name, int64_t token,
			     struct dblock_error *err);
	int (*extend_token)(struct dbl_locks *, const char *name, int64_t token, int64_t lease,
			    struct dblock_error *err);
	/* us for which it is still held, or 0. */
	int64_t (*left)(struct dblock_lock *);
	/* Why it is lost, if it is. */
	void (*loss)(struct dblock_lock *, struct dblock_loss *);
};

#endif
