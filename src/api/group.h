/* SPDX-License-Identifier: MIT */
/* A call for several names, by whichever entry point. Inside src/api. */
#ifndef DBL_API_GROUP_H
#define DBL_API_GROUP_H

#include <dblock/group.h>

struct dbl_group_call {
	struct dblock_client *client;
	const struct dblock_lock_spec *wants;
	size_t n;
	bool any;   /* one of them is enough */
	bool tries; /* it does not wait */
	bool tree; /* all but the last are intentions, which the caller may have already for another path */
};

/* Options are not read yet; *lock is written also if it fails. */
int dbl_group_acquire(struct dbl_group_call *, const struct dblock_acquire_options *,
		      struct dblock_lock **lock, struct dblock_error *);

#endif
