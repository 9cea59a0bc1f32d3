/* SPDX-License-Identifier: MIT */
/* What a client has in transactions. Only src/lock/tx and its tests include this. */
#ifndef DBL_LOCK_TX_OWN_H
#define DBL_LOCK_TX_OWN_H

#include "lock/tx/attachment.h"

/* Under locks->mutex. */
struct dbl_attached {
	struct dblock_lock *uncommitted; /* acquired in transactions that may not be committed */
	struct dbl_attachment *attachments;
};

#endif
