/* SPDX-License-Identifier: MIT */
/* When a call that waits is to wait no longer, and whether any call is inside the client. Inside
 * src/lock. */
#ifndef DBL_LOCK_CORE_CANCEL_H
#define DBL_LOCK_CORE_CANCEL_H

#include "lock/core/acquire_spec.h"
#include "lock/core/context.h"

/* How often a caller who may cancel is asked. */
#define DBL_ASK_CALLER_US 100000

/* The client has been shut down, and whoever asks for this waits. */
static inline bool dbl_is_shut_to(const struct dbl_locks *locks,
				  const struct dbl_acquire_spec *spec)
{
	return !spec->tries && atomic_load(&locks->shut);
}

/* Nobody is to wait for that any more: its caller says so, or somebody has shut the client down.
 * Asks the caller, so no mutex is held. */
bool dbl_is_canceled(const struct dbl_locks *, const struct dbl_acquire_spec *);

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
	DBL_ASSERT(atomic_load(&(*locks)->inside) > 0);
	atomic_fetch_sub(&(*locks)->inside, 1);
}

/* A condition under locks->mutex on which calls sleep that a shutdown has to wake; where a module
 * below client.h has it, that is known there. */
struct dbl_sleeper {
	struct dbl_sleeper *next;
	struct dbl_cond *cond;
};

/* Under the mutex. */
void dbl_sleeper_add(struct dbl_locks *, struct dbl_sleeper *);
void dbl_sleeper_remove(struct dbl_locks *, struct dbl_sleeper *);
void dbl_sleepers_wake(struct dbl_locks *);

#endif
