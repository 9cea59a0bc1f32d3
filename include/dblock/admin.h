/* SPDX-License-Identifier: MIT */
/**
 * @file admin.h  For operators: who holds what, break a lock, reap what the dead left behind.
 */
#ifndef DBLOCK_ADMIN_H
#define DBLOCK_ADMIN_H

#include <dblock/lock.h>
#include <dblock/loss.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why a name is taken. */
enum dblock_hold {
	DBLOCK_HOLD_FREE = 0,    /**< it is not: nobody holds it */
	DBLOCK_HOLD_SESSION = 1, /**< as long as its client's session lives */
	DBLOCK_HOLD_LEASE = 2,   /**< until its own end */
	DBLOCK_HOLD_MINIMUM = 3  /**< released, but kept taken until its minimum hold is over */
};

/** A grant is being taken away: by dblock_break(), or by dblock_release_token() from elsewhere. */
struct dblock_taken {
	size_t size;                  /**< sizeof(struct dblock_taken) of the library */
	enum dblock_loss_cause cause; /**< DBLOCK_LOSS_BROKEN or DBLOCK_LOSS_RELEASED */
	const char *host;             /**< by whom: where, */
	int64_t pid;                  /**< which process there, */
	const char *app;              /**< and what it calls itself */
	int64_t since_us;             /**< when */
	bool told;                    /**< its holder knows, and has yet to let go */
};

/** A process, as the kernel of this machine knows it. */
enum dblock_process {
	/** It is on another machine, or another user's; or there is no proof either way. */
	DBLOCK_PROCESS_UNKNOWN = 0,
	DBLOCK_PROCESS_LIVES, /**< or something does that came from it, and keeps the lock */
	DBLOCK_PROCESS_ENDED  /**< who waits on this machine gets the lock at once */
};

/**
 * One grant of a lock, or a lock that is free, as read. Strings live until the callback returns; ""
 * where unknown. Times are microseconds since the epoch by the database's clock, 0 where unknown.
 */
struct dblock_holder {
	size_t size; /**< sizeof(struct dblock_holder) of the library */
	const char *name;
	enum dblock_hold hold;
	int64_t token;    /**< of the last grant, also when the lock is free; a larger one, that was
			       nobody's, if that grant was broken */
	const char *host; /**< of the last holder, also when the lock is free */
	int64_t pid;
	int64_t thread; /**< thread id as the kernel shows it; 0: an explicit owner's, or a wait's (wait.h) */
	int64_t reentry;      /**< times the holder has acquired it, as of its last heartbeat */
	const char *app;      /**< of the holder's client */
	const char *session;  /**< id of the session that holds it, "" if none does */
	bool session_dead;    /**< that session was declared dead: the lock is there for the
				    taking */
	bool session_missing; /**< that session's row was deleted by hand: only a break helps */
	int64_t acquired_us;
	int64_t expires_us; /**< when it ends unless renewed; 0 if it cannot be told, as on
				 SQLite for a row that was written before a reboot. Of a free lock:
				 when its last lease ended, if that was not released */
	int64_t left_ms;    /**< until then; negative: it is over; INT64_MIN: unknown */
	const char *value;
	int64_t waiting;       /**< so many calls wait in the queue for it */
	enum dblock_mode mode; /**< how it is held; of a free lock, DBLOCK_EXCLUSIVE */
	int64_t permits;       /**< DBLOCK_PERMITS: so many of them; else 0 */
	int64_t capacity;      /**< DBLOCK_PERMITS: so many there are; else 0 */
	/** Its holder is asked to let go (request.h); NULL: it is not. */
	const struct dblock_release_request *request;
	/** It is being taken away from its holder; NULL: it is not. */
	const struct dblock_taken *taken;
	/** Of a session: what is known on this machine of the process that holds it (alive.h). */
	enum dblock_process process;
	int64_t held_ms; /**< from acquired_us until it was read; of a free lock, too. INT64_MIN:
			      unknown */
};

/** Called for each grant found. Not 0 ends the listing, which then returns that number. */
typedef int dblock_holder_cb(void *arg, const struct dblock_holder *holder);

/** Options of dblock_list(). Zero means the default, everywhere. */
struct dblock_list_options {
	size_t size;         /**< sizeof(struct dblock_list_options), set by the initialiser */
	const char *pattern; /**< `*` any bytes, `?` one character, `\` takes the next one as it is;
				  default: every name */
	const char *after;   /**< only names after this one, in byte order: for paging */
	int64_t limit;       /**< at most so many; default: all. Not below 0 */
	bool free_too;       /**< also names that nobody holds */
};

#define DBLOCK_LIST_OPTIONS_INIT                                                                   \
	{                                                                                          \
		sizeof(struct dblock_list_options), NULL, NULL, 0, 0                               \
	}

