/* SPDX-License-Identifier: MIT */
/*
 * Which history of the database the session lives in. Each failover, and each restore, begins
 * another one: a row of dblock_history, which the first client writes that finds the database on
 * another server. A history that the client knows and the database does not have tells that they are
 * on different branches. In src/session on the heartbeat thread; for members of a cluster also by
 * whoever is about to ask one for its vote (src/lock/quorum).
 */
#ifndef DBL_SESSION_LINEAGE_H
#define DBL_SESSION_LINEAGE_H

#include "base/err.h"
#include "link/link.h"

struct dbl_lineage {
	char id[33];    /* the newest that is known; "": none yet */
	bool is_read;   /* it was read on a connection, */
	int64_t losses; /* the one after so many losses of the link's */
	bool newer;     /* another one was known before, and no beat was answered since */
};

/* The newest history of a database. */
struct dbl_tip {
	int64_t n; /* 0: no history has begun yet */
	char id[33];
	bool moved; /* the server is another one than when it began */
	bool known; /* the database has the history that was asked for */
	char facts[256];
};

enum dbl_branch {
	DBL_BRANCH_SAME,
	DBL_BRANCH_NEWER, /* it goes on from where we were, on another server */
	DBL_BRANCH_OTHER  /* it does not have what we know */
};

/* Has the link another connection than the one on which the history was read? */
bool dbl_lineage_may_differ(const struct dbl_lineage *, const struct dbl_link *);

/* Reads where we are; a newer history is the known one from then on. One round trip; three where a
 * history begins. */
int dbl_lineage_read(struct dbl_lineage *, struct dbl_link *, int64_t deadline, enum dbl_branch *,
		     struct dblock_error *err);

/* The request for the tip; *id is the history that is asked for. One round trip. */
struct dbl_request dbl_lineage_request(struct dbl_tip *, const struct dbl_value *id,
				       int64_t deadline);

/* The request by which another history, of that id, begins after the tip; it changes nothing if another
 * one has begun meanwhile. One round trip. */
struct dbl_request dbl_lineage_extension(const struct dbl_tip *, const char *id,
					 struct dbl_value args[3], int64_t deadline);

#endif
