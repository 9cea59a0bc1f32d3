/* SPDX-License-Identifier: MIT */
/**
 * @file stats.h  What one client has done so far, as counters and histograms.
 *
 * Numbers of this process, from memory; metrics.h has those of the database.
 */
#ifndef DBLOCK_STATS_H
#define DBLOCK_STATS_H

#include <stddef.h>
#include <stdint.h>

#include <dblock/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dblock_client;

#define DBLOCK_HISTOGRAM_BUCKETS 40

/** Times in microseconds, by powers of two. They are counted one by one, so buckets[i] is of those
 * that are in no bucket before: a histogram of OpenMetrics adds them up. Frozen. */
struct dblock_histogram {
	int64_t count;  /**< of all: the sum of the buckets */
	int64_t sum_us; /**< of all times */
	/** buckets[0]: of 0 us; buckets[i]: of at least 2^(i-1) us and less than 2^i us, so that
	    2^i - 1 is the largest; the last one: of all that are longer, 2^38 us (three days). */
	int64_t buckets[DBLOCK_HISTOGRAM_BUCKETS];
};

#define DBLOCK_LOSS_CAUSES 16 /**< room for those to come, too */

/**
 * Counters since dblock_open(). They only grow. Owned by the caller; the library fills in what there
 * is room for.
 *
 * Acquires are tries, acquires, also of several names (one each), in transactions of the caller's,
 * waits in steps, elections, jobs done once, and what single flight needs; those refused for a wrong
 * argument are not counted. Each is one of acquired, reentered, busy, timed_out, canceled, deadlocks,
 * late, fenced and failed.
 *
 * Of a client of a cluster (quorum.h) these are its caller's, as are holds and losses; how members handed a lock
 * over is not counted (all of those are 0), and what is said of the database, from `statements` to `sessions`, is
 * of all members together.
 */
struct dblock_stats {
	size_t size;       /**< sizeof(struct dblock_stats), set by the initialiser */
	int64_t acquired;  /**< granted */
	int64_t reentered; /**< the caller had it already */
	int64_t busy;      /**< a try, and somebody else had it */
	int64_t timed_out; /**< DBLOCK_TIMEOUT */
	int64_t canceled; /**< DBLOCK_CANCELED, also a wait in steps that was ended before its time */
	int64_t deadlocks; /**< DBLOCK_DEADLOCK */
	int64_t late;      /**< DBLOCK_LOST: granted too late to be of use, and given back */
	int64_t fenced;    /**< DBLOCK_FENCED: it would have waited for its own transaction */
	int64_t failed;    /**< DBLOCK_E_*, or what a caller's callback returned */
	/** How those that had to wait were handed the lock: by the thread before, in memory, without a
	    statement; by another thread of this client, which told it; by a datagram, from a process
	    on this machine; over the database (NOTIFY, the doorbell); or by looking now and then. */
	int64_t passed_in_memory;
	int64_t woken_by_thread;
	int64_t woken_by_datagram;
	int64_t woken_by_database;
	int64_t found_by_looking;
	int64_t idle_taken; /**< acquired without a statement, as this client had kept it (idle_ms) */
	int64_t released;   /**< holds that ended by a release */
	/** Holds that were lost before their release, by cause: losses[DBLOCK_LOSS_LEASE] and so on
	    (loss.h). They are also in `released` once their handles are. */
	int64_t losses[DBLOCK_LOSS_CAUSES];
	int64_t statements; /**< sent to the database; each is a round trip, a batch is one */
	int64_t batches;    /**< statements that carried requests of several threads, */
	int64_t batched;    /**< and so many requests went with them */
	/** Requests that were sent again, by what had become of them: a transaction that the database
	    gave up (a deadlock of its own, a conflict); no connection; a server that cannot be
	    written; an answer that was lost. */
	int64_t retries_conflict;
	int64_t retries_unavailable;
	int64_t retries_readonly;
	int64_t retries_unsure;
	int64_t connects;         /**< connections that were opened, the first ones too */
	int64_t connections_lost; /**< those that broke, or were given up */
	int64_t heartbeats;       /**< that got through */
	int64_t heartbeats_failed;
	int64_t sessions; /**< that have begun: 1, and one more for each that was lost */
	/** Of those acquired: from the call to the grant, 0 to a microsecond where it was at hand. */
	struct dblock_histogram wait;
	/** From the grant to the last release. */
	struct dblock_histogram hold;
};

#define DBLOCK_STATS_INIT                                                                          \
	{                                                                                          \
		sizeof(struct dblock_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0},  \
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, {0}},                           \
		{                                                                                  \
			0, 0,                                                                      \
			{                                                                          \
				0                                                                  \
			}                                                                          \
		}                                                                                  \
	}

/**
 * The counters at this moment. Each is read by itself, so they may differ by what is under way.
 *
 * @param stats  to be filled in; begins with DBLOCK_STATS_INIT
 * @retval DBLOCK_OK         filled in
 * @retval DBLOCK_E_INVALID  client or stats is NULL, or its size is none
 * @retval DBLOCK_E_FORKED   the client is the parent process's
 * Thread-safe, also in a callback; takes no mutex, allocates nothing, no round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_stats_of(const struct dblock_client *client,
						struct dblock_stats *stats,
						struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
