/* SPDX-License-Identifier: MIT */
/**
 * @file tx.h  Transactions: on the caller's own connection, or on one of the client's.
 *
 *     dblock_tx_from_postgresql(conn, NULL, &tx, &err);   a PGconn that you have (postgresql.h), or
 *     dblock_tx_open(client, &tx, &err);                a connection of the client's
 *     dblock_tx_begin(tx, NULL, &err);                  or BEGIN by your own means, if it is yours
 *     ...                                               rows.h, versioned.h, fence.h, your SQL
 *     dblock_tx_commit(tx, &err);                       or COMMIT, likewise
 *     dblock_tx_close(tx);
 *
 * What dblock does inside an open transaction is done behind a savepoint (`guard_of_dblock`): if it
 * fails, the transaction is as it was before, and goes on. Where a database ends the whole of it by
 * itself (MySQL after a deadlock, SQLite when its disk is full), the message ends with that and
 * dblock_tx_state_of() says DBLOCK_TX_NONE. Settings that are changed for a statement are put back.
 *
 * A transaction that is ended by your own COMMIT or ROLLBACK is all right; dblock learns of it at
 * its next call. Only what says so below has to be told sooner.
 *
 * Threads: a dblock_tx is for one thread at a time, as its connection is.
 */
#ifndef DBLOCK_TX_H
#define DBLOCK_TX_H

#include <dblock/client.h>
#include <dblock/value.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dblock_tx;

enum dblock_isolation {
	DBLOCK_READ_COMMITTED, /**< the default, whatever the server's is */
	DBLOCK_REPEATABLE_READ,
	DBLOCK_SERIALIZABLE
};

enum dblock_tx_state {
	DBLOCK_TX_NONE,   /**< none is open: what is sent now is a transaction of its own */
	DBLOCK_TX_OPEN,   /**< one is; on MySQL without autocommit: or begins with what is sent */
	DBLOCK_TX_FAILED, /**< PostgreSQL: a statement failed outside a savepoint; roll it back */
	DBLOCK_TX_IN_USE, /**< the rows of another statement have yet to be fetched */
	DBLOCK_TX_LOST    /**< the connection is lost */
};

/** Options of dblock_tx_begin() and dblock_tx_run(). Zero is the default, everywhere. */
struct dblock_tx_options {
	size_t size; /**< sizeof(struct dblock_tx_options), set by the initialiser */
	/** On SQLite every transaction is serializable. */
	enum dblock_isolation isolation;
	/** It only reads. On SQLite it then shares the file with a writer; that it may write
	    all the same is not hindered there. */
	bool read_only;
	int64_t retry_ms; /**< dblock_tx_run(): for how long it begins anew; default: the client's
			       timeout_ms; at most DBLOCK_TIMEOUT_MAX_MS */
	int64_t attempts; /**< dblock_tx_run(): so many times at most; default: no limit. Not below
			       0 */
};

#define DBLOCK_TX_OPTIONS_INIT                                                                     \
	{                                                                                          \
		sizeof(struct dblock_tx_options), DBLOCK_READ_COMMITTED, 0, 0, 0                   \
	}

/** Options of dblock_tx_from_postgresql(), _mysql() and _sqlite(). Zero is the default, everywhere. */
struct dblock_tx_from_options {
	size_t size;        /**< sizeof(struct dblock_tx_from_options), set by the initialiser */
	const char *schema; /**< of dblock's tables, as in struct dblock_client_options; MySQL's
				 default: the connection's own database. Copied */
	const char *prefix; /**< likewise */
	int64_t timeout_ms; /**< the longest that one call may take that does not wait for a lock;
				 default 10 000, at most DBLOCK_TIMEOUT_MAX_MS. On PostgreSQL an
			       answer that is not there by then costs the connection; a MYSQL is
			       bounded by its own time-outs instead (MYSQL_OPT_READ_TIMEOUT), and a
			       sqlite3 waits so long for the file, whatever its busy_timeout says */
};

#define DBLOCK_TX_FROM_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_tx_from_options), NULL, NULL, 0                               \
	}

/**
 * Take a connection of the client's, for transactions: one that is idle, else a new one. It is set
 * up as the server makes it, not as dblock's own connections are; but autocommit is on.
 *
 * @param tx  to be closed with dblock_tx_close(), before its client; NULL unless DBLOCK_OK
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID, DBLOCK_E_FORKED, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER,
 *         DBLOCK_E_DENIED, DBLOCK_E_NOMEM
 * Thread-safe. Blocks only to connect; no round trip if one is idle: up to 8 are kept.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_open(struct dblock_client *client, struct dblock_tx **tx,
					       struct dblock_error *err);

/**
 * Close it. A transaction that is open on a connection of the client's is rolled back; on the
 * caller's own connection nothing happens, and that stays open. NULL is allowed.
 * At most two round trips for a connection of the client's.
 */
DBLOCK_API void dblock_tx_close(struct dblock_tx *tx);

