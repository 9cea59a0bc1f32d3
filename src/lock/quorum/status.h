/* SPDX-License-Identifier: MIT */
/* How the members of a cluster are, as each says of itself, and whether they agree. */
#ifndef DBL_LOCK_QUORUM_STATUS_H
#define DBL_LOCK_QUORUM_STATUS_H

#include <dblock/quorum.h>

#include "lock/core/context.h"
#include "lock/quorum/membership.h"

/* One member, as it was looked at; and who has its vote for the lock that was asked for. */
struct dbl_seen {
	int rc; /* not 0: it could not be looked at, */
	struct dbl_membership is;
	enum dblock_member_state state; /* set by dbl_quorum_judge(), as the next */
	struct dblock_error why;        /* and why; or why it does not vote */
	bool tells; /* what it has granted counts: it votes, or is closed, which takes nothing back
		     */
	const char *host; /* NULL: nobody's */
	int64_t pid, token;
	bool is_lease;
};

/* All of them. */
struct dbl_sight {
	unsigned n, majority, answering, voting, telling;
	const struct dbl_membership
		*cluster;              /* that most of them are of, by its newest word; or NULL */
	const struct dbl_seen *holder; /* who has most votes for the lock; NULL: nobody */
	unsigned granted;              /* so many */
	int64_t token; /* at which a majority agrees that he holds it; 0: it does not */
};

/* Has each of n members looked at, all at once: `look` is called for each of 0 to n - 1, on threads
 * of their own. */
void dbl_quorum_look(const struct dbl_env *, unsigned n, void (*look)(void *ctx, unsigned i),
		     void *ctx);

/* What this database is; nothing is written. Two round trips. */
void dbl_quorum_see(struct dbl_locks *, struct dbl_seen *);

/* Which of them vote together, and for whom. */
void dbl_quorum_judge(struct dbl_seen seen[], unsigned n, struct dbl_sight *);

#endif
