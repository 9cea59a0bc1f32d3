/* SPDX-License-Identifier: MIT */
/* What in_tx.c, acquire_in.c and release_in.c share. */
#ifndef DBL_LOCK_IN_TX_OWN_H
#define DBL_LOCK_IN_TX_OWN_H

#include "lock/tx/in_tx.h"

/* Run operations in the transaction, all or none, with settings of ours, by which a locked row soon
 * brings DBLOCK_E_BLOCKED. */
int dbl_in_tx(struct dblock_tx *, int (*body)(void *, struct dbl_db *, struct dblock_error *),
	      void *ctx, int64_t deadline, struct dblock_error *err);

/* Run a single operation so. */
int dbl_run_in_tx(struct dblock_tx *, struct dbl_request *, struct dblock_error *err);

/* The deadline of such an operation: it may wait a second or two for its row (MySQL), and a reply
 * that is late costs the connection, and with it the caller's transaction. */
int64_t dbl_in_tx_deadline(const struct dblock_tx *);

/* ACQUIRING: the client knows the handle, which is not out yet. */
void dbl_in_tx_begin(struct dblock_lock *);

/* RELEASED, as the release is committed; if others wait, the lock is handed over. */
void dbl_in_tx_released(struct dblock_lock *, const struct dbl_attachment *);

#endif
