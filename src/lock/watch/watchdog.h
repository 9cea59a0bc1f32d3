/* SPDX-License-Identifier: MIT */
/*
 * The watchdog: a thread that does no input or output. It sleeps until the first grant's validity
 * ends, and then tells the holder that the lock is lost, by callback and by file descriptor; so the
 * news comes in time even while the heartbeat thread hangs in a heartbeat. It also tells holders of
 * requests to let go, and the caller's listener of the session's states (states.h), so that callbacks
 * run on one thread. Inside src/lock.
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

/* Let the watchdog look: a grant ends sooner than was known, or has ended. */
void dbl_watchdog_wake(struct dbl_locks *);

/* Wait until all losses have been told and their callbacks are over, but no longer than `until`. */
void dbl_watchdog_catch_up(struct dbl_locks *, int64_t until);

/* Under locks->mutex: the watchdog is to mind this handle's validity from now on. It is woken only
 * if it would sleep for too long, as waking a thread costs more than the rest of an acquire. */
void dbl_watchdog_watch(struct dblock_lock *);

/* Under locks->mutex: watch a handle that has just been granted, and apply what was heard of its
 * grant before the reply came. True: somebody has asked for it. */
bool dbl_watchdog_granted(struct dblock_lock *);

/* Under locks->mutex: wait until the callback about this lock, if one is running, has returned.
 * Where the callback itself calls this, it returns at once. */
void dbl_watchdog_leave(struct dblock_lock *);

#endif
