/* SPDX-License-Identifier: MIT */
/**
 * @file rows.h  Row locks in the caller's transaction, and work queues.
 *
 *     struct dblock_value keys[] = {dblock_int(7), dblock_int(3)};
 *     const char *key[] = {"id"};
 *     struct dblock_rows rows = {"account", key, 1, keys, 2};
 *
 *     dblock_tx_begin(tx, NULL, &err);
 *     dblock_rows_lock(tx, &rows, NULL, &err);          SELECT ... FOR UPDATE, row 3 first
 *     ...                                               your SQL; nobody else changes them
 *     dblock_tx_commit(tx, &err);                       and they are free
 *
 * The rows are locked in the order of their keys, as the database compares them, whatever the order
 * they are given in: two callers with the same rows and the same key columns never meet in a
 * deadlock. A failure leaves the transaction as it was before (see tx.h).
 *
 * PostgreSQL locks these rows, and nothing else. What of them is in another order since a moment
 * ago (somebody changed a key) is locked in the old order.
 *
 * MySQL and MariaDB lock each index entry that a statement looks at. So the key columns must have a
 * UNIQUE index of NOT NULL columns (more key columns than it has are all right), the table must be
 * of InnoDB, and the columns of types whose values find their place in an index: integers,
 * DECIMAL, CHAR, VARCHAR, BINARY, VARBINARY, DATE, DATETIME, TIMESTAMP and MariaDB's UUID. All of
 * that is looked up once per table and transaction; what would lock more than its row is
 * DBLOCK_E_INVALID, and the message says why. Locks of a call that failed stay until the
 * transaction ends: InnoDB has no way to give them back. A row that is missing leaves its gap
 * locked against inserts where the isolation is REPEATABLE READ or above.
 *
 * SQLite has no row locks: a row lock there is the write lock of its file, what BEGIN IMMEDIATE
 * takes. dblock_tx_begin() has taken it already, unless it was told read_only. In a transaction of
 * your own that has only read so far it is taken now; if somebody else has written since that
 * began, that is DBLOCK_E_CONFLICT: roll back and run it again.
 *
 * docs/user/row-locks.md explains the locks of each database, with examples to run.
 *
 * Threads: as for dblock_tx: one at a time.
 */
#ifndef DBLOCK_ROWS_H
#define DBLOCK_ROWS_H

#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which rows. All is borrowed for the call. At most DBLOCK_VALUES_MAX values. Frozen. */
struct dblock_rows {
	const char *table;      /**< TABLE or SCHEMA.TABLE, as it is, unquoted: quotes, blanks and
				     the case of letters belong to the name. A dot cannot */
	const char *const *key; /**< its columns; likewise */
	size_t n_key;
	const struct dblock_value *keys; /**< n_rows * n_key values, row by row; none is NULL */
	size_t n_rows;
};

/** What others may do meanwhile, from the least to the most. */
enum dblock_row_strength {
	DBLOCK_FOR_UPDATE,        /**< nothing but read without a lock */
	DBLOCK_FOR_NO_KEY_UPDATE, /**< PostgreSQL: insert rows that refer to them, too */
	DBLOCK_FOR_SHARE,         /**< PostgreSQL, MySQL, MariaDB: lock them likewise */
	DBLOCK_FOR_KEY_SHARE      /**< PostgreSQL: change them, but not their keys */
};

/** Options of dblock_rows_lock(). Zero is the default, everywhere. */
struct dblock_rows_options {
	size_t size; /**< sizeof(struct dblock_rows_options), set by the initialiser */
	enum dblock_row_strength strength;
	/** Lock the others where somebody else has one, without waiting; also those that are not there are
	 * passed over. Then wait_ms is 0 or DBLOCK_NO_WAIT. */
	bool skip_locked;
	/** For all rows together, exact to a few milliseconds; DBLOCK_FOREVER, and more than
	 * DBLOCK_TIMEOUT_MAX_MS, is a day. DBLOCK_NO_WAIT: DBLOCK_BUSY at once if somebody else has one,
	 * and none is locked. 0: as long as it would be by hand, which is for each row lock_timeout on
	 * PostgreSQL (default: for ever) and innodb_lock_wait_timeout on MySQL (default: 50 s); on SQLite
	 * the timeout_ms of the client, or of the connection's options. (A sqlite3 of your own with a busy
	 * handler, not a busy_timeout, waits as that says.) */
	int64_t wait_ms;
	/** Room for n_rows outcomes, one for each row as given; NULL where that is not wanted.
	 * After DBLOCK_OK, DBLOCK_BUSY and DBLOCK_GONE: DBLOCK_OK: it could be locked;
	 * DBLOCK_BUSY: somebody else has it; DBLOCK_GONE: there is no such row; DBLOCK_WAITING: its
	 * turn did not come. */
	int *states;
};

