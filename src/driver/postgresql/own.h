/* SPDX-License-Identifier: MIT */
/* What the files of the PostgreSQL driver share. */
#ifndef DBL_DRIVER_POSTGRESQL_OWN_H
#define DBL_DRIVER_POSTGRESQL_OWN_H

#include <libpq-fe.h>

#include "base/str.h"
#include "driver/driver.h"

struct dbl_pg_stmt {
	struct dbl_stmt base;
	struct dbl_pg_stmt *next;
	char *sql;
	char name[40];
	bool prepared;  /* the server knows it */
	PGresult *rows; /* of the last run */
	int at;
};

struct dbl_pg {
	struct dbl_conn base;
	PGconn *pg;
	bool adopted;       /* pg is the caller's */
	struct dbl_url url; /* for messages: what they show, and what they hide */
	struct dbl_pg_stmt *stmts;
	int64_t id; /* makes the names of our statements unique, also behind a pooler */
	unsigned n_stmts;
	struct dbl_str text; /* the arguments, while they are being sent */
	bool unreplicated;   /* the server warned: committed here, perhaps not on the standby */
	PGnotify *heard;     /* what the last wait has heard */
	bool blocks;         /* adopted: outside a call it is in libpq's blocking mode */
};

/* What can happen to a request on the wire. */
enum dbl_pg_wire { DBL_PG_OK, DBL_PG_LATE, DBL_PG_LOST };

/* The reply to what was sent. */
struct dbl_pg_reply {
	unsigned n_wanted; /* how many commands were sent, */
	unsigned n_before; /* that many of them before the statement itself */
	unsigned n_syncs;  /* how often a pipeline was synchronized; 0: it is none */
	unsigned prepares; /* which of them, from 1, prepares it; 0: none does */
	bool framed;
	PGresult *rows;  /* of the statement */
	PGresult *error; /* of the first command that failed */
	unsigned n_good; /* how many commands succeeded */
	bool is_copy;    /* the server wants to COPY, which the driver does not do */
};

/* open.c */
int dbl_pg_open(struct dbl_conn **, const struct dbl_url *, const struct dbl_env *,
		int64_t deadline, struct dblock_error *err);

/* Check an open connection: 0, or DBLOCK_E_INVALID, as its server is too old. */
int dbl_pg_check_version(const PGconn *, struct dblock_error *err);

/* adopt.c: the slots. */
int dbl_pg_adopt(struct dbl_conn **, void *handle, const struct dbl_env *, struct dblock_error *);
enum dbl_tx_state dbl_pg_state(struct dbl_conn *);

/* wire.c: never beyond the connection's deadline. */

/* Milliseconds until the deadline, rounded up. */
int dbl_pg_ms_left(const struct dbl_pg *);

/* Wait until the socket can do one of `events` (of poll()); false: the deadline came first. */
bool dbl_pg_wait(struct dbl_pg *, short events);

/* Has the server hung up since the last statement? */
bool dbl_pg_is_gone(struct dbl_pg *);

/* Send what libpq has buffered. */
enum dbl_pg_wire dbl_pg_flush(struct dbl_pg *);

/* Give libpq a statement without arguments, and what goes with it. False: it did not take it; the
 * end of the message, without which the server does nothing, was not sent then. */
bool dbl_pg_send_text(struct dbl_pg *, const char *sql, struct dbl_pg_reply *);

/* Likewise a run of a statement, which is prepared if need be. */
bool dbl_pg_send_run(struct dbl_pg *, const struct dbl_pg_stmt *, unsigned n,
		     const char *const *texts, struct dbl_pg_reply *);

/* It did not take it: take a pipeline that was begun to its end. True: the connection can be used. */
bool dbl_pg_drain(struct dbl_pg *, struct dbl_pg_reply *);

/* Send what libpq has buffered, and collect the reply up to its end, which in a pipeline is the
 * answer to the last PQpipelineSync(). The caller frees the reply, also after a failure. */
enum dbl_pg_wire dbl_pg_talk(struct dbl_pg *, struct dbl_pg_reply *);

void dbl_pg_reply_free(struct dbl_pg_reply *);

/* Check the arguments before they are sent: DBLOCK_E_INVALID if the server would read one of our
 * texts as another one, because of the connection's encoding. passing: the texts are the caller's
 * own, and not checked. */
int dbl_pg_check_texts(const struct dbl_pg *, bool passing, const struct dbl_value *args,
		       unsigned n, struct dblock_error *err);

/* Make libpq non-blocking until leave(), which sets it back to the owner's mode. */
void dbl_pg_enter(struct dbl_pg *);
void dbl_pg_leave(struct dbl_pg *);

/* copy.c: send the data of a COPY. If the server refuses them, it says so in its next result. */
enum dbl_pg_wire dbl_pg_put_copy(struct dbl_pg *);

/* wait.c: the slot. */
int dbl_pg_wait_ring(struct dbl_conn *, const char *sql, int stop, const char **said,
		     struct dblock_error *err);

/* code.c */

/* The outcome for an SQLSTATE ("" = none), and whether the connection is over. */
int dbl_pg_outcome(const char *sqlstate, bool writes, bool *over);

/* The outcome of the server's own error. */
int dbl_pg_refused(struct dbl_pg *, const PGresult *, bool writes, struct dblock_error *err);

/* Take of an error where it is, and tell what psql prints beside its message. */
void dbl_pg_tell_more(struct dbl_conn *, const PGresult *error);

/* The outcome without a reply: it is too late, or the connection is lost. */
int dbl_pg_no_reply(struct dbl_pg *, enum dbl_pg_wire, bool writes, struct dblock_error *err);

/* The outcome of PQconnectPoll()'s failure. Only the PQERRORS_VERBOSE message has an SQLSTATE. */
int dbl_pg_no_connection(struct dbl_pg *, struct dblock_error *err);

/* Take the SQLSTATE ("" if there is none) and the text for people from a verbose message of libpq,
 * in any language. */
void dbl_pg_read_message(const char *message, char state[6], struct dbl_str *text);

#endif
