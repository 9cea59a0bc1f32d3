/* SPDX-License-Identifier: MIT */
/* When a waiting call has to give up, and whether any call is inside the client. Inside
 * src/lock. */
#ifndef DBL_LOCK_CORE_CANCEL_H
#define DBL_LOCK_CORE_CANCEL_H

#include "lock/core/acquire_spec.h"
#include "lock/core/context.h"

/* How often the caller's `canceled` is called during a wait. */
#define DBL_ASK_CALLER_US 100000

/* The client has been shut down, and this call would wait. */
static inline bool dbl_is_shut_to(const struct dbl_locks *locks,
				  const struct dbl_acquire_spec *spec)
{
	return !spec->tries && atomic_load(&locks->shut);
}

/* The wait has to end: `canceled` says so, or the client has been shut down. Calls the caller's
 * function, so no mutex is held. */
bool dbl_is_canceled(const struct dbl_locks *, const struct dbl_acquire_spec *);

/* Sleeps until then, and asks meanwhile. False: the wait has to end. */
bool dbl_sleep_asking(const struct dbl_locks *, const struct dbl_acquire_spec *, int64_t until);

/* Fails with DBLOCK_CANCELED; the message says `what` of that name was canceled, and by whom. */
int dbl_tell_canceled(const struct dbl_locks *, const char *name, const char *what,
		      struct dblock_error *err);

/* Counts the calling function as inside the client until it returns: see dbl_locks_in_use(). */
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

/* A condition under locks->mutex on which a call sleeps, and which a shutdown wakes. */
struct dbl_sleeper {
	struct dbl_sleeper *next;
	struct dbl_cond *cond;
};

/* The caller holds locks->mutex. */
void dbl_sleeper_add(struct dbl_locks *, struct dbl_sleeper *);
void dbl_sleeper_remove(struct dbl_locks *, struct dbl_sleeper *);
void dbl_sleepers_wake(struct dbl_locks *);

#endif
