/* SPDX-License-Identifier: MIT */
/**
 * @file loss.h  Why a lock that was held is held no longer.
 */
#ifndef DBLOCK_LOSS_H
#define DBLOCK_LOSS_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What ended a grant before its release. */
enum dblock_loss_cause {
	DBLOCK_LOSS_NONE = 0, /**< nothing: it is not lost */
	/** No heartbeat got through in time: the database could not be reached, or this process,
	    or its machine, was stopped. `at_us`: when the last one that did was sent */
	DBLOCK_LOSS_UNREACHABLE = 1,
	DBLOCK_LOSS_LEASE = 2,  /**< its own lease was over: at `at_us`, as the holder counts it */
	DBLOCK_LOSS_BROKEN = 3, /**< dblock_break(), at `at_us`, by `host`, `pid` and `app` */
	DBLOCK_LOSS_RELEASED = 4, /**< likewise, dblock_release_token() from elsewhere */
	/** The database does not know of it any more, as after a crash that lost its last commits,
	    a failover, a restored copy, or rows deleted by hand. `at_us`: when that was noticed */
	DBLOCK_LOSS_FORGOTTEN = 5,
	/** Somebody who wanted a lock of this client, or the reaper, saw no heartbeat of it for a
	    whole ttl. `at_us`: when that was noticed */
	DBLOCK_LOSS_DECLARED_DEAD = 6,
	/** The database says that this grant does not hold it, and not why; or the answer to a
	    downgrade was lost. `at_us`: when that was noticed */
	DBLOCK_LOSS_UNKNOWN = 7,
	DBLOCK_LOSS_HANDED_OFF = 8 /**< dblock_handoff_offer(), at `at_us` */
};

/** Why, when, and by whom. Owned by the caller; the library fills in what there is room for. */
struct dblock_loss {
	size_t size; /**< sizeof(struct dblock_loss), set by the initialiser */
	enum dblock_loss_cause cause;
	int64_t at_us; /**< microseconds since the epoch; see above. By this machine's clock, but of
			    a break or release by the database's; 0: unknown */
	char host[256]; /**< of who broke or released it: where, */
	int64_t pid;    /**< which process there, */
	char app[64];   /**< and what it calls itself; "", 0, "": unknown */
	/** For people, a line of English: "it was broken by host db1, pid 42 (dblock), at ..." */
	char text[1024];
};

#define DBLOCK_LOSS_INIT                                                                           \
	{                                                                                          \
		sizeof(struct dblock_loss), DBLOCK_LOSS_NONE, 0, "", 0, "", ""                     \
	}

/**
 * Why is the lock lost, if it is? The first cause counts. A handle of several names is lost with
 * the first of them. The callback `lost` may ask, as may any thread that has the handle; the same
 * words are in the error of a call that says DBLOCK_LOST.
 *
 * @param loss   to be filled in; begins with DBLOCK_LOSS_INIT
 * @retval DBLOCK_OK         it is not lost: cause is DBLOCK_LOSS_NONE, the rest empty
 * @retval DBLOCK_LOST       it is
 * @retval DBLOCK_E_INVALID  lock or loss is NULL, or its size is none
 * @retval DBLOCK_E_FORKED   the handle belongs to the parent process
 * Thread-safe. No round trip; does not block.
 */
DBLOCK_API int dblock_loss_of(const struct dblock_lock *lock, struct dblock_loss *loss);

#ifdef __cplusplus
}
#endif
#endif
