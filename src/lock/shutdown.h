/* SPDX-License-Identifier: MIT */
/*
 * Ending all waits of a client from outside, and knowing whether any call is still inside it. A
 * call that waits sleeps where dbl_shutdown() finds and wakes it, or for a tenth of a second at
 * most. Inside src/lock.
 */
#ifndef DBL_LOCK_SHUTDOWN_H
#define DBL_LOCK_SHUTDOWN_H

#include "lock/core/context.h"

/* Every wait comes to DBLOCK_CANCELED, those to come as well. Any thread, also in a callback. */
void dbl_shutdown(struct dbl_locks *);

/* It has been, and whoever wishes this waits. */
static inline bool dbl_is_shut_to(const struct dbl_locks *locks, const struct dbl_wish *wish)
{
	return !wish->tries && atomic_load(&locks->shut);
}

/* Nobody is to wait for that any more: its caller says so, or somebody has shut the client down.
 * Asks the caller, so no mutex is held. */
bool dbl_is_canceled(const struct dbl_locks *, const struct dbl_wish *);

/* DBLOCK_CANCELED, and its words: `what` of the name was, and by whom. */
int dbl_tell_canceled(const struct dbl_locks *, const char *name, const char *what,
		      struct dblock_error *err);

/* A call is inside until the end of the function that says so first: see dbl_locks_in_use(). */
#define DBL_INSIDE(locks)                                                                          \
	struct dbl_locks *inside_ __attribute__((cleanup(dbl_go_out), unused)) = dbl_go_in(locks)

static inline struct dbl_locks *dbl_go_in(struct dbl_locks *locks)
{
	atomic_fetch_add(&locks->inside, 1);
	return locks;
}

static inline void dbl_go_out(struct dbl_locks *const *locks)
{
	atomic_fetch_sub(&(*locks)->inside, 1);
}

/* It cannot be closed: a call that may wait, or has its caller's callbacks run, is inside, or a
 * wait that its caller drives has not been ended, or this is one of its own threads. */
bool dbl_locks_in_use(struct dbl_locks *);

#endif
