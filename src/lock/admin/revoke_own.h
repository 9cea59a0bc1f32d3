/* SPDX-License-Identifier: MIT */
/* Inside revoke.c and revoke_wait.c: one call that takes grants away. */
#ifndef DBL_LOCK_REVOKE_OWN_H
#define DBL_LOCK_REVOKE_OWN_H

#include "lock/admin/revoke.h"
#include "lock/queue/snapshot.h"

/* A grant, and one session whose client is to be told. A lease may have several: a row for each,
 * one behind the other. */
struct dbl_revoked_row {
	int64_t token, nonce;
	bool leased, over, living;
	char session[33]; /* "": nobody is to be told */
	int64_t protocol;
	char host[256];
	int64_t pid;
	/* Of the first row of a grant: */
	bool marked; /* our word of it has been written, or it stood already */
	bool ended;
	bool told;
	int64_t since; /* we know that it is there */
	int64_t watch; /* it may be freed so long after that; DBL_UNKNOWN: not yet known */
};

struct dbl_revoking {
	struct dbl_locks *locks;
	const struct dbl_break *what;
	struct dbl_revoked_row *rows;
	unsigned n, room;
	int64_t begun, told_at; /* told_at: the caller, last */
	bool blocked;           /* when it looked last, somebody had a table */
};

/* Free it. That it is over already is as good. */
int dbl_revoking_free(struct dbl_revoking *, struct dbl_revoked_row *, struct dblock_error *err);

/* It waits no longer than that for an open transaction; and so, asking its caller. */
int64_t dbl_revoking_row_until(const struct dbl_revoking *);
struct dbl_row_wait dbl_revoking_row_wait(struct dbl_revoking *);

/* All that is still held has been taken away, durably: it will be free. */
bool dbl_revoking_stands(const struct dbl_revoking *);

/* The first that is still held; NULL: none. */
struct dbl_revoked_row *dbl_revoking_left(const struct dbl_revoking *);

/* Until all are over. DBLOCK_TIMEOUT, DBLOCK_CANCELED: not all are. */
int dbl_revoking_wait(struct dbl_revoking *, struct dblock_error *err);

#endif
