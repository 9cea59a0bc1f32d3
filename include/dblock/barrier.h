/* SPDX-License-Identifier: MIT */
/**
 * @file barrier.h  A double barrier, as ZooKeeper's recipe and Curator's DistributedDoubleBarrier have it: n parties begin
 * together, and end together.
 *
 *     rc = dblock_barrier_enter(client, "load-test", 8, NULL, &barrier, &err);   returns when all 8 are in
 *     if (rc == DBLOCK_OK) {
 *             work();
 *             rc = dblock_barrier_leave(barrier, NULL, &err);                    returns when all 8 want out
 *     }
 *
 * It is cyclic: when all are out the next 8 may enter, the same ones or others. More than n wait in line for the next
 * time, first come, first served.
 *
 * A party is a permit of a semaphore of n, barrier:NAME, which is held from before it enters until it is out, lives with
 * its client's session, and can be seen and broken like any lock. So a party that dies is seen: on the same machine at
 * once (a tenth of a second), else after its ttl. Then the barrier is *broken*, for all who wait at it: they hear
 * DBLOCK_BROKEN, with a message that says by whom. It is broken as well, as java.util.concurrent's CyclicBarrier, by a
 * party that gives up: whose wait_ms is over, who is canceled, or was stopped for longer than its ttl. All or none: no
 * party of a round hears DBLOCK_OK of it if another one gave up. A barrier that was broken needs no repair: who enters
 * from then on begins the next round.
 *
 * What is promised: nobody is in before n parties have come, and nobody is out before n want to leave, in the same round;
 * and whoever neither dies nor gives up is in with the others, or told that it is broken. What is not: that a party which
 * was seen to be in is alive still.
 *
 * A thread that waits here waits for others, but not for a lock: the search for deadlocks does not see it. So enter
 * before you take locks that another party needs before it does.
 */
#ifndef DBLOCK_BARRIER_H
#define DBLOCK_BARRIER_H

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DBLOCK_BARRIER_NAME_MAX 247  /**< bytes */
#define DBLOCK_PARTIES_MAX      1000 /**< of a barrier */

/** A party that is in. */
struct dblock_barrier;

/** How to wait at a barrier. Zero means the default, everywhere. */
struct dblock_barrier_options {
	size_t size;     /**< sizeof(struct dblock_barrier_options), set by the initialiser */
	int64_t wait_ms; /**< how long; default: DBLOCK_FOREVER */
	/** Asked at least every 100 ms, without any mutex held; not 0 ends the wait. Default: NULL */
	int (*canceled)(void *arg);
	void *canceled_arg;
};

#define DBLOCK_BARRIER_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_barrier_options), 0, NULL, NULL                               \
	}

/**
 * Enter: wait for a place, and until all parties are in. It goes on while the database restarts, fails over, or cannot be
 * reached; if that takes longer than the ttl, it ends with DBLOCK_LOST.
 *
 * Each call is a party of its own, even on the same thread. A wait in line, for a place, breaks nothing when it ends.
 *
 * @param name     1 to DBLOCK_BARRIER_NAME_MAX bytes of UTF-8 without control characters; copied
 * @param parties  n, from 1 to DBLOCK_PARTIES_MAX; the same for all
 * @param options  NULL: all defaults
 * @param barrier  the handle, to be given back with dblock_barrier_leave() before dblock_close(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK        all are in
 * @retval DBLOCK_BROKEN    somebody of this round has gone, or has given up: enter again, if you like
 * @retval DBLOCK_LOST      this party was taken for dead: it was stopped, or cut off, for longer than its ttl; or somebody
 *                          broke its permit
 * @retval DBLOCK_TIMEOUT   not within wait_ms; with DBLOCK_NO_WAIT: DBLOCK_BUSY
 * @retval DBLOCK_CANCELED  `canceled` said so, or dblock_shutdown() was called
 * @retval DBLOCK_E_INVALID an argument is wrong; or parties of another n are there: the message says how many
 * @retval other            a failure as of dblock_acquire()
 * Whatever is not DBLOCK_OK has given its place back.
 * Thread-safe. Blocks. About eight round trips, two more a second, and who is last wakes the others, as of locks.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_barrier_enter(struct dblock_client *client, const char *name,
						     int64_t parties,
						     const struct dblock_barrier_options *options,
						     struct dblock_barrier **barrier,
						     struct dblock_error *err);

/**
 * Leave: wait until all parties want to. To go without waiting, DBLOCK_NO_WAIT: unless it is the last, that breaks the
 * barrier.
 *
 * @param barrier  the handle; it is gone, whatever this returns, but for DBLOCK_E_INVALID and DBLOCK_E_FORKED
 * @param options  NULL: all defaults
 * @retval DBLOCK_OK        all are out
 * @retval DBLOCK_BROKEN    somebody has gone, or given up, since all were in
 * @retval other            as of dblock_barrier_enter()
 * Thread-safe; any thread may call it. Blocks. About five round trips, two more a second, and who is last wakes the
 * others.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_barrier_leave(struct dblock_barrier *barrier,
						     const struct dblock_barrier_options *options,
						     struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
