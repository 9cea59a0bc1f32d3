/* SPDX-License-Identifier: MIT */
/* Changes the mode of a grant. One thread at a time may use the handle. */
#ifndef DBL_LOCK_MODES_H
#define DBL_LOCK_MODES_H

#include "lock/handle/lock.h"

/* Upgrades to exclusive: waits for the other holders, as the spec says (wait_until, canceled). */
int dbl_lock_upgrade(struct dblock_lock *, const struct dbl_acquire_spec *,
		     struct dblock_error *err);

/* Goes on in a weaker mode. */
int dbl_lock_downgrade(struct dblock_lock *, enum dblock_mode, struct dblock_error *err);

#endif
