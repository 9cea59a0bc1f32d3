/* SPDX-License-Identifier: MIT */
/* What the files of within.h share. */
#ifndef DBL_LOCK_WITHIN_OWN_H
#define DBL_LOCK_WITHIN_OWN_H

#include "lock/within.h"

/* One operation in the transaction, behind a savepoint, with settings of ours: DBLOCK_E_LOCKED soon
 * where its row is locked. */
int dbl_run_within(struct dblock_tx *, struct dbl_request *, struct dblock_error *err);

/* COMING: known to the client, not out. */
void dbl_within_begin(struct dblock_lock *);

/* A release is committed: LEFT; and who waits is served. */
void dbl_within_left(struct dblock_lock *, const struct dbl_stake *);

#endif
