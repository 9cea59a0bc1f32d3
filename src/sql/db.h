/* SPDX-License-Identifier: MIT */
/* A connection that speaks operations: picks the dialect's text, prepares it once, checks the shape
 * of what comes back. For one thread at a time; no retries. */
#ifndef DBL_SQL_DB_H
#define DBL_SQL_DB_H

#include "sql/op.h"
#include "sql/target.h"

struct dbl_db;

/* What it is made of is own.h's; it begins with this. */
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

/* From now on, and until it is closed, its commits are that durable: at least DBLOCK_DURABLE unless
 * that is DBLOCK_RELAXED. DBLOCK_E_INVALID: the server has no synchronous standby. No round trip
 * for DBLOCK_DURABLE, which it is from the start. */
int dbl_db_endure(struct dbl_db *, enum dblock_durability, int64_t deadline,
		  struct dblock_error *err);

/* Run one operation: one round trip (one more where the statement was not yet prepared and the
 * driver needs one for that). Errors are the driver's classes, with the operation's name put
 * before the message; or what request->row returned. */
int dbl_db_run(struct dbl_db *, struct dbl_request *, struct dblock_error *err);

/* See to it that to run it later takes no more than its own round trip. */
int dbl_db_prepare(struct dbl_db *, enum dbl_op, int64_t deadline, struct dblock_error *err);

/* Run an operation of kind SCRIPT: as many round trips as it has steps. */
int dbl_db_script(struct dbl_db *, enum dbl_op, int64_t deadline, struct dblock_error *err);

/* Run one statement of the library's own that is not an operation: a migration. */
int dbl_db_exec(struct dbl_db *, const char *sql, int64_t deadline, struct dblock_error *err);

/* Run one statement of somebody else's, as it is. */
int dbl_db_send(struct dbl_db *, const char *sql, int64_t deadline, struct dblock_error *err);

/* As dbl_db_open(), but the connection stays as the server and the client library make it: for
 * statements of the caller's. */
int dbl_db_open_plain(struct dbl_db **, const struct dbl_target *, int64_t deadline,
		      struct dblock_error *err);

/* The caller's own connection (see the driver's slot), which stays the caller's. */
int dbl_db_adopt(struct dbl_db **, const struct dbl_target *, void *handle,
		 struct dblock_error *err);

/* As when it was opened plain; else it is broken. */
void dbl_db_reset(struct dbl_db *, int64_t deadline);

/* A transaction is open, or what comes next would open one. */
bool dbl_db_in_tx(const struct dbl_db *);

/* Where in the last statement that failed the error is: see struct dbl_conn. */
static inline unsigned dbl_db_error_at(const struct dbl_db *db)
{
	return dbl_db_conn(db)->error_at;
}

/* The connection's state is unknown: it is good only for close. */
static inline bool dbl_db_broken(const struct dbl_db *db)
{
	return dbl_db_conn(db)->broken;
}

/* The server's number for this connection: see struct dbl_conn. */
static inline int64_t dbl_db_backend(const struct dbl_db *db)
{
	return dbl_db_conn(db)->backend;
}

/* What went with its connection certainly changed nothing: E_TIMEOUT or E_UNAVAILABLE. */
int dbl_db_not_done(const struct dbl_db *, int64_t deadline, struct dblock_error *err);

/* The outcome of what went with its connection, if it was lost, and certainly changed nothing. */
static inline int dbl_db_undone(const struct dbl_db *db, int rc, int64_t deadline,
				struct dblock_error *err)
{
	return rc == DBLOCK_E_UNSURE ? dbl_db_not_done(db, deadline, err) : rc;
}

/* Can a connection to this database be rung? */
bool dbl_db_hears(const struct dbl_target *);

/* 32 hexadecimal digits? */
bool dbl_db_is_channel(const char *);

/* Hear what is rung on a channel, from now on. Where a doorbell sleeps, nothing is sent. */
int dbl_db_listen(struct dbl_db *, const char *channel, int64_t deadline, struct dblock_error *err);

/* Wait to be rung, for `us`, or until the descriptor `stop` can be read: see the driver's slot.
 * `grace` us later the server must have answered. */
int dbl_db_hear(struct dbl_db *, const char *channel, int64_t us, int64_t grace, int stop,
		const char **said, struct dblock_error *err);

/* A transaction: READ COMMITTED, whatever the server's default; on SQLite it has the write lock
 * from the start. end: commits if rc is 0, else rolls back and returns rc. */
int dbl_db_begin(struct dbl_db *, int64_t deadline, struct dblock_error *err);
int dbl_db_end(struct dbl_db *, int rc, int64_t deadline, struct dblock_error *err);

#endif
