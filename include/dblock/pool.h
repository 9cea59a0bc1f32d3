/* SPDX-License-Identifier: MIT */
/**
 * @file pool.h  Pools: a semaphore whose capacity is stored, which of its permits one has, and names of which any
 * one will do.
 *
 * A semaphore's capacity is a number that all who use it name. Stored, it stands in the database instead, may be
 * changed while it is in use, and who acquires with DBLOCK_CAPACITY_STORED need not know it:
 *
 *     dblock_pool_resize(client, "gpu", 6, &err);
 *     how.mode = DBLOCK_PERMITS;
 *     how.capacity = DBLOCK_CAPACITY_STORED;
 *     how.numbered = true;
 *     dblock_acquire(client, "gpu", &how, &lock, &err);
 *     dblock_permit_of(lock, 0);                             0 to 5: which of them
 *
 * A pool is a label for names that can stand in for each other, as hosts of a lab or test databases: a table says
 * which are its members, and which of them are drained, so that nobody new gets them.
 */
#ifndef DBLOCK_POOL_H
#define DBLOCK_POOL_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a capacity that is stored --------------------------------------------------------------- */

/**
 * Store how many permits a semaphore has, from now on. More are granted at once to who waits for them. If there are
 * fewer, nothing is taken away: nobody is granted any until enough have ended. At no moment is more granted than
 * the capacity is at that moment.
 *
 * Who names another number in his acquire is told so, with DBLOCK_E_INVALID, also if he waits by then (within a
 * second); so is who wants more permits than there are now. Grants that were made with another number stay.
 *
 * @param name      the semaphore's; it need not be known yet
 * @param capacity  from 0 to DBLOCK_CAPACITY_MAX. 0 closes it: who holds permits goes on, and all others wait,
 *                  whatever they name, until there are some again
 * @retval DBLOCK_OK         it is stored; also if it was. Said twice it does what it does once
 * @retval DBLOCK_E_INVALID  name or capacity is wrong; or somebody uses the name as a lock without permits
 * @retval DBLOCK_E_BLOCKED  somebody keeps the lock's row, or a table, locked
 * @retval DBLOCK_E_CONFLICT others resize it all the time
 * @retval DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER
 *                           it may be stored (dblock_pool_capacity() tells), or others may learn of it within a
 *                           second only: say it again
 * and as dblock_acquire(). It stays stored until it is stored anew: the reaper does not forget the name.
 *
 * Thread-safe. Blocks for three round trips, and one for each 64 that are granted something; at most timeout_ms.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_pool_resize(struct dblock_client *client, const char *name,
						   int64_t capacity, struct dblock_error *err);

/**
 * The capacity that is stored.
 * @param capacity  gets it
 * @retval DBLOCK_OK     it is stored
 * @retval DBLOCK_STALE  none is: each who acquires names it
 * Otherwise as dblock_show(). Thread-safe. One round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_pool_capacity(struct dblock_client *client, const char *name,
						     int64_t *capacity, struct dblock_error *err);

/* ---- which permits --------------------------------------------------------------------------- */

#define DBLOCK_NUMBERED_MAX 64 /**< permits of one acquire that are numbered */

/**
 * Which permits a lock has that was acquired with `numbered`: the smallest that were free, from 0. A number is one
 * grant's alone as long as that lasts, on every machine.
 * @param index  from 0; the numbers are in their order
 * @return the number; -1: it has no more, or none
 * Thread-safe. No round trip.
 */
DBLOCK_API int64_t dblock_permit_of(const struct dblock_lock *lock, size_t index);

/* ---- members of a pool ----------------------------------------------------------------------- */

/** A member of a pool. Strings live until the callback returns; "" where unknown. */
struct dblock_pool_member {
	size_t size; /**< sizeof(struct dblock_pool_member) of the library */
	const char *pool, *name;
	bool drained;
	int64_t since_us; /**< since then it is drained, or is not; since the epoch, by the database's clock */
	int64_t since_ms; /**< so long */
	int64_t capacity; /**< of its permits, if that is stored; else -1 */
	int64_t holders;  /**< so many hold it, and */
	int64_t waiters;  /**< so many wait for it, by whatever name; and if somebody holds it, */
	int64_t token;    /**< the token of who was first in the queue, */
	const char *host; /**< and where that is: */
	int64_t pid;
	const char *app; /**< "" if its grant has an end of its own */
};

/** @return 0 to go on; any other value ends the listing, and is returned */
typedef int dblock_pool_member_cb(void *arg, const struct dblock_pool_member *member);

/**
 * List the members of a pool, or of all, in byte order: those to acquire any one of are those that are not drained.
 * @param pool  NULL: of all pools
 * @retval DBLOCK_OK  also if there are none
 * and what the callback returned; otherwise as dblock_list(). Thread-safe. One round trip for each 100. The callback
 * runs on this thread, without any mutex held.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_pool_members(struct dblock_client *client, const char *pool,
						    dblock_pool_member_cb *found, void *arg,
						    struct dblock_error *err);

/**
 * Add a name to a pool; if it is a member that is drained, it is not any more.
 * @param pool    a name like that of a lock
 * @param member  the name of a lock, which need not be known yet; it may be in several pools
 * @retval DBLOCK_OK         it is a member, and not drained; also if it was
 * @retval DBLOCK_E_INVALID  a name is wrong
 * @retval DBLOCK_E_BLOCKED  somebody keeps the row locked
 * and as dblock_break(). Thread-safe. One round trip. Who waits for any one of the pool already does not get it.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_pool_add(struct dblock_client *client, const char *pool,
						const char *member, struct dblock_error *err);

/**
 * Have a member go to nobody new who asks for any one of the pool: who has it keeps it, and who asks for it by its
 * own name gets it.
 * @retval DBLOCK_OK     it is drained; also if it was
 * @retval DBLOCK_STALE  it is no member of the pool
 * Otherwise as dblock_pool_add().
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_pool_drain(struct dblock_client *client, const char *pool,
						  const char *member, struct dblock_error *err);

/**
 * Remove a member; who has it keeps it.
 * @retval DBLOCK_OK     it is no member any more
 * @retval DBLOCK_STALE  it was none
 * Otherwise as dblock_pool_add().
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_pool_remove(struct dblock_client *client, const char *pool,
						   const char *member, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
