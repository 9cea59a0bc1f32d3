/* SPDX-License-Identifier: MIT */
/* The handles that are out: making, finding, counting. Inside src/lock. */
#ifndef DBL_LOCK_HANDLE_H
#define DBL_LOCK_HANDLE_H

#include "lock/handle/lock.h"

/* NULL: no memory. The handles themselves are gone by the time it is freed. */
struct dbl_handles *dbl_handles_new(void);
void dbl_handles_free(struct dbl_handles *);

/* Under the mutex: the newest that is out, then `next`; the newest of all, also of those that are
 * not granted yet, or being released, then `all_next`. NULL: there is none. */
struct dblock_lock *dbl_handle_out(const struct dbl_locks *);
struct dblock_lock *dbl_handle_first(const struct dbl_locks *);

/* Under the mutex: of those that are out the next one that has the name, alone or among others; *at
 * is where the last one was found, NULL at first. */
struct dblock_lock *dbl_handle_find(const struct dbl_locks *, const char *name,
				    struct dblock_lock **at);

/* Under the mutex: the serial of the youngest. */
uint64_t dbl_handle_youngest(const struct dbl_locks *);

/* Under the mutex: the other one is out, instead. */
void dbl_handle_replace(struct dblock_lock *out, struct dblock_lock *by);

/* Who the caller of this spec is. */
static inline struct dbl_owner dbl_owner_of(uint64_t named)
{
	if (named)
		return (struct dbl_owner){.by_name = true, .id = named};
	return (struct dbl_owner){.id = dbl_thread_id()};
}

/* The calling thread as others know it; 0 where an owner is named, which is no thread. */
static inline int64_t dbl_thread_of(uint64_t named)
{
	return named ? 0 : dbl_host_thread();
}

/* A handle that is not yet held, with room for everything; NULL: no memory. */
struct dblock_lock *dbl_handle_new(struct dbl_locks *, const char *name, uint64_t hash,
				   struct dbl_owner);
void dbl_handle_free(struct dblock_lock *);

/* Before each acquire that is sent: whatever comes of it can be given back. false: no memory. */
bool dbl_handle_make_ready(struct dblock_lock *);

/* Nobody has what it was granted, or may have been (token 0): the session gives it back. Once after
 * each make_ready. */
void dbl_handle_give_back(struct dblock_lock *, int64_t token);

/* It has been granted: others may find it. */
void dbl_handle_publish(struct dblock_lock *);

/* 0, and *out: that owner has the name already, in a mode that does for the spec, and the count of
 * its handle is raised; 0, and NULL: it has not. (Permits are never entered again: each acquire
 * takes some.) DBLOCK_E_INVALID: it has it in a way that does not do, and would wait for itself;
 * DBLOCK_FENCED: for a transaction of its own. */
int dbl_handle_own(struct dbl_locks *, const struct dbl_acquire_spec *, struct dbl_owner,
		   struct dblock_lock **out, struct dblock_error *err);

/* That owner has that name, alone or with others, in any mode but permits. */
bool dbl_handle_has(struct dbl_locks *, const struct dbl_acquire_spec *, struct dbl_owner);

/* It is that grant, or has it among others. Under the mutex. Any name, if that is NULL. */
bool dbl_handle_has_grant(const struct dblock_lock *, const char *name, int64_t token);

/* Each gets the other's grant: of one name, and one epoch. The first is out. */
void dbl_handle_swap(struct dblock_lock *out, struct dblock_lock *other);

/* It is about to be freed, or kept by nobody: what others noted of it has to be seen to. */
static inline void dbl_handle_released(struct dblock_lock *lock)
{
	if (atomic_load(&lock->requested_for) || lock->breaker)
		lock->locks->hooks->released(lock);
}

/* Acquires that have not been released. */
int64_t dbl_handle_count(const struct dblock_lock *);

/* One acquire less; true if it was the last, and the handle is out of the table. */
bool dbl_handle_leave(struct dblock_lock *);

/* Write the counts that people should see: rides with the heartbeat. */
void dbl_handle_write_counts(void *locks, struct dbl_link *, int64_t deadline);

#endif
