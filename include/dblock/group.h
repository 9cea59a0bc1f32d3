/* SPDX-License-Identifier: MIT */
/**
 * @file group.h  Several locks at once: all or none, with one handle; or any one of several.
 *
 * While the call waits it holds none of them. Names need no order among callers: two calls that
 * want the same names never wait for each other in a cycle. A name where the call is first in the
 * queue, and could have it, is kept for it until it can have all, so big groups are not starved by
 * small ones.
 */
#ifndef DBLOCK_GROUP_H
#define DBLOCK_GROUP_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DBLOCK_NAMES_MAX 64 /**< in one call */

/** One of the locks that are wanted. Frozen. */
struct dblock_lock_spec {
	const char *name;
	enum dblock_mode mode; /**< default: exclusive */
	int64_t permits;       /**< as in struct dblock_acquire_options */
	int64_t capacity;
};

/**
 * Take all of these locks, or none, waiting up to options->wait_ms.
 *
 * @param wants    1 to DBLOCK_NAMES_MAX of them, each name once; copied
 * @param options  for all of them; NULL for the defaults. lease_ms, at_least_ms, unfair, waiting,
 * mode, permits and capacity must be left at 0
 * @param lock     the one handle of all, to be given back with dblock_release(); NULL unless
 *                 DBLOCK_OK. dblock_token() is the largest of their tokens, dblock_member_of() tells
 * each; dblock_name() has all names, with ", " between. It is lost when its session is; it cannot
 * be entered again, extended, upgraded or downgraded
 * @retval DBLOCK_OK       all are yours
 * @retval DBLOCK_TIMEOUT, DBLOCK_CANCELED  none is
 * @retval DBLOCK_DEADLOCK none is: as dblock_acquire(), if the thread holds something already
 * @retval DBLOCK_E_INVALID  also: this thread, or owner, holds one of them already
 * Otherwise as dblock_acquire(). Thread-safe. Blocks. Where all are exclusive, and nobody holds or wants
 * any of them: one round trip for all, and one to release them (MySQL and MariaDB: two; SQLite: one
 * transaction; one more for each name that nobody ever had). What was granted of them, if not all was, is
 * given back at once. Else, of n names: a transaction of 2n + 2 round trips and n more to join their queues,
 * 2n a look (when woken, and once a second), a transaction of n + 2 to take them; 2n to release (MySQL and
 * MariaDB: 3n).
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_acquire_all(struct dblock_client *client,
						   const struct dblock_lock_spec *wants, size_t n,
						   const struct dblock_acquire_options *options,
						   struct dblock_lock **lock,
						   struct dblock_error *err);

/** The same, without waiting: DBLOCK_BUSY if one of them is not to be had now. */
DBLOCK_API DBLOCK_NODISCARD int dblock_try_all(struct dblock_client *client,
					       const struct dblock_lock_spec *wants, size_t n,
					       const struct dblock_acquire_options *options,
					       struct dblock_lock **lock, struct dblock_error *err);

/**
 * Take any one of these locks: the first that can be had, waiting up to options->wait_ms.
 *
 * Each is tried in the order of `wants`. If none is free, the call takes a place in the queue of each, and is
 * granted the first for which it is first in line; in the same transaction it leaves the other queues. So
 * whoever waits for one of them alone and whoever waits for any keep the order in which they came. While the
 * call waits it holds none of them.
 *
 * @param wants    1 to DBLOCK_NAMES_MAX of them, each name once; copied
 * @param options  for whichever it is; NULL for the defaults. unfair, waiting, mode, permits and capacity
 *                 must be left at 0
 * @param lock     the handle of the one that was granted, as dblock_acquire() makes it: dblock_name() says
 *                 which; NULL unless DBLOCK_OK. idle_ms counts if it was free at once
 * @retval DBLOCK_OK       one is yours
 * @retval DBLOCK_TIMEOUT, DBLOCK_CANCELED  none is
 * @retval DBLOCK_DEADLOCK none is: whoever holds any of them waits, in the end, for this thread
 * @retval DBLOCK_E_INVALID  also: this thread, or owner, holds one of them already
 * Otherwise as dblock_acquire(). Thread-safe. Blocks. Round trips: one or two for each name that is
 * not free, and for the one that is. If none is: those of dblock_acquire_all(), but that the one is taken in a
 * transaction of four, and then one more for each of the others.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_acquire_any(struct dblock_client *client,
						   const struct dblock_lock_spec *wants, size_t n,
						   const struct dblock_acquire_options *options,
						   struct dblock_lock **lock,
						   struct dblock_error *err);

/** The same, without waiting: DBLOCK_BUSY if none of them is to be had now. */
DBLOCK_API DBLOCK_NODISCARD int dblock_try_any(struct dblock_client *client,
					       const struct dblock_lock_spec *wants, size_t n,
					       const struct dblock_acquire_options *options,
					       struct dblock_lock **lock, struct dblock_error *err);

