/* SPDX-License-Identifier: MIT */
/* What the files of a link share. */
#ifndef DBL_LINK_OWN_H
#define DBL_LINK_OWN_H

#include <stdatomic.h>

#include "link/backend.h"
#include "link/link.h"

/* A connection, and who waits for it. */
struct dbl_connection {
	struct dbl_link *link;
	struct dbl_combiner combiner;
	struct dbl_db *db;   /* NULL: not connected */
	_Atomic unsigned of; /* the link's generation when it was made */
	uint64_t serial;     /* among all that this link and its lender have opened; 0: not open */
	struct dbl_backend backend;
	/* For who cuts it while its owner waits for an answer; under the link's mutex: */
	int socket; /* a duplicate: our own number, whatever the client library does; -1: none */
	unsigned hosts, host; /* see struct dbl_conn */
	/* It was lost while a write was under way: */
	_Atomic bool owing;      /* the lost backend has yet to be ended */
	struct dbl_backend lost; /* that backend; under the link's mutex */
};

enum { DBL_CONNECTIONS = 2 };

struct dbl_link {
	const struct dbl_target *target;
	enum dblock_durability durability; /* of each connection */
	struct dbl_connection
		connections[DBL_CONNECTIONS]; /* the second is for batches only, if it pays */
	_Atomic unsigned generation; /* connections that were made before it are given up */
	_Atomic int64_t losses;
	_Atomic uint64_t opened; /* number of connections, with those of who borrows from it */
	void (*on_loss)(void *ctx);
	void *on_loss_ctx;
	struct dbl_mutex mutex;          /* guards what is said to be under it */
	_Atomic int64_t uncertain_until; /* a lost backend may still act until then */
	_Atomic int64_t one_until;       /* a second connection could not be had: no try before */
	bool single;                     /* it never opens a second one */
	_Atomic bool once;               /* no request is tried again */
	/* For loan.c; of who has the turn: */
	struct dbl_link *lender; /* NULL: the link has connections of its own */
	int64_t patience;        /* us to wait for the lender's */
	bool on_loan;
	unsigned lenders_generation; /* when it was lent */
	uint64_t seen, watched;      /* serials: of the last turn's connection; of the one that
					connections[0].socket is a duplicate of */
};

/* Was it made before the link's connections were given up? Whose turn it is replaces it. */
static inline bool dbl_connection_is_old(const struct dbl_connection *connection)
{
	return atomic_load(&connection->of) != atomic_load(&connection->link->generation);
}

/* Fail for want of time. */
int dbl_link_no_turn(struct dblock_error *err);

/* May a request that came to this be sent again? */
bool dbl_link_may_send_again(const struct dbl_link *, int rc, const struct dbl_request *);

/* Wait for the connection, to have it alone until dbl_combiner_end(). Other requests may keep it
 * busy, but no longer than our own deadline. */
int dbl_connection_enter(struct dbl_connection *, int64_t deadline, struct dblock_error *err);

/* In our turn: run these, together if they are more than one. Not 0: there was no connection. */
int dbl_connection_serve(struct dbl_connection *, struct dbl_member *const *members, unsigned n);

/* In our turn, which this ends: send our own request, if there is one, and, unless it goes alone,
 * those that may go along. */
void dbl_connection_send(struct dbl_connection *, struct dbl_member *own, bool alone);

/* In our turn: make sure of a connection that is not broken, with nothing lost still under way. */
int dbl_connection_ensure(struct dbl_connection *, int64_t deadline, struct dblock_error *err);

/* In our turn: make the connection's commits as durable as they should be. */
int dbl_connection_endure(struct dbl_connection *, int64_t deadline, struct dblock_error *err);

/* In our turn, after a request: note that the server may still carry it out, if it was lost. */
void dbl_connection_note(struct dbl_connection *, int rc);

/* In our turn, or when nobody else is left: close it, if it is open. */
void dbl_connection_close(struct dbl_connection *);

/* End our turn. */
void dbl_connection_leave(struct dbl_connection *);

/* In our turn: note its socket, for who waits on it, or cuts it. */
void dbl_connection_may_be_cut(struct dbl_connection *);

/* loan.c; in our turn, for a link that has no connections of its own: borrow the connection, if there is
 * none, and if it is to be had soon; note which it is; give it back. */
void dbl_loan_take(struct dbl_connection *, int64_t deadline);
void dbl_loan_note(struct dbl_connection *);
void dbl_loan_return(struct dbl_connection *);

#endif
