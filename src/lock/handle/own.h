/* SPDX-License-Identifier: MIT */
/* The state of the table of handles: src/lock/handle alone, and its tests. */
#ifndef DBL_LOCK_HANDLE_OWN_H
#define DBL_LOCK_HANDLE_OWN_H

#include "lock/handle/held.h"
#include "lock/handle/lock.h"

/* Under locks->mutex. */
struct dbl_handles {
	struct dbl_held held;
	struct dblock_lock *all; /* also those not granted yet, or being released */
	uint64_t serial;         /* of the newest handle */
};

#endif
