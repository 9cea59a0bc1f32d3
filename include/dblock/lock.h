/* SPDX-License-Identifier: MIT */
/**
 * @file lock.h  Locks: try, acquire, release, extend; validity, fencing token; and modes.h.
 *
 * A lock is a name: 1 to 255 bytes of UTF-8 without control characters, compared byte for byte on
 * every database. A grant is one holding of it; it carries a fencing token that never goes back.
 *
 * Threads: a handle belongs to no thread. When the one that acquired it has ended it stays valid,
 * and any other may release it. No call is a cancellation point: a thread that pthread_cancel() is
 * called on ends after the call, with what that returned in its hands; to end a wait, use
 * `canceled`, or a wait of wait.h: any thread can cancel that; or dblock_shutdown() for all.
 *
 * Re-entry: the thread (or explicit owner) that holds a lock gets the same handle again, with its
 * count raised; each acquire wants its own release. It costs no round trip.
 */
#ifndef DBLOCK_LOCK_H
#define DBLOCK_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dblock_lock;
struct dblock_release_request;                      /* see request.h */
#define DBLOCK_NAME_MAX             255             /**< bytes */
#define DBLOCK_VALUE_MAX            1024            /**< bytes */
#define DBLOCK_CAPACITY_MAX         1000000000000LL /**< permits */
#define DBLOCK_CAPACITY_STORED      (-1LL)          /**< as is stored: pool.h */
#define DBLOCK_WAITING_EVERY_MIN_MS 100

/** What a call that waits is told. Strings live until the callback returns; "" where unknown. */
struct dblock_waiting {
	size_t size; /**< sizeof(struct dblock_waiting) of the library */
	const char *name;
	int64_t place;     /**< in the queue; 1: next */
	int64_t ticket;    /**< the order of the queue: who came later has a larger one */
	int64_t waiters;   /**< so many are in the queue */
	int64_t waited_ms; /**< since the call began */
	bool held;         /**< else the lock is free just now, or kept taken by a minimum hold */
	int64_t token;     /**< of the holder, else of the last one; and so on: */
	const char *host;
	int64_t pid;
	const char *app;     /**< "" if its grant has an end of its own */
	int64_t acquired_us; /**< when it was granted, since the epoch, by the database's clock */
	int64_t held_ms;     /**< since then */
	int64_t holders;     /**< so many hold it; more than one: what is said above is of the one
				  that was first in the queue */
};

/**
 * How a lock is held. A name keeps its kind while it is in use: as a lock (the first three), or as
 * a semaphore of one capacity.
 *
 *     held, wanted:   shared   update   exclusive
 *     shared           yes      yes        no
 *     update           yes      no         no
 *     exclusive        no       no         no
 */
enum dblock_mode {
	DBLOCK_EXCLUSIVE, /**< alone */
	DBLOCK_SHARED,    /**< together with others that share: readers */
	DBLOCK_UPDATE,    /**< together with readers, but only one updates: for reading what is to
			       be written soon, with dblock_upgrade() */
	DBLOCK_PERMITS    /**< so many permits of a semaphore */
};

/** Options of dblock_try(), dblock_acquire(), dblock_acquire_begin(). Zero is the default,
 * everywhere. */
