/* SPDX-License-Identifier: MIT */
/*
 * The contract of a driver: the wire to one kind of database, and nothing else. It knows no table
 * and no lock; it never retries, sleeps, logs, reconnects or calls upward; it reports.
 *
 * A connection is used by one thread at a time. Before each call the user sets `deadline` (on
 * env->now()); the driver returns at it, at the latest soon after, and marks the connection
 * broken if its state is then unknown.
 *
 * Every fallible slot returns 0 or a negative outcome and fills err. Classes:
 *   E_UNAVAILABLE  not connected; nothing was sent
 *   E_UNSURE       a statement was sent that may have changed something, and its reply is lost
 *   E_TIMEOUT      the deadline came and nothing can have been changed
 *   E_LOCKED       a row, table or file lock was not free in time; nothing was changed
 *   E_CONFLICT     deadlock or serialization failure; the transaction is gone, run it again
 *   E_SCHEMA       no such table or column, or of another type
 *   E_DENIED, E_READONLY, E_FULL, E_NOTDB, E_NOMEM
 *   E_INVALID      the URL; a server or client library that is too old
 *   E_BUG          everything else that the database refuses for certain
 * A native code that the driver's table does not know counts as E_UNSURE while a statement that
 * may write is under way, and as E_UNAVAILABLE otherwise; where the server itself answered with an
 * error, the statement was certainly not carried out.
 */
#ifndef DBL_DRIVER_DRIVER_H
#define DBL_DRIVER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"
#include "base/err.h"
#include "base/url.h"

enum dbl_type { DBL_NULL, DBL_INT, DBL_TEXT };

/* Only these three cross the seam: no date, no float, no boolean (0 and 1). Text is UTF-8. */
struct dbl_value {
	enum dbl_type type;
	int64_t i;
	const char *text; /* not NUL-terminated where a driver hands it out */
	size_t len;
};

enum { DBL_NO_SERVER = -1 };

/* Each driver's connection and statement begin with these. */
struct dbl_conn {
	const struct dbl_driver *driver;
	const struct dbl_env *env;
	int64_t deadline; /* set by the user before each call */
	/* The server's number for its end of the connection, as the client library has it; 0:
	 * unknown, DBL_NO_SERVER: what was not carried out when the connection ends never is. */
	int64_t backend;
	bool broken; /* set by the driver, or by its user: good only for close */
	/* Set by the driver after each exec and run that succeeded: a transaction is open, or what
	 * comes next would open one. */
	bool in_tx;
	/* Set by the driver after each exec that failed: where in the statement the error is, in
	 * characters from 1; 0: the database does not say. */
	unsigned error_at;
};

struct dbl_stmt {
	struct dbl_conn *conn;
	bool reads; /* set by the user after prepare: it changes nothing, so a lost reply is never
		       E_UNSURE but E_UNAVAILABLE */
	/* Set by the user after prepare: it is run once or twice, so nothing is kept for it on the
	 * server where that can be avoided. */
	bool passing;
	unsigned columns; /* set by the driver after each run: of the rows that next() gives */
	/* Set by the driver after each run that succeeded (MySQL): it changed nothing, but called
	 * LAST_INSERT_ID(x), so the row that it was looking for is there. */
	bool met;
};

/* What becomes of a statement that is sent now, as far as this end of the connection knows. */
enum dbl_tx_state {
	DBL_TX_NONE,   /* it is a transaction of its own */
	DBL_TX_OPEN,   /* it is part of one, or begins one that stays open */
	DBL_TX_FAILED, /* it is refused: the transaction can only be rolled back */
	DBL_TX_IN_USE, /* it cannot be sent: the rows of another one have yet to be fetched */
	DBL_TX_LOST    /* the connection is lost */
};

struct dbl_driver {
	const char *name; /* "sqlite", "postgresql", "mysql" */

	/* Connect. The URL's scheme is this driver's. On failure *conn is NULL. */
	int (*open)(struct dbl_conn **conn, const struct dbl_url *, const struct dbl_env *,
		    int64_t deadline, struct dblock_error *err);

	/* Speak on the caller's own handle (PGconn *, sqlite3 *, MYSQL *), which stays the
	 * caller's: nothing is sent, nothing set. Other threads must not use it during a call.
	 * Where the client library cannot be bounded without a change to the handle, it is not:
	 * MySQL's calls end by the handle's own time-outs. E_INVALID: it cannot be used. */
	int (*adopt)(struct dbl_conn **conn, void *handle, const struct dbl_env *,
		     struct dblock_error *err);

	/* The client library's handle. */
	void *(*handle)(struct dbl_conn *);

	/* Also frees every statement of the connection. Never blocks for the server. One that was
	 * adopted is left as it is. */
	void (*close)(struct dbl_conn *);

	/* What the connection's user may have changed is as it was when it was opened, no
	 * transaction is open, every statement is freed. NULL where only closing it does that. */
	int (*reset)(struct dbl_conn *, struct dblock_error *err);

	/* No round trip. */
	enum dbl_tx_state (*state)(struct dbl_conn *);

	/* Run one statement that has no arguments; a result is thrown away. For transaction verbs,
	 * settings and migrations. More than one statement in the text is an error. */
	int (*exec)(struct dbl_conn *, const char *sql, struct dblock_error *err);

	/* Make a statement ready. Placeholders are $1 .. $n, in any order, also repeated. May put
	 * off the work, and its errors, to the first run. */
	int (*prepare)(struct dbl_conn *, const char *sql, struct dbl_stmt **,
		       struct dblock_error *err);

	/* Free a statement, before its connection is closed. */
	void (*forget)(struct dbl_stmt *);

	/* Run it with n arguments, $1 first; they are read before it returns. One round trip.
	 * *changed: rows inserted, updated (also to equal values counts as the database counts) or
	 * deleted. Rows are then fetched with next(); a new run forgets what was not fetched. */
	int (*run)(struct dbl_stmt *, const struct dbl_value *args, unsigned n, int64_t *changed,
		   struct dblock_error *err);

	/* 1: one row, of n columns, in row[0 .. n-1], good until the next call on the connection;
	 * 0: the end, the statement can be run again; < 0: failure, also if it has not n columns.
	 * Where a database cannot return rows from a write (MySQL), a write that called
	 * LAST_INSERT_ID(x) and changed something gives one row of one integer: x. Where that is
	 * slow (SQLite), one whose text says `-- gives $wall` gives what $wall stood for. */
	int (*next)(struct dbl_stmt *, struct dbl_value *row, unsigned n, struct dblock_error *err);

	/*
	 * Optional: NULL where nobody can ring a connection. Wait until somebody does, until the
	 * deadline, or until the descriptor `stop` can be read.
	 *   sql NULL: the connection listens already, by a statement that went before;
	 *   else it sleeps in this statement, whose end, by itself or by interruption, is the ring.
	 * 1: rung; *said is what was said, "" if nothing, good until the next call on the
	 * connection; 0: not. Costs nothing while it waits, and nothing is held by it. If it was
	 * stopped, or the deadline came, within the statement, the connection is broken.
	 */
	int (*wait)(struct dbl_conn *, const char *sql, int stop, const char **said,
		    struct dblock_error *err);
};

/* Those that were built in; which is whose, src/sql/dialect.c says. */
extern const struct dbl_driver dbl_sqlite;
extern const struct dbl_driver dbl_postgresql;
extern const struct dbl_driver dbl_mysql;

#endif
