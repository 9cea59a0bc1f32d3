/* SPDX-License-Identifier: MIT */
/**
 * @file rate.h  Rate limits: so many in such a time, over all processes that use one name.
 *
 *     struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;
 *     options.period_ms = 60000;
 *     options.wait_ms = 5000;
 *     rc = dblock_rate_take(client, "api", 10, 3, 1, &options, NULL, &err);   10 a minute, 3 of them at once
 *     if (rc == DBLOCK_OK)
 *             call_the_api();
 *
 * It is the generic cell rate algorithm (GCRA) in its form as a leaky bucket (ATM Forum, Traffic Management 4.0, 4.4.3;
 * ITU-T I.371): a row for each name has a counter in units of time, which runs down as time passes. Taking n of `rate` in
 * a period raises it by n x period / rate, and is allowed as long as it does not exceed burst x period / rate. So a name
 * that nobody has used for long has its whole burst, and then one becomes free each period / rate; there are no windows at
 * whose edges twice as many get through. In each stretch of time t, however many take at once, never more than
 * rate x t / period + burst are allowed, by the database's clock, at the times that are due: whoever is told to go, and
 * is then stopped for a while, goes late; and who waits measures that by its own machine's clock.
 *
 * The clock is the database's; of SQLite the machine's wall clock, as a bucket of one a day has to fill while the machine
 * is off. If it is set back the time until then does not count, but nobody waits for it to catch up: the counter stays
 * where it was, and runs down from there. If it is set forward that fills the bucket, with one burst at most.
 *
 * A rate is not stored: each call's own numbers count. With different ones for one name they share one counter of time:
 * who takes one of 10 a second raises it by 100 ms, who takes one of 1 a second by a second, and each is allowed up to
 * its own burst. To change a rate, change it in the callers: the first call with the new one goes by it.
 *
 * What a relaxed client (client.h) has taken may be forgotten in a crash of the database's machine.
 */
#ifndef DBLOCK_RATE_H
#define DBLOCK_RATE_H

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DBLOCK_RATE_MAX           1000000000 /**< most a burst; and most in a second, over the period */
#define DBLOCK_RATE_PERIOD_MAX_MS 31622400000 /**< 366 days: so one a year is the least */
#define DBLOCK_RATE_SPAN_MAX_MS                                                                    \
	632448000000 /**< 20 of these: burst x period / rate, and a wait, are no longer */

/** Options of dblock_rate_take(). Zero is the default, everywhere. */
struct dblock_rate_options {
	size_t size;       /**< sizeof(struct dblock_rate_options), set by the initialiser */
	int64_t period_ms; /**< in which `rate` are allowed; default 1000, at most
			      DBLOCK_RATE_PERIOD_MAX_MS */
	int64_t wait_ms; /**< wait for one's turn if that comes within this time; default: not at all;
			      DBLOCK_FOREVER: whenever it comes */
	/** Asked at least every 100 ms while it waits; not 0 ends that with DBLOCK_CANCELED. */
	int (*canceled)(void *arg);
	void *canceled_arg;
};

#define DBLOCK_RATE_OPTIONS_INIT                                                                   \
	{                                                                                          \
		sizeof(struct dblock_rate_options), 0, 0, NULL, NULL                               \
	}

/** What was found; filled with DBLOCK_OK, DBLOCK_BUSY and DBLOCK_TIMEOUT. */
struct dblock_rate_state {
	size_t size; /**< sizeof(struct dblock_rate_state), set by the initialiser */
	int64_t retry_us; /**< refused: in so many us they could be had, if nobody else took any; else 0 */
	int64_t wait_us; /**< taken: its turn was so many us away when it was booked; 0: at once */
	int64_t left;    /**< so many more could be had at once, then */
	int64_t full_us; /**< and the whole burst in so many us */
};

#define DBLOCK_RATE_STATE_INIT                                                                     \
	{                                                                                          \
		sizeof(struct dblock_rate_state), 0, 0, 0, 0                                       \
	}

