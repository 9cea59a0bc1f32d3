/* SPDX-License-Identifier: MIT */
/* What the files of in_tx.h share. */
#ifndef DBL_LOCK_IN_TX_OWN_H
#define DBL_LOCK_IN_TX_OWN_H

#include "lock/tx/in_tx.h"

/* Operations in the transaction, all or none, with settings of ours: DBLOCK_E_LOCKED soon where a
 * row is locked. */
int dbl_in_tx(struct dblock_tx *, int (*body)(void *, struct dbl_db *, struct dblock_error *),
	      void *ctx, int64_t deadline, struct dblock_error *err);

/* One of them. */
int dbl_run_in_tx(struct dblock_tx *, struct dbl_request *, struct dblock_error *err);

/* Of one such operation: it may wait a second for its row (MySQL), and its answer that is late
 * costs the connection, and with it the caller's transaction. */
int64_t dbl_in_tx_deadline(const struct dblock_tx *);

/* COMING: known to the client, not out. */
void dbl_in_tx_begin(struct dblock_lock *);

/* A release is committed: LEFT; and who waits is served. */
void dbl_in_tx_released(struct dblock_lock *, const struct dbl_attachment *);

#endif
