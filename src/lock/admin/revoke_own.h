/* SPDX-License-Identifier: MIT */
/* For revoke.c and revoke_wait.c only: one call that takes grants away. */
#ifndef DBL_LOCK_REVOKE_OWN_H
#define DBL_LOCK_REVOKE_OWN_H

#include "lock/admin/revoke.h"
#include "lock/queue/snapshot.h"

/* A grant, and one session whose client is to be told. A lease may have several of these rows, one
 * behind the other. */
struct dbl_revoked_row {
	int64_t token, nonce;
	bool leased, over, living;
	char session[33]; /* "": nobody is to be told */
	int64_t protocol;
	char host[256];
	int64_t pid;
	/* Only the first row of a grant has what follows. */
	bool marked; /* the row that tells its holder has been written, by us or before */
	bool ended;
	bool told;
	int64_t since; /* when we knew that that row was there */
	int64_t watch; /* us from then until it may be freed; DBL_UNKNOWN: not yet known */
};

struct dbl_revoking {
	struct dbl_locks *locks;
	const struct dbl_break *what;
	struct dbl_revoked_row *rows;
	unsigned n, room;
	int64_t begun, told_at; /* told_at: when the caller's callback was last called */
	bool blocked;           /* at the last look somebody had a table locked */
};

/* Frees the grant. It is no failure if the grant is over already. */
int dbl_revoking_free(struct dbl_revoking *, struct dbl_revoked_row *, struct dblock_error *err);

/* Until when it waits for an open transaction, and how, asking its caller whether to go on. */
int64_t dbl_revoking_row_until(const struct dbl_revoking *);
struct dbl_row_wait dbl_revoking_row_wait(struct dbl_revoking *);

/* Whether all grants that are still held have been taken away durably, so that they will end. */
bool dbl_revoking_stands(const struct dbl_revoking *);

/* Returns the first grant that is still held, or NULL. */
struct dbl_revoked_row *dbl_revoking_left(const struct dbl_revoking *);

/* Waits until all are over. DBLOCK_TIMEOUT, DBLOCK_CANCELED: not all are. DBLOCK_WAITING: a crash
 * of the database has lost the row that tells a holder, so all has to be done again. */
int dbl_revoking_wait(struct dbl_revoking *, struct dblock_error *err);

#endif
