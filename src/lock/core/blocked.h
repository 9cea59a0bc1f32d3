/* SPDX-License-Identifier: MIT */
/* Who keeps us from a row, or from a table: for messages. Inside src/lock, and for src/api. */
#ifndef DBL_LOCK_BLOCKED_H
#define DBL_LOCK_BLOCKED_H

#include "link/link.h"

#define DBL_BLOCKER_MAX 320

struct dbl_blocker {
	bool has_table;             /* whoever it is: a table, for which all wait; else a row */
	char text[DBL_BLOCKER_MAX]; /* "": the database does not tell */
};

/* One round trip. A failure is no news: then the text is empty. */
void dbl_blocked_by(struct dbl_link *, int64_t deadline, struct dbl_blocker *);

/* Something could not be done, since a table was locked: `what` begins the message that says so. */
int dbl_blocked_tell(struct dbl_link *, int64_t deadline, const char *what, int code,
		     struct dblock_error *err);

/* Likewise, of a client that could not be opened by the deadline: DBLOCK_E_LOCKED. */
int dbl_blocked_at_open(struct dbl_link *, int64_t deadline, struct dblock_error *err);

#endif