struct dblock_acquire_options {
	size_t size;         /**< sizeof(struct dblock_acquire_options), set by the initialiser */
	int64_t wait_ms;     /**< how long dblock_acquire() waits; default: DBLOCK_FOREVER */
	int64_t lease_ms;    /**< give the grant its own end, by the database's clock, and let it
				  outlive the session; default: it lives as long as the session.
				  From DBLOCK_LEASE_MIN_MS to DBLOCK_LEASE_MAX_MS */
	int64_t at_least_ms; /**< minimum hold: a release before then keeps the name taken until
				  then. It does not outlast a holder that died. At most
				  DBLOCK_LEASE_MAX_MS */
	const char *value;   /**< text of at most DBLOCK_VALUE_MAX bytes, shown to others; copied */
	uint64_t owner;      /**< re-entry by this owner instead of by the calling thread */
	/** Asked at least every 100 ms while waiting, without any mutex held; not 0 ends the wait
	    with DBLOCK_CANCELED. It must not call dblock on the same client. Default: NULL */
	int (*canceled)(void *arg);
	void *canceled_arg;
	/** Called once if the lock is lost: its session or lease is over, or near enough to its end
	    that it must not be relied on any more; before the database lets anybody else in. Runs
	    on a thread of the library, without any mutex held, which must not be kept for long: other
	    locks get their news from it (on several databases of losses only). It may release this
	    very lock, but must not close the client. After dblock_release() it does not run. */
	void (*lost)(void *arg, struct dblock_lock *lock);
	void *lost_arg;
	/** Called now and then while the call stands in the queue, on its own thread, without any
	    mutex held: for whom it waits, and its place. Each time costs one statement, and may
	    keep the call from learning of its grant for that round trip, and as long as it runs.
	    It must not call dblock on the same client. Default: NULL, which costs nothing */
	void (*waiting)(void *arg, const struct dblock_waiting *);
	void *waiting_arg;
	int64_t waiting_every_ms; /**< at most so often, and first after so long; default: 500; from
				     DBLOCK_WAITING_EVERY_MIN_MS to DBLOCK_LEASE_MAX_MS */
	bool unfair; /**< take it if it is free, also if others wait in the queue. Who finds it taken,
		      and waits, goes to the end of the queue like anybody. For exclusive locks only */
	enum dblock_mode mode; /**< default: exclusive */
	int64_t permits;       /**< DBLOCK_PERMITS: so many of them; default: 1; at most capacity */
	int64_t capacity;      /**< DBLOCK_PERMITS: so many there are, 1 to DBLOCK_CAPACITY_MAX. One
				    number for all who use it at one time, or they are told so; or
				    DBLOCK_CAPACITY_STORED: as the database says (pool.h) */
	/** Called once if somebody asks the holder to let go (dblock_request_release() in request.h),
	    unless the lock is lost by then. Runs as `lost` does, on the same thread, by the same
	   rules; it may release this very lock. With a callback the client listens to a socket from
	   now on, which costs a thread, once per client (unless wake_off says no). Default: NULL */
	void (*release_requested)(void *arg, struct dblock_lock *lock,
				  const struct dblock_release_request *);
	void *release_requested_arg;
	int64_t deadlock_ms; /**< after so long dblock_acquire() looks for a deadlock, and now and
				  then from then on (docs/user/deadlocks.md); default: 1000, at most
				  DBLOCK_LEASE_MAX_MS; negative: never, so that it is for others on
				  the cycle to give up */
	int64_t idle_ms; /**< sticky ownership: after the release, if nobody waits, the client keeps
			    the grant idle for so long, at most DBLOCK_LEASE_MAX_MS. Who acquires
			    the name through this client meanwhile has it at once, without a round
			    trip, with a larger token. Others find it held; the client lets go when
			    they want it: at once where a datagram reaches it, else with its next
			    heartbeat (docs/user/local.md). For exclusive locks without lease_ms,
			    at_least_ms and value, not for several at once, nor in transactions; the
			    first costs a thread, once per client. Default: it is released */
	int64_t settle_ms; /**< if this process ends, nobody gets what it held for so long after that was
			      found out (alive.h); at most DBLOCK_TTL_MAX_MS; default: 0 */
	bool numbered; /**< DBLOCK_PERMITS: say which of them (pool.h), of DBLOCK_NUMBERED_MAX at
			      most; at least two more round trips */
	int priority; /**< of the wait, DBLOCK_PRIORITY_MIN to DBLOCK_PRIORITY_MAX: who waits counts as if
			      he had come DBLOCK_PRIORITY_AGE_MS earlier for each step (docs/user/queue.md).
			      So he is passed over at most by who comes within that time, and nobody waits
			      for ever. It gives no right to a lock that somebody holds, and says nothing to who
			      does not stand in the queue: a try, dblock_tx_acquire(). Not for a wait for
			      several names at once, nor on several databases. Default: 0, the order of
			      arrival */
};

#define DBLOCK_PRIORITY_MIN    (-10)
#define DBLOCK_PRIORITY_MAX    10
#define DBLOCK_PRIORITY_AGE_MS 10000

#define DBLOCK_ACQUIRE_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_acquire_options), 0, 0, 0, NULL, 0, NULL, NULL, NULL, NULL,   \
			NULL, NULL, 0, 0, DBLOCK_EXCLUSIVE, 0, 0, NULL, NULL, 0, 0, 0, false, 0    \
	}

