/* SPDX-License-Identifier: MIT */
/* A connection that runs operations: it picks the dialect's text, prepares it once, and checks the
 * shape of the rows. For one thread at a time; no retries. */
#ifndef DBL_SQL_DB_H
#define DBL_SQL_DB_H

#include "sql/op.h"
#include "sql/target.h"

struct dbl_db;

/* The visible head of a struct dbl_db, which own.h defines. */
struct dbl_db_head {
	const struct dbl_target *target;
	struct dbl_conn *conn;
};

static inline const struct dbl_conn *dbl_db_conn(const struct dbl_db *db)
{
	return ((const struct dbl_db_head *)db)->conn;
}

/* Connect and apply the dialect's settings. On failure *db is NULL. */
int dbl_db_open(struct dbl_db **db, const struct dbl_target *, int64_t deadline,
		struct dblock_error *err);
void dbl_db_close(struct dbl_db *); /* NULL is allowed */

/* From now on, until the connection is closed, its commits are that durable: at least
 * DBLOCK_DURABLE unless that is DBLOCK_RELAXED. DBLOCK_E_INVALID: the server has no synchronous
 * standby. There is no round trip for DBLOCK_DURABLE, which a connection is from the start. */
int dbl_db_endure(struct dbl_db *, enum dblock_durability, int64_t deadline,
		  struct dblock_error *err);

/* Run one operation: one round trip (one more if the statement was not yet prepared and the driver
 * needs one for that). Errors are the driver's classes, with the operation's name before the
 * message; or what request->row returned. */
int dbl_db_run(struct dbl_db *, struct dbl_request *, struct dblock_error *err);

/* Prepare the operation, so that a later run of it is one round trip. */
int dbl_db_prepare(struct dbl_db *, enum dbl_op, int64_t deadline, struct dblock_error *err);

/* Run an operation of kind SCRIPT: as many round trips as it has steps. */
int dbl_db_script(struct dbl_db *, enum dbl_op, int64_t deadline, struct dblock_error *err);

/* Run one statement of the library's own that is not an operation: a migration. */
int dbl_db_exec(struct dbl_db *, const char *sql, int64_t deadline, struct dblock_error *err);

/* Run one statement of the caller's, as it is. */
int dbl_db_send(struct dbl_db *, const char *sql, int64_t deadline, struct dblock_error *err);

/* As dbl_db_open(), but with the settings of the server and the client library, for the caller's
 * statements. */
int dbl_db_open_plain(struct dbl_db **, const struct dbl_target *, int64_t deadline,
		      struct dblock_error *err);

/* Adopt the caller's own connection (see the driver's slot), which stays the caller's. */
int dbl_db_adopt(struct dbl_db **, const struct dbl_target *, void *handle,
		 struct dblock_error *err);

/* Put back the settings of a plain connection; if that fails, it is broken. */
void dbl_db_reset(struct dbl_db *, int64_t deadline);

/* Is a transaction open, or would the next statement open one? */
bool dbl_db_in_tx(const struct dbl_db *);

/* Where in the last failed statement the error is: see struct dbl_conn. */
static inline unsigned dbl_db_error_at(const struct dbl_db *db)
{
	return dbl_db_conn(db)->error_at;
}

/* Is the connection's state unknown? Then it can only be closed. */
static inline bool dbl_db_broken(const struct dbl_db *db)
{
	return dbl_db_conn(db)->broken;
}

/* The server's number for this connection: see struct dbl_conn. */
static inline int64_t dbl_db_backend(const struct dbl_db *db)
{
	return dbl_db_conn(db)->backend;
}

/* The connection's socket, to wait for its end between two calls: see the driver's slot. -1: there
 * is none. */
static inline int dbl_db_socket(const struct dbl_db *db)
{
	const struct dbl_db_head *head = (const struct dbl_db_head *)db;

	return head->target->driver->socket ? head->target->driver->socket(head->conn) : -1;
}

/* Does a pooler give the server's end of the connection to others between two transactions? */
static inline bool dbl_db_pooled(const struct dbl_db *db)
{
	return dbl_db_conn(db)->frame != NULL;
}

/* The outcome of a request that was lost with its connection and certainly changed nothing:
 * E_NO_ANSWER or E_UNAVAILABLE. */
int dbl_db_not_done(const struct dbl_db *, int64_t deadline, struct dblock_error *err);

/* That outcome if the connection was lost, for requests that certainly changed nothing. */
static inline int dbl_db_undone(const struct dbl_db *db, int rc, int64_t deadline,
				struct dblock_error *err)
{
	return rc == DBLOCK_E_UNSURE ? dbl_db_not_done(db, deadline, err) : rc;
}

/* Can a client of this database be told over a channel? And can one that connects this way, which a
 * pooler would cut off from what is said? */
bool dbl_db_hears(const struct dbl_target *);
bool dbl_db_listens(const struct dbl_target *);

/* Is this a channel's name, 32 hexadecimal digits? */
bool dbl_db_is_channel(const char *);

/* Listen on a channel from now on. Where the dialect `sleeps`, nothing is sent. */
int dbl_db_listen(struct dbl_db *, const char *channel, int64_t deadline, struct dblock_error *err);

/* Wait until something is said on the channel, for `us`, or until the descriptor `stop` is
 * readable: see the driver's slot. The server must have answered `grace` us after that. */
int dbl_db_hear(struct dbl_db *, const char *channel, int64_t us, int64_t grace, int stop,
		const char **said, struct dblock_error *err);

/* From now on tell of what the database says of a dbl_db_send() beside its outcome; NULL: do not. */
void dbl_db_tell(struct dbl_db *, void (*told)(void *ctx, bool refused, const char *text),
		 void *ctx);

/* Has it called about once a second while a dbl_db_send() is under way; NULL: it is not. */
void dbl_db_tick(struct dbl_db *, void (*tick)(void *ctx), void *ctx);

/* How many rows the last dbl_db_send() has changed, if it succeeded. */
static inline int64_t dbl_db_changed(const struct dbl_db *db)
{
	return dbl_db_conn(db)->changed;
}

/* Sets what gives COPY FROM stdin its data in the next dbl_db_send(), in parts; NULL: nothing does. */
void dbl_db_copy(struct dbl_db *, size_t (*copy)(void *ctx, const char **part), void *ctx);

/* Begin a transaction, READ COMMITTED whatever the server's default; on SQLite it has the write
 * lock from the start. dbl_db_end() commits if rc is 0, else it rolls back and returns rc. */
int dbl_db_begin(struct dbl_db *, int64_t deadline, struct dblock_error *err);
int dbl_db_end(struct dbl_db *, int rc, int64_t deadline, struct dblock_error *err);

#endif
