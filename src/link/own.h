/* SPDX-License-Identifier: MIT */
/* What the files of a link share. */
#ifndef DBL_LINK_OWN_H
#define DBL_LINK_OWN_H

#include "link/backend.h"
#include "link/link.h"

/* A connection, and who waits for it. */
struct dbl_connection {
	struct dbl_link *link;
	struct dbl_combiner combiner;
	struct dbl_db *db; /* NULL: not connected */
	struct dbl_backend backend;
	/* It was lost while a write was under way on it: */
	_Atomic bool owing;      /* that backend has yet to be ended */
	struct dbl_backend lost; /* that one; under the link's mutex */
};

enum { DBL_CONNECTIONS = 2 };

struct dbl_link {
	const struct dbl_target *target;
	enum dblock_durability durability; /* of each connection */
	struct dbl_connection
		connections[DBL_CONNECTIONS]; /* the second one only for batches, and if it pays */
	_Atomic int64_t losses;
	void (*on_loss)(void *ctx);
	void *on_loss_ctx;
	struct dbl_mutex mutex; /* guards `lost` */
	_Atomic int64_t
		uncertain_until;   /* one could not be ended: what it was sent may come as late */
	_Atomic int64_t one_until; /* a second connection could not be had: not before then */
};

/* No time is left. */
int dbl_link_no_turn(struct dblock_error *err);

/* The lane, alone, until dbl_combiner_end(); it may be busy with other requests, but no longer than
 * our own deadline. */
int dbl_connection_enter(struct dbl_connection *, int64_t deadline, struct dblock_error *err);

/* In our turn, which is over then: our own request, if there is one, and, unless it goes alone,
 * those that may go along. */
void dbl_connection_send(struct dbl_connection *, struct dbl_member *own, bool alone);

/* In our turn: a connection that is not broken, and nothing under way that was lost. */
int dbl_connection_ensure(struct dbl_connection *, int64_t deadline, struct dblock_error *err);

/* In our turn: as durable as it should be. */
int dbl_connection_endure(struct dbl_connection *, int64_t deadline, struct dblock_error *err);

/* In our turn, after a request: the server may still carry out what it was sent. */
void dbl_connection_note(struct dbl_connection *, int rc);

/* The end of our turn. */
void dbl_connection_leave(struct dbl_connection *);

#endif
