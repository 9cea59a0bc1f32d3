/* SPDX-License-Identifier: MIT */
/*
 * The interface of a driver: the wire to one kind of database, and nothing else. It knows no table
 * and no lock; it never retries, sleeps, logs, reconnects or calls upward.
 *
 * A connection is used by one thread at a time. Before each call the user sets `deadline` (on
 * env->now()); the driver returns then, or soon after, and marks the connection broken if its state
 * is unknown.
 *
 * Every slot that can fail returns 0 or a negative outcome and fills err. Outcomes:
 *   E_UNAVAILABLE  not connected; nothing was sent
 *   E_UNSURE       a statement was sent that may have changed something, and its reply is lost
 *   E_NO_ANSWER    the deadline came and nothing can have been changed
 *   E_BLOCKED      a row, table or file lock was not free in time; nothing was changed
 *   E_CONFLICT     deadlock or serialization failure; the transaction is gone, run it again
 *   E_SCHEMA       no such table or column, or of another type
 *   E_DENIED, E_READONLY, E_FULL, E_NOTDB, E_NOMEM
 *   E_INVALID      the URL; a server or client library that is too old
 *   E_BUG          everything else that the database refuses for certain
 * A native code that the driver's table does not have counts as E_UNSURE while a statement that may
 * write is under way, else as E_UNAVAILABLE; if the server itself answered with an error, the
 * statement was certainly not carried out.
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

/* Only these types pass here: no date, no float, no boolean (0 and 1 instead). Text is UTF-8. */
struct dbl_value {
	enum dbl_type type;
	int64_t i;
	const char *text; /* not NUL-terminated in a row from a driver */
	size_t len;
};

enum { DBL_NO_SERVER = -1 };

/* What stands around a statement where others have the server's end of the connection between two
 * transactions of ours: behind a pooler. */
struct dbl_frame {
	const char *begin;    /* begins a transaction (NULL: only what is exec'ed to begin one), */
	const char *settings; /* sets, until its end, all that we rely on, */
	const char *commit;   /* and ends it. */
};

/* A statement that goes with another one, and its $1; NULL: it has none. */
struct dbl_extra {
	const char *sql, *arg;
};

/* What goes around a statement, in the same round trip (PostgreSQL). If one of them all is refused, what
 * comes after it is not carried out. */
struct dbl_around {
	struct dbl_extra before[3], after[2];
	unsigned n_before, n_after;
	/* Set by the driver after a run: the first one, or all of them, were carried out. */
	bool begun, done;
};

/* The beginning of each driver's connection, and of its statement. */
struct dbl_conn {
	const struct dbl_driver *driver;
	const struct dbl_env *env;
	int64_t deadline; /* set by the user before each call */
	/* The server's number for its end of the connection, as the client library tells it. 0:
	 * unknown. DBL_NO_SERVER: a statement that was not carried out when the connection ends
	 * never is. */
	int64_t backend;
	/* Set by the user: nothing of ours stays on the connection, and nothing of others' counts.
	 * What is run outside of a transaction is sent within this one, in the same round trip;
	 * what is exec'ed there must begin one, and the settings go with it. E_CONFLICT, then: it
	 * met a limit on time that others have set. NULL: the connection is ours alone. */
	const struct dbl_frame *frame;
	/* Set by the user around a run in an open transaction: what goes with it. NULL: nothing does. */
	struct dbl_around *around;
	/* Set by open: how many hosts the URL names, and which of them this is, from 0. */
	unsigned hosts, host;
	bool broken; /* set by the driver, or by its user: only close is allowed */
	/* Set by the driver after each exec and run that succeeded: a transaction is open, or the
	 * next statement would open one. */
	bool in_tx;
	/* Set by SQLite after each run: the transaction keeps all others from writing. */
	bool has_file;
	/* Set by the user around an exec: told of what the database says of it beside its outcome; refused:
	 * of one that it refuses, beside the message. NULL: nobody is. SQLite: while somebody is, a name in
	 * double quotes that is none is a string. */
	void (*told)(void *ctx, bool refused, const char *text);
	void *told_ctx;
	/* Set by the user around an exec: called once a second while it is under way. It must not use this
	 * connection. NULL: nothing is called. An adopted connection to SQLite never calls it. */
	void (*tick)(void *ctx);
	void *tick_ctx;
	/* Set by the user around an exec: gives the next part of what PostgreSQL's COPY FROM stdin reads, and
	 * its length; 0: there is no more. NULL: it is refused. */
	size_t (*copy)(void *ctx, const char **part);
	void *copy_ctx;
	/* Set by the driver after each exec that failed: where in the statement the error is, as a
	 * character's number from 1; 0: the database does not say. */
	unsigned error_at;
	/* Set by the driver after each exec that succeeded: how many rows it has inserted, updated or
	 * deleted, as the database counts them. */
	int64_t changed;
};

