/* SPDX-License-Identifier: MIT */
/* Of several hosts, or addresses of a host, each is tried for a share of the time, the one that
 * worked last first. Who is silent, refuses, or cannot be written is passed over. */
#ifndef DBL_DRIVER_HOSTS_H
#define DBL_DRIVER_HOSTS_H

#include <stdatomic.h>

#include "base/env.h"
#include "base/err.h"

struct dbl_hosts {
	unsigned n;
	unsigned only;     /* the only one that is tried, from 1; 0: all are */
	atomic_uint *good; /* the one that worked last; NULL: nobody remembers */
	const struct dbl_env *env;
	int64_t deadline;
	int64_t each; /* us for each host; 0: a fair share of what is left */
	/* Connect to the host of that number. A failure's message names it where there are
	 * several. */
	int (*open)(void *ctx, unsigned host, int64_t by, struct dblock_error *err);
	void *ctx;
};

/* The outcome of the host that worked, or else of all, each with what it said. Where trying again
 * soon may help, that is E_UNAVAILABLE while there is time, and E_NO_ANSWER behind the deadline. */
int dbl_hosts_open(const struct dbl_hosts *, struct dblock_error *err);

#endif
