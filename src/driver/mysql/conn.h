/* SPDX-License-Identifier: MIT */
/* What the files of the MySQL driver share. */
#ifndef DBL_DRIVER_MYSQL_CONN_H
#define DBL_DRIVER_MYSQL_CONN_H

#include "driver/driver.h"
#include "driver/mysql/guard.h"
#include "driver/mysql/lib.h"
#include "driver/mysql/options.h"

struct dbl_mysql_stmt;

struct dbl_mysql_conn {
	struct dbl_conn base;
	MYSQL *lib;
	bool adopted; /* lib is the caller's; there is no guard then */
	bool several; /* its server is one of several that the URL names */
	struct dbl_mysql_guard guard;
	struct dbl_mysql_stmt *stmts;
	int64_t pid; /* the process that opened it */
};

/* call.c: one call of the client library that may use the socket. */
struct dbl_mysql_call {
	struct dbl_mysql_conn *conn;
	bool writes;     /* it may change something */
	bool late;       /* the deadline came while it was under way */
	sigset_t before; /* the thread's signal mask */
};

/* Begin a call. This fails, and sends nothing, on a broken connection or past the deadline;
 * otherwise dbl_mysql_call_end() is due. */
int dbl_mysql_call_begin(struct dbl_mysql_call *, struct dbl_conn *, bool writes,
			 struct dblock_error *err);
void dbl_mysql_call_end(struct dbl_mysql_call *);

/* Let a command go out that the server does not answer: until the deadline, and for a moment in any
 * case. On a broken connection nothing goes out. */
void dbl_mysql_say_goodbye(struct dbl_mysql_conn *, int64_t deadline);

/* Begin a call that sends a command without an answer, whatever the deadline and the connection's
 * state: it ends at once even if the deadline has passed. */
void dbl_mysql_aside_begin(struct dbl_mysql_call *, struct dbl_mysql_conn *);

/* After the end: the outcome of a failure, by the table in error.c. Marks the connection. */
int dbl_mysql_call_failed(const struct dbl_mysql_call *, unsigned native, const char *sqlstate,
			  const char *text, struct dblock_error *err);

/* mysql_real_query(), which lets the connection's user look up once a second while the server is at it.
 * False: it failed. */
bool dbl_mysql_query(struct dbl_mysql_conn *, const char *sql);

/* Take an unwanted result from the socket, and count what was changed. False: the statement failed. */
bool dbl_mysql_throw_away(MYSQL *, int64_t *changed);

/* wait.c: the slot. */
int dbl_mysql_wait(struct dbl_conn *, const char *sql, int stop, const char **said,
		   struct dblock_error *err);

/* Read and check the URL's parts, and those that it leaves to the option file that it names.
 * DBLOCK_E_INVALID. The options are to be freed after the target's last use, also after a
 * failure. */
int dbl_mysql_target_read(struct dbl_mysql_target *, struct dbl_mysql_options *,
			  const struct dbl_url *, struct dblock_error *err);

/* If it is one of several hosts, lead to that one. */
void dbl_mysql_target_choose(struct dbl_mysql_target *, const struct dbl_url *, unsigned host);

/* The end of the message of a failed attempt to connect: what to look at. */
const char *dbl_mysql_advice(int code, unsigned native, const struct dbl_mysql_target *);

/* writable.c: 0; E_READONLY: the server is not to be written; E_UNAVAILABLE: its node, one of
 * several, is not in the cluster now. */
int dbl_mysql_check_writable(struct dbl_mysql_conn *, const struct dbl_mysql_target *,
			     struct dblock_error *err);

/* Connect conn->lib by conn->base.deadline. */
int dbl_mysql_connect(struct dbl_mysql_conn *, const struct dbl_mysql_target *,
		      struct dblock_error *err);

/* The statement slots of the driver. */
int dbl_mysql_prepare(struct dbl_conn *, const char *sql, struct dbl_stmt **,
		      struct dblock_error *err);
int dbl_mysql_run(struct dbl_stmt *, const struct dbl_value *args, unsigned n, int64_t *changed,
		  struct dblock_error *err);
int dbl_mysql_next(struct dbl_stmt *, struct dbl_value *row, unsigned n, struct dblock_error *err);

void dbl_mysql_forget(struct dbl_stmt *);

/* Free all statements of a connection; nothing is sent if its library handle is closed already. */
void dbl_mysql_stmts_free(struct dbl_mysql_conn *);

#endif
