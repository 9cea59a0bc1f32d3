/* SPDX-License-Identifier: MIT */
/*
 * The watchdog: a thread that does no input or output. It sleeps until the first term ends, and
 * then tells the holder that the lock is lost, by callback and by file descriptor; so the news
 * comes in time even while the heartbeat thread hangs in a heartbeat. It also tells of requests to
 * let go, so that callbacks run on one thread. Inside src/lock.
 */
#ifndef DBL_LOCK_WATCHDOG_H
#define DBL_LOCK_WATCHDOG_H

#include "lock/handle/lock.h"

/* NULL: no memory. */
struct dbl_watchdog *dbl_watchdog_new(void);
void dbl_watchdog_free(struct dbl_watchdog *);

/* Not 0 if the thread cannot be started. */
int dbl_watchdog_start(struct dbl_locks *);

/* No callback runs after this has returned. */
void dbl_watchdog_stop(struct dbl_locks *);

/* Under the mutex: the calling thread is the one that runs callbacks. */
bool dbl_watchdog_is_me(const struct dbl_locks *);

/* Something ends sooner than was known, or has ended. */
void dbl_watchdog_wake(struct dbl_locks *);

/* Wait until all that is lost has been told, and the callbacks are over; at most until then. */
void dbl_watchdog_catch_up(struct dbl_locks *, int64_t until);

/* Under locks->mutex: it is among those that are held since now. Wakes the watchdog only if it
 * would sleep for too long: a thread that is woken costs more than the rest of an acquire. */
void dbl_watchdog_watch(struct dblock_lock *);

/* It is, and what was heard of its grant before it came is looked at. True: somebody asks for it.
 * Under the mutex. */
bool dbl_watchdog_granted(struct dblock_lock *);

/* Under locks->mutex: wait until the callback about this lock, if one is running, has returned.
 * Called by that callback itself: it is the last that the watchdog hears of the lock. */
void dbl_watchdog_leave(struct dblock_lock *);

#endif
