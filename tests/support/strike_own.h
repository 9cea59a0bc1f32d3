/* SPDX-License-Identifier: MIT */
/* Shared by the files of the strike world. */
#ifndef TESTS_SUPPORT_STRIKE_OWN_H
#define TESTS_SUPPORT_STRIKE_OWN_H

#include "driver/driver.h"
#include "support/strike.h"

enum { STRIKE_NAMES = 1024, STRIKE_CONNS = 32 };

/* A statement, and its operation by its text, which begins with "-- name:". */
struct strike_named {
	const struct dbl_stmt *stmt;
	enum dbl_op op;
};

/* A request that is on its way for long, and its connection. */
struct strike_letter {
	struct dbl_conn *conn; /* NULL: there is none */
	struct dbl_stmt *stmt; /* NULL: text to be executed */
	char *sql;
	struct dbl_value args[DBL_ARGS_MAX];
	unsigned n;
	bool closed; /* by the library */
};

struct strike {
	struct dbl_env env, calm;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	_Atomic int64_t skew;  /* us that our clock is ahead */
	bool real_time;        /* constant once a client is open */
	pthread_mutex_t mutex; /* guards what follows */
	char aim[80];          /* the only database that is struck, and its connections */
	const struct dbl_conn *aimed[STRIKE_CONNS];
	enum strike_kind kind;
	bool armed, played, struck, pooled;
	pthread_t player; /* the thread whose calls are struck */
	int left, calls;
	enum dbl_op op; /* the operation struck; DBL_OP_COUNT: none of them */
	char what[64];
	char told[64]; /* a copy of `what`, for the test */
	struct strike_letter letter;
	const struct dbl_stmt *_Atomic half; /* the statement whose reply breaks off */
	int half_rows;                       /* the rows that it has given */
	struct strike_named names[STRIKE_NAMES];
	unsigned n_names;
};

/* Puts this driver in front of the real one. */
const struct dbl_driver *strike_intercept(void *strike, const struct dbl_driver *real);

/* Decides whether this call goes wrong, and how; STRIKE_KINDS: it does not. `stmt`, if there is
 * one, says which operation it is. `conn` is NULL if it is about to be opened, to `database`. */
struct strike_call {
	enum dbl_op op;
	const struct dbl_conn *conn;
	const struct dbl_stmt *stmt;
	const char *database, *name;
};
enum strike_kind strike_decide(struct strike *, struct strike_call);

/* Call it under the mutex: is this a call to the database that is struck? */
bool strike_is_meant(const struct strike *, const struct strike_call *);

/* Such a connection is open now; it is about to be closed. */
void strike_note_conn(struct strike *, const char *database, const struct dbl_conn *);
void strike_forget_conn(struct strike *, const struct dbl_conn *);

/* Returns which operation a text is, or DBL_OP_COUNT; the other one remembers it for a statement.
 */
enum dbl_op strike_op_of(const char *sql);
void strike_note_name(struct strike *, const struct dbl_stmt *, const char *sql);

/* Keeps the request until strike_let_go(). */
void strike_keep(struct strike *, struct dbl_conn *, struct dbl_stmt *, const char *sql,
		 const struct dbl_value *args, unsigned n);

/* Puts the clock forward to `until`, if it is not past it. */
void strike_jump_to(struct strike *, int64_t until);

#endif
