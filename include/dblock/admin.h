/* SPDX-License-Identifier: MIT */
/**
 * @file admin.h  For operators: who holds what, break a lock, reap what the dead left behind.
 */
#ifndef DBLOCK_ADMIN_H
#define DBLOCK_ADMIN_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why a name is taken. */
enum dblock_hold {
	DBLOCK_HOLD_FREE = 0,    /**< it is not: nobody holds it */
	DBLOCK_HOLD_SESSION = 1, /**< as long as its client's session lives */
	DBLOCK_HOLD_LEASE = 2,   /**< until its own end */
	DBLOCK_HOLD_REST = 3     /**< released, but kept taken until its minimum hold is over */
};

/**
 * One grant of a lock, or a lock that is free, as read. Strings live until the callback returns; ""
 * where unknown. Times are microseconds since the epoch by the database's clock, 0 where unknown.
 */
struct dblock_holder {
	size_t size; /**< sizeof(struct dblock_holder) of the library */
	const char *name;
	enum dblock_hold hold;
	int64_t token;    /**< of the last grant, also when the lock is free */
	const char *host; /**< of the last holder, also when the lock is free */
	int64_t pid;
	int64_t thread;       /**< thread id as the kernel shows it; 0: an explicit owner's */
	int64_t reentry;      /**< times the holder has acquired it, as of its last heartbeat */
	const char *app;      /**< of the holder's client */
	const char *session;  /**< id of the session that holds it, "" if none does */
	bool session_dead;    /**< that session is buried: the lock is there for the taking */
	bool session_missing; /**< that session's row was deleted by hand: only a break helps */
	int64_t acquired_us;
	int64_t expires_us; /**< when it ends unless renewed; 0 if it cannot be told, as on
				 SQLite for a row that was written before a reboot */
	int64_t left_ms;    /**< until then; negative: it is over; INT64_MIN: unknown */
	const char *value;
	int64_t waiting;       /**< so many calls wait in line for it */
	enum dblock_mode mode; /**< how it is held; of a free lock, DBLOCK_EXCLUSIVE */
	int64_t permits;       /**< DBLOCK_PERMITS: so many of them; else 0 */
	int64_t capacity;      /**< DBLOCK_PERMITS: so many there are; else 0 */
	/** Its holder is asked to let go (request.h); NULL: it is not. */
	const struct dblock_request *request;
};

/** Called for each grant found. Not 0 ends the listing, which then returns that number. */
typedef int dblock_holder_cb(void *arg, const struct dblock_holder *holder);

/** Options of dblock_list(). Zero means the default, everywhere. */
struct dblock_list_options {
	size_t size;         /**< sizeof(struct dblock_list_options), set by the initialiser */
	const char *pattern; /**< `*` any bytes, `?` one character, `\` takes the next one as it is;
				  default: every name */
	const char *after;   /**< only names after this one, in byte order: for paging */
	int64_t limit;       /**< at most so many; default: all */
	int free_too;        /**< not 0: also names that nobody holds */
};

#define DBLOCK_LIST_OPTIONS_INIT                                                                   \
	{                                                                                          \
		sizeof(struct dblock_list_options), NULL, NULL, 0, 0                               \
	}

/**
 * List locks in byte order of their names; of one that several hold (docs/modes.md) each grant, in
 * order of tokens. Reads only, in pages: no snapshot of one moment.
 * @return DBLOCK_OK, what the callback returned, or a failure as dblock_try()
 * Thread-safe; the callback runs without any mutex held and may use the client.
 * One round trip per 200 grants looked at.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_list(struct dblock_client *client,
					    const struct dblock_list_options *options,
					    dblock_holder_cb *found, void *arg,
					    struct dblock_error *err);

/**
 * Look at one lock; the callback gets it, also if it is free; if several hold it, once for each, in
 * order of tokens.
 * @retval DBLOCK_OK     the callback was called, and returned 0
 * @retval DBLOCK_STALE  no such name is known
 * Otherwise as dblock_list(). Thread-safe. One round trip per 200 holders.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_show(struct dblock_client *client, const char *name,
					    dblock_holder_cb *found, void *arg,
					    struct dblock_error *err);

/**
 * One call that waits in line for a lock, as read. Strings live until the callback returns; ""
 * where unknown. Times are microseconds since the epoch by the database's clock.
 */
