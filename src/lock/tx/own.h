/* SPDX-License-Identifier: MIT */
/* What locks have to do with transactions: src/lock/tx alone, and its tests. */
#ifndef DBL_LOCK_TX_OWN_H
#define DBL_LOCK_TX_OWN_H

#include "lock/tx/attachment.h"

/* Under locks->mutex. */
struct dbl_attached {
	struct dblock_lock
		*coming; /* acquired in transactions that are not known to be committed */
	struct dbl_attachment *attachments; /* what locks have at stake in transactions */
};

#endif
