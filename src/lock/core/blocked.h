/* SPDX-License-Identifier: MIT */
/* Who has a row or a table locked that this client needs: for messages. Inside src/lock, and for
 * src/api. */
#ifndef DBL_LOCK_BLOCKED_H
#define DBL_LOCK_BLOCKED_H

#include "link/link.h"

#define DBL_BLOCKER_MAX 320

struct dbl_blocker {
	bool has_table;             /* a table is locked, so that all wait; else a row is */
	char text[DBL_BLOCKER_MAX]; /* who it is; "": the database does not tell */
};

/* Asks the database who blocks. One round trip; two for a prepared transaction on MySQL. Where that fails the text is empty. */
void dbl_blocked_by(struct dbl_link *, int64_t deadline, struct dbl_blocker *);

/* Fails with `code` and a message that begins with `what`, and says who has the table locked. */
int dbl_blocked_tell(struct dbl_link *, int64_t deadline, const char *what, int code,
		     struct dblock_error *err);

/* Fails with DBLOCK_E_BLOCKED: a locked table kept the client from being opened in time. */
int dbl_blocked_at_open(struct dbl_link *, int64_t deadline, struct dblock_error *err);

#endif
