/* SPDX-License-Identifier: MIT */
/* What is done to a grant, by its handle or by its token: again while its row is locked. Inside
 * src/lock. */
#ifndef DBL_LOCK_RETRY_H
#define DBL_LOCK_RETRY_H

#include "lock/core/context.h"

/* A row may be locked for a while, by a fence in somebody's transaction: sleep before the next try,
 * never wait inside SQL. False: no time is left. */
bool dbl_pause_before_retry(const struct dbl_locks *, int64_t deadline);

/* For the next two: it was locked. */
int dbl_run_again(struct dbl_link *, const struct dbl_locks *, struct dbl_request *,
		  struct dblock_error *err);

/* Until the row is not locked, or the request's deadline. */
static inline int dbl_retry_while_locked(struct dbl_locks *all, struct dbl_request *request,
					 struct dblock_error *err)
{
	int rc = dbl_link_run(all->link, request, err);

	return rc == DBLOCK_E_LOCKED ? dbl_run_again(all->link, all, request, err) : rc;
}

/* Likewise, and what comes of it is durable, however relaxed the client is: see make_durable.h. */
int dbl_run_durable(struct dbl_locks *, struct dbl_request *, struct dblock_error *err);

/* A read on behalf of a call that wants the lock: one that waits goes on as the spec says, while
 * somebody has the table; then, or at once, DBLOCK_TIMEOUT or DBLOCK_BUSY say who. */
int dbl_read_for(struct dbl_locks *, const struct dbl_acquire_spec *, bool waits,
		 struct dbl_request *, struct dblock_error *err);

/* That name cannot be had, or seen, since somebody has a table locked; and who. One round trip. */
int dbl_blocked_name(const struct dbl_locks *, const char *name, int code,
		     struct dblock_error *err);

/* DBLOCK_STALE, and its words. */
int dbl_stale(const char *name, int64_t token, struct dblock_error *err);

#endif
