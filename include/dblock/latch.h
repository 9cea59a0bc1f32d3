/* SPDX-License-Identifier: MIT */
/**
 * @file latch.h  A latch, as java.util.concurrent's CountDownLatch is: it opens when it was counted down to 0.
 *
 *     dblock_latch_create(client, "shards", 16, NULL, &err);             whoever comes first
 *     dblock_latch_count_down(client, "shards", 1, NULL, NULL, &err);    each of those who do the work
 *     dblock_latch_wait(client, "shards", NULL, &err);                   any number of those who wait for all of it
 *
 * It counts events, and knows nobody who is to make them: if a worker dies before it counts down, who waits does so until
 * wait_ms is over. Where the others are to hear of that, use a barrier (barrier.h).
 *
 * It stays at 0 until it is reset, which begins its next generation; those who still wait in the one before are told so
 * (DBLOCK_BROKEN). It outlives everybody, is durable, and is deleted by the reaper when nobody has changed it, or waited,
 * for so long as an unused name stays. A name has one latch in each database (or schema and prefix).
 */
#ifndef DBLOCK_LATCH_H
#define DBLOCK_LATCH_H

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DBLOCK_LATCH_NAME_MAX 247   /**< bytes */
#define DBLOCK_LATCH_MAX      10000 /**< of a count */

/** A latch as it is now. The caller owns it. */
struct dblock_latch {
	size_t size;        /**< sizeof(struct dblock_latch), set by the initialiser */
	int64_t generation; /**< a number; each later one's is larger */
	int64_t count;      /**< what is yet to be counted down */
	int64_t of;         /**< what it began with */
	int64_t since_us; /**< when it was changed last, since the epoch, by the database's clock */
};

#define DBLOCK_LATCH_INIT                                                                          \
	{                                                                                          \
		sizeof(struct dblock_latch), 0, 0, 0, 0                                            \
	}

/**
 * Create a latch, or find it: any number of processes may call this, whoever is first makes it, at its full count.
 *
 * @param name   1 to DBLOCK_LATCH_NAME_MAX bytes of UTF-8 without control characters; copied. In listings those who wait
 *               are holders of latch:NAME, shared
 * @param count  from 1 to DBLOCK_LATCH_MAX; the same in all calls
 * @param latch  begins with DBLOCK_LATCH_INIT; filled in with DBLOCK_OK. NULL: not wanted
 * @retval DBLOCK_OK         it is there, counted down by as much as *latch says: perhaps to 0
 * @retval DBLOCK_E_INVALID  it is there with another count: the message has both; or an argument is wrong
 * @retval other             a failure as of dblock_try(). After DBLOCK_E_UNSURE call it again
 * Thread-safe. Two round trips.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_latch_create(struct dblock_client *client, const char *name,
						    int64_t count, struct dblock_latch *latch,
						    struct dblock_error *err);

/** How to count down. Zero means the default, everywhere. */
struct dblock_count_down_options {
	size_t size; /**< sizeof(struct dblock_count_down_options), set by the initialiser */
	/** A number of the caller's, positive, which is counted once in a generation, however often a call brings it:
	 * to repeat a call after DBLOCK_E_UNSURE, or after a crash. Default: a random number */
	int64_t request;
};

#define DBLOCK_COUNT_DOWN_OPTIONS_INIT                                                             \
	{                                                                                          \
		sizeof(struct dblock_count_down_options), 0                                        \
	}

/**
 * Count down, never below 0. If a reply is lost the request is sent again, and counted once all the same.
 *
 * @param n        by so many; from 1 to DBLOCK_LATCH_MAX
 * @param options  NULL: all defaults
 * @param left     what is left; 0 as well if it is known only that a reset came after it. NULL: not wanted
 * @retval DBLOCK_OK        it was counted; or the latch was at 0 already; or this request had been counted
 * @retval DBLOCK_STALE     there is no such latch; or it was reset at this moment, and this was not counted: call again
 * @retval DBLOCK_E_UNSURE  no reply came in time: it may have been counted, or may yet be; repeat it with the same
 *                          `request`. Also if it was reset just then: what was counted before is forgotten
 * @retval DBLOCK_E_INVALID, or a failure as of dblock_try(): it was not counted
 * Thread-safe. Three round trips; two at 0. Who brings it to 0 wakes those who wait: one more, and one for each whom no
 * datagram reaches.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_latch_count_down(
	struct dblock_client *client, const char *name, int64_t n,
	const struct dblock_count_down_options *options, int64_t *left, struct dblock_error *err);

/** How to wait. Zero means the default, everywhere. */
struct dblock_latch_wait_options {
	size_t size;        /**< sizeof(struct dblock_latch_wait_options), set by the initialiser */
	int64_t wait_ms;    /**< how long; default: DBLOCK_FOREVER */
	int64_t generation; /**< of struct dblock_latch; default: the one that is there */
	/** Asked at least every 100 ms, without any mutex held; not 0 ends the wait. Default: NULL */
	int (*canceled)(void *arg);
	void *canceled_arg;
};

#define DBLOCK_LATCH_WAIT_OPTIONS_INIT                                                             \
	{                                                                                          \
		sizeof(struct dblock_latch_wait_options), 0, 0, NULL, NULL                         \
	}

/**
 * Wait until it is at 0; at once if it is. It goes on while the database restarts, fails over, or cannot be reached.
 *
 * Who waits is woken by who brings it to 0: by a datagram on the same machine, else over the database, as of locks
 * (queue.md); and looks once a second besides, so that a lost word costs that at most.
 *
 * @param options  NULL: all defaults
 * @retval DBLOCK_OK        it has come to 0 in this generation, even if it has been reset since
 * @retval DBLOCK_BROKEN    it was reset before that; the message says by whom. (Or twice meanwhile: then it may have come
 *                          to 0, unseen by a process that stood still)
 * @retval DBLOCK_TIMEOUT   not within wait_ms; with DBLOCK_NO_WAIT: DBLOCK_BUSY
 * @retval DBLOCK_CANCELED  `canceled` said so, or dblock_shutdown() was called
 * @retval DBLOCK_STALE     there is none: create it before anybody waits
 * @retval DBLOCK_E_INVALID, or a failure as of dblock_acquire()
 * Thread-safe. Blocks. One round trip if it is at 0, else about three, and one a second.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_latch_wait(struct dblock_client *client, const char *name,
						  const struct dblock_latch_wait_options *options,
						  struct dblock_error *err);

/**
 * Begin the next generation: those who wait hear DBLOCK_BROKEN, unless it had come to 0.
 *
 * @param count  what the next one begins with; 0: as before
 * @param latch  as of dblock_latch_create()
 * @retval DBLOCK_OK     the next generation has begun
 * @retval DBLOCK_STALE  there is no such latch; or somebody else has reset it at this moment: the message says who
 * @retval DBLOCK_E_UNSURE  it may have been reset
 * @retval DBLOCK_E_INVALID, or a failure as of dblock_try(): it is what it was
 * Thread-safe. Four round trips, and one for each that waits and whom no datagram reaches.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_latch_reset(struct dblock_client *client, const char *name,
						   int64_t count, struct dblock_latch *latch,
						   struct dblock_error *err);

/**
 * Look at it.
 *
 * @param latch  as of dblock_latch_create()
 * @retval DBLOCK_OK     *latch says how it stands
 * @retval DBLOCK_STALE  there is no such latch
 * @retval DBLOCK_E_INVALID, or a failure as of dblock_try()
 * Thread-safe. One round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_latch_show(struct dblock_client *client, const char *name,
						  struct dblock_latch *latch,
						  struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
