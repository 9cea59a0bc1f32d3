/* SPDX-License-Identifier: MIT */
/* What a release tells the database. Inside src/lock. */
#ifndef DBL_LOCK_GRANT_RELEASE_H
#define DBL_LOCK_GRANT_RELEASE_H

#include "lock/handle/lock.h"

/* Ends the grant in the database, and returns as dblock_release(). The handle has left the table,
 * and stays the caller's. */
int dbl_grant_end(struct dblock_lock *, struct dblock_error *err);

/* Likewise of several, at most DBL_BATCH_MAX: those for which a statement may do are ended in one request, and
 * within one timeout; ended[] says which. Returns the first outcome of these that is not 0. */
int dbl_grants_end(struct dblock_lock *const *, unsigned n, bool ended[], struct dblock_error *err);

/* Gives back the grant of a handle that is not in the table, */
void dbl_grant_take_back(struct dblock_lock *);

/* and frees the handle. */
void dbl_grant_forgo(struct dblock_lock *);

/* The outcome of a posted release. */
enum dbl_release_before {
	DBL_RELEASE_NOT_SENT,      /* it was certainly not carried out */
	DBL_RELEASE_FOUND_NOTHING, /* others wait in the queue, or the lock had been lost */
	DBL_RELEASE_UNSURE         /* it may have been carried out */
};

/* As dbl_grant_end(), after a posted release: the handle has left the table, and its grant was
 * valid when it was released. */
int dbl_release_again(struct dblock_lock *, enum dbl_release_before, struct dblock_error *err);

/* Releases a grant by name and token, with its minimum hold, if any. Its holder is not told. While
 * the row is locked it tries again until `until`, and once at least: then DBLOCK_E_BLOCKED. */
int dbl_release_by_token(struct dbl_locks *, const char *name, int64_t token, int64_t until,
			 struct dblock_error *err);

#endif
