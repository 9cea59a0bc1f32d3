/* SPDX-License-Identifier: MIT */
/* Connections for the transactions of a client's users: as many as there are transactions at a
 * time, a few of which are kept for the next ones. */
#ifndef DBL_LINK_POOL_H
#define DBL_LINK_POOL_H

#include <stdatomic.h>

#include "base/thread.h"
#include "sql/tx.h"

enum { DBL_POOL_KEEPS = 8 };

struct dbl_pool {
	const struct dbl_target *target;
	struct dbl_mutex mutex; /* guards what follows */
	struct dbl_db *idle[DBL_POOL_KEEPS];
	unsigned n_idle;
	atomic_uint n_taken; /* and not given back yet */
};

/* Does not connect. The target must outlive it. Not 0: no memory. */
int dbl_pool_init(struct dbl_pool *, const struct dbl_target *);
void dbl_pool_fini(struct dbl_pool *); /* all that were taken have been given back */

/* A plain connection, in no transaction: one that is idle and not lost, else a new one. */
int dbl_pool_take(struct dbl_pool *, int64_t deadline, struct dbl_db **, struct dblock_error *err);

/* used: somebody else's statements were run on it, which may have changed its settings. */
void dbl_pool_give(struct dbl_pool *, struct dbl_db *, bool used, int64_t deadline);

#endif