/**
 * List locks in byte order of their names; of one that several hold (docs/user/modes.md) each
 * grant, in order of tokens. Reads only, in pages: no snapshot of one moment.
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
 * Who holds the lock? As dblock_show(), without a callback.
 *
 * @param holder  gets the holder, or of several the one with the smallest token: one allocation, with
 *                all that it points to, to be freed with dblock_holder_free(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK     it is taken: by whom and how, `hold` says
 * @retval DBLOCK_STALE  it is free, or no such name is known
 * Otherwise as dblock_list(). Thread-safe. One round trip per 200 holders.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_holder_of(struct dblock_client *client, const char *name,
						 struct dblock_holder **holder,
						 struct dblock_error *err);

/** Frees what dblock_holder_of() gave. NULL is allowed. Thread-safe. No round trip. */
DBLOCK_API void dblock_holder_free(struct dblock_holder *holder);

/**
 * One call that waits in the queue for a lock, as read. Strings live until the callback returns; ""
 * where unknown. Times are microseconds since the epoch by the database's clock.
 */
struct dblock_waiter {
	size_t size; /**< sizeof(struct dblock_waiter) of the library */
	const char *name;
	int64_t place; /**< in the queue, 1: next; 0: it does not count, for its session is dead or
			     missing */
	int64_t ticket; /**< who came later has a larger one: the order of a queue without priorities */
	const char *host;
	int64_t pid;
	int64_t thread; /**< thread id as the kernel shows it; 0: an explicit owner's, or a wait's (wait.h) */
	const char *app;      /**< of its client */
	const char *session;  /**< id of the session that it waits by */
	bool session_dead;    /**< that session was declared dead: it waits no more */
	bool session_missing; /**< that session's row was deleted by hand: the same */
	bool session_late;  /**< that session's heartbeat is overdue by its ttl: passed over for one
				 of whom that is not so, and soon to be declared dead */
	int64_t since_us;   /**< when it joined the queue */
	int64_t waiting_ms; /**< since then */
	int64_t lease_ms;   /**< what it asks for: a grant with an end of its own; 0: one that lives
				 as long as its session */
	const char *value;
	enum dblock_mode mode; /**< how it wants it */
	int64_t permits;       /**< DBLOCK_PERMITS: so many of them; else 0 */
	int64_t capacity;      /**< DBLOCK_PERMITS: so many there are; else 0 */
	int priority;          /**< as in struct dblock_acquire_options */
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
	int64_t limit;        /**< at most so many; default: all. Not below 0 */
};

#define DBLOCK_WAITERS_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_waiters_options), NULL, NULL, NULL, 0, 0                      \
	}

/**
 * List who waits in the queue: names in byte order, and in each who came first (`place` says whose
 * turn it is). Reads only, in
 * pages: no snapshot of one moment.
 * @return as dblock_list()
 * Thread-safe; the callback runs without any mutex held and may use the client.
 * One round trip per 200 waiters looked at.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_waiters(struct dblock_client *client,
					       const struct dblock_waiters_options *options,
					       dblock_waiter_cb *found, void *arg,
					       struct dblock_error *err);

/** For whom a break waits. Strings live until the callback returns. */
struct dblock_breaking {
	size_t size; /**< sizeof(struct dblock_breaking) of the library */
	const char *name;
	int64_t token; /**< of the first grant that is still held; and of its holder: */
	const char *host;
	int64_t pid;
	bool told;         /**< its client knows, and has not let go yet */
	int64_t waited_ms; /**< since the call began */
	int64_t left_ms;   /**< then it is waited for no longer; -1: it has a lease, and is not
				told yet: until the end of that */
};

/** Options of dblock_break(). Zero means the default, everywhere. */
struct dblock_break_options {
	size_t size;     /**< sizeof(struct dblock_break_options), set by the initialiser */
	int64_t token;   /**< break only this grant; default: whichever holds it, and all of them
			      if several do */
	int64_t wait_ms; /**< wait so long at most; default: for its holder DBLOCK_FOREVER, for an
			      open transaction that keeps the row locked 5 000 */
	bool force;      /**< do not wait for its holder; it may still be at work, and
			      believe that it holds the lock, when somebody else is granted it */
	/** Asked at least every 100 ms while waiting for its holder, and at least every 2 s while
	    an open transaction keeps the row locked; not 0 ends that with DBLOCK_CANCELED.
	    Default: NULL */
	int (*canceled)(void *arg);
	void *canceled_arg;
	/** Called now and then while waiting for its holder: for whom. Default: NULL */
	void (*waiting)(void *arg, const struct dblock_breaking *);
	void *waiting_arg;
	int64_t waiting_every_ms; /**< at most so often, and first after so long; default: 1000 */
};

#define DBLOCK_BREAK_OPTIONS_INIT                                                                  \
	{                                                                                          \
		sizeof(struct dblock_break_options), 0, 0, 0, NULL, NULL, NULL, NULL, 0            \
	}

