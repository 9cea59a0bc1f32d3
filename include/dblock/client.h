/* SPDX-License-Identifier: MIT */
/**
 * @file client.h  A client: an open handle on a database, one session in it.
 *
 * A session is a row with a heartbeat. While it beats, it keeps alive every lock that the client
 * holds; when it stops for a whole ttl, others may declare it dead, and all that it held is free.
 */
#ifndef DBLOCK_CLIENT_H
#define DBLOCK_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dblock/connection.h>
#include <dblock/error.h>
#include <dblock/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dblock_client;

/** Bounds on times, in milliseconds. What lies outside is DBLOCK_E_INVALID. */
#define DBLOCK_TTL_MIN_MS   200
#define DBLOCK_TTL_MAX_MS   (24LL * 3600 * 1000)
#define DBLOCK_LEASE_MIN_MS 200
#define DBLOCK_LEASE_MAX_MS (3660LL * 24 * 3600 * 1000)

/** What every wait_ms may be, besides a time: 0 is the call's default. As long as it takes; and not at
 * all, so that a call which would wait ends at once: with DBLOCK_BUSY, where a wait that is over ends
 * with DBLOCK_TIMEOUT. (What waits for somebody else's doing, as dblock_break(), an election's watch
 * or a handoff, says DBLOCK_TIMEOUT in both cases.) */
#define DBLOCK_FOREVER (-1)
#define DBLOCK_NO_WAIT (-2)

/** The longest that timeout_ms, retry_ms and every_ms may be. */
#define DBLOCK_TIMEOUT_MAX_MS (24LL * 3600 * 1000)

#define DBLOCK_APP_MAX        63 /**< bytes */
#define DBLOCK_PREFIX_MAX     32 /**< bytes */
#define DBLOCK_SCHEMA_MAX     63 /**< bytes */

/** Ways to be woken while a call waits for a lock, and to wake others: see wake_off. */
#define DBLOCK_WAKE_SOCKET   1U /**< a datagram, to clients on the same machine */
#define DBLOCK_WAKE_NOTIFY   2U /**< PostgreSQL: LISTEN and NOTIFY */
#define DBLOCK_WAKE_DOORBELL 4U /**< MySQL: a connection that sleeps, interrupted by KILL QUERY */

/** The most that local_turns may be. */
#define DBLOCK_LOCAL_TURNS_MAX 100000

/** What a grant survives once it has been answered: see docs/user/durability.md. */
enum dblock_durability {
	DBLOCK_DURABILITY_DEFAULT = 0, /**< DBLOCK_DURABLE on a server, DBLOCK_RELAXED on SQLite */
	/** A crash of the database's machine: each grant is on its disk. */
	DBLOCK_DURABLE,
	/** The end of any process, not a crash of the server (PostgreSQL) or of the machine
	    (SQLite). PostgreSQL: its crash forgets what it was told in the last 0.6 seconds (three
	    times wal_writer_delay), and what was granted may be granted again, with a larger token,
	    before this client has reconnected and its holders hear that they have LOST it.
	    SQLite: the holders end with the machine. MySQL, MariaDB: as DBLOCK_DURABLE, since no
	    connection can ask for it. What outlives the client (leases, minimum holds, slots that
	    were done, breaks) is durable all the same, and so is its heartbeat. */
	DBLOCK_RELAXED,
	/** PostgreSQL: the loss of that machine, disk and all: each grant is on the disk of the
	    synchronous standby as well. DBLOCK_E_INVALID where there is none by configuration,
	    and on other databases, where no connection can ask for that. */
	DBLOCK_REMOTE
};

/**
 * What a client does besides, for speed or with fewer connections: the defaults are right for nearly
 * all. Zero means the default, everywhere.
 */
struct dblock_tuning {
	size_t size; /**< sizeof(struct dblock_tuning), set by the initialiser */
	/** Threads of this client that wait for one name hand it on to each other so many times before
	    the database is asked whether anybody else waits for it; 1: never, each asks the database
	    itself; default 64, at most DBLOCK_LOCAL_TURNS_MAX */
	int64_t local_turns;
	/** DBLOCK_WAKE_* that are not to be used, or-ed; where nobody can wake a call that waits, it
	    looks every 5 to 100 ms */
	unsigned wake_off;
	/** dblock_release() of an exclusive lock that nobody is known to wait for returns at
	    once. The release goes with the next request of this client's, at the latest after 1 ms,
	    and before dblock_close() returns; a process that ends without closing leaves such locks
	    to its session's end. To this client's threads the lock is free at once: who acquires
	    it again soon pays one statement for both. So another client may have to wait a
	    millisecond longer. Costs a thread. */
	bool post_releases;
	/** With one connection: none is kept while the client holds locks and nobody waits;
	    each heartbeat, every third of the ttl, opens one, and reads by it what is held. So does
	    each other call. A server that has no room then, until the ttl is over, costs the locks.
	    Without effect on SQLite, with direct= in the URL, and with DBLOCK_RELAXED. */
	bool park;
	/** Told what a posted release could not do: err->code is what dblock_release() would have
	    returned, DBLOCK_LOST above all. Runs on a thread of the library, or on one that
	    acquires the same name, without any mutex held; it must not call dblock on the same
	    client. Strings live until it returns. Default: NULL */
	void (*release_failed)(void *arg, const char *name, int64_t token,
			       const struct dblock_error *err);
	void *release_failed_arg;
	/** How many connections to a server the client has at most, but for those of open
	    transactions (tx.h).
	    1: heartbeats use the one that requests use, and go first; where a request gets no answer
	       for a twelfth of the ttl, a heartbeat opens another one for itself alone.
	    2: one for requests and one for heartbeats.
	    Then a call that waits has none for notifications alone. On the machine of whoever
	    releases the lock a datagram tells as ever. From elsewhere, on PostgreSQL, the connection
	    for requests listens while it is idle; on MySQL the call looks every 5 to 100 ms. And many
	    busy threads do not get a second one for requests.
	    Default: what is best, see dblock_open(). A client that is DBLOCK_RELAXED has one more,
	    and direct= in the URL makes two of 1. Without effect on SQLite. */
	int64_t connections;
};

