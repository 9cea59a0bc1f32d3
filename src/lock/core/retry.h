/* SPDX-License-Identifier: MIT */
/* Requests that are sent again while a row, or a table, is locked. Inside src/lock. */
#ifndef DBL_LOCK_RETRY_H
#define DBL_LOCK_RETRY_H

#include "lock/core/context.h"

/* A fence in somebody's transaction may lock a row for a while: this sleeps before the next try, so
 * that nobody waits inside SQL. False: no time is left. */
bool dbl_pause_before_retry(const struct dbl_locks *, int64_t deadline);

/* The slow part of the next two: the request has just met a locked row. */
int dbl_run_again(struct dbl_link *, const struct dbl_locks *, struct dbl_request *,
		  struct dblock_error *err);

/* Runs the request, again and again until the row is not locked, or until its deadline. */
static inline int dbl_retry_while_locked(struct dbl_locks *all, struct dbl_request *request,
					 struct dblock_error *err)
{
	int rc = dbl_link_run(all->link, request, err);

	return rc == DBLOCK_E_BLOCKED ? dbl_run_again(all->link, all, request, err) : rc;
}

/* Likewise, and the outcome is durable, however relaxed the client is: see make_durable.h. */
int dbl_run_durable(struct dbl_locks *, struct dbl_request *, struct dblock_error *err);

/* Reads on behalf of an acquire. While somebody has the table locked, a call that waits tries again
 * as long as its spec allows, and then fails with DBLOCK_TIMEOUT; any other with DBLOCK_BUSY, at
 * once. The message says who has it locked. DBL_WHILE_IT_MAY_PASS: likewise while the database fails
 * in a way that may pass; the outcome is that failure. */
enum dbl_patience { DBL_AT_ONCE, DBL_WHILE_LOCKED, DBL_WHILE_IT_MAY_PASS };
int dbl_read_for(struct dbl_locks *, const struct dbl_acquire_spec *, enum dbl_patience,
		 struct dbl_request *, struct dblock_error *err);

/* Fails with `code`, and says who has a table locked that the name needs. One round trip. */
int dbl_blocked_name(const struct dbl_locks *, const char *name, int code,
		     struct dblock_error *err);

/* Fails with DBLOCK_STALE: the grant with this token does not hold the name. */
int dbl_stale(const char *name, int64_t token, struct dblock_error *err);

#endif
