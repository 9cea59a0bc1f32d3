/* SPDX-License-Identifier: MIT */
/* As which member of which cluster a database votes: its row of dblock_quorum. Inside
 * src/lock/quorum. */
#ifndef DBL_LOCK_QUORUM_MEMBERSHIP_H
#define DBL_LOCK_QUORUM_MEMBERSHIP_H

#include "link/link.h"
#include "lock/quorum/roster.h"

enum { DBL_CLUSTER_MAX = 63 };

enum dbl_member_state { DBL_MEMBER_NEW, DBL_MEMBER_VOTES, DBL_MEMBER_CLOSED };

struct dbl_membership {
	char cluster[DBL_CLUSTER_MAX + 1]; /* "": it is no member */
	char identity[33];                 /* of the cluster: a random number, in hex */
	int64_t epoch, members, number, state;
	char history[33];             /* the database's newest when it became a member, */
	char roster[DBL_ROSTER_SIZE]; /* and that of each member, by number; behind a mark: it is
					 being put in that place, and does not vote yet */
	int64_t max_ttl;              /* us */
	char newest[33];              /* the database's newest history */
};

/* The row of the database that the link leads to. One round trip. */
int dbl_membership_read(struct dbl_link *, int64_t deadline, struct dbl_membership *,
			struct dblock_error *err);

/* As before; and if the link leads to another server than before, a new history begins there first,
 * so that a copy is seen to be one. One round trip more; three where a history begins. */
int dbl_membership_verify(struct dbl_link *, int64_t deadline, struct dbl_membership *,
			  struct dblock_error *err);

/* Restored, or failed over, since it became a member. */
bool dbl_membership_is_copy(const struct dbl_membership *);

/* Does it vote in that cluster under that epoch? */
bool dbl_membership_votes(const struct dbl_membership *, const char *identity, int64_t epoch);

/* Fail, and say why it does not vote, or, if it does, that it does so in another cluster or epoch.
 * DBLOCK_E_UNAVAILABLE: a member is being replaced, which will be over. */
int dbl_membership_refuse(const struct dbl_membership *, struct dblock_error *err);

/* Grows with each thing that is said to all members: an epoch is closed, another one begins. */
static inline int64_t dbl_membership_era(const struct dbl_membership *is)
{
	return 2 * is->epoch + (is->state == DBL_MEMBER_CLOSED);
}

/* It is being put in a member's place, and has never been one there. */
static inline bool dbl_membership_comes(const struct dbl_membership *is)
{
	return is->state == DBL_MEMBER_CLOSED && dbl_roster_is_marked(is->roster, is->number);
}

#endif
