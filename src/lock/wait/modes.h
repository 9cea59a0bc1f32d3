/* SPDX-License-Identifier: MIT */
/* A grant that goes on in another mode. Inside src/lock; for its handle, by one thread at a time.
 */
#ifndef DBL_LOCK_MODES_H
#define DBL_LOCK_MODES_H

#include "lock/handle/lock.h"

/* To exclusive: waits for the other holders, as the spec says (wait_until, canceled). */
int dbl_lock_upgrade(struct dblock_lock *, const struct dbl_acquire_spec *,
		     struct dblock_error *err);

/* To a weaker mode. */
int dbl_lock_downgrade(struct dblock_lock *, enum dblock_mode, struct dblock_error *err);

#endif
