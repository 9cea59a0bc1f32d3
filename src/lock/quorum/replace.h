/* SPDX-License-Identifier: MIT */
/* Putting another database in a member's place. */
#ifndef DBL_LOCK_QUORUM_REPLACE_H
#define DBL_LOCK_QUORUM_REPLACE_H

#include "lock/core/context.h"
#include "lock/quorum/membership.h"

struct dbl_replace {
	unsigned number;                      /* of the member that is replaced */
	void (*waits)(void *arg, int64_t us); /* is told before the wait; may be NULL */
	void *arg;
	bool allow_forgetful; /* the newcomer may be one that forgets votes when its machine crashes
			       */
};

/* The database that is given as that member, members[number - 1], is it from now on, and votes.
 * Others that do not answer are NULL there; at least a majority of all has to be there without it.
 * Broken off at any point it is gone on with by doing it again; once it is complete, that changes
 * nothing. Takes the cluster's max_ttl; less if it was broken off late. DBLOCK_E_INVALID: the
 * databases are not those of one cluster, or another number is being replaced. DBLOCK_E_CONFLICT:
 * somebody else replaces it at this moment. */
int dbl_quorum_replace(struct dbl_locks *const members[], unsigned n, const struct dbl_replace *,
		       struct dblock_error *err);

#endif
