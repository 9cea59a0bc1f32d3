/* SPDX-License-Identifier: MIT */
/* Extending leases. Inside src/lock. */
#ifndef DBL_LOCK_GRANT_EXTEND_H
#define DBL_LOCK_GRANT_EXTEND_H

#include "lock/handle/lock.h"

int dbl_lock_extend(struct dblock_lock *, int64_t lease, struct dblock_error *err);

typedef int dbl_extend_fn(struct dblock_lock *, int64_t lease, struct dblock_error *err);

/* Has it extended, if it has a lease, and tells how long that took. */
int dbl_extend_traced(struct dblock_lock *, dbl_extend_fn *, int64_t lease,
		      struct dblock_error *err);

/* Extends a grant by name and token, whoever has it. DBLOCK_STALE: it does not hold the name. */
int dbl_grant_extend(struct dbl_locks *, const char *name, int64_t token, int64_t lease,
		     struct dblock_error *err);

/* An extension that somebody else is to make, for whom the handle stays there: it is to be made; it
 * was made; wait until there is none. */
void dbl_extension_begun(struct dblock_lock *);
void dbl_extension_over(struct dblock_lock *);
void dbl_extensions_await(struct dblock_lock *);

#endif
