/* SPDX-License-Identifier: MIT */
/* One grant out: what a release tells the database. Inside src/lock. */
#ifndef DBL_LOCK_GRANT_RELEASE_H
#define DBL_LOCK_GRANT_RELEASE_H

#include "lock/handle/lock.h"

/* Tell the database that the last acquire was given back. The handle is not out any more, and stays
 * the caller's. As dblock_release(). */
int dbl_grant_end(struct dblock_lock *, struct dblock_error *err);

/* A handle that is not out, but has a grant: give that back, */
void dbl_grant_take_back(struct dblock_lock *);

/* and free it. */
void dbl_grant_forgo(struct dblock_lock *);

/* What came of a release that was posted. */
enum dbl_release_before {
	DBL_RELEASE_NOT_SENT,      /* or it was certainly not carried out */
	DBL_RELEASE_FOUND_NOTHING, /* others wait in the queue, or the lock had been lost */
	DBL_RELEASE_UNSURE         /* nobody knows */
};

/* Tell the database, of a handle that is not out any more and whose grant was of use when it was
 * released. As dbl_grant_end(); the handle stays the caller's. */
int dbl_release_again(struct dblock_lock *, enum dbl_release_before, struct dblock_error *err);

/* By name and token, whoever has it: it is not told. With its minimum hold, if it has one. */
int dbl_release_by_token(struct dbl_locks *, const char *name, int64_t token,
			 struct dblock_error *err);

#endif