/**
 * Take n of a rate, if it allows that now; or book the next turn, and wait for it.
 *
 * Who waits books his turn at once, by the same statement, and then sleeps: first come, first served, and nobody asks
 * again. While turns are booked there is nothing to be had at once. If the wait is canceled, they are given back, unless
 * somebody has booked or taken since: then they are lost.
 *
 * A refusal writes nothing. Where a reply is lost the request is sent again, and known by its nonce: it counts twice only
 * if somebody else took some of the same name in between. So whatever is lost, no more are allowed than the rate.
 *
 * @param name     of what is limited; 1 to DBLOCK_NAME_MAX bytes of UTF-8 without control characters. It has nothing to do
 *                 with a lock of that name
 * @param rate     so many in options->period_ms, from 1, and at most DBLOCK_RATE_MAX in a second
 * @param burst    so many at once, 1 to DBLOCK_RATE_MAX; burst x period / rate is at most DBLOCK_RATE_SPAN_MAX_MS
 * @param n        how many to take, 1 to burst; all or none
 * @param options  NULL for defaults
 * @param state    begins with DBLOCK_RATE_STATE_INIT; NULL is allowed
 * @retval DBLOCK_OK        they are the caller's: now is its turn
 * @retval DBLOCK_BUSY      it did not wait, and the rate is used up; err->message and state->retry_us say for how long.
 *                          Nothing was taken
 * @retval DBLOCK_TIMEOUT   its turn would not come within wait_ms: told at once. Nothing was taken
 * @retval DBLOCK_CANCELED  `canceled` said so, or dblock_shutdown()
 * @retval DBLOCK_E_INVALID an argument is wrong; n larger than burst could never be had
 * @retval DBLOCK_E_BLOCKED another transaction has the row locked, and was not over in time; nothing was taken
 * @retval DBLOCK_E_UNSURE  no answer came in time: they may have been taken. Not to go on is safe, and so is to ask again
 * Or a failure as dblock_try(), with which nothing was taken; a call that waits goes on as long as it may pass. Thread-safe.
 * Blocks, but without wait_ms no longer than timeout_ms, and for a request that is under way then. One round trip (SQLite:
 * one transaction); refused: two.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_rate_take(struct dblock_client *client, const char *name,
						 int64_t rate, int64_t burst, int64_t n,
						 const struct dblock_rate_options *options,
						 struct dblock_rate_state *state,
						 struct dblock_error *err);

/** A rate, as its last take left it. Strings live until the callback returns. */
struct dblock_rate_bucket {
	size_t size; /**< sizeof(struct dblock_rate_bucket) of the library */
	const char *name;
	int64_t rate, period_ms, burst; /**< those of the last take */
	int64_t left;                   /**< so many could be had at once, now */
	int64_t booked;   /**< so many are booked, and wait for their turn; rounded up */
	int64_t full_us;  /**< the whole burst could be had in so many us */
	int64_t taken_us; /**< when the last take was, us since the epoch by the database's clock */
};

/** Called for each. Not 0 ends the list, which then returns that. It may use the client. */
typedef int dblock_rate_cb(void *arg, const struct dblock_rate_bucket *bucket);

/**
 * List the rates, in byte order of their names. dblock_reap() deletes those that nobody has used for its purge_after_ms,
 * and whose burst is whole again: it is the same as if they were not there.
 * @return DBLOCK_OK, what the callback returned, or a failure as dblock_list()
 * Thread-safe. One round trip per 200.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_rate_list(struct dblock_client *client,
						 dblock_rate_cb *found, void *arg,
						 struct dblock_error *err);

/**
 * Forget what was taken of a rate: its whole burst can be had at once. Who waits for a turn keeps it.
 * @retval DBLOCK_OK     it is forgotten
 * @retval DBLOCK_STALE  nothing was taken of that name
 * and as dblock_rate_take(). Thread-safe. One round trip.
 */
DBLOCK_API int dblock_rate_reset(struct dblock_client *client, const char *name,
				 struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
