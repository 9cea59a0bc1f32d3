/* SPDX-License-Identifier: MIT */
/*
 * Posted releases, which nobody waits for. The handle is the client's from then on; its release is
 * sent with the client's next request, or by itself after a millisecond. A thread that acquires the
 * name meanwhile recalls it, and names to the database the grant that its own replaces: so a loop
 * of acquire and release on one name is one statement a round. A release that does not succeed so
 * (others wait in the queue, the reply is lost) is left to the release thread, which waits for it.
 */
#ifndef DBL_LOCK_POSTED_H
#define DBL_LOCK_POSTED_H

#include "lock/handle/lock.h"

struct dbl_posted;

typedef void dbl_posted_failed(void *arg, const char *name, int64_t token,
			       const struct dblock_error *);

/* From now on releases are posted; `failed` is called for those that fail, and may be NULL. Not 0:
 * no memory, or no thread. */
int dbl_posted_start(struct dbl_locks *, dbl_posted_failed *failed, void *arg);

/* True on a thread that may be calling `failed`: the release thread, or the one that closes. */
bool dbl_posted_is_told_here(const struct dbl_locks *);

/* Send what is posted, until locks->until at most. False: not all is known to be released. */
bool dbl_posted_stop(struct dbl_locks *);

/* True: the release is a single statement, and may be posted. */
bool dbl_posted_takes(struct dblock_lock *);

/* Post its release: the handle is the caller's no more. If too many are posted, some are sent. */
void dbl_posted_release(struct dblock_lock *);

/* Take back a posted release that has not been sent: its handle is the caller's, and still has the
 * lock in the database. NULL: there is none. */
struct dblock_lock *dbl_posted_recall(struct dbl_locks *, const char *name);

/* Finish a handle that was recalled, by the result of the acquire that was to replace its grant: if
 * that failed, it is released after all, and `failed` is called if it cannot be. `unsure`: a reply
 * was lost, so it may have been replaced all the same. Frees the handle. */
void dbl_posted_replaced(struct dblock_lock *, int rc, bool unsure);

/* If a release of that name is posted, send all that are, so that the database gets it before
 * anything that is sent from now on. */
void dbl_posted_flush(struct dbl_locks *, const char *name, int64_t deadline);

#endif