#define DBLOCK_TUNING_INIT                                                                         \
	{                                                                                          \
		sizeof(struct dblock_tuning), 0, 0, false, false, NULL, NULL, 0                    \
	}

/** Options of dblock_open(). Zero means the default, everywhere. */
struct dblock_client_options {
	size_t size;        /**< sizeof(struct dblock_client_options), set by the initialiser */
	int64_t ttl_ms;     /**< how long the session lives without a heartbeat; default 30 000.
				 From DBLOCK_TTL_MIN_MS to DBLOCK_TTL_MAX_MS */
	int64_t timeout_ms; /**< the longest that one request, a try, or opening may take; default
				 10 000, at most DBLOCK_TIMEOUT_MAX_MS. On MySQL more than 3 000: a
			       try that meets a row lock learns of it after two seconds, and without
			       its answer is unsure */
	const char *app;    /**< who we are, for people: default the program's name. At most
				 DBLOCK_APP_MAX bytes of UTF-8 without control characters */
	const char *prefix; /**< prefix of the tables' names; default "dblock_". 1 to
				 DBLOCK_PREFIX_MAX letters, digits and underscores of ASCII, and
				 no digit first */
	const char *schema; /**< PostgreSQL: schema of the tables, default "public";
				 MySQL: their database, default the URL's; SQLite: must be NULL.
				 1 to DBLOCK_SCHEMA_MAX of such letters */
	enum dblock_durability durability; /**< what a grant survives; DBLOCK_REMOTE costs a round
				trip to the standby, DBLOCK_RELAXED saves the wait for the disk */
	int alive_fd; /**< what others on this machine tell by that the session is dead, before its ttl
			is over: a descriptor of dblock_alive_new() (alive.h), which stays the
			caller's; -1: nothing; default: this process's end */
	bool auto_migrate; /**< create or update missing tables. A new, empty SQLite file
				 gets them in any case, but of one who only looks */
	bool observe;      /**< only to look: the right to read the tables is enough, and nothing
			is written; no SQLite file is made, and auto_migrate does not go with it;
			no session, no thread, one connection. Such a client lists,
			shows and counts, and tells who waits and who leads (admin.h, graph.h,
			metrics.h, events.h, elect.h); all else is DBLOCK_E_INVALID */
	const struct dblock_tuning *tuning; /**< copied; NULL: the default of each */
	/** Told of each call that is over, hold, and heartbeat, as a span of time (trace.h): on the
	    thread that made the call, or a thread of the library, without any mutex held. It must not
	    call dblock on the same client, but for dblock_stats_of(), and must return soon: the call
	    waits for it. Default: NULL, which costs nothing */
	void (*trace)(void *arg, const struct dblock_span *span);
	void *trace_arg;
	int64_t slow_wait_ms; /**< tell only of calls and heartbeats that took so long at least; at most
				   DBLOCK_LEASE_MAX_MS; default: of all */
	int64_t long_hold_ms; /**< likewise of holds */
	/** Told of the session's states after dblock_open(): SUSPENDED, RECONNECTED, LOST, CONNECTED
	    (connection.h). `why` is the failure of the heartbeat, or what ended the session, else
	    NULL; it lives until this returns. Runs as `lost` does (lock.h), on the same thread, by the
	    same rules, after the losses of a LOST session's locks; it must not close the client. If it
	    takes so long that states come faster, some are left out, but not the last one, nor that it
	    was LOST meanwhile. Default: NULL */
	void (*state_changed)(void *arg, enum dblock_connection_state state,
			      const struct dblock_error *why);
	void *state_changed_arg;
};

#define DBLOCK_CLIENT_OPTIONS_INIT                                                                 \
	{                                                                                          \
		sizeof(struct dblock_client_options), 0, 0, NULL, NULL, NULL,                      \
			DBLOCK_DURABILITY_DEFAULT, 0, false, false, NULL, NULL, NULL, 0, 0, NULL,  \
			NULL                                                                       \
	}

