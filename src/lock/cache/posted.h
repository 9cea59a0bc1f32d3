/* SPDX-License-Identifier: MIT */
/*
 * Releases that nobody waits for. The handle is ours from then on; its release goes with the next
 * request of the client's, or by itself after a millisecond. Who acquires the name meanwhile takes
 * it back, and says to the database whose place he takes: so a loop of acquire and release on one
 * name is one statement a round. What does not go well (others wait in the queue; the answer is
 * lost) is done by a thread of its own, the release thread, as by any release.
 */
#ifndef DBL_LOCK_POSTED_H
#define DBL_LOCK_POSTED_H

#include "lock/handle/lock.h"

struct dbl_posted;

typedef void dbl_posted_failed(void *arg, const char *name, int64_t token,
			       const struct dblock_error *);

/* From now on releases are posted. failed: told what they could not do; may be NULL. Not 0: no
 * memory, or no thread. */
int dbl_posted_start(struct dbl_locks *, dbl_posted_failed *failed, void *arg);

/* Those who are told may be told by this very thread: the release thread, or whoever closes. */
bool dbl_posted_is_told_here(const struct dbl_locks *);

/* All that is posted is done, or cannot be, by locks->until. False: not all is known to be done. */
bool dbl_posted_stop(struct dbl_locks *);

/* It is one statement, and may be posted. */
bool dbl_posted_takes(struct dblock_lock *);

/* Release it, some time soon; the handle is not the caller's any more. It may send others. */
void dbl_posted_release(struct dblock_lock *);

/* One whose release has not been sent: it is the caller's, and holds the lock. NULL: none. */
struct dblock_lock *dbl_posted_recall(struct dbl_locks *, const char *name);

/* What came of the acquire that was to take the place of one that was recalled: unless it did, that
 * one is released after all, and whoever asked for it is told if that fails. `unsure`: an answer
 * was lost, so it may have been replaced all the same. Frees the handle. */
void dbl_posted_replaced(struct dblock_lock *, int rc, bool unsure);

/* What this client has released of that name is released in the database as well, or on its way
 * there, before anything that is sent from now on. */
void dbl_posted_flush(struct dbl_locks *, const char *name, int64_t deadline);

#endif
