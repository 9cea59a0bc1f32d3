/* SPDX-License-Identifier: MIT */
/**
 * @file versioned.h  Optimistic locking: rows that are changed only if nobody else has changed
 * them since they were read.
 *
 * Each row has a version. It is read with the row, and the update is made only if it is still the
 * same; it always makes a new one. Nothing is locked while somebody thinks, not even a connection
 * is kept: a version is a number, which may go to a browser and come back.
 *
 *     rc = dblock_versioned_read(tx, &row, columns, 1, keep, &article, &version, &err);
 *     ...                                     minutes later, in another transaction, or in none
 *     rc = dblock_versioned_update(tx, &row, &version, columns, values, 1, &err);
 *     if (rc == DBLOCK_STALE) ...             somebody else was first: read it anew, and ask again
 *
 * It guards against all who do the same, and whose every update makes a new version. (Where that is
 * the work of a trigger, or of MySQL's ON UPDATE CURRENT_TIMESTAMP(6), all do.) Text and more:
 * docs/user/optimistic.md.
 *
 * With a transaction that is open, all is done behind a savepoint (tx.h); with none, the update or
 * the delete is a transaction of its own. Another transaction that has changed the same row, and is
 * not over, is waited for, for as long as the client's (or the connection's) timeout_ms, on
 * MySQL in whole seconds; then DBLOCK_E_BLOCKED.
 *
 * Threads: as the dblock_tx.
 */
#ifndef DBLOCK_VERSIONED_H
#define DBLOCK_VERSIONED_H

#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a row's version is. */
enum dblock_version_kind {
	/** An integer, not NULL; each update adds one. `dblock migrate new --version-column TABLE`
	    writes the migration that adds it. */
	DBLOCK_BY_VERSION,
	/**
	 * The time of the last update, not NULL, by the database's clock, and later than the one
	 * before in any case: by a microsecond, if two come in one or the clock went back. As a
	 * version: microseconds since 1970. A column without microseconds is refused, since two
	 * updates could have the same time: on PostgreSQL it is a timestamp with or without time
	 * zone, on MySQL TIMESTAMP(6) or DATETIME(6), on SQLite an integer of microseconds, or a
	 * text 'YYYY-MM-DD HH:MM:SS.ffffff' in UTC. One without a zone gets the time of the
	 * session's zone, as from CURRENT_TIMESTAMP. No trigger may write it.
	 */
	DBLOCK_BY_UPDATED_AT
};

/** A row with a version. Names are as the catalogue has them; they are quoted, values are bound. Frozen. */
struct dblock_versioned_row {
	/** TABLE or SCHEMA.TABLE, as it is, unquoted: quotes, blanks and the case of letters belong
	    to the name. A dot cannot. */
	const char *table;
	const char *const *key;                /**< columns that are unique together */
	const struct dblock_value *key_values; /**< theirs: each of its column's type */
	size_t n_key;                          /**< so many of each, at least 1 */
	enum dblock_version_kind kind;
	const char *version; /**< its column; NULL: "version", or by kind "updated_at" */
};

/**
 * Read a row, and its version. In REPEATABLE READ it is the row as the transaction sees it, which
 * may be an old one.
 *
 * @param columns  names of n columns; 0: only the version is wanted
 * @param found    called with their values, which live until it returns; it must not use tx. What
 * it returns is returned. NULL if n is 0
 * @param version  the row's
 * @retval DBLOCK_OK
 * @retval DBLOCK_GONE       there is no such row
 * @retval DBLOCK_E_SCHEMA   no such table or column, or that column cannot be a version
 * @retval DBLOCK_E_INVALID  or the key is not unique
 * @retval DBLOCK_E_REFUSED, DBLOCK_E_CONFLICT, DBLOCK_E_BLOCKED, DBLOCK_E_DENIED,
 *         DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_NOMEM, DBLOCK_E_FORKED
 * One round trip, two on MySQL; two more for the savepoint; one more by DBLOCK_BY_UPDATED_AT.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_versioned_read(
	struct dblock_tx *tx, const struct dblock_versioned_row *row, const char *const *columns,
	size_t n, int (*found)(void *arg, const struct dblock_value *values, size_t n), void *arg,
	int64_t *version, struct dblock_error *err);

/**
 * Set columns of a row if its version is the one given, and make a new version.
 *
 * @param version  in: as read; out: the new one, also with DBLOCK_STALE: then the row's as it is
 * @param columns  names of n columns, without the version's; 0: only the version is new
 * @param values   theirs
 * @retval DBLOCK_OK          it is updated
 * @retval DBLOCK_STALE       it has another version, and nothing was changed. In a transaction on
 *                            MySQL the row is locked from then on; in REPEATABLE READ begin another
 *                            one before you read it anew
 * @retval DBLOCK_GONE        there is no such row
 * @retval DBLOCK_E_CONFLICT  a deadlock, or a serialization failure: on PostgreSQL in REPEATABLE
 * READ a row that has changed since is that. Run the transaction again
 * @retval DBLOCK_E_BLOCKED    another transaction kept the row (SQLite: the file)
 * @retval DBLOCK_E_REFUSED   a constraint, or the like; or the version is the largest there is
 * @retval DBLOCK_E_SCHEMA    no such table or column, or that column cannot be a version
 * @retval DBLOCK_E_UNSURE    outside a transaction: the answer was lost
 * @retval DBLOCK_E_INVALID   or the key is not unique. Outside a transaction those rows are changed
 * @retval DBLOCK_E_READONLY, DBLOCK_E_DENIED, DBLOCK_E_FULL, DBLOCK_E_UNAVAILABLE,
 *         DBLOCK_E_NO_ANSWER, DBLOCK_E_NOMEM, DBLOCK_E_FORKED
 * One round trip, four on MySQL; two more for the savepoint, on PostgreSQL three; one more (on
 * MySQL three) by DBLOCK_BY_UPDATED_AT, and one (on MySQL two) with DBLOCK_STALE and DBLOCK_GONE.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_versioned_update(struct dblock_tx *tx,
							const struct dblock_versioned_row *row,
							int64_t *version,
							const char *const *columns,
							const struct dblock_value *values, size_t n,
							struct dblock_error *err);

/**
 * Delete a row if its version is the one given. Outcomes and cost are those of dblock_versioned_update().
 * @param version  in: as read; out: with DBLOCK_STALE the row's as it is
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_versioned_delete(struct dblock_tx *tx,
							const struct dblock_versioned_row *row,
							int64_t *version, struct dblock_error *err);

/**
 * As dblock_tx_run(), and run fn again also where it returns DBLOCK_STALE: read, change and update
 * in fn, and return what the update returned. Each run has a transaction of its own, so it reads
 * anew. On SQLite one such transaction waits for the other, and none is ever stale.
 *
 * @param options  as of dblock_tx_run(); attempts: default 16
 * @retval DBLOCK_STALE  so it went each time, until attempts or retry_ms were used up
 * @retval other         see dblock_tx_run()
 * Thread-safe. Blocks for at most retry_ms and one run more.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_versioned_run(struct dblock_client *client,
						     const struct dblock_tx_options *options,
						     int (*fn)(void *arg, struct dblock_tx *tx,
							       struct dblock_error *err),
						     void *arg, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