#define DBLOCK_ROWS_OPTIONS_INIT                                                                   \
	{                                                                                          \
		sizeof(struct dblock_rows_options), DBLOCK_FOR_UPDATE, false, 0, NULL              \
	}

/**
 * Lock rows until the end of the transaction that is open.
 *
 * @param options  NULL for defaults
 * @retval DBLOCK_OK        all are locked; with skip_locked: one of them at least
 * @retval DBLOCK_GONE      one is not there: the message names the first; with skip_locked:
 *                          none is there
 * @retval DBLOCK_BUSY      DBLOCK_NO_WAIT: somebody else has one; skip_locked: has them all
 * @retval DBLOCK_TIMEOUT   one was not free in time
 * @retval DBLOCK_DEADLOCK  the database found a cycle of transactions that wait for each other, and
 *                          chose this one. The message says what has become of it: on PostgreSQL it
 *                          goes on, without these locks (and is likely to meet the cycle again, so
 *                          roll it back); MySQL has rolled it back
 * @retval DBLOCK_E_CONFLICT  a serialization failure, or SQLite's snapshot is not the newest: roll
 *                          the transaction back and run it again
 * @retval DBLOCK_E_INVALID no transaction is open; or what is asked for cannot be had here: the
 *                          message says why
 * @retval DBLOCK_E_SCHEMA  there is no such table or column
 * @retval DBLOCK_E_REFUSED the database refuses the statement, such as for a text that is no number
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_DENIED, DBLOCK_E_READONLY,
 *         DBLOCK_E_NOMEM, DBLOCK_E_FORKED
 * Blocks for as long as it waits. PostgreSQL: three round trips, two more with a wait_ms. MySQL:
 * two for each row, two for their order, two once per table and transaction, two more. SQLite:
 * none.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_rows_lock(struct dblock_tx *tx,
						 const struct dblock_rows *rows,
						 const struct dblock_rows_options *options,
						 struct dblock_error *err);

#define DBLOCK_TAKE_MAX 1000000 /**< rows in one call */

/** What dblock_rows_take() is to take. All is borrowed for the call. */
struct dblock_rows_wanted {
	size_t size; /**< sizeof(struct dblock_rows_wanted), set by the initialiser */
	const char *table;
	const char *const *key; /**< its rows in this order; as in struct dblock_rows */
	size_t n_key;
	const char *const *columns; /**< what row() gets, behind the key's; may be none */
	size_t n_columns;
	/** Which rows: SQL of yours, as behind WHERE, with $1 .. $n for its values. It goes into
	 * the statement as it is: never put together from what others gave you. NULL: all. */
	const char *where;
	const struct dblock_value *values;
	size_t n_values;
	int64_t limit; /**< at most so many rows; default 1; up to DBLOCK_TAKE_MAX */
	/** SQLite: how long to wait for the file, as for dblock_rows_lock(), or DBLOCK_NO_WAIT; 0: the timeout_ms of the client, or of the connection's options. Elsewhere
	 * nothing is waited for. */
	int64_t wait_ms;
};

#define DBLOCK_ROWS_WANTED_INIT                                                                    \
	{                                                                                          \
		sizeof(struct dblock_rows_wanted), NULL, NULL, 0, NULL, 0, NULL, NULL, 0, 0, 0     \
	}

/**
 * A work queue: take rows that nobody else has locked, in the order of their keys, and lock them
 * (FOR UPDATE SKIP LOCKED) until the end of the transaction that is open. Do the work, delete or
 * mark the row, and commit. Whoever dies meanwhile is rolled back: the row is for the next one.
 *
 * On MySQL candidates are looked up by a read that locks nothing, then each is locked by its key
 * and looked at again. (So in a transaction that is SERIALIZABLE, where every read locks, it locks
 * what it looks through. READ COMMITTED, dblock_tx_begin()'s default, is best.) On SQLite the first
 * one has the file until it commits: workers take turns.
 *
 * @param taken  rows handed over; NULL where that is not wanted
 * @param row    called for each row, of n_key + n_columns values that live until it returns; it
 * must not use tx. Not 0 takes no more, gives back those taken, and is returned
 * @retval DBLOCK_OK    at least one
 * @retval DBLOCK_GONE  there is none that nobody else has
 * @retval DBLOCK_BUSY  SQLite: another connection kept the file
 * @retval other        as of dblock_rows_lock(), and of dblock_tx_query() for your part of the SQL
 * PostgreSQL: three round trips. MySQL: two for each row that is looked at, two for 16 of them, two
 * once per table and transaction, two more. SQLite: none.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_rows_take(
	struct dblock_tx *tx, const struct dblock_rows_wanted *wanted,
	int (*row)(void *arg, const struct dblock_value *row, size_t n), void *arg, int64_t *taken,
	struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