/**
 * Open a client: connect, check the tables, write the session row, start the heartbeat thread.
 *
 * URLs:
 *   sqlite:PATH                     relative to the current folder
 *   sqlite:///abs/path
 *   postgresql://... postgres://... everything that libpq accepts; of several hosts the one that can
 *                                   be written; and pool=transaction or pool=session, if a pooler
 *                                   is in between, and direct=host:port, the server behind it, for
 *                                   heartbeats: docs/operator/postgresql.md
 *   mysql://user:password@host:port/database?socket=PATH&ssl-mode=MODE&ssl-ca=FILE
 *                                   ssl-cert, ssl-key, defaults-file, ...: docs/operator/mysql.md;
 *                                   of several hosts, host:port,host:port, the one that can be
 *                                   written
 *   mariadb://...                   the same
 * Reserved bytes are percent-encoded. A password never appears in a message.
 *
 * @param url      copied
 * @param options  NULL for defaults; copied
 * @param client   the new client, to be closed with dblock_close(); NULL on failure
 * @retval DBLOCK_OK            open
 * @retval DBLOCK_E_INVALID     the URL or an option is wrong; its server, or SQLite's library, is
 *                              too old; or the database cannot do what durability asks for
 * @retval DBLOCK_E_UNAVAILABLE the database cannot be reached
 * @retval DBLOCK_E_NO_ANSWER     it did not answer within timeout_ms
 * @retval DBLOCK_E_SCHEMA      its tables are missing or too old (run `dblock schema up`), or a
 *                              table of another shape stands under their name
 * @retval DBLOCK_E_BLOCKED      somebody kept one of its tables locked for all of timeout_ms; the
 *                              message says who
 * @retval DBLOCK_E_DENIED      login or a privilege is refused
 * @retval DBLOCK_E_FORKED      SQLite: the process was forked from one that had a client open
 * @retval DBLOCK_E_READONLY    the server is a standby or a replica, or cannot be written for
 *                              another reason
 * @retval DBLOCK_E_NOTDB, DBLOCK_E_FULL, DBLOCK_E_NOMEM
 *
 * Blocks, at most timeout_ms. Two connections: one for requests, one for heartbeats; on a server a
 * third one once a call waits, the channel, and one more where a dozen threads acquire and release
 * all the time; one for each open transaction (tx.h). `connections` of the tuning asks for fewer. Threads:
 * docs/user/api.md. If it fails for want of time or of a connection, its session's row may stay: it
 * holds nothing, ends with its ttl, and is the reaper's. Any number of threads may use the client.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_open(const char *url,
					    const struct dblock_client_options *options,
					    struct dblock_client **client,
					    struct dblock_error *err);

/**
 * Which version dblock's tables have: the number of the newest of dblock's migrations that was
 * applied to them when the client was opened. A larger one than this library knows works, for newer
 * tables serve older programs; but it is time to update this one.
 *
 * @param known  gets the newest that this library knows; may be NULL
 * @return       0 if client is NULL
 * Thread-safe, does not block, no round trip.
 */
DBLOCK_API int64_t dblock_tables_version(const struct dblock_client *client, int64_t *known);

/**
 * End all waits of the client, for ever: each call that waits comes to DBLOCK_CANCELED, on whatever
 * thread, and so does each that is made from now on and may wait, also where it need not: acquire,
 * also of several names or in a transaction; the steps of a wait in steps (its descriptor is
 * readable); upgrade; once; elect and watch; single flight; reap. What was granted meanwhile is
 * passed on to who is next. A break, or a release by token, that waits for the holder, or a break
 * that waits for an open transaction, ends so, too: what it has taken away stays so. A request that
 * is under way is not broken off: it ends by timeout_ms.
 *
 * What does not wait for a lock goes on as ever: what is held stays held and valid, and is released
 * as ever; tries, extensions, transactions and listings work. So a program that is to end calls
 * this, joins its threads, and then dblock_close().
 *
 * NULL is allowed; a second call does nothing; in a child process of the one that opened the
 * client, nothing happens. Any thread may call it, also in a callback, but not a signal handler.
 * Does not block, no round trip.
 */
DBLOCK_API void dblock_shutdown(struct dblock_client *client);

/**
 * Close the client. Locks that live by its session are released; grants with a lease of their own
 * stay until their own end. Every lock handle of the client becomes invalid.
 * No other thread may be inside a call on this client, or begin one.
 *
 * @retval DBLOCK_OK         closed; or it was NULL
 * @retval DBLOCK_E_INVALID  nothing was closed or freed, since it is in use: a thread is inside a
 *                           call that may wait (dblock_shutdown() ends those), in dblock_try() or
 *                           in a listing; a wait in steps has not been ended by
 *                           dblock_wait_end(), or a transaction of the client's by
 *                           dblock_tx_close(); or this is a callback. err says which
 * @retval DBLOCK_E_FORKED   this is a child process of the one that opened it: nothing of the
 *                           parent's session was touched
 * Blocks, at most timeout_ms. One round trip per held lock, one for the session. (Of a client of
 * several databases, one that is down takes no time; one that is silent takes that long.)
 */
DBLOCK_API int dblock_close(struct dblock_client *client, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