/**
 * Take the lock if it is free now, or if its holder is dead or its lease has ended.
 * On re-entry all options but `owner` are passed over: those of the first acquire stay.
 *
 * @param name   copied
 * @param lock   the handle, to be given back with dblock_release(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK    yours
 * @retval DBLOCK_BUSY  somebody else's, or its row is locked by an open transaction, or a table of
 *                      dblock by whoever alters it; err->message says who
 * @retval DBLOCK_LOST  it was granted, but too late to be of use; it has been given back
 * @retval DBLOCK_E_INVALID  name, value or option is wrong
 * @retval DBLOCK_E_UNSURE   the reply was lost; a grant that nobody got is given back by itself
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_SCHEMA, DBLOCK_E_DENIED,
 *         DBLOCK_E_READONLY, DBLOCK_E_FULL, DBLOCK_E_NOMEM, DBLOCK_E_FORKED
 *
 * On SQLite a transaction that writes, whoever's, has the whole file: a try, in each mode and of
 * several names, waits for its end as long as timeout_ms lets it, and then says DBLOCK_BUSY and
 * that the file is taken. (Choose timeout_ms to suit: it is the client's.)
 *
 * Thread-safe. Blocks for one round trip if nobody competes, for none if this client has kept it
 * (idle_ms); two to tell who competes, three if several may; four if the holder's session has
 * expired; a few more, and 20 ms, if another client keeps it, or uses what it is to keep: that one
 * is asked to let go. At most timeout_ms in all. In other modes than exclusive: three (four on
 * MySQL), also beside other holders; one or two to tell who competes.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_try(struct dblock_client *client, const char *name,
					   const struct dblock_acquire_options *options,
					   struct dblock_lock **lock, struct dblock_error *err);

/**
 * Take the lock, waiting up to options->wait_ms.
 * Outcomes as dblock_try(), DBLOCK_BUSY only with DBLOCK_NO_WAIT, when it is dblock_try(); and:
 * @retval DBLOCK_TIMEOUT   not free within wait_ms
 * @retval DBLOCK_CANCELED  options->canceled said so, or dblock_shutdown() was called
 * @retval DBLOCK_DEADLOCK  this thread waits for one that waits for this one, perhaps by way of
 *                          others, in whatever process; of all of these this call was the last to
 *                          come. err->message says who waits for what, held by whom, all the way
 *                          round. Release what is held, and begin anew (docs/user/deadlocks.md).
 *                          This thread may hold nothing: who stands in the queue is waited for, too
 * @retval DBLOCK_FENCED    dblock_try() too: this thread, or owner, releases or acquires it in a
 *                          transaction that is open (fence.h), for which it would wait
 *
 * A row, or a table, that others keep locked (LOCK TABLE, ALTER TABLE, VACUUM FULL) does not end a
 * wait: it goes on, and if that is what it ends with, DBLOCK_TIMEOUT says who has it. Nor does a
 * database that cannot be reached, or written: after wait_ms that is returned (docs/user/api.md).
 *
 * Who waits stands in the queue, first come, first served, across threads, processes and hosts, and
 * is woken when it has been given the lock (docs/user/queue.md).
 *
 * Thread-safe. One round trip if nobody competes (in other modes than exclusive, three, on MySQL
 * four, if it can be had at once), else three more to join the queue, one a second while in it, and
 * none between being woken and returning, unless lease_ms is short; after deadlock_ms one more,
 * again after twice as long, and so on, at most every 10 s. Each request may take timeout_ms, but
 * where the wait is over before that, 3 s at most (100 ms on SQLite). With an eighth of the ttl left
 * a grant waits for the next heartbeat. A holder is declared dead at once if its process on this
 * machine has ended (alive.h), else when this call has seen one heartbeat of its for its whole ttl.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_acquire(struct dblock_client *client, const char *name,
					       const struct dblock_acquire_options *options,
					       struct dblock_lock **lock, struct dblock_error *err);

/**
 * Give back one acquire. The last one releases the lock in the database and frees the handle,
 * whatever it returns but DBLOCK_FENCED and DBLOCK_E_FORKED. Any thread may call it, once per
 * acquire. NULL is DBLOCK_E_INVALID.
 *
 * @retval DBLOCK_OK    released (or the count went down by one)
 * @retval DBLOCK_LOST  the lock had been lost before; nobody else's grant was touched
 * @retval DBLOCK_FENCED  a transaction that is open has fenced it (fence.h): it would wait for
 * that. The lock stays held, the handle yours; end the transaction, and call again
 * @retval DBLOCK_STALE  it was acquired in a transaction that was not committed
 * @retval DBLOCK_E_FORKED  the handle is the parent process's, which still has it: nothing was done
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_UNSURE, DBLOCK_E_BLOCKED,
 *         DBLOCK_E_NOMEM  the database could not be told in time; the client goes on trying with
 *                      each heartbeat, and at the latest the lock ends with its session or lease
 *
 * Thread-safe. Blocks for one round trip, two in other modes than exclusive, none if it is kept
 * idle (but one at first, and now and then, once a second); at most timeout_ms.
 */
