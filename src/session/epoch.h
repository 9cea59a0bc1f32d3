/* SPDX-License-Identifier: MIT */
/* One life of a client's session: its id in the database, and its term. Shared by count: a grant
 * keeps the epoch that it was made in. */
#ifndef DBL_SESSION_EPOCH_H
#define DBL_SESSION_EPOCH_H

#include "base/assert.h"
#include "base/env.h"
#include "base/mem.h"
#include "session/validity.h"

enum { DBL_TROUBLE_MAX = 512 };

struct dbl_epoch {
	char id[33];
	/* What the last request for it said: the heartbeat thread's alone. Each says a larger one,
	 * so that a late copy of an earlier one finds itself passed. */
	int64_t beat;
	struct dbl_validity validity;
	atomic_int cause;      /* enum dblock_loss_cause: why it was ended; 0: its term was over */
	_Atomic int64_t ended; /* on env->now(), if there is a cause */
	atomic_int shares;
	/* Why no heartbeat gets through: "" if the last one did. Under the session's mutex. */
	char trouble[DBL_TROUBLE_MAX];
};

/* A new life with a fresh id, a random beat and one share; NULL: no memory, or no randomness. */
struct dbl_epoch *dbl_epoch_new(const struct dbl_env *);

static inline void dbl_epoch_share(struct dbl_epoch *epoch)
{
	DBL_ASSERT(atomic_load(&epoch->shares) > 0); /* who shares it has a share */
	atomic_fetch_add(&epoch->shares, 1);
}

/* NULL is allowed. */
static inline void dbl_epoch_drop(struct dbl_epoch *epoch)
{
	DBL_ASSERT(!epoch || atomic_load(&epoch->shares) > 0);
	if (epoch && atomic_fetch_sub(&epoch->shares, 1) == 1)
		dbl_free(epoch);
}

/* It is over for us, at `now`, and for what cause (enum dblock_loss_cause); the first counts. */
void dbl_epoch_end(struct dbl_epoch *, int cause, int64_t now);

#endif
