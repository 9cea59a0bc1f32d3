/* SPDX-License-Identifier: MIT */
/* Connections for the transactions of a client's callers: as many as there are transactions at a
 * time, a few of which stay open for the next ones. */
#ifndef DBL_LINK_POOL_H
#define DBL_LINK_POOL_H

#include <stdatomic.h>

#include "base/thread.h"
#include "sql/tx.h"

struct dbl_locks;

enum { DBL_POOL_KEEPS = 8 };

struct dbl_pool {
	const struct dbl_target *target;
	struct dbl_locks *locks; /* the client's, for those above who are given a transaction */
	struct dbl_mutex mutex;  /* guards what follows */
	struct dbl_db *idle[DBL_POOL_KEEPS];
	unsigned n_idle;
	atomic_uint n_taken; /* how many are in use */
};

/* This does not connect. The target must outlive the pool. Not 0: there is no memory. */
int dbl_pool_init(struct dbl_pool *, const struct dbl_target *);
void dbl_pool_fini(struct dbl_pool *); /* all that were taken have been given back */

/* Take a plain connection in no transaction: an idle one that is not lost, else a new one. */
int dbl_pool_take(struct dbl_pool *, int64_t deadline, struct dbl_db **, struct dblock_error *err);

/* used: statements of the caller's were run on it, which may have changed its settings. */
void dbl_pool_give(struct dbl_pool *, struct dbl_db *, bool used, int64_t deadline);

#endif
