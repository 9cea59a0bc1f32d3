/* SPDX-License-Identifier: MIT */
/* Handles: making, publishing, finding and counting them. Inside src/lock. */
#ifndef DBL_LOCK_HANDLE_H
#define DBL_LOCK_HANDLE_H

#include "lock/handle/lock.h"

/* NULL: no memory. All handles have to be freed before the table is. */
struct dbl_handles *dbl_handles_new(void);
void dbl_handles_free(struct dbl_handles *);

/* Under the mutex: the newest published handle (`next` leads to the others); the newest handle of
 * all, also of those not granted yet or being released (`all_next`). NULL: there is none. */
struct dblock_lock *dbl_handle_out(const struct dbl_locks *);
struct dblock_lock *dbl_handle_first(const struct dbl_locks *);

/* Under the mutex: the next published handle that has the name, alone or among others; *at says
 * where the last one was found, and is NULL at first. */
struct dblock_lock *dbl_handle_find(const struct dbl_locks *, const char *name,
				    struct dblock_lock **at);

/* The token of a handle that has been published under that name, if it is still there: once it is
 * published, a callback may release it, and free it, before its caller has it. 0: it has gone. */
int64_t dbl_handle_token(struct dbl_locks *, const char *name, const struct dblock_lock *);

/* Under the mutex: the newest handle's serial. */
uint64_t dbl_handle_youngest(const struct dbl_locks *);

/* Under the mutex: publishes `by` in the place of `out`. */
void dbl_handle_replace(struct dblock_lock *out, struct dblock_lock *by);

/* The calling thread as an owner. */
static inline struct dbl_owner dbl_owner_me(void)
{
	return (struct dbl_owner){.kind = DBL_OWNER_THREAD, .id = dbl_thread_id()};
}

/* The owner that a spec's caller is. */
static inline struct dbl_owner dbl_owner_of(const struct dbl_acquire_spec *spec)
{
	return spec->owner.id ? spec->owner : dbl_owner_me();
}

/* The owner that a spec names, for the holder of that handle to be the one that asks. */
static inline struct dbl_owner dbl_owner_again(const struct dblock_lock *lock)
{
	return lock->owner.kind == DBL_OWNER_THREAD ? dbl_owner_named(0) : lock->owner;
}

/* The calling thread as other clients see it; 0 where another owner asks, which is no thread: so
 * nobody takes what this thread waits for as what keeps that owner from a release. */
static inline int64_t dbl_thread_of(const struct dbl_acquire_spec *spec)
{
	return spec->owner.id ? 0 : dbl_host_thread();
}

/* A handle that is not granted yet, with a copy of the name. NULL: no memory. */
struct dblock_lock *dbl_handle_new(struct dbl_locks *, const char *name, uint64_t hash,
				   struct dbl_owner);
void dbl_handle_free(struct dblock_lock *);

/* Before each request that may be granted: makes the cleanup for it. False: no memory. */
bool dbl_handle_make_ready(struct dblock_lock *);

/* Has the session give back a grant that nobody uses, or that may exist (token 0). Once after each
 * dbl_handle_make_ready(). */
void dbl_handle_give_back(struct dblock_lock *, int64_t token);

/* The caller has it from now on; the caller has it no more. Any mutex may be held. */
static inline void dbl_hold_begin(struct dblock_lock *lock, int64_t now)
{
	atomic_store_explicit(&lock->since, now, memory_order_relaxed);
}

void dbl_hold_over(struct dblock_lock *, int64_t now);

/* Publishes a handle that has been granted its lock: others may find it. */
void dbl_handle_publish(struct dblock_lock *);

/* Enters a lock again. 0, and *out: the owner has a published handle of the name, in a mode that
 * allows what the spec asks for, and its count is raised. 0, and NULL: the owner has none (permits
 * do not count: each acquire takes some). DBLOCK_E_INVALID: the mode does not do, and the owner
 * would wait for itself; DBLOCK_FENCED: it would wait for its own transaction. */
int dbl_handle_own(struct dbl_locks *, const struct dbl_acquire_spec *, struct dbl_owner,
		   struct dblock_lock **out, struct dblock_error *err);

/* The owner has that name, alone or with others, in any mode but permits. */
bool dbl_handle_has(struct dbl_locks *, const struct dbl_acquire_spec *, struct dbl_owner);

/* Under the mutex: one of the handle's grants has this token. NULL: any name. */
bool dbl_handle_has_grant(const struct dblock_lock *, const char *name, int64_t token);

/* Swaps the grants of two handles, of one name and one epoch; the first one is published. */
void dbl_handle_swap(struct dblock_lock *out, struct dblock_lock *other);

/* Tells those who asked for the grant, or took it away, that it ends or becomes idle. */
static inline void dbl_handle_released(struct dblock_lock *lock)
{
	if (atomic_load(&lock->requested_for) || lock->breaker)
		lock->locks->hooks->released(lock);
}

/* The number of acquires that have not been released. */
int64_t dbl_handle_count(const struct dblock_lock *);

/* Releases one acquire; true: it was the last, and the handle has left the table. */
bool dbl_handle_leave(struct dblock_lock *);

/* Gives the last acquire to a worker, which is to release it: from now on no owner enters the lock
 * again, and no callback begins. False: it was not the last, and one acquire has been released. */
bool dbl_handle_give(struct dblock_lock *);

/* It could not be released, and is its holder's again. */
void dbl_handle_take_back(struct dblock_lock *);

/* Writes the counts that people should see: done along with a heartbeat. */
void dbl_handle_write_counts(void *locks, struct dbl_link *, int64_t deadline);

#endif
