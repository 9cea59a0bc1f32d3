/* SPDX-License-Identifier: MIT */
/* What the files of a link share. */
#ifndef DBL_LINK_OWN_H
#define DBL_LINK_OWN_H

#include "link/backend.h"
#include "link/link.h"

struct dbl_link {
	const struct dbl_target *target;
	struct dbl_seats seats;            /* who has db, and who waits for it */
	enum dblock_durability durability; /* of each connection */
	struct dbl_db *db;                 /* NULL: not connected */
	struct dbl_backend backend;
	/* A connection was lost while a write was under way on it: */
	bool owing;              /* its backend has yet to be ended */
	struct dbl_backend lost; /* that one */
	_Atomic int64_t losses;
	void (*on_loss)(void *ctx);
	void *on_loss_ctx;
	int64_t uncertain_until; /* one could not be ended: what it was sent may come as late */
};

/* The connection, alone, until dbl_seats_end(); it may be busy with other requests, but no longer
 * than our own deadline. */
int dbl_link_enter(struct dbl_link *, int64_t deadline, struct dblock_error *err);

/* In our turn, which is over then: our own request, if there is one, and those that may go along.
 */
void dbl_link_serve(struct dbl_link *, struct dbl_member *own);

#endif
