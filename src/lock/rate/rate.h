/* SPDX-License-Identifier: MIT */
/* Rate limits: see dblock/rate.h. */
#ifndef DBL_LOCK_RATE_RATE_H
#define DBL_LOCK_RATE_RATE_H

#include <dblock/rate.h>

#include "lock/core/context.h"
#include "lock/rate/gcra.h"

/* One call's numbers, checked. */
struct dbl_rate {
	struct dbl_gcra gcra;
	int64_t burst;
	int64_t cost, full; /* of what is to be taken, and of a burst; ns */
};

/* Of the spec count name, canceled, and either tries or wait_until. */
int dbl_rate_take(struct dbl_locks *, const struct dbl_acquire_spec *, const struct dbl_rate *,
		  struct dblock_rate_state *, struct dblock_error *err);

int dbl_rate_list(struct dbl_locks *, dblock_rate_cb *found, void *arg, struct dblock_error *err);

int dbl_rate_reset(struct dbl_locks *, const char *name, struct dblock_error *err);

#endif
