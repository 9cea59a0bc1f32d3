/* SPDX-License-Identifier: MIT */
/* What is done to a grant, by its handle or by its token: again while its row is locked. Inside
 * src/lock. */
#ifndef DBL_LOCK_PATIENCE_H
#define DBL_LOCK_PATIENCE_H

#include "lock/locks.h"

/* A row may be locked for a while, by a fence in somebody's transaction: sleep before the next try,
 * never wait inside SQL. False: no time is left. */
bool dbl_pause_before_retry(const struct dbl_locks *, int64_t deadline);

/* Until the row is not locked, or the request's deadline. */
int dbl_run_patiently(struct dbl_locks *, struct dbl_request *, struct dblock_error *err);

/* Likewise, and what comes of it is durable, however relaxed the client is: see settle.h. */
int dbl_run_settled(struct dbl_locks *, struct dbl_request *, struct dblock_error *err);

/* DBLOCK_LOST, DBLOCK_STALE, and their words. */
int dbl_lost_before(const struct dblock_lock *, struct dblock_error *err);
int dbl_stale(const char *name, int64_t token, struct dblock_error *err);

#endif
