/* SPDX-License-Identifier: MIT */
/* A pass of reconcile.c: what the database says of a session's grants, read page by page. Inside
 * src/lock/watch. */
#ifndef DBL_LOCK_PASS_H
#define DBL_LOCK_PASS_H

#include "lock/core/name.h"
#include "lock/watch/nonce_census.h"

/* A row that names our session, and that nobody here knows. */
struct dbl_orphan {
	struct dbl_orphan *next;
	struct dbl_cleanup *cleanup;
	int64_t nonce, token;
	bool in_queue;
	bool sure; /* it is one though a handle has its nonce: that handle is LOST */
};

struct dbl_pass {
	struct dbl_locks *locks;
	struct dbl_epoch *epoch; /* whose rows are read */
	struct dbl_census before;
	struct dbl_orphan *orphans;
	unsigned n_orphans;
	char last[DBL_NAME_MAX + 1]; /* the last name that was read */
	bool again;                  /* not all could be done: another pass has to follow */
};

/* Reads on. 0: all was read. DBLOCK_WAITING: there are more, which the next heartbeat reads; so it does
 * after a failure, or if the link has lost a connection since it had lost `losses`. */
int dbl_pass_read(struct dbl_pass *, struct dbl_link *, int64_t losses, int64_t deadline);

/* One more orphan. NULL: there are too many, or no memory, so that another pass has to follow. */
struct dbl_orphan *dbl_orphan_new(struct dbl_pass *, const char *name, int64_t nonce,
				  int64_t token);

#endif
