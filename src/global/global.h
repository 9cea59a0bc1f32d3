/* SPDX-License-Identifier: MIT */
/*
 * A transaction over several databases: two-phase commit, whose decision is a row of one of them, its home, and commits
 * with what the home has to do. The others are branches: prepared before that, committed after it, in their order.
 * Gray and Lamport, "Consensus on Transaction Commit" (2006), section 2, has the protocol; what is known of its failures
 * here is in docs/user/transactions.md.
 */
#ifndef DBL_GLOBAL_GLOBAL_H
#define DBL_GLOBAL_GLOBAL_H

#include <dblock/global.h>

#include "link/tx.h"
#include "sql/xid.h"

enum dbl_branch_state {
	DBL_BRANCH_OPEN,     /* statements are run in it */
	DBL_BRANCH_PREPARED, /* or it may be: the answer was lost */
	DBL_BRANCH_OVER
};

struct dbl_global_branch {
	struct dblock_tx *tx;
	struct dbl_xid_text xid;
	enum dbl_branch_state state;
};

_Static_assert(DBL_XID_MAX == DBLOCK_BRANCHES, "as many names as branches");

struct dblock_global {
	struct dblock_tx *home;
	struct dbl_xid xid; /* n: so many branches */
	struct dbl_global_branch branches[DBLOCK_BRANCHES];
	bool over;
	unsigned unfinished; /* once it is committed: branches that are yet to be */
};

/* Each returns as the public call of that name. */
int dbl_global_begin(struct dblock_tx *home, struct dblock_global **, struct dblock_error *err);
int dbl_global_join(struct dblock_global *, struct dblock_tx *, struct dblock_error *err);
int dbl_global_commit(struct dblock_global *, struct dblock_error *err);
int dbl_global_rollback(struct dblock_global *, struct dblock_error *err);
void dbl_global_close(struct dblock_global *);

/* branch.c: what is done to one branch. */
int dbl_branch_begin(struct dbl_global_branch *, struct dblock_error *err);
int dbl_branch_prepare(struct dbl_global_branch *, struct dblock_error *err);
/* Not 0: it may be committed later, by the recovery. */
int dbl_branch_commit(struct dbl_global_branch *, struct dblock_error *err);
/* Where that fails it is not over: the server rolls it back, or the recovery does, once the connection is gone. True: it
 * was prepared, and this has rolled it back. */
bool dbl_branch_rollback(struct dbl_global_branch *);
void dbl_branch_forget(struct dbl_global_branch *);

#endif