/**
 * Begin a transaction. One that has been open already is DBLOCK_E_INVALID.
 * @param options  NULL for defaults
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_BLOCKED       SQLite: another connection kept the file
 * @retval DBLOCK_E_UNAVAILABLE  the connection is lost; open another one
 * @retval DBLOCK_E_INVALID, DBLOCK_E_NO_ANSWER, DBLOCK_E_FORKED
 * One round trip; two on MySQL.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_begin(struct dblock_tx *tx,
						const struct dblock_tx_options *options,
						struct dblock_error *err);

/**
 * Commit the transaction that is open.
 * @retval DBLOCK_OK          it is durable as the server's settings have it
 * @retval DBLOCK_E_CONFLICT  a serialization failure: it was rolled back, and can be run again
 * @retval DBLOCK_E_REFUSED   a deferred constraint, or the like: it was rolled back
 * @retval DBLOCK_E_UNSURE    the answer was lost: it may be committed, or not, or be about to be
 * @retval DBLOCK_E_INVALID   no transaction is open, or it has failed and can only be rolled back
 * @retval DBLOCK_E_BLOCKED    SQLite: readers kept the file; rolled back
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_FULL, DBLOCK_E_FORKED  rolled back
 * One round trip; one more for each topic of which a message was put, on a connection of the client's.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_commit(struct dblock_tx *tx, struct dblock_error *err);

/**
 * Roll back the transaction that is open. Where the connection is lost, the server does.
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  no transaction is open
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER  the connection is lost, and it is rolled back
 * @retval DBLOCK_E_FORKED
 * One round trip.
 */
DBLOCK_API int dblock_tx_rollback(struct dblock_tx *tx, struct dblock_error *err);

enum dblock_tx_end {
	DBLOCK_TX_COMMITTED,
	DBLOCK_TX_ROLLED_BACK,
	DBLOCK_TX_UNSURE /**< the answer to COMMIT was lost */
};

/**
 * Tell how a transaction ended that you ended by a statement of your own: what was released or
 * acquired in it is so from now on, or is not. Without this a fence is forgotten by itself;
 * locks that were acquired in it are given back, and those that were released are not valid.
 * One that you have begun by a statement of your own may end by dblock_tx_commit() or
 * dblock_tx_rollback(): then the database is asked what has come of it, one round trip for each
 * lock that was released or acquired in it.
 * No round trip; one or two if others wait for a lock that was released in it.
 */
DBLOCK_API void dblock_tx_ended(struct dblock_tx *tx, enum dblock_tx_end end);

/** What becomes of a statement that is sent now, as far as this end knows. No round trip. */
DBLOCK_API enum dblock_tx_state dblock_tx_state_of(const struct dblock_tx *tx);

/** The statements of one query are given at most so many values, and rows so many columns. */
#define DBLOCK_VALUES_MAX 64

/**
 * Run one statement of your own, with $1 .. $n for its values on every database. It is your part of
 * the transaction: if it fails there is no savepoint, so on PostgreSQL the transaction has failed
 * then. Outside a transaction it is one of its own.
 *
 * @param changed  rows inserted, updated or deleted; NULL where that is not wanted
 * @param row      called for each row, of n values that live until it returns; it must not use tx.
 *                 Not 0 ends the rows, and is returned. NULL: rows are passed over
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_REFUSED   a constraint, a syntax error, or the like: err->sqlstate, err->native
 * @retval DBLOCK_E_CONFLICT  a deadlock or a serialization failure; run the transaction again
 * @retval DBLOCK_E_BLOCKED, DBLOCK_E_SCHEMA, DBLOCK_E_DENIED, DBLOCK_E_READONLY, DBLOCK_E_FULL,
 *         DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_INVALID,
 *         DBLOCK_E_NOMEM, DBLOCK_E_FORKED
 * One round trip; two on MySQL.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_query(
	struct dblock_tx *tx, const char *sql, const struct dblock_value *values, size_t n,
	int64_t *changed, int (*row)(void *arg, const struct dblock_value *row, size_t n),
	void *arg, struct dblock_error *err);

/**
 * Run fn inside a transaction on a connection of the client's, and commit it: again, after a pause
 * of some chance, where that meets a deadlock or a serialization failure (DBLOCK_DEADLOCK,
 * DBLOCK_E_CONFLICT, from fn or from the commit) or the connection was lost before the commit.
 *
 * fn is given the transaction, may run many times, and must neither end nor close it. It returns
 * DBLOCK_OK to commit; anything else rolls back and, unless it is one of those above, is returned. A
 * message of its own is told if it sets err->code to what it returns.
 *
 * @retval DBLOCK_OK          fn's last run is committed
 * @retval DBLOCK_E_UNSURE    the answer to the commit was lost; it is not run again
 * @retval DBLOCK_E_CONFLICT, DBLOCK_DEADLOCK  so it went each time, until retry_ms or attempts were
 *                            used up
 * @retval other              what fn returned, or what dblock_tx_open(), _begin(), _commit() did
 * Thread-safe. Blocks for at most retry_ms and one run more.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_tx_run(struct dblock_client *client,
					      const struct dblock_tx_options *options,
					      int (*fn)(void *arg, struct dblock_tx *tx,
							struct dblock_error *err),
					      void *arg, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