struct dblock_waiter {
	size_t size; /**< sizeof(struct dblock_waiter) of the library */
	const char *name;
	int64_t place;  /**< in the line, 1: next; 0: it does not count, for its session is dead or
			     missing */
	int64_t ticket; /**< the order of the line: who came later has a larger one */
	const char *host;
	int64_t pid;
	int64_t thread;       /**< thread id as the kernel shows it; 0: an explicit owner's */
	const char *app;      /**< of its client */
	const char *session;  /**< id of the session that it waits by */
	bool session_dead;    /**< that session is buried: it waits no more */
	bool session_missing; /**< that session's row was deleted by hand: the same */
	bool session_late;  /**< that session's heartbeat is overdue by its ttl: passed over for one
				 of whom that is not so, and soon to be buried */
	int64_t since_us;   /**< when it joined the line */
	int64_t waiting_ms; /**< since then */
	int64_t lease_ms;   /**< what it asks for: a grant with an end of its own; 0: one that lives
				 as long as its session */
	const char *value;
	enum dblock_mode mode; /**< how it wants it */
	int64_t permits;       /**< DBLOCK_PERMITS: so many of them; else 0 */
	int64_t capacity;      /**< DBLOCK_PERMITS: so many there are; else 0 */
};

/** Called for each waiter found. Not 0 ends the listing, which then returns that number. */
typedef int dblock_waiter_cb(void *arg, const struct dblock_waiter *waiter);

/** Options of dblock_waiters(). Zero means the default, everywhere. */
struct dblock_waiters_options {
	size_t size;          /**< sizeof(struct dblock_waiters_options), set by the initialiser */
	const char *name;     /**< only of this name; default: of all */
	const char *pattern;  /**< as in struct dblock_list_options */
	const char *after;    /**< only behind this name */
	int64_t after_ticket; /**< and ticket: where the page before ended */
	int64_t limit;        /**< at most so many; default: all */
};

#define DBLOCK_WAITERS_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_waiters_options), NULL, NULL, NULL, 0, 0                      \
	}

/**
 * List who waits in line: names in byte order, and in each who came first. Reads only, in pages: no
 * snapshot of one moment.
 * @return as dblock_list()
 * Thread-safe; the callback runs without any mutex held and may use the client.
 * One round trip per 200 waiters looked at.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_waiters(struct dblock_client *client,
					       const struct dblock_waiters_options *options,
					       dblock_waiter_cb *found, void *arg,
					       struct dblock_error *err);

/**
 * Take the lock away from whoever holds it. Once it returns DBLOCK_OK the old token is dead: its
 * holder's release, extension or fence touches nothing, and the next grant's token is larger.
 * The holder is not told before its own next check.
 *
 * @param token    break only this grant; 0: whichever holds it, and all of them if several do
 * @param wait_ms  how long to wait while an open transaction keeps the row locked; 0: 5 000
 * @retval DBLOCK_OK    broken; if a reply was lost on the way, it may have ended by itself before
 * @retval DBLOCK_STALE nobody holds it, or another grant than `token` does; with 0 also if all the
 *                      while it went from hand to hand
 * @retval DBLOCK_BUSY  an open transaction still locks the row; err->message says whose
 * Otherwise as dblock_release(). Thread-safe. Two round trips if the row is not locked.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_break(struct dblock_client *client, const char *name,
					     int64_t token, int64_t wait_ms,
					     struct dblock_error *err);

/** Options of dblock_reap(). Zero means the default, everywhere. */
struct dblock_reap_options {
	size_t size;            /**< sizeof(struct dblock_reap_options), set by the initialiser */
	int64_t purge_after_ms; /**< delete names unused for so long; default 7 days; < 0: at once
				 */
	/** Asked at least every 100 ms; not 0 ends the pass with DBLOCK_CANCELED. Default: NULL */
	int (*canceled)(void *arg);
	void *canceled_arg;
	int64_t keep_marks_ms; /**< forget that a slot was done (once.h) after so long: it could be
				  had again then; default 400 days; < 0: at once */
};

#define DBLOCK_REAP_OPTIONS_INIT                                                                   \
	{                                                                                          \
		sizeof(struct dblock_reap_options), 0, NULL, NULL, 0                               \
	}

/** What one pass did; filled also when it ended early. */
struct dblock_reaped {
	int64_t sessions_buried;
	int64_t locks_freed;      /**< held by dead sessions, or leases that had ended */
	int64_t sessions_deleted; /**< dead, and nothing names them any more */
	int64_t names_purged;
	int64_t marks_deleted; /**< of slots that were done long ago */
};

/**
 * One pass of the reaper: bury expired sessions, free what dead sessions held and leases that
 * ended, delete dead sessions that nothing names, purge names long unused, forget slots done long
 * ago. In batches; safe to run many at once, and beside everything else.
 *
 * A session is buried only if it *looks* expired and this pass has itself seen the same heartbeat
 * for that session's whole ttl: so a pass that meets a suspect takes that long.
 * @retval DBLOCK_OK, DBLOCK_CANCELED, or a failure as dblock_try()
 * Thread-safe. Blocks.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_reap(struct dblock_client *client,
					    const struct dblock_reap_options *options,
					    struct dblock_reaped *reaped, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