struct dbl_stmt {
	struct dbl_conn *conn;
	/* Set by the user after prepare: it changes nothing, so a lost reply is E_UNAVAILABLE, and
	 * never E_UNSURE. */
	bool reads;
	/* Set by the user after prepare: it is run only once or twice, so the server keeps nothing
	 * for it, where that can be avoided. */
	bool passing;
	unsigned columns; /* set by the driver after each run: the number in next()'s rows */
	/* Set by the driver after each run that succeeded (MySQL): it changed nothing, but called
	 * LAST_INSERT_ID(x), so the row that it looked for is there. */
	bool met;
};

/* The state of the transaction that a statement would be in now, as far as the client knows. */
enum dbl_tx_state {
	DBL_TX_NONE,   /* none: it would be a transaction of its own */
	DBL_TX_OPEN,   /* it would be part of one, or begin one that stays open */
	DBL_TX_FAILED, /* it would be refused: the transaction can only be rolled back */
	DBL_TX_IN_USE, /* it cannot be sent: another one's rows have yet to be fetched */
	DBL_TX_LOST    /* the connection is lost */
};

struct dbl_driver {
	const char *name; /* "sqlite", "postgresql", "mysql" */

	/* Connect. The URL's scheme is this driver's. On failure *conn is NULL. */
	int (*open)(struct dbl_conn **conn, const struct dbl_url *, const struct dbl_env *,
		    int64_t deadline, struct dblock_error *err);

	/* Use the caller's own handle (PGconn *, sqlite3 *, MYSQL *), which stays the caller's:
	 * nothing is sent, nothing set. Other threads must not use it during a call. If the client
	 * library cannot keep a deadline without a change to the handle, there is none: MySQL's
	 * calls end by the handle's own time-outs. E_INVALID: it cannot be used. */
	int (*adopt)(struct dbl_conn **conn, void *handle, const struct dbl_env *,
		     struct dblock_error *err);

	/* The client library's handle. */
	void *(*handle)(struct dbl_conn *);

	/* Optional; NULL: there is no server that could hang up. The socket, for poll(2) between two
	 * calls: POLLRDHUP says that the server's end is gone. */
	int (*socket)(struct dbl_conn *);

	/* Close the connection and free its statements. This never waits for the server. An adopted
	 * handle stays as it is. */
	void (*close)(struct dbl_conn *);

	/* Undo what the connection's user may have changed since it was opened, roll back, and free
	 * every statement. NULL: only closing it does that. */
	int (*reset)(struct dbl_conn *, struct dblock_error *err);

	/* No round trip. */
	enum dbl_tx_state (*state)(struct dbl_conn *);

	/* Run one statement without arguments, and ignore its result. For transaction verbs,
	 * settings and migrations. More than one statement in the text is an error. */
	int (*exec)(struct dbl_conn *, const char *sql, struct dblock_error *err);

	/* Prepare a statement. Placeholders are $1 .. $n, in any order, also repeated. The work,
	 * and its errors, may come only with the first run. */
	int (*prepare)(struct dbl_conn *, const char *sql, struct dbl_stmt **,
		       struct dblock_error *err);

	/* Free a statement, before its connection is closed. */
	void (*forget)(struct dbl_stmt *);

	/* Run it with n arguments, $1 first; they are read before it returns. One round trip.
	 * *changed: rows inserted, updated (the database decides whether an update to equal values
	 * counts) or deleted. Rows are then fetched with next(); a new run drops those that were
	 * not fetched. */
	int (*run)(struct dbl_stmt *, const struct dbl_value *args, unsigned n, int64_t *changed,
		   struct dblock_error *err);

	/* 1: one row of n columns is in row[0 .. n-1], valid until the next call on the connection;
	 * 0: there are no more rows, and the statement can be run again; < 0: failure, also if the
	 * rows do not have n columns. Where a database cannot return rows from a write (MySQL), a
	 * write that called LAST_INSERT_ID(x) and changed something gives one row of one integer:
	 * x. Where that is slow (SQLite), a write whose text says `-- gives $wall` gives the value
	 * of $wall. */
	int (*next)(struct dbl_stmt *, struct dbl_value *row, unsigned n, struct dblock_error *err);

	/*
	 * Optional; NULL: nobody can tell a connection anything. Wait until somebody does, until
	 * the deadline, or until the descriptor `stop` is readable.
	 *   sql NULL: the connection listens already, by an earlier statement;
	 *   else it sleeps in this statement, and is told by its end, or its interruption.
	 * 1: told; *said is what was said, "" if nothing, valid until the next call on the
	 * connection; 0: not. The wait costs nothing, and holds nothing in the database. If it was
	 * stopped, or the deadline came, within the statement, the connection is broken.
	 */
	int (*wait)(struct dbl_conn *, const char *sql, int stop, const char **said,
		    struct dblock_error *err);
};

/* The drivers that are built in; src/sql/dialect.c says which dialect has which. */
extern const struct dbl_driver dbl_sqlite;
extern const struct dbl_driver dbl_postgresql;
extern const struct dbl_driver dbl_mysql;

#endif