/**
 * Take the lock away from whoever holds it. Its holder is told: at once on the same machine, with
 * its next heartbeat elsewhere. From then on dblock_valid() is false there, `lost` is called, and
 * dblock_loss_of() says by whom. The lock is free when the holder has released its handle; at the
 * latest when a whole ttl of its session has passed, in which it was told or its session was over.
 * So nobody else is granted it while dblock_valid() is true, but with `force`.
 *
 * Not waited for, as there is nobody to tell: a lease whose client has no living session (it is
 * closed, as after `dblock acquire`, or was declared dead: that one is not told, so a lease that it
 * still believes in needs a fence), the rest of a minimum hold, what is dead or over, and what this
 * very client holds, which is lost at once.
 *
 * Once it returns DBLOCK_OK the old token is dead: its holder's release, extension or fence touches
 * nothing, and the next grant's token is larger.
 *
 * @param options  NULL is allowed
 * @retval DBLOCK_OK     broken; it may have been given back by itself meanwhile
 * @retval DBLOCK_STALE  nobody holds it, or another grant than `token` does; without a token also
 *                       if all the while it went from hand to hand
 * @retval DBLOCK_TIMEOUT   wait_ms is over, and its holder has not let go; err->message says who,
 *                       and whether it has been told. The break stands: the lock is free when its
 *                       holder lets go, or whoever waits for it, or dblock_reap(), has seen the
 *                       break for a whole ttl
 * @retval DBLOCK_CANCELED  likewise, `canceled` said so, or dblock_shutdown() was called; if an
 *                       open transaction was in the way before anything could be taken away,
 *                       err->message says that it may still be held
 * @retval DBLOCK_BUSY   an open transaction still locks the row, or a table; err->message says
 *                       whose. Or its holder is of a version that cannot be told: nothing was done
 * Otherwise as dblock_release(). Thread-safe; also from the callback `lost`. Blocks: three round
 * trips, and then one each time it looks whether its holder has let go, at most every 250 ms.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_break(struct dblock_client *client, const char *name,
					     const struct dblock_break_options *options,
					     struct dblock_error *err);

/** Options of dblock_reap(). Zero means the default, everywhere. */
struct dblock_reap_options {
	size_t size; /**< sizeof(struct dblock_reap_options), set by the initialiser */
	bool local;  /**< only declare dead those sessions whose process has ended on this machine
			 (alive.h), and pass on what they held: this user's, or as root everybody's */
	int64_t purge_after_ms; /**< delete names, and rates (rate.h), unused for so long, at most
				     DBLOCK_LEASE_MAX_MS; default 7 days; < 0: at once */
	/** Asked at least every 100 ms; not 0 ends the pass with DBLOCK_CANCELED. Default: NULL */
	int (*canceled)(void *arg);
	void *canceled_arg;
	int64_t keep_marks_ms; /**< forget that a slot was done (once.h) after so long: it could be
				  had again then; at most DBLOCK_LEASE_MAX_MS; default 400 days; <
				  0: at once */
	int64_t max_time_ms;   /**< watch sessions that look dead for so long at most; at most
				  DBLOCK_LEASE_MAX_MS; default 60 000; < 0: not at all, only declare
				  dead what passes before have watched */
};

#define DBLOCK_REAP_OPTIONS_INIT                                                                   \
	{                                                                                          \
		sizeof(struct dblock_reap_options), false, 0, NULL, NULL, 0, 0                     \
	}

/** What one pass did; filled also when it ended early. */
struct dblock_reaped {
	size_t size; /**< sizeof(struct dblock_reaped), set by the initialiser */
	int64_t sessions_buried;
	int64_t locks_freed;      /**< held by dead sessions, or leases that had ended */
	int64_t sessions_deleted; /**< dead, and nothing names them any more */
	int64_t names_purged;     /**< of locks, and of rates */
	int64_t marks_deleted;    /**< of slots that were done long ago */
	int64_t sessions_watched; /**< look dead, or keep what was taken away from them, and
				       have not been watched for their ttl yet */
};

#define DBLOCK_REAPED_INIT                                                                         \
	{                                                                                          \
		sizeof(struct dblock_reaped), 0, 0, 0, 0, 0, 0                                     \
	}

/**
 * One pass of the reaper: free what dead sessions held and leases that ended, delete dead sessions
 * that nothing names, purge names long unused, forget slots done long ago; then declare expired
 * sessions dead, and free what they held. In batches; safe to run many at once, and beside
 * everything else.
 *
 * A session is declared dead only if it *looks* expired and passes of this client have seen the
 * same heartbeat for that session's whole ttl. So a pass that meets one watches it, up to
 * max_time_ms; one that cannot be declared dead by then it leaves to the next pass, of this or
 * another process on this machine, which knows since when. So it is with what was taken away from a
 * holder that lives.
 * Those whose process has ended on this machine are declared dead first of all. With `local` nothing
 * else is done; where there are none that costs no round trip.
 * @param reaped  begins with DBLOCK_REAPED_INIT; NULL is allowed
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
