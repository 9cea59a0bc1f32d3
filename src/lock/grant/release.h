/* SPDX-License-Identifier: MIT */
/* What else there is to releases than dbl_lock_release(). */
#ifndef DBL_LOCK_RELEASE_H
#define DBL_LOCK_RELEASE_H

#include "lock/core/context.h"

/* What came of a release that was posted. */
enum dbl_release_before {
	DBL_RELEASE_NOT_SENT,      /* or it was certainly not carried out */
	DBL_RELEASE_FOUND_NOTHING, /* others wait in line, or the lock had been lost */
	DBL_RELEASE_UNSURE         /* nobody knows */
};

/* Tell the database, of a handle that is not out any more and whose grant was of use when it was
 * released. As dbl_lock_release(); the handle stays the caller's. */
int dbl_release_again(struct dblock_lock *, enum dbl_release_before, struct dblock_error *err);

/* By name and token, whoever has it: it is not told. With its minimum hold, if it has one. */
int dbl_release_by_token(struct dbl_locks *, const char *name, int64_t token,
			 struct dblock_error *err);

#endif
