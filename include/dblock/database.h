/* SPDX-License-Identifier: MIT */
/**
 * @file database.h  The database itself, before and after all migrations: wait for it, make it, drop
 * it.
 */
#ifndef DBLOCK_DATABASE_H
#define DBLOCK_DATABASE_H

#include <dblock/migrate.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A database. Strings live until the callback returns. */
struct dblock_database {
	size_t size;      /**< sizeof(struct dblock_database) of the library */
	const char *name; /**< as the URL has it; of SQLite the file's path */
	int64_t others;   /**< connections of others to it that this user can see */
};

/** Return other than 0 to have nothing done; the call returns that. */
typedef int dblock_database_cb(void *arg, const struct dblock_database *what);

/** Told why a wait goes on. Return other than 0 to end it; the call returns that. */
typedef int dblock_waiting_cb(void *arg, const struct dblock_error *why);

/**
 * Wait until the database answers. What no waiting mends (a URL that is wrong, a login that is
 * refused) ends it at once; a server that cannot be reached yet, or is starting up, or whose name
 * nobody knows, is waited for. A database that does not exist is an answer, as it has to be made.
 *
 * @param options  `timeout_ms`: for each attempt
 * @param wait_ms  how long; 0: one minute; DBLOCK_NO_WAIT: one attempt
 * @param waiting  called after each attempt in vain; may be NULL
 * @retval DBLOCK_OK  it answers
 * @retval DBLOCK_GONE  the server answers, or is none (SQLite), and there is no such database
 * @retval DBLOCK_E_UNAVAILABLE  not in that time; the message ends with what was last said
 * @retval DBLOCK_E_INVALID, DBLOCK_E_DENIED  and other failures that stay
 * Thread-safe. Blocks. Writes nothing, and makes no file.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_wait(const char *url,
						    const struct dblock_client_options *options,
						    int64_t wait_ms, dblock_waiting_cb *waiting,
						    void *arg, struct dblock_error *err);

/**
 * Make the database that the URL names, if it is not there. PostgreSQL: over the database postgres, or
 * template1, of the same server; MySQL: over information_schema, with utf8mb4; SQLite: the file, in
 * WAL mode.
 *
 * @param found  called when it is there, made or not; may be NULL; what it returns is ignored
 * @retval DBLOCK_OK  it was made
 * @retval DBLOCK_DONE  it is there already; the error's message says so
 * @retval DBLOCK_E_INVALID  the URL names none
 * @retval DBLOCK_E_DENIED  a right is missing; the message has the statement that gives it
 * @retval DBLOCK_E_UNSURE  the connection was lost, and the server did not come back in time
 * and the failures of dblock_open(). Thread-safe. Blocks. Any number of callers may do it at once.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_create(const char *url,
						      const struct dblock_client_options *options,
						      dblock_database_cb *found, void *arg,
						      struct dblock_error *err);

/**
 * Drop the database that the URL names, with all that is in it. Never one of the server's own (postgres
 * and templates, mysql, sys and so on), nor a file that is no SQLite database.
 *
 * @param force  although others are connected: PostgreSQL ends their connections (version 13 or
 *               later); on SQLite what they go on with is lost
 * @param found  called before it is dropped; may be NULL
 * @retval DBLOCK_OK  it was dropped
 * @retval DBLOCK_GONE  it is not there; the error's message says so
 * @retval DBLOCK_BUSY  others are connected, and not `force`; the message says how many
 * @retval DBLOCK_E_INVALID  the URL names none, or one of the server's own
 * @retval DBLOCK_E_DENIED  a right is missing; the message has the statement that gives it
 * @retval DBLOCK_E_UNSURE  the connection was lost, and the database is still there, or the server did not
 *                          come back in time; it is not sent again, call it again
 * and the failures of dblock_open(). Thread-safe. Blocks.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_drop(const char *url,
						    const struct dblock_client_options *options,
						    bool force, dblock_database_cb *found,
						    void *arg, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