DBLOCK_API int dblock_release(struct dblock_lock *lock, struct dblock_error *err);

/**
 * A file descriptor for poll(2), select(2) or epoll(7) that becomes readable when the lock is lost,
 * at the same moment as the callback `lost`. It belongs to the handle: do not read it, do not close
 * it; it is closed by the last dblock_release().
 * @retval DBLOCK_OK        *fd is it; readable at once if the lock was lost before
 * @retval DBLOCK_E_NOMEM   no descriptor is left
 * @retval DBLOCK_E_INVALID, DBLOCK_E_FORKED
 * Thread-safe. No round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_lost_fd(struct dblock_lock *lock, int *fd,
					       struct dblock_error *err);

/**
 * Give a lease a new end: lease_ms from now, also if that is sooner.
 * @retval DBLOCK_OK         it ends lease_ms from now
 * @retval DBLOCK_LOST       it had ended, or somebody broke it
 * @retval DBLOCK_FENCED     a transaction that is open has fenced it; nothing has changed
 * @retval DBLOCK_E_INVALID  the grant has no lease of its own, or lease_ms is out of bounds
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_UNSURE  the sooner of both ends
 *                           counts; unsure, it may do so for later extensions as well
 * Thread-safe. One round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_extend(struct dblock_lock *lock, int64_t lease_ms,
					      struct dblock_error *err);

/**
 * Release a grant by name and token, from any process: what `dblock release NAME TOKEN` does. If a
 * client that lives has it, that is told, and waited for, as by dblock_break() (admin.h), but for
 * timeout_ms of this client at most.
 * @retval DBLOCK_OK     that grant held the lock, and no longer does; if a reply was lost on the
 *                       way, it may have been released before, by somebody else
 * @retval DBLOCK_STALE  that grant does not hold the lock
 * @retval DBLOCK_TIMEOUT   its holder has not let go yet, as dblock_break() says it; released it is
 * @retval DBLOCK_CANCELED  likewise, dblock_shutdown() was called
 * @retval DBLOCK_BUSY   an open transaction still locks the row, or a table; err->message says
 *                       whose. Or its holder is of a version that cannot be told: nothing was done
 * Otherwise as dblock_release(). Thread-safe. Two round trips, seven if the grant is not exclusive,
 * one if it is stale.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_release_token(struct dblock_client *client, const char *name,
						     int64_t token, struct dblock_error *err);

/**
 * Extend a lease by name and token, from any process: what `dblock renew NAME TOKEN` does.
 * @retval DBLOCK_OK     it ends lease_ms from now
 * @retval DBLOCK_STALE  that grant does not hold the lock, or has no lease of its own
 * Otherwise as dblock_extend(). Thread-safe. One round trip, two if it is stale, or not exclusive.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_extend_token(struct dblock_client *client, const char *name,
						    int64_t token, int64_t lease_ms,
						    struct dblock_error *err);

/**
 * Is the lock certainly still held, and for need_ms more? A pure memory read, no round trip: the
 * deadline was counted from before the last heartbeat (or grant, or extension) was sent, less a
 * margin of max(100 ms, a tenth), on a clock that goes on while the machine sleeps. So it turns
 * false before the database lets anybody else in; also where somebody takes the lock away, but by
 * force (dblock_break() in admin.h). In a child process of the holder: false. Thread-safe.
 */
DBLOCK_API bool dblock_valid(const struct dblock_lock *lock, int64_t need_ms);

/** Milliseconds until dblock_valid(lock, 0) turns false unless renewed; 0 if it is. As above. */
DBLOCK_API int64_t dblock_remaining_ms(const struct dblock_lock *lock);

/** The fencing token: larger than that of every earlier grant of this name. Thread-safe. */
DBLOCK_API int64_t dblock_token(const struct dblock_lock *lock);
/** The lock's name. Lives as long as the handle. Thread-safe. */
DBLOCK_API const char *dblock_name(const struct dblock_lock *lock);

#ifdef __cplusplus
}
#endif

#include <dblock/modes.h>
#endif
