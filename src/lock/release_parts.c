/* SPDX-License-Identifier: MIT */
/* The release of a grant that a transaction may have released, and of a handle of several names. */
#include "lock/release_parts.h"

#include "lock/grant/release.h"
#include "lock/handle/handle.h"
#include "lock/tx/in_tx.h"

/* If a transaction may have released it, a grant that is gone is no loss. */
int dbl_release_one(struct dblock_lock *lock, struct dblock_error *err)
{
	enum dbl_in_tx in_tx = dbl_in_tx_of(lock);
	int rc = in_tx == DBL_IN_TX_RELEASED ? 0 : dbl_grant_end(lock, err);

	return rc == DBLOCK_LOST && in_tx == DBL_IN_TX_RELEASED_PERHAPS ? 0 : rc;
}

int dbl_release_parts(struct dblock_lock *lock, struct dblock_error *err)
{
	bool ended[DBL_BATCH_MAX];
	int rc = dbl_grants_end(lock->parts, lock->n_parts, ended, err);

	for (unsigned i = 0; i < lock->n_parts; i++) {
		struct dblock_lock *part = lock->parts[i];
		int one = ended[i] ? 0 : dbl_release_one(part, rc ? NULL : err);

		(void)dbl_grant_try(part, DBL_DONE); /* a transaction may have */
		rc = rc ? rc : one;
	}
	return rc;
}