#define DBLOCK_TREE_DEPTH_MAX 16 /**< of a path: so many names, with '/' between them */

/**
 * Take a lock in a tree: a path such as `tenant7/orders/5`, or all that is below one, as `tenant7/` followed by
 * two asterisks. Who has all that is below `tenant7` excludes whoever has, or waits for, anything there by this
 * call; two who have different things below it do not exclude each other.
 *
 * Locking of several granularities (Gray, Lorie, Putzolu, Traiger, "Granularity of Locks and Degrees of
 * Consistency in a Shared Data Base", 1976): together with the path, as dblock_acquire_all() takes several
 * locks, an intention is taken on each node above it, in byte order: a shared grant of the name of all that is
 * below that node. So a path is excluded only where both calls are this one: dblock_acquire() of the same name
 * knows nothing of the tree above it.
 *
 * @param path     names of 1 byte or more, with '/' between them, DBLOCK_TREE_DEPTH_MAX at most; in all as long
 *                 as a lock's name may be. The last may be two asterisks
 * @param options  as for dblock_acquire_all(), but that `mode` may be DBLOCK_SHARED: of the path itself, and
 *                 not of all that is below one, since an intention is a shared grant of that (so there is none
 *                 of the modes IS, S and SIX of the paper: who reads below a node excludes who has all of it)
 * @param lock     the handle, as dblock_acquire_all() makes it: dblock_member_of() tells each token; that of the
 *                 path is its fencing token. NULL unless DBLOCK_OK
 * @retval DBLOCK_E_INVALID  also: the path has an empty name, or two asterisks in its middle; or all that is
 *                 below a node is to be shared
 * A thread, or owner, may have several paths below one node. If others wait for all of that node meanwhile, the
 * second is DBLOCK_DEADLOCK: take them with one path above both.
 * Otherwise as dblock_acquire_all(), also in its round trips, of which a path of one name, or `NAME/` and two
 * asterisks, is the case of one lock. All who take something below a node write its row, one after another.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_acquire_tree(struct dblock_client *client, const char *path,
						    const struct dblock_acquire_options *options,
						    struct dblock_lock **lock,
						    struct dblock_error *err);

/** The same, without waiting: DBLOCK_BUSY if it is not to be had now. */
DBLOCK_API DBLOCK_NODISCARD int dblock_try_tree(struct dblock_client *client, const char *path,
						const struct dblock_acquire_options *options,
						struct dblock_lock **lock,
						struct dblock_error *err);

/** One of the locks that a handle holds. */
struct dblock_member {
	size_t size;      /**< sizeof(struct dblock_member), set by the initialiser */
	const char *name; /**< lives as long as the handle */
	int64_t token;    /**< its own fencing token */
	enum dblock_mode mode;
};

#define DBLOCK_MEMBER_INIT                                                                         \
	{                                                                                          \
		sizeof(struct dblock_member), NULL, 0, DBLOCK_EXCLUSIVE                            \
	}

/**
 * The locks of a handle, in byte order of their names; of one that holds a single lock, that one.
 * @return true, and *part; false: there is none with that index, or part does not begin with
 *         DBLOCK_MEMBER_INIT.
 * Thread-safe. No round trip.
 */
DBLOCK_API bool dblock_member_of(const struct dblock_lock *lock, size_t index,
				 struct dblock_member *part);

#ifdef __cplusplus
}
#endif
#endif
