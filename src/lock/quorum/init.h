/* SPDX-License-Identifier: MIT */
/* Making databases the members of a cluster. */
#ifndef DBL_LOCK_QUORUM_INIT_H
#define DBL_LOCK_QUORUM_INIT_H

#include "lock/core/context.h"
#include "lock/quorum/membership.h"

/* Make n databases the members of a cluster of that name, on all or none of them: first each is
 * told what it is to be, and only when all have been, that it votes. Broken off after that it is
 * completed by doing it again; doing it once more changes nothing. max_ttl in us; 0: 5 minutes, or
 * what it began with. DBLOCK_E_INVALID: one is a member of another cluster, or was given twice, or
 * may forget votes, and that is not allowed. */
int dbl_quorum_init(struct dbl_locks *const members[], unsigned n, const char *cluster,
		    int64_t max_ttl, bool allow_forgetful, struct dblock_error *err);

#endif
