/* SPDX-License-Identifier: MIT */
/**
 * @file single_flight.h  Thousands ask for one article, one goes to the database: a guard against
 * the stampede on an empty cache.
 *
 *     int load(void *arg, struct dblock_result *result, struct dblock_error *err)
 *     {
 *             ... query ...
 *             return dblock_result_set(result, text, strlen(text), err);
 *     }
 *
 *     rc = dblock_single_flight(client, "article/17", NULL, load, arg, &result, &err);
 *     if (rc == DBLOCK_OK)
 *             show(dblock_result_bytes(result));
 *     dblock_result_free(result);
 *
 * Of all threads and processes that ask for a key at one time, one calls the function, and all get
 * its result. It is under way in one place at a time, as long as its holder is not declared dead;
 * a result is a cache's, so nothing worse comes of two than the work. What is promised of the
 * result: it was made while the call was under way, or later than fresh_ms before it.
 */
#ifndef DBLOCK_SINGLE_FLIGHT_H
#define DBLOCK_SINGLE_FLIGHT_H

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DBLOCK_RESULT_MAX     65535                /**< bytes that a result may have */
#define DBLOCK_FLIGHT_KEY_MAX 248                  /**< bytes */
#define DBLOCK_FRESH_MAX_MS   (24 * 3600 * 1000LL) /**< of fresh_ms */

/** Bytes, and where they come from; they do not change once dblock_single_flight() has returned. */
struct dblock_result;

/**
 * Makes a result: fills it with dblock_result_set() (else it is empty), and returns 0. Anything
 * else says that it could not: that number (err->code as well) and the rest of err go to all who
 * share this very call; if err has no message, one that names the key and the number. Use numbers
 * of your own, or an outcome of dblock's.
 * Called on the thread that asked, which no mutex of dblock's is locked by; it may use dblock, and
 * ask for other keys. It must come back: not by longjmp(), nor by an exception. A thread is not
 * canceled (pthread_cancel()) in it.
 */
typedef int dblock_make_fn(void *arg, struct dblock_result *result, struct dblock_error *err);

/** How to ask: 0 is the default everywhere. */
struct dblock_flight_options {
	size_t size;     /**< of this struct: DBLOCK_FLIGHT_OPTIONS_INIT sets it */
	int64_t wait_ms; /**< for somebody else's call; default: DBLOCK_FOREVER. One's own takes its
			     time */
	int64_t fresh_ms;    /**< take a result that is there, if its making began less than so long
			     ago, by the database's clock; 0: none that was there before. Also for
			     so long (at least a minute) the reaper lets a result stay that is made
			     by this call. At most DBLOCK_FRESH_MAX_MS */
	int64_t deadlock_ms; /**< as of dblock_acquire() */
	int (*canceled)(void *arg); /**< asked about every 100 ms while it waits: not 0 ends it */
	void *canceled_arg;
};

#define DBLOCK_FLIGHT_OPTIONS_INIT                                                                 \
	{                                                                                          \
		sizeof(struct dblock_flight_options), 0, 0, 0, NULL, NULL                          \
	}

/**
 * Get the result of a key: somebody else's if it is being made (or, with fresh_ms, was), else by
 * calling `make`. If that fails, whoever shared the call, in this process, hears so; others, in
 * other processes, try for themselves, one after the other. If who makes it dies, or has its wait
 * end before, another one takes over: of its own process at once, else after its ttl.
 * If the lock is lost while `make` runs (the process was stopped, say), the result goes to those
 * who share this very call, and to nobody else. The same if it cannot be published.
 *
 * @param key      1 to DBLOCK_FLIGHT_KEY_MAX bytes of UTF-8 without control characters; copied. Its
 *                 lock is called flight:KEY, in all listings
 * @param options  NULL: all defaults
 * @param make     makes the result; should be the same thing for all who use the key
 * @param arg      for it
 * @param result   a share of it, to be given back with dblock_result_free(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK        here it is
 * @retval DBLOCK_TIMEOUT   wait_ms is over, and somebody else is still at it
 * @retval DBLOCK_BUSY      with DBLOCK_NO_WAIT: somebody else is at it
 * @retval DBLOCK_CANCELED  `canceled` said so, or dblock_shutdown() was called
 * @retval DBLOCK_DEADLOCK  threads wait for each other, through the locks or through the keys that
 *                          their functions ask for
 * @retval DBLOCK_LOST      the lock was granted, but too late to be of use: ask again
 * @retval DBLOCK_E_INVALID an argument or option is wrong; or this thread is making this very key
 * @retval other            what `make` returned; or a failure as of dblock_acquire(), which goes to
 *                          all threads that share the call
 * Thread-safe. Blocks. Round trips: one if a fresh result is there; none for a thread whose process
 * asks already; five around a call of `make`; eleven to wait for
 * somebody else's, and one a second meanwhile.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_single_flight(struct dblock_client *client, const char *key,
						     const struct dblock_flight_options *options,
						     dblock_make_fn *make, void *arg,
						     struct dblock_result **result,
						     struct dblock_error *err);

/**
 * Fill the result, for the function that makes it: the bytes are copied. Called again: those
 * instead.
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  more than DBLOCK_RESULT_MAX bytes; or it is not being made any more
 * @retval DBLOCK_E_NOMEM
 * No round trip. For the thread that makes it.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_result_set(struct dblock_result *result, const void *bytes,
						  size_t size, struct dblock_error *err);

/** Its bytes, with a NUL behind them; "" of NULL. They live as long as this share. Thread-safe. */
DBLOCK_API const char *dblock_result_bytes(const struct dblock_result *result);

/** How many; 0 of NULL. Thread-safe. */
DBLOCK_API size_t dblock_result_size(const struct dblock_result *result);

/** The fencing token of the grant under which it was made: of two results of one key the later has
 * the larger one. 0 of NULL. Thread-safe. */
DBLOCK_API int64_t dblock_result_token(const struct dblock_result *result);

/** Give back the share that one call gave. NULL is allowed. Also after the client was closed.
 * Thread-safe. */
DBLOCK_API void dblock_result_free(struct dblock_result *result);

#ifdef __cplusplus
}
#endif
#endif
