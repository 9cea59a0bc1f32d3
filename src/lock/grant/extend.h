/* SPDX-License-Identifier: MIT */
/* Extending leases. Inside src/lock. */
#ifndef DBL_LOCK_GRANT_EXTEND_H
#define DBL_LOCK_GRANT_EXTEND_H

#include "lock/handle/lock.h"

int dbl_lock_extend(struct dblock_lock *, int64_t lease, struct dblock_error *err);

/* Extends a grant by name and token, whoever has it. DBLOCK_STALE: it does not hold the name. */
int dbl_grant_extend(struct dbl_locks *, const char *name, int64_t token, int64_t lease,
		     struct dblock_error *err);

#endif
